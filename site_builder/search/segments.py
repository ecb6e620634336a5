"""One segment of the search base as objects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from manifest.query_plan import hot_threshold
from manifest.references import HashRow, Reference
from manifest.search_objects import DocRow, Docs, Segment, TermCount
from manifest.tokens import VERSION
from manifest.unit_terms import WEIGHTS
from site_builder.object_sink import ObjectSink, put_object
from site_builder.search.posting_table import SortedPostings
from site_builder.search.shards import (
    BASE_SHARDS,
    POSTINGS_LIMIT,
    ShardSizes,
    hash_row,
    publish_pages,
    publish_shards,
)

DOC_PAGE = 32
"""Rows of a page of documents."""

HOT_EIGHTHS = 6
YOUNG_HOT_EIGHTHS = 1
LEAST_FLOOR = 8
"""The base lists terms in three quarters of the units that make a term hot, younger segments those
in an eighth, both in at least eight units: what none of them lists is not hot, but for what the
delta adds, and where it is in doubt the reader looks the term up."""

INLINED_SHARDS = 320
"""Shards that a segment lists itself, without pages of a directory: as many bytes as a question
would read of such pages, in one request instead of six to ten."""


@dataclass(frozen=True, slots=True)
class SegmentPlan:
    """How a segment is laid out. site_units: units of the whole search base, its own included."""

    shards: ShardSizes = BASE_SHARDS
    young: bool = False
    site_units: int = 0


def publish_segment(
    postings: SortedPostings, rows: Sequence[DocRow], plan: SegmentPlan, sink: ObjectSink
) -> tuple[Reference, Segment]:
    """Keeps a segment; rows by ordinal."""
    shards = publish_shards(postings, [row.id for row in rows], plan.shards, sink)
    inlined = len(shards) <= INLINED_SHARDS
    units = int(postings.units.sum())
    floor = _hot_floor(plan, max(units, plan.site_units))
    segment = Segment(
        tokens=VERSION,
        docs=len(rows),
        units=units,
        pivot=postings.pivot,
        weights=WEIGHTS,
        hot=[TermCount(*row) for row in _hot(postings, floor)],
        hotFloor=floor,
        pages=[] if inlined else publish_pages(shards, sink),
        shards=shards if inlined else None,
        docPages=publish_doc_pages(rows, sink),
    )
    return put_object(sink, segment), segment


def publish_doc_pages(rows: Sequence[DocRow], sink: ObjectSink) -> list[HashRow]:
    """Keeps the rows of documents, by ordinal."""
    return [
        hash_row(put_object(sink, Docs(first=first, docs=list(rows[first : first + DOC_PAGE]))))
        for first in range(0, len(rows), DOC_PAGE)
    ]


def _hot_floor(plan: SegmentPlan, site_units: int) -> int:
    eighths = YOUNG_HOT_EIGHTHS if plan.young else HOT_EIGHTHS
    return max(LEAST_FLOOR, min(hot_threshold(site_units) * eighths // 8, POSTINGS_LIMIT))


def _hot(postings: SortedPostings, floor: int) -> Iterator[tuple[str, int]]:
    counts = postings.counts
    for number in np.flatnonzero(counts >= floor).tolist():
        yield postings.terms[number], int(counts[number])
