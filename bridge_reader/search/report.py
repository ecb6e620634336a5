"""What search answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from bridge_reader.passages import Passage
from manifest.objects import TocSection
from manifest.references import Reference

LegName: TypeAlias = Literal["lexical", "vectors", "titles"]


@dataclass(frozen=True, slots=True)
class Leg:
    """One way of searching: whether it ran, and if not, why."""

    leg: LegName
    ran: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Hit:
    """A document that matches, by its best unit.

    doc: the reference to its `doc`. unit: an index into its search units. section and passages are
    those read for the answer, in order of the text; empty for hits past the first few.
    """

    doc_id: str
    title: str
    language: str
    doc: Reference
    unit: int
    score: int
    section: TocSection | None = None
    passages: tuple[Passage, ...] = ()


@dataclass(frozen=True, slots=True)
class Correction:
    """A word that no document has, and the one that was searched in its place."""

    typed: str
    used: str


@dataclass(frozen=True, slots=True)
class SearchReport:
    """The hits, best first, and how they were found.

    matched: how many documents matched, before the limit (and before a filter by language or date).
    degraded: why less than the search index was searched; empty when all was well, so that no hits
    then means that nothing matches. unread: hits whose text could not be read, with the reason.
    """

    hits: tuple[Hit, ...]
    terms_used: tuple[str, ...]
    legs: tuple[Leg, ...]
    matched: int = 0
    degraded: str = ""
    corrections: tuple[Correction, ...] = ()
    unread: tuple[tuple[str, str], ...] = ()
