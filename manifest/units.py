"""Cutting text: search units of at most 2,000 code points, passages of at most 1,200."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple, Protocol

UNIT_LIMIT = 2000
"""Code points of a section above which search cuts it."""

PASSAGE_LIMIT = 1200
"""Code points of the longest passage that a tool returns under one label."""


class Span(NamedTuple):
    """Code points from start up to, not including, end."""

    start: int
    end: int


class HasSpan(Protocol):
    """Anything that lies in a text, such as a section."""

    @property
    def start(self) -> int: ...
    @property
    def end(self) -> int: ...


_LINE = re.compile(r"[^\n]*(?:\n|\Z)")
_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})")


def cut(text: str, start: int, end: int, limit: int) -> list[Span]:
    """Cuts text[start:end] into pieces of at most `limit` code points that cover it in order.

    Each piece is the longest prefix of what is left that ends at a blank line outside a fence,
    else at a line's end, else exactly at the limit.
    """
    end = min(end, len(text))
    if end - start <= limit:
        return [Span(start, end)] if end > start else []
    blank_ends, line_ends = _boundaries(text, start, end)
    pieces: list[Span] = []
    while end - start > limit:
        stop = (
            _last_within(blank_ends, start, start + limit)
            or _last_within(line_ends, start, start + limit)
            or start + limit
        )
        pieces.append(Span(start, stop))
        start = stop
    pieces.append(Span(start, end))
    return pieces


def section_units(text: str, sections: Sequence[HasSpan]) -> list[tuple[int, Span]]:
    """All search units of a document in order, each with the index of its section.

    An empty section is a unit too: a note without text is still found by its title.
    """
    return [
        (number, span)
        for number, section in enumerate(sections)
        for span in cut(text, section.start, section.end, UNIT_LIMIT)
        or [Span(section.start, section.end)]
    ]


def passages(text: str, section: HasSpan) -> list[Span]:
    """The passages of a section: what tools return and evidence is stored by."""
    return cut(text, section.start, section.end, PASSAGE_LIMIT)


def _boundaries(text: str, start: int, end: int) -> tuple[list[int], list[int]]:
    """Positions just after blank lines outside fences, and just after every line."""
    blank_ends: list[int] = []
    line_ends: list[int] = []
    fence = ""
    position = start
    while position < end:
        match = _LINE.match(text, position, end)
        stop = match.end() if match else end
        line = text[position:stop]
        mark = _FENCE.match(line)
        rest = line[mark.end() :] if mark else ""
        if fence:
            if mark and mark[1].startswith(fence) and not rest.strip():
                fence = ""
        elif mark and (mark[1][0] == "~" or "`" not in rest):
            fence = mark[1]
        elif not line.strip():
            blank_ends.append(stop)
        line_ends.append(stop)
        position = stop
    return blank_ends, line_ends


def _last_within(positions: list[int], after: int, limit: int) -> int:
    """The last position above `after` and at most `limit`; 0 if there is none."""
    low, high = 0, len(positions)
    while low < high:
        middle = (low + high) // 2
        if positions[middle] <= limit:
            low = middle + 1
        else:
            high = middle
    return positions[low - 1] if low and positions[low - 1] > after else 0


_CJK = re.compile(
    "[\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303c"
    "\u3041-\u318f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f"
    "\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003134f]+"
)


def token_estimate(text: str) -> int:
    """What a model would count, roughly: CJK code points + ceil(other UTF-8 bytes / 4)."""
    if text.isascii():
        return (len(text) + 3) // 4
    cjk = "".join(_CJK.findall(text))
    other = len(text.encode("utf-8")) - len(cjk.encode("utf-8"))
    return len(cjk) + (other + 3) // 4
