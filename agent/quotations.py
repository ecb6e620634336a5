"""Finding a quotation in the stored text it claims to come from.

A model quotes what it read, but rarely byte for byte: white space collapses, emphasis and link
targets vanish, quotation marks and widths change. Both texts are therefore folded to what carries
meaning, each folded character remembering where it stood, and the quotation is looked for in the
folded text. What is found is a span of the stored text; that span is shown, never the model's
wording.

Folds, from the strictest to the most forgiving, are tried in turn:

exact       the words as they are
characters  without white space, invisible characters and the characters of inline marks; marks of
            quotation are one character; compatibility forms (full width, ligatures) are taken apart
structure   also without what Markdown does not show: link targets, images, tags, comments, fences,
            entities, footnote marks, highlighting, math marks, ruling rows of tables, and what
            begins a line (marks of headings and quotations, bullets, list numbers)

Letter case, words, digits and all other punctuation must agree.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from manifest.tokens import BIGRAM, SPACED
from manifest.unicode14 import character_class

MIN_CJK = 8
"""Characters of scripts without spaces that a quotation needs at least ..."""

MIN_WORDS = 4
"""... or words of scripts with spaces; in mixed text each counts for its share."""

_CJK = re.compile(f"[{character_class(BIGRAM)}]")
_WORD = re.compile(f"[{character_class(SPACED)}_]+(?:['\u2019-][{character_class(SPACED)}_]+)*")

_QUOTES = dict.fromkeys(map(ord, "\"'´‘’‚‛“”„‟′″«»‹›「」『』〝〞〟＂＇｀｢｣"), "'")
_MARKS = frozenset("*_~`|\\[]")
"""Characters of Markdown's inline marks and of table cells: dropped wherever they stand."""

_END_PUNCTUATION = " \t\n。．.，,；;：:！!？?…、"


class Found(NamedTuple):
    """Where a quotation stands: code points of the text searched."""

    start: int
    end: int


def is_long_enough(quotation: str) -> bool:
    """Whether it has at least 8 CJK characters or 4 words (or its share of both)."""
    cjk = len(_CJK.findall(quotation))
    words = len(_WORD.findall(quotation))
    return cjk * MIN_WORDS + words * MIN_CJK >= MIN_CJK * MIN_WORDS


def find_quotation(quotation: str, text: str) -> Found | None:
    """The span of `text` that the quotation gives, or None. The first one, if there are several.

    Final punctuation that the quotation has and the text has not is forgiven.
    """
    trimmed = quotation.strip(_END_PUNCTUATION)
    if not trimmed:
        return None
    position = text.find(trimmed)
    if position >= 0:
        return Found(position, position + len(trimmed))
    for fold_text, fold_quotation in _PAIRS:
        found = _find(fold_quotation(trimmed), fold_text(text))
        if found is not None:
            return found
    return None


@dataclass(frozen=True, slots=True)
class Folded:
    """A folded text. Character i came from the stretch starts[i]:ends[i] of the original."""

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]


def _find(quotation: Folded, text: Folded) -> Found | None:
    if not quotation.text:
        return None
    position = text.text.find(quotation.text)
    if position < 0:
        return None
    return Found(text.starts[position], text.ends[position + len(quotation.text) - 1])


@lru_cache(maxsize=256)
def fold_characters(text: str) -> Folded:
    """Drops white space, invisible characters and marks; joins variants of quotes and widths."""
    return _fold(text, [])


@lru_cache(maxsize=256)
def fold_structure(text: str) -> Folded:
    """As `fold_characters`, and without what a rendered page does not show."""
    return _fold(text, _hidden(text))


_Fold = Callable[[str], Folded]
_PAIRS: tuple[tuple[_Fold, _Fold], ...] = (
    (fold_characters, fold_characters),
    (fold_structure, fold_structure),
    (fold_structure, fold_characters),
)


class _Hidden(NamedTuple):
    """A stretch of the original that reads as `reading` (mostly as nothing)."""

    start: int
    end: int
    reading: str


def _fold(text: str, hidden: list[_Hidden]) -> Folded:
    kept: list[str] = []
    starts: list[int] = []
    ends: list[int] = []

    def keep(characters: str, start: int, end: int) -> None:
        for character in _readings(characters):
            kept.append(character)
            starts.append(start)
            ends.append(end)

    position = 0
    for stretch in (*hidden, _Hidden(len(text), len(text), "")):
        for index in range(position, stretch.start):
            keep(text[index], index, index + 1)
        keep(stretch.reading, stretch.start, stretch.end)
        position = stretch.end
    return Folded("".join(kept), tuple(starts), tuple(ends))


@lru_cache(maxsize=8192)
def _reading_of(character: str) -> str:
    plain = character.translate(_QUOTES)
    if plain == "'":
        return plain
    return "".join(
        part.translate(_QUOTES)
        for part in unicodedata.normalize("NFKD", character)
        if not part.isspace()
        and part not in _MARKS
        and unicodedata.category(part) not in ("Cf", "Cc", "Cs")
    )


def _readings(characters: str) -> str:
    return "".join(map(_reading_of, characters))


_ATTRIBUTE = r"""\s+[A-Za-z_:][\w.:-]*(?:\s*=\s*(?:"[^"]*"|'[^']*'|[^\s"'=<>`]+))?"""
_DESTINATION = r"(?:<[^<>\n]*>|[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)"
_TITLE = r"""(?:\s+(?:"[^"]*"|'[^']*'))?\s*"""
_CELL = r"[ \t]*:?-+:?[ \t]*"
_QUOTED = r"[ \t]*(?:>[ \t]*)*"
_BULLETS = r"(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)+(?:\[[ xX]\][ \t]+)?"

_INVISIBLE = re.compile(
    "|".join(
        (
            r"<!--.*?-->",
            r"!\[[^\[\]]*\](?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\[\]]*\])",  # images
            r"!\[\[[^\[\]\n]*\]\]",  # embedded notes
            rf"(?<=\])\({_DESTINATION}{_TITLE}\)",  # targets of links
            r"\[\^[^\[\]\s]+\]:?",  # marks of footnotes
            r"(?<=\[\[)[^\[\]\n|]*\|",  # targets of labelled wiki links
            r"(?m:^[ \t>]*(?:`{3,}|~{3,})[^`\n]*$)",  # fences
            rf"(?m:^{_QUOTED}\|?{_CELL}(?:\|{_CELL})*\|?[ \t]*$)",  # ruling rows of tables
            rf"(?m:^{_QUOTED}(?:\#{{1,6}}[ \t]+|{_BULLETS})?)",  # what begins a line
            r"==|\$+",
            rf"</?[A-Za-z][A-Za-z0-9-]*(?:{_ATTRIBUTE})*\s*/?>",
            r"(?P<entity>&(?:[A-Za-z][A-Za-z0-9]{1,31}|#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6});)",
        )
    ),
    re.S,
)


def _hidden(text: str) -> list[_Hidden]:
    found: list[_Hidden] = []
    for match in _INVISIBLE.finditer(text):
        reading = html.unescape(match[0]) if match.lastgroup == "entity" else ""
        found.append(_Hidden(match.start(), match.end(), reading))
    return found
