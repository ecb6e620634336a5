"""Marks: `[E12]` or `[E12 "exact words"]` in an answer, whole or still being streamed.

Several labels may share a mark (`[E1, E2]`), brackets may be full width, quotation marks of any
common kind. A quotation may itself hold brackets and quotation marks.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

MARK_LIMIT = 1600
"""Code points of the longest mark: a whole passage, quoted. What is longer is plain text, so no
more than this is ever held back from a stream."""

_OPEN = "[【［"
_CLOSE = "]】］"
_QUOTES = {
    '"': '"',
    "＂": "＂",
    "'": "'",
    "“": "”“",
    "”": "”“",
    "„": "“”",
    "‘": "’‘",
    "「": "」",
    "『": "』",
    "«": "»",
}
_HEAD = re.compile(rf"[{re.escape(_OPEN)}][ ]{{0,2}}E[ ]?(\d{{1,9}})(?=\D)")
_HEAD_BEGUN = re.compile(rf"[{re.escape(_OPEN)}][ ]{{0,2}}(?:E[ ]?\d{{0,9}})?")
_END = re.compile(rf"\s{{0,3}}[{re.escape(_CLOSE)}]")
_GAP = re.compile(r"[\s:：,，]{0,3}")
_FURTHER = re.compile(r"\s{0,2}[,，;；、]\s{0,2}E[ ]?(\d{1,9})(?=\D)")
_FURTHER_BEGUN = re.compile(r"\s{0,2}(?:[,，;；、:：]\s{0,2}(?:E[ ]?\d{0,9})?)?")


@dataclass(frozen=True, slots=True)
class Claim:
    """One label in a mark, and the words it is said to give (None: no words)."""

    label: int
    words: str | None = None


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark in a text: code points start to end, and what it claims."""

    start: int
    end: int
    claims: tuple[Claim, ...]


class Pending(Enum):
    """What stands here may become a mark when more text comes."""

    PENDING = "pending"


@dataclass(frozen=True, slots=True)
class Split:
    """A text parted for showing: plain stretches and marks in order, and what must wait."""

    parts: tuple[str | Mark, ...]
    held: str


def marks(text: str) -> list[Mark]:
    """All marks of a whole text, in order."""
    return [part for part in split_marks(text, final=True).parts if isinstance(part, Mark)]


def split_marks(text: str, *, final: bool) -> Split:
    """Parts a text at its marks.

    Unless it is final, the tail that may still become a mark is held, with the spaces before it.
    Fed in pieces (what was held put in front of the next), a text parts as it does whole.
    """
    parts: list[str | Mark] = []
    position = search = 0
    while True:
        start = _next_bracket(text, search)
        if start < 0:
            end = len(text) if final else len(text.rstrip(" "))
            return _split(parts, text[position:end], text[end:])
        found = _mark_at(text, start, final=final)
        if isinstance(found, Mark):
            parts += [text[position:start], found]
            position = search = found.end
        elif found is Pending.PENDING:
            end = position + len(text[position:start].rstrip(" "))
            return _split(parts, text[position:end], text[end:])
        else:
            search = start + 1


def _split(parts: list[str | Mark], last: str, held: str) -> Split:
    return Split(tuple(part for part in (*parts, last) if part), held)


def _next_bracket(text: str, position: int) -> int:
    places = [place for mark in _OPEN if (place := text.find(mark, position)) >= 0]
    return min(places, default=-1)


def _mark_at(text: str, start: int, *, final: bool) -> Mark | Pending | None:
    window = text[start : start + MARK_LIMIT]
    whole = final or len(window) == MARK_LIMIT
    head = _HEAD.match(window)
    if head is None:
        return _pending(_HEAD_BEGUN, window, 0, whole=whole)
    claims: list[Claim] = []
    label, position = int(head[1]), head.end()
    while True:
        words = _words_at(window, position, whole=whole)
        if isinstance(words, Pending):
            return words
        claims.append(Claim(label, words.text if words is not None else None))
        position = words.end if words is not None else position
        if end := _END.match(window, position):
            return Mark(start, start + end.end(), tuple(claims))
        further = _FURTHER.match(window, position)
        if further is None:
            return _pending(_FURTHER_BEGUN, window, position, whole=whole)
        label, position = int(further[1]), further.end()


def _pending(begun: re.Pattern[str], window: str, position: int, *, whole: bool) -> Pending | None:
    return None if whole or begun.fullmatch(window, position) is None else Pending.PENDING


@dataclass(frozen=True, slots=True)
class _Words:
    text: str
    end: int


def _words_at(window: str, position: int, *, whole: bool) -> _Words | Pending | None:
    """The quotation that begins here, if one does.

    It ends at a closing quotation mark that the end of the mark or another label follows: at the
    first within which brackets are balanced, else at the first of all.
    """
    gap = _GAP.match(window, position)
    start = gap.end() if gap else position
    closing = _QUOTES.get(window[start : start + 1])
    if closing is None:
        return None
    first: _Words | None = None
    for index in range(start + 1, len(window)):
        if window[index] in closing and _may_end(window, index + 1):
            words = _Words(window[start + 1 : index], index + 1)
            if _balanced(words.text):
                return words
            first = first or words
    return first if whole else Pending.PENDING


def _may_end(window: str, position: int) -> bool:
    return bool(_END.match(window, position) or _FURTHER.match(window, position))


def _balanced(words: str) -> bool:
    opened = sum(character in _OPEN for character in words)
    return opened == sum(character in _CLOSE for character in words)
