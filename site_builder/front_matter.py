"""Front matter: the YAML block between `---` lines at the very top of a note.

Every scalar stays the string the author typed (`007`, `2024-01-02`, `yes`), so that the published
values are the same on every machine and mean what the author sees.
"""

from __future__ import annotations

import re
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
_WITHHOLDING_LINE = re.compile(r"^[\"']?(?:draft|publish(?:ed)?|exclude)[\"']?[ \t]*:", re.M | re.I)

_SURROGATE = re.compile("[\ud800-\udfff]")
"""A quoted scalar can spell out half a surrogate pair, which no published text may hold."""

_YES = frozenset({"true", "yes", "on", "1"})
_NO = frozenset({"false", "no", "off", "0"})


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
    broken: the block cannot be read; `meta` is then empty. mentions_withholding: a line of it
    begins with draft, publish or exclude, so that a broken block must not publish the note.
    faults: lines count from 1 in the file.
    """

    meta: dict[str, Meta]
    length: int = 0
    lines: int = 0
    broken: bool = False
    mentions_withholding: bool = False
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
    broken = False
    try:
        meta = _mapping(block, faults)
    except _Unreadable as error:
        if not _KEY_LINE.search(block):
            return FrontMatter({})
        broken = True
        faults.append((error.line + 2, f"front matter cannot be read: {error.problem}"))
    mentions = _WITHHOLDING_LINE.search(block) is not None
    return FrontMatter(meta, end, lines, broken, mentions, tuple(faults))


def _never_closed(text: str, start: int) -> FrontMatter:
    """A first line `---` without its partner: a rule, unless keys follow it at once."""
    if not _KEY_LINE.match(text, start):
        return FrontMatter({})
    mentions = _WITHHOLDING_LINE.search(text, start) is not None
    faults = ((1, "front matter is never closed by a line of three dashes"),)
    return FrontMatter({}, 0, 0, True, mentions, faults)


def withheld_reason(front: FrontMatter) -> str:
    """Why the note must not be published; empty if it may be."""
    if front.broken:
        return "front matter cannot be read and may withhold" if front.mentions_withholding else ""
    for key, value in front.meta.items():
        name, word = key.strip().lower(), str(value).strip().lower()
        if name in ("draft", "exclude") and word in _YES:
            return f"{key}: {value}"
        if name in ("publish", "published") and word in _NO:
            return f"{key}: {value}"
    return ""


def is_knowledge(meta: dict[str, Meta]) -> bool:
    """False where `knowledge: false` keeps the note on the site only."""
    return text_value(meta, "knowledge").lower() not in _NO


def text_value(meta: dict[str, Meta], key: str) -> str:
    """The value of `key` where it is a string, without white space around it; else empty."""
    value = meta.get(key, "")
    return value.strip() if isinstance(value, str) else ""


def tags(meta: dict[str, Meta]) -> tuple[str, ...]:
    """The tags of the front matter, without `#`, each once, in order."""
    return tuple(dict.fromkeys(meta_list(meta.get("tags") or meta.get("tag"))))


def aliases(meta: dict[str, Meta]) -> tuple[str, ...]:
    """Other names of the note, each once, in order."""
    return tuple(dict.fromkeys(meta_list(meta.get("aliases") or meta.get("alias"))))


def _mapping(block: str, faults: list[Fault]) -> dict[str, Meta]:
    if len(block) > SIZE_LIMIT:
        raise _Unreadable(0, f"longer than {SIZE_LIMIT} characters")
    if not block.strip():
        return {}
    try:
        value = _Builder(faults).build(block)
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
    size: int = 1


class _Builder:
    """Turns YAML events into values, with neither recursion nor types."""

    def __init__(self, faults: list[Fault]) -> None:
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
                self._add(_SURROGATE.sub("\ufffd", event.value), 1, event.anchor, line)
            elif isinstance(event, yaml.AliasEvent):
                if event.anchor not in self._anchors:
                    raise _Unreadable(line, f"nothing is named &{event.anchor}")
                value, size = self._anchors[event.anchor]
                self._add(value, size, None, line)
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
            parent.key = None

    def _take_key(self, parent: _Open, key: Meta, line: int) -> None:
        if not isinstance(key, str):
            raise _Unreadable(line, "a list or mapping as a key")
        if key in parent.value:
            self._faults.append((line + 2, f"front matter names `{key}` twice; the last one holds"))
        parent.key = key
