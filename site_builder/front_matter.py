"""Front matter: the YAML block between `---` lines at the very top of a note.

Every scalar stays the string the author typed (`007`, `2024-01-02`, `yes`), so that the published
values are the same on every machine and mean what the author sees.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import yaml

from manifest.search_text import meta_list
from site_builder.note import Meta

SIZE_LIMIT = 64 * 1024
"""Characters of front matter that are read at all."""

DEPTH_LIMIT = 30
VALUE_LIMIT = 10_000
"""Bounds on nesting and on values once aliases are written out: a few lines of YAML can stand for
billions of values."""

Fault: TypeAlias = tuple[int, str]
"""A line of the file, from 1, and what is wrong there."""

_FENCE = re.compile(r"---[ \t]*(?:\n|\Z)")
_CLOSING = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.M)
_KEY_LINE = re.compile(r"^[\"']?[^\s#:\"'\[\]{}>|-][^\n:]*:(?:[ \t]|$)", re.M)
_WITHHOLDING_KEY = re.compile(r"[\"']?(?:draft|publish(?:ed)?|exclude)[\"']?\s*+:", re.I)
_BEFORE_KEY = " \t{[?-"
_NEAR = 200
"""What may stand between a line's beginning and its first key; how many of them are looked at."""

_INVISIBLE = re.compile("[\u00ad\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe0f\ufeff]")
_COMMENT = re.compile("%%.*?%%", re.S)

_SURROGATE = re.compile("[\ud800-\udfff]")
"""A quoted scalar can spell out half a surrogate pair, which no published text may hold."""

_YES = frozenset({"true", "yes", "on", "1", "y", "t"})
_NO = frozenset({"false", "no", "off", "0", "n", "f"})
_EMPTY = frozenset({"", "null", "~"})


