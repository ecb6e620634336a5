"""Ranking, in arithmetic that every language of code does alike: integers, and + - x / on doubles.

A unit scores the sum over its terms of idf x impact; a document scores as its best unit; ties
break by sha256(docId), then unit.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from manifest.search_objects import Posting

IDF_SCALE = 1024

_LN2 = 0.6931471805599453


def natural_log(value: float) -> float:
    """ln of a number of at least 1, from + - x / alone: halvings, then the series of artanh."""
    halvings = 0
    while value >= 2.0:
        value = value / 2.0
        halvings += 1
    y = (value - 1.0) / (value + 1.0)
    square = y * y
    total = 0.0
    power = y
    for odd in range(1, 40, 2):
        total = total + power / odd
        power = power * square
    return halvings * _LN2 + 2.0 * total


def idf(units: int, occurrences: int) -> int:
    """ln(1 + (N - n + 1/2) / (n + 1/2)) in 1024ths, for a term in n of N units (BM25's idf)."""
    units = max(units, occurrences)
    ratio = (units - occurrences + 0.5) / (occurrences + 0.5)
    return int(IDF_SCALE * natural_log(1.0 + ratio) + 0.5)


class ScoredUnit(NamedTuple):
    """A document by its best unit: its ordinal, that unit, and the score."""

    ordinal: int
    unit: int
    score: int


@dataclass(frozen=True, slots=True)
class TermMatches:
    """What was found for one term of the plan: its idf, and its live postings."""

    idf: int
    postings: list[Posting]


def rank(matches: Iterable[TermMatches]) -> list[ScoredUnit]:
    """Documents by falling score, then by ordinal; `tie_key` orders equals once ids are known."""
    scores: dict[tuple[int, int], int] = defaultdict(int)
    for match in matches:
        for posting in match.postings:
            scores[posting.ordinal, posting.unit] += match.idf * posting.impact
    best: dict[int, ScoredUnit] = {}
    for (ordinal, unit), score in scores.items():
        known = best.get(ordinal)
        if known is None or (-score, unit) < (-known.score, known.unit):
            best[ordinal] = ScoredUnit(ordinal, unit, score)
    return sorted(best.values(), key=lambda found: (-found.score, found.ordinal))


def tie_key(score: int, doc_id: str, unit: int) -> tuple[int, bytes, int]:
    """Sorts hits by falling score, then sha256(docId), then unit."""
    return (-score, hashlib.sha256(doc_id.encode("utf-8")).digest(), unit)
