"""The lexical leg: from the terms of a question to ranked documents."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace

from bridge_reader.search.filters import Filters
from bridge_reader.search.packed import (
    UNIT_BITS,
    best_documents,
    document_count,
    ordinal_of,
    score_units,
    unpacked_unit,
)
from bridge_reader.search.report import Correction
from bridge_reader.search.search_base import Found, IndexedDocument, SearchBase
from bridge_reader.search.spelling import may_be_misspelt, nearest
from manifest.query_plan import QueryTerm
from manifest.ranking import ScoredUnit, tie_key

CANDIDATES = 200
"""Documents looked at at most, for a filter that only their rows can answer."""

Admits = Callable[[IndexedDocument], Awaitable[bool]]


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which documents, and how many. admits: whether one passes the filters that its row or leaf
    must be read for."""

    filters: Filters
    admits: Admits
    limit: int


@dataclass(frozen=True, slots=True)
class RankedDocument:
    """A document with its best unit and score."""

    document: IndexedDocument
    unit: int
    score: int


@dataclass(frozen=True, slots=True)
class Ranking:
    """What the lexical leg found. weights: the idf of each term looked up.

    documents: best first. matched: documents that have any term. unit_scores: of the documents
    returned, the score of every unit that has a term, by ordinal and unit.
    """

    documents: tuple[RankedDocument, ...]
    matched: int
    weights: dict[QueryTerm, int]
    unit_scores: dict[tuple[int, int], int]
    corrections: tuple[Correction, ...] = ()


async def rank_documents(base: SearchBase, terms: list[QueryTerm], wanted: Wanted) -> Ranking:
    """The best documents for the terms of a question."""
    plan = await base.plan(terms)
    allowed, found = await asyncio.gather(_allowed(base, wanted.filters), _find(base, plan))
    corrections: tuple[Correction, ...] = ()
    if not any(term.postings for term in found):
        corrections = await _corrected(base, plan)
        used = {correction.typed: correction.used for correction in corrections}
        plan = [QueryTerm(used.get(term.term, term.term), term.prefix) for term in plan]
        found = await _find(base, list(dict.fromkeys(plan)))
    ranking = await _rank(base, found, allowed, wanted)
    few = len(ranking.documents) < wanted.limit
    if few and any(term.rest or term.weak for term in found):
        # The best postings of a common term may all be filtered out, or be too many to be kept.
        found = await asyncio.gather(*map(base.whole, found))
        ranking = await _rank(base, found, allowed, wanted)
    return replace(ranking, corrections=corrections)


async def _find(base: SearchBase, plan: list[QueryTerm]) -> list[Found]:
    return await asyncio.gather(*map(base.find, plan))


async def _allowed(base: SearchBase, filters: Filters) -> set[int] | None:
    """The documents that pass the filters which the index itself answers; None for all."""
    facts = [
        *([f"folder:{filters.folder}"] if filters.folder else []),
        *([f"tag:{filters.tag}"] if filters.tag else []),
    ]
    if not facts:
        return None
    return set.intersection(*await asyncio.gather(*map(base.ordinals, facts)))


async def _corrected(base: SearchBase, plan: list[QueryTerm]) -> tuple[Correction, ...]:
    corrections: list[Correction] = []
    for term in filter(may_be_misspelt, plan):
        used = nearest(term.term, await base.neighbours(term.term))
        if used is not None:
            corrections.append(Correction(term.term, used))
    return tuple(corrections)


async def _rank(
    base: SearchBase, found: list[Found], allowed: set[int] | None, wanted: Wanted
) -> Ranking:
    weights = {term.term: base.idf(term) for term in found}
    scores = score_units((weights[term.term], _admitted(term.postings, allowed)) for term in found)
    candidates = CANDIDATES if wanted.filters.by_row else 2 * wanted.limit
    ranked = best_documents(scores, candidates, base.parts)
    documents = await _resolve(base, ranked, wanted)
    ordinals = {found.document.ordinal for found in documents}
    of_documents = {
        unpacked_unit(unit): score
        for unit, score in scores.items()
        if unit >> UNIT_BITS in ordinals
    }
    return Ranking(tuple(documents), document_count(scores), weights, of_documents)


def _admitted(postings: list[int], allowed: set[int] | None) -> list[int]:
    if allowed is None:
        return postings
    return [posting for posting in postings if ordinal_of(posting) in allowed]


async def _resolve(
    base: SearchBase, ranked: list[ScoredUnit], wanted: Wanted
) -> list[RankedDocument]:
    """Names the best documents, leaving out those that were dropped or do not pass."""
    limit = wanted.limit
    resolved: list[RankedDocument] = []
    place = 0
    while len(resolved) < limit and place < len(ranked):
        batch = ranked[place : place + limit - len(resolved)]
        place += len(batch)
        resolved += await _named(base, batch, wanted.admits)
    others = ranked[place:]
    while len(resolved) >= limit and (ties := _ties(base, resolved, others, limit)):
        others = [unit for unit in others if unit not in ties]
        resolved += await _named(base, ties, wanted.admits)
    resolved.sort(key=lambda found: tie_key(found.score, found.document.id, found.unit))
    return resolved[:limit]


def _ties(
    base: SearchBase, resolved: list[RankedDocument], others: list[ScoredUnit], limit: int
) -> list[ScoredUnit]:
    """Of the documents that score as much as the last, those that may come before it.

    Which of equals comes first, their ids decide. Each part of the search base has its documents in
    that order, so that of each as many are looked at as there are places.
    """
    last = min(found.score for found in resolved)
    places = limit - sum(found.score > last for found in resolved)
    known = Counter(
        base.part_of(found.document.ordinal) for found in resolved if found.score == last
    )
    ties: list[ScoredUnit] = []
    for unit in others:
        part = base.part_of(unit.ordinal)
        if unit.score == last and known[part] < places:
            known[part] += 1
            ties.append(unit)
    return ties


async def _named(base: SearchBase, units: list[ScoredUnit], admits: Admits) -> list[RankedDocument]:
    documents = await asyncio.gather(*(base.document(unit.ordinal) for unit in units))
    return [
        RankedDocument(document, unit.unit, unit.score)
        for unit, document in zip(units, documents, strict=True)
        if document is not None and await admits(document)
    ]