class _Unreadable(Exception):
    """The block is no usable YAML; carries the line within the block, from 0."""

    def __init__(self, line: int, problem: str) -> None:
        super().__init__(problem)
        self.line = line
        self.problem = problem


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What stands at the top of a note.

    length: characters up to the first one of the text; lines: how many lines these are.
    broken: the block cannot be read; `meta` is then empty. mentions_withholding: a line of it, or a
    mapping within one, begins with draft, publish or exclude, so that a broken block must not
    publish the note. withheld: the line of a readable block that says so.
    faults: lines count from 1 in the file.
    """

    meta: dict[str, Meta]
    length: int = 0
    lines: int = 0
    broken: bool = False
    mentions_withholding: bool = False
    withheld: str = ""
    faults: tuple[Fault, ...] = ()


def read_front_matter(text: str) -> FrontMatter:
    """Takes the front matter off `text` (newlines normalised, no byte order mark).

    What stands between two rules without a single `key:` line is text and stays text.
    """
    opening = _FENCE.match(text)
    if not opening:
        return FrontMatter({})
    start = opening.end()
    closing = _CLOSING.search(text, start)
    if not closing:
        return _never_closed(text, start)
    block = text[start : closing.start()]
    end = min(closing.end() + 1, len(text))
    lines = text.count("\n", 0, end) + (not text.endswith("\n", 0, end))
    faults: list[Fault] = []
    meta: dict[str, Meta] = {}
    broken, withheld = False, ""
    mentions = _names_withholding(_visible(block))
    builder = _Builder(faults)
    try:
        meta = _mapping(block, builder)
        withheld = _withheld(builder.pairs, faults)
    except _Unreadable as error:
        if not mentions and not _KEY_LINE.search(block):
            return FrontMatter({})
        broken = True
        faults.append((error.line + 2, f"front matter cannot be read: {error.problem}"))
    return FrontMatter(meta, end, lines, broken, mentions, withheld, tuple(faults))


def _never_closed(text: str, start: int) -> FrontMatter:
    """A first line `---` without its partner: a rule, unless keys follow it at once."""
    rest = _visible(text[start:])
    first = rest.partition("\n")[0]
    if not _KEY_LINE.match(text, start) and not _names_withholding(first):
        return FrontMatter({})
    mentions = _names_withholding(rest)
    faults = ((1, "front matter is never closed by a line of three dashes"),)
    return FrontMatter({}, 0, 0, True, mentions, faults=faults)


def _names_withholding(text: str) -> bool:
    """Whether a line, or a mapping within one, begins with a key that withholds."""
    for key in _WITHHOLDING_KEY.finditer(text):
        near = max(0, key.start() - _NEAR)
        line = text.rfind("\n", near, key.start()) + 1
        before = text[line or near : key.start()]
        rest = before.rstrip(_BEFORE_KEY)
        if not rest or rest[-1] == "," or {"{", "["} & set(before[len(rest) :]):
            return True
    return False


def _visible(text: str) -> str:
    """The text as a reader sees it: without invisible characters, wide forms made plain."""
    return _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))


def withheld_reason(front: FrontMatter) -> str:
    """Why the note must not be published; empty if it may be."""
    if front.broken:
        return "front matter cannot be read and may withhold" if front.mentions_withholding else ""
    return front.withheld


def _withheld(pairs: list[tuple[str, Meta, int]], faults: list[Fault]) -> str:
    """The first of the block's own pairs that withholds; a fault where its value is in doubt.

    Every pair counts, also one that a later pair of the same name replaces. A draft is published
    only by a plain no; a date says when a note was published, so only a plain no withholds there.
    """
    reason = ""
    for key, value, line in pairs:
        name = _visible(key).strip().lower()
        word = value.strip().lower() if isinstance(value, str) else None
        plain = True
        if name in ("draft", "exclude"):
            withholds = word is None or word not in _NO | _EMPTY
            plain = not withholds or word in _YES
        elif name in ("publish", "published"):
            withholds = word is None or _visible(word).strip() in _NO
            plain = not withholds or word in _NO
        else:
            continue
        if not plain:
            faults.append((line + 2, f"`{key}` is neither a plain yes nor a plain no: withheld"))
        if withholds:
            reason = reason or f"{key}: {value}"
    return reason


def is_knowledge(meta: dict[str, Meta]) -> bool:
    """False where `knowledge: false` keeps the note on the site only."""
    return text_value(meta, "knowledge").lower() not in _NO


def text_value(meta: Mapping[str, Meta], key: str) -> str:
    """The value of `key` where it is a string, without white space around it; else empty."""
    value = meta.get(key, "")
    return value.strip() if isinstance(value, str) else ""


def tags(meta: dict[str, Meta]) -> tuple[str, ...]:
    """The tags of the front matter, without `#`, each once, in order."""
    return tuple(dict.fromkeys(meta_list(meta.get("tags") or meta.get("tag"))))


def aliases(meta: dict[str, Meta]) -> tuple[str, ...]:
    """Other names of the note, each once, in order."""
    return tuple(dict.fromkeys(meta_list(meta.get("aliases") or meta.get("alias"))))


def _mapping(block: str, builder: _Builder) -> dict[str, Meta]:
    if len(block) > SIZE_LIMIT:
        raise _Unreadable(0, f"longer than {SIZE_LIMIT} characters")
    if not block.strip():
        return {}
    try:
        value = builder.build(block)
    except yaml.MarkedYAMLError as error:
        context, mark = error.context_mark, error.problem_mark
        line = context.line if context else mark.line if mark else 0
        problem = " ".join(str(part) for part in (error.context, error.problem) if part)
        raise _Unreadable(line, problem) from error
    except yaml.reader.ReaderError as error:
        line = block.count("\n", 0, error.position)
        raise _Unreadable(line, "a control character, which YAML does not allow") from error
    except ValueError as error:  # PyYAML lets an escape beyond Unicode through to chr()
        raise _Unreadable(0, str(error)) from error
    if not isinstance(value, dict):
        if value == "":
            return {}
        raise _Unreadable(0, "no `key: value` lines")
    return value


@dataclass(slots=True)
class _Open:
    """A list or mapping under construction; `size` counts the values in it, aliases written out."""

    value: list[Meta] | dict[str, Meta]
    anchor: str | None
    line: int
    key: str | None = None
    key_line: int = 0
    size: int = 1


class _Builder:
    """Turns YAML events into values, with neither recursion nor types.

    pairs: every key of the outermost mapping, its value and its line, repeated ones too.
    """

    def __init__(self, faults: list[Fault]) -> None:
        self.pairs: list[tuple[str, Meta, int]] = []
        self._faults = faults
        self._stack: list[_Open] = []
        self._anchors: dict[str, tuple[Meta, int]] = {}
        self._total = 0
        self._root: Meta = ""

    def build(self, block: str) -> Meta:
        documents = 0
        for event in yaml.parse(block, Loader=yaml.SafeLoader):
            line = event.start_mark.line if event.start_mark else 0
            documents += isinstance(event, yaml.DocumentStartEvent)
            if documents > 1:
                raise _Unreadable(line, "more than one YAML document")
            if isinstance(event, yaml.ScalarEvent):
                value = _COMMENT.sub("", _SURROGATE.sub("\ufffd", event.value))
                self._add(value, 1, event.anchor, line)
            elif isinstance(event, yaml.AliasEvent):
                if event.anchor not in self._anchors:
                    raise _Unreadable(line, f"nothing is named &{event.anchor}")
                again, size = self._anchors[event.anchor]
                self._add(again, size, None, line)
            elif isinstance(event, yaml.SequenceStartEvent):
                self._open([], event.anchor, line)
            elif isinstance(event, yaml.MappingStartEvent):
                self._open({}, event.anchor, line)
            elif isinstance(event, yaml.CollectionEndEvent):
                done = self._stack.pop()
                self._add(done.value, done.size, done.anchor, done.line)
        return self._root

    def _open(self, value: list[Meta] | dict[str, Meta], anchor: str | None, line: int) -> None:
        if len(self._stack) >= DEPTH_LIMIT:
            raise _Unreadable(line, f"nested deeper than {DEPTH_LIMIT}")
        self._stack.append(_Open(value, anchor, line))

    def _add(self, value: Meta, size: int, anchor: str | None, line: int) -> None:
        if anchor is not None:
            self._anchors[anchor] = (value, size)
        if not self._stack:
            self._root = value
            return
        parent = self._stack[-1]
        parent.size += size
        if parent.size > VALUE_LIMIT:
            raise _Unreadable(line, f"more than {VALUE_LIMIT} values")
        if isinstance(parent.value, list):
            parent.value.append(value)
        elif parent.key is None:
            self._take_key(parent, value, line)
        else:
            parent.value[parent.key] = value
            if len(self._stack) == 1:
                self._take_pair(parent.key, value, parent.key_line)
            parent.key = None

    def _take_pair(self, key: str, value: Meta, line: int) -> None:
        """YAML's merge key brings the pairs of other mappings."""
        self.pairs.append((key, value, line))
        if key == "<<":
            for mapping in value if isinstance(value, list) else [value]:
                if isinstance(mapping, dict):
                    self.pairs += [(name, inner, line) for name, inner in mapping.items()]

    def _take_key(self, parent: _Open, key: Meta, line: int) -> None:
        if not isinstance(key, str):
            raise _Unreadable(line, "a list or mapping as a key")
        if key in parent.value:
            self._faults.append((line + 2, f"front matter names `{key}` twice; the last one holds"))
        parent.key, parent.key_line = key, line
