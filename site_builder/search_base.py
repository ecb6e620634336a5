"""The search base as objects: shards of postings, their two-level directory, document rows."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from manifest.canonical import Json, encode_checked
from manifest.references import HashRow, Kind, Reference
from manifest.search_objects import (
    DirectoryRow,
    DocRow,
    Docs,
    PostingRow,
    Postings,
    Segment,
    TermCount,
    Terms,
    write_postings,
)
from manifest.tokens import VERSION
from manifest.unit_terms import WEIGHTS
from site_builder.object_sink import ObjectSink, put_object
from site_builder.postings import PostingLists, best_first

SHARD_FLOOR = 8 * 1024
SHARD_CEILING = 24 * 1024
SHARD_BOUNDARY = 25
"""A shard of at least 8 kB ends before a term whose hash's first four hex digits are 0 modulo
this, and before 24 kB in any case: cut by content, one new term changes one shard. Measured on
3,000 grown notes: shards of 14 kB in the mean, and a question of a dozen words reads 78 kB of them
(p90, gzipped); with a boundary of 100 and a ceiling of 48 kB they were 28 kB, and it read 167."""

PAGE_FLOOR = 16
PAGE_CEILING = 64
PAGE_BOUNDARY = 16
"""The same for pages of the directory, in rows."""

POSTINGS_LIMIT = 4096
HOT_SHARE = 50
HOT_FLOOR = 64
"""A term is hot in more than 1/50 of the units, and at least 64 of them."""

DOC_PAGE = 32


@dataclass(frozen=True, slots=True)
class SearchBase:
    """A published segment, with what the caller needs to go on."""

    reference: Reference
    units: int


def publish_search_base(
    lists: PostingLists, rows: Sequence[DocRow], sink: ObjectSink
) -> SearchBase:
    """Keeps a segment over all documents; rows by ordinal."""
    mean = lists.pivot
    hot_floor = max(HOT_FLOOR, lists.units // HOT_SHARE + 1)
    hot = [TermCount(term, count) for term, count in lists.counts() if count >= hot_floor]
    doc_ids = [row.id for row in rows]
    shards = list(_publish_shards(lists, mean, doc_ids, sink))
    segment = Segment(
        tokens=VERSION,
        docs=len(rows),
        units=lists.units,
        pivot=mean,
        weights=WEIGHTS,
        hot=hot,
        pages=list(_publish_pages(shards, sink)),
        docPages=list(_publish_doc_pages(rows, sink)),
    )
    return SearchBase(reference=put_object(sink, segment), units=lists.units)


def _publish_shards(
    lists: PostingLists, mean: int, doc_ids: list[str], sink: ObjectSink
) -> Iterator[DirectoryRow]:
    rows: list[bytes] = []
    first = ""
    size = 0
    for term, _ in lists.counts():
        row = encode_checked(_shard_row(term, lists, mean, doc_ids, sink))
        full = size + len(row) > SHARD_CEILING
        if rows and (full or (size >= SHARD_FLOOR and _boundary(term, SHARD_BOUNDARY))):
            yield _directory_row(first, sink.put(Kind.SHARD, _shard_body(rows)))
            rows, size = [], 0
        if not rows:
            first = term
        rows.append(row)
        size += len(row) + 1
    if rows:
        yield _directory_row(first, sink.put(Kind.SHARD, _shard_body(rows)))


def _shard_body(rows: list[bytes]) -> bytes:
    """The canonical body of a `Shard` whose rows are encoded already: their sizes decided where
    the shard ends, and postings are most of what a site publishes."""
    return b'{"kind":"shard","terms":[' + b",".join(rows) + b"]}"


def _shard_row(
    term: str, lists: PostingLists, mean: int, doc_ids: list[str], sink: ObjectSink
) -> Json:
    postings = lists.postings(term, mean)
    if len(postings) <= POSTINGS_LIMIT:
        return [term, *write_postings(postings)]
    ordered = best_first(postings, doc_ids)
    rest = put_object(
        sink,
        Postings(
            term=term,
            rows=[
                PostingRow(posting.ordinal, posting.unit * 16 + posting.impact)
                for posting in ordered[POSTINGS_LIMIT:]
            ],
        ),
    )
    continuation: Json = {"sha256": rest.sha256, "size": rest.size, "count": len(postings)}
    return [term, continuation, *write_postings(sorted(ordered[:POSTINGS_LIMIT]))]


def _publish_pages(shards: list[DirectoryRow], sink: ObjectSink) -> Iterator[DirectoryRow]:
    rows: list[DirectoryRow] = []
    for shard in shards:
        ripe = len(rows) >= PAGE_FLOOR and _boundary(shard.first, PAGE_BOUNDARY)
        if ripe or len(rows) >= PAGE_CEILING:
            yield _directory_row(rows[0].first, put_object(sink, Terms(shards=rows)))
            rows = []
        rows.append(shard)
    if rows:
        yield _directory_row(rows[0].first, put_object(sink, Terms(shards=rows)))


def _publish_doc_pages(rows: Sequence[DocRow], sink: ObjectSink) -> Iterator[HashRow]:
    for first in range(0, len(rows), DOC_PAGE):
        page = put_object(sink, Docs(first=first, docs=list(rows[first : first + DOC_PAGE])))
        yield HashRow(page.sha256, page.size)


def _directory_row(first: str, reference: Reference) -> DirectoryRow:
    return DirectoryRow(first, reference.sha256, reference.size)


def _boundary(term: str, modulus: int) -> bool:
    digest = hashlib.sha256(term.encode("utf-8")).hexdigest()
    return int(digest[:4], 16) % modulus == 0
