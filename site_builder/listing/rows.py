"""What a list says of a note, and in which order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import NamedTuple

from site_builder.page_facts import PageFacts

_DATE = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T ](\d{1,2}):(\d{2})(?::(\d{2}))?)?")


class NoteRow(NamedTuple):
    """A note in a list. day: ISO, empty where the author dated nothing. language: empty where it is
    the page's own. trail: titles of its categories, outermost first.

    Nothing of the note's text: an edit of words changes no list.
    """

    title: str
    url: str
    day: str = ""
    language: str = ""
    trail: tuple[str, ...] = ()


class Page(NamedTuple):
    """A page of a list, as the links between pages name it."""

    number: int
    url: str
    is_here: bool


class Branch(NamedTuple):
    """A row of a tree that is written line by line. opens: it begins the list below the row before
    it. closes: lists that end before it. notes: how many are in it and below it."""

    name: str
    url: str
    notes: int
    opens: bool = False
    closes: int = 0


@dataclass(frozen=True, slots=True)
class Tree:
    """Rows of a tree, parents first, and the lists still open behind the last."""

    branches: tuple[Branch, ...] = ()
    left_open: int = 0


def note_row(facts: PageFacts, page_language: str) -> NoteRow:
    """A note's row on a page in some language."""
    return NoteRow(
        facts.title,
        facts.url,
        changed_day(facts),
        "" if facts.language == page_language else facts.language,
        facts.category,
    )


def changed_day(facts: PageFacts) -> str:
    """The day of a note's last change as its author states it, else of its beginning; ISO, empty
    where neither is a date."""
    return _moment(facts)[:10]


def newest_first(notes: Iterable[PageFacts]) -> list[PageFacts]:
    """By the notes' own dates; those without come behind, by title."""
    by_title = sorted(notes, key=lambda facts: (facts.title.casefold(), facts.url))
    return sorted(by_title, key=_moment, reverse=True)


def tree(rows: Sequence[tuple[int, str, str, int]]) -> Tree:
    """Rows of (depth from 0, name, url, notes) as a tree.

    Rows may begin below a parent that is not among them; they then stand where it would.
    """
    branches: list[Branch] = []
    above: list[int] = []
    reached = -1
    for depth, name, url, notes in rows:
        while above and above[-1] > depth:
            above.pop()
        if not above or above[-1] < depth:
            above.append(depth)
        stands = len(above) - 1
        branches.append(Branch(name, url, notes, stands > reached, max(0, reached - stands)))
        reached = stands
    return Tree(tuple(branches), reached + 1)


def _moment(facts: PageFacts) -> str:
    return _iso(facts.updated) or _iso(facts.date)


@lru_cache(maxsize=65536)
def _iso(text: str) -> str:
    found = _DATE.match(text.strip())
    if found is None:
        return ""
    year, month, day, hour, minute, second = (int(part or 0) for part in found.groups())
    try:
        iso = date(year, month, day).isoformat()
    except ValueError:
        return ""
    return f"{iso}T{hour:02}:{minute:02}:{second:02}"
