"""Related documents without any model: TF-IDF cosine over each document's weightiest terms.

All in integers, so that every machine finds the same.
"""

from __future__ import annotations

import heapq
import math
from collections import defaultdict
from collections.abc import Sequence

from manifest.ranking import idf
from manifest.search_objects import Related
from site_builder.postings import PostingLists

TERMS_PER_DOCUMENT = 40
RELATED_LIMIT = 8
SCORE_FLOOR = 40
"""In thousandths of a cosine: below, two documents merely share a language."""

COMMON_SHARE = 10
"""A term in more than a tenth of the documents tells none from another."""

COMMON_FLOOR = 20
"""... unless there are so few documents that a tenth is nothing."""

Vector = dict[str, int]


def vectors(lists: PostingLists) -> list[Vector]:
    """Each document's weightiest terms, by ordinal.

    Goes through the terms, not the documents, so that only the terms kept are in memory twice.
    """
    ceiling = max(COMMON_FLOOR, lists.documents // COMMON_SHARE)
    best: list[list[tuple[int, int, str]]] = [[] for _ in range(lists.documents)]
    for number, term in enumerate(lists.terms()):
        found = lists.document_frequencies(term)
        if not 2 <= len(found) <= ceiling:
            continue
        rarity = idf(lists.documents, len(found))
        for ordinal, frequency in found.items():
            # Among equal weights the earlier term stays, as the numbers fall.
            entry = (rarity * (frequency.bit_length() + 1), -number, term)
            if len(best[ordinal]) < TERMS_PER_DOCUMENT:
                heapq.heappush(best[ordinal], entry)
            else:
                heapq.heappushpop(best[ordinal], entry)
    return [{term: weight for weight, _, term in entries} for entries in best]


def related(found: Sequence[Vector]) -> list[list[Related]]:
    """For each document the most alike others, best first, then by ordinal."""
    by_term: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    for ordinal, vector in enumerate(found):
        for term, weight in vector.items():
            by_term[term].append((ordinal, weight))
    norms = [sum(weight * weight for weight in vector.values()) for vector in found]
    return [_nearest(ordinal, vector, by_term, norms) for ordinal, vector in enumerate(found)]


def _nearest(
    ordinal: int,
    vector: Vector,
    by_term: dict[str, list[tuple[int, int]]],
    norms: list[int],
) -> list[Related]:
    products: defaultdict[int, int] = defaultdict(int)
    for term, weight in vector.items():
        for other, other_weight in by_term[term]:
            products[other] += weight * other_weight
    products.pop(ordinal, None)
    scored = (
        (-(1000 * product // (math.isqrt(norms[ordinal] * norms[other]) or 1)), other)
        for other, product in products.items()
    )
    best = heapq.nsmallest(RELATED_LIMIT, scored)
    return [Related(other, -score) for score, other in best if -score >= SCORE_FLOOR]
