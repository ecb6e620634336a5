"""Search without an index: titles, and headings where that is affordable."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from bridge_reader.revision import BoundRevision
from manifest.objects import LeafDocument, TocSection
from manifest.query_plan import QueryTerm
from manifest.ranking import tie_key
from manifest.search_text import search_text
from manifest.tokens import tokens

LEAVES = 64
"""Leaves read at most: some four thousand titles, about a megabyte."""

TOCS = 64
"""Documents whose headings are read at most."""

TITLE_WEIGHT = 4
HEADING_WEIGHT = 3

AdmitsRow = Callable[[LeafDocument], bool]


@dataclass(frozen=True, slots=True)
class TitleMatch:
    """A document whose title or heading has words of the question; section: that heading's."""

    row: LeafDocument
    score: int
    section: TocSection | None = None


@dataclass(frozen=True, slots=True)
class TitleSearch:
    """What comparing titles found, best first; compared: how many titles, headings: of how many
    documents the headings too."""

    matches: tuple[TitleMatch, ...]
    compared: int
    headings: int


async def compare_titles(
    revision: BoundRevision, terms: list[QueryTerm], admits: AdmitsRow, limit: int
) -> TitleSearch:
    """The documents whose titles, aliases or headings have most of the terms."""
    rows: list[LeafDocument] = []
    read = 0
    async for leaf in revision.leaves():
        rows += filter(admits, leaf.docs)
        read += 1
        if read == LEAVES:
            break
    by_title = [TitleMatch(row, score) for row in rows if (score := _title_score(row, terms))]
    by_title.sort(key=_order)
    # With few documents every heading is read; with many, those of the best titles.
    looked_at = rows if len(rows) <= TOCS else [match.row for match in by_title[:limit]]
    by_heading = await asyncio.gather(*(_by_heading(revision, row, terms) for row in looked_at))
    best = {match.row.id: match for match in by_title}
    best.update((match.row.id, match) for match in by_heading if match is not None)
    matches = sorted(best.values(), key=_order)
    return TitleSearch(tuple(matches[:limit]), len(rows), len(looked_at))


async def _by_heading(
    revision: BoundRevision, row: LeafDocument, terms: list[QueryTerm]
) -> TitleMatch | None:
    toc = await revision.toc(row.id)
    scored = [(_hits(section.title, terms), section) for section in toc.sections]
    score, section = max(scored, key=lambda pair: pair[0], default=(0, None))
    if not score:
        return None
    return TitleMatch(row, _title_score(row, terms) + HEADING_WEIGHT * score, section)


def _title_score(row: LeafDocument, terms: list[QueryTerm]) -> int:
    return TITLE_WEIGHT * max(_hits(name, terms) for name in (row.title, *row.aliases))


def _hits(text: str, terms: list[QueryTerm]) -> int:
    found = set(tokens(search_text(text)))
    return sum(
        any(token.startswith(term.term) for token in found) if term.prefix else term.term in found
        for term in terms
    )


def _order(match: TitleMatch) -> tuple[int, bytes, int]:
    return tie_key(match.score, match.row.id, 0)
