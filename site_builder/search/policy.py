"""When the search base is folded, merged and made anew. Pure numbers, all from what is published.

A younger segment costs a first question about a request for each of its terms, whatever its size;
the delta one for each of its documents. So there are few segments, and the bytes that folds rewrite
are spent up to what an edit may cost. What was measured is on the page about search.
"""

from __future__ import annotations

from math import isqrt

DELTA_DOCUMENTS = 12
DELTA_BYTES = 48 * 1024
"""What a delta holds at most: documents, and bytes of their `doc` objects."""

MOST_YOUNG = 2
"""Segments beside the base. With one alone, edits of a large site rewrite twice as much."""

MERGED_ANYWAY = 120
MERGING_RATIO = 8
"""A younger segment of 120 documents at most takes in whatever is folded; a larger one is
merged with what comes behind it once that is an eighth of it."""

ALLOWANCE = 40


def fits_delta(sizes: list[int]) -> bool:
    """Whether documents of these sizes stay in the delta."""
    return len(sizes) <= DELTA_DOCUMENTS and sum(sizes) <= DELTA_BYTES


def kept_segments(young: list[int], folded: int) -> int:
    """How many of the younger segments a fold leaves alone; the rest are merged with what it folds.

    young: live documents of each, the oldest first.
    """
    kept = len(young)
    while kept and (
        kept >= MOST_YOUNG or young[kept - 1] <= max(MERGED_ANYWAY, MERGING_RATIO * folded)
    ):
        kept -= 1
        folded += young[kept]
    return kept


def is_worn(documents: int, apart: int) -> bool:
    """Whether the base shall be made anew. apart: documents of younger segments, and rows of all
    segments that count no more.

    The larger a base, the dearer it is to make, and the more edits shall share in that: between
    two bases some sqrt(10 B) documents of B are edited, each of which counts twice, as a row that
    counts no more and as a document that is apart.
    """
    return apart > isqrt(ALLOWANCE * documents)
