"""When the search base is folded, merged and made anew. Pure numbers, all from what is published.

Measured on grown notes (see the page about search): a younger segment costs a first question about
a request for each of its terms, so there is one at most, and small; a delta costs a request for
each of its documents. Rewriting is cheaper than reading: an author publishes once what many read.
"""

from __future__ import annotations

from math import isqrt

DELTA_DOCUMENTS = 12
DELTA_BYTES = 48 * 1024
"""What a delta holds at most: documents, and bytes of their `doc` objects."""

MOST_YOUNG = 1
"""Segments beside the base."""

ALLOWANCE = 64


def fits_delta(sizes: list[int]) -> bool:
    """Whether documents of these sizes stay in the delta."""
    return len(sizes) <= DELTA_DOCUMENTS and sum(sizes) <= DELTA_BYTES


def kept_segments(young: list[int], folded: int) -> int:
    """How many of the younger segments a fold leaves alone; the rest are merged with what it folds.

    young: live documents of each, the oldest first. A segment at most twice as large as all that
    comes behind it is merged with that.
    """
    kept = len(young)
    while kept and (kept >= MOST_YOUNG or young[kept - 1] <= 2 * folded):
        kept -= 1
        folded += young[kept]
    return kept


def is_worn(documents: int, apart: int) -> bool:
    """Whether the base shall be made anew. apart: documents of younger segments, and rows of all
    segments that count no more.

    The larger a base, the dearer it is to make, and the more edits shall share in that: between
    two bases that cost B documents each, n edits rewrite a younger segment of n / 2 documents n /
    10 times, which is least in all at n = sqrt(20 B). An edit counts twice, in either list.
    """
    return apart > isqrt(ALLOWANCE * documents)
