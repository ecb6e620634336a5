"""Postings as single integers, and the scores they add up to: the hot path of a search.

A posting is `ordinal * 2^24 + unit * 16 + impact`, a unit `ordinal * 2^20 + unit`. A question may
meet tens of thousands of postings, and a tuple for each would cost more than all the arithmetic.
What comes out equals `manifest.search_objects.read_postings` and `manifest.ranking.rank`; a test
compares them.
"""

from __future__ import annotations

import heapq
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from itertools import chain

from manifest.ranking import ScoredUnit

UNIT_BITS = 20
IMPACT_BITS = 4
NUMBER_BITS = UNIT_BITS + IMPACT_BITS
_UNIT_MASK = (1 << UNIT_BITS) - 1
_NUMBER_LIMIT = 1 << NUMBER_BITS
_ORDINAL_BITS = 40
_UNITS_A_DOCUMENT = 4
_ORDINAL_MASK = (1 << _ORDINAL_BITS) - 1


def pack(ordinal: int, number: int) -> int:
    """A posting from a document's ordinal and a published number, `unit * 16 + impact`.

    Raises ValueError for numbers that make no sense.
    """
    if ordinal < 0 or not 0 < number < _NUMBER_LIMIT or number & 15 == 0:
        raise ValueError("a posting without document or impact")
    return ordinal << NUMBER_BITS | number


def unpacked_unit(unit: int) -> tuple[int, int]:
    """The ordinal and the unit's number in its document."""
    return unit >> UNIT_BITS, unit & _UNIT_MASK


def ordinal_of(posting: int) -> int:
    """The document of a posting."""
    return posting >> NUMBER_BITS


def read_packed(
    numbers: list[int], *, end: int, offset: int, dropped: Collection[int]
) -> list[int]:
    """The postings of a shard's row: ordinals below `end`, moved by `offset`, without `dropped`.

    Raises ValueError where the numbers make no sense.
    """
    found: list[int] = []
    ordinal = -1
    base = -1
    live = False
    for number in numbers:
        if number < 0:
            ordinal -= number
            if ordinal >= end:
                raise ValueError(f"an ordinal of {ordinal} where there are {end}")
            live = ordinal not in dropped
            base = ordinal + offset << NUMBER_BITS
        elif base < 0 or number & 15 == 0 or number >= _NUMBER_LIMIT:
            raise ValueError("a posting without document or impact")
        elif live:
            found.append(base | number)
    return found


def best_impacts(lists: Iterable[list[int]]) -> list[int]:
    """The postings of several lists as one: each unit once, with its best impact."""
    best: dict[int, int] = {}
    for postings in lists:
        for posting in postings:
            unit = posting >> IMPACT_BITS
            if posting > best.get(unit, 0):
                best[unit] = posting
    return list(best.values())


def score_units(weighted: Iterable[tuple[int, list[int]]]) -> dict[int, int]:
    """The score of every unit that has a term, from each term's idf and postings."""
    scores: defaultdict[int, int] = defaultdict(int)
    for idf, postings in weighted:
        worth = [idf * impact for impact in range(1 << IMPACT_BITS)]
        for posting in postings:
            scores[posting >> IMPACT_BITS] += worth[posting & 15]
    return scores


def best_documents(
    scores: dict[int, int], count: int, parts: Sequence[int] = ()
) -> list[ScoredUnit]:
    """The `count` best documents of each part by their best units.

    Falling score, then ordinal; among equal units of a document the first. parts: the ordinals at
    which the second part and those behind it begin; with none, all is one part. A part's documents
    may be left out where enough score more in all.
    """
    # Of each document the best score, and below it the first unit that has it.
    best: dict[int, int] = {}
    known = best.get
    for unit, score in _leading(scores, count).items():
        rank = score << UNIT_BITS | _UNIT_MASK - (unit & _UNIT_MASK)
        ordinal = unit >> UNIT_BITS
        if rank > known(ordinal, -1):
            best[ordinal] = rank
    places: list[list[int]] = [[] for _ in range(len(parts) + 1)]
    for ordinal, rank in best.items():
        part = bisect_right(parts, ordinal) if parts else 0
        places[part].append(rank >> UNIT_BITS << _ORDINAL_BITS | _ORDINAL_MASK - ordinal)
    leading = sorted(chain(*(heapq.nlargest(count, part) for part in places)), reverse=True)
    ordinals = [_ORDINAL_MASK - (place & _ORDINAL_MASK) for place in leading]
    return [
        ScoredUnit(
            ordinal,
            unit=_UNIT_MASK - (best[ordinal] & _UNIT_MASK),
            score=best[ordinal] >> UNIT_BITS,
        )
        for ordinal in ordinals
    ]


def document_count(scores: dict[int, int]) -> int:
    """How many documents have any unit there."""
    return len({unit >> UNIT_BITS for unit in scores})


def _leading(scores: dict[int, int], count: int) -> dict[int, int]:
    """The units among which the best of `count` documents are: most of a common word's thousands
    need not be looked at one by one."""
    enough = count * _UNITS_A_DOCUMENT
    if len(scores) <= enough * 2:
        return scores
    floor = heapq.nlargest(enough, scores.values())[-1]
    leading = {unit: score for unit, score in scores.items() if score >= floor}
    return leading if document_count(leading) >= count else scores
