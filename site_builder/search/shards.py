"""Shards: the postings of neighbouring terms as objects, and the directory that leads to them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import orjson

from manifest.errors import ErrorCode, NoteBridgeError
from manifest.objects import read_object
from manifest.references import HashRow, Kind, Reference
from manifest.search_objects import DirectoryRow, Shard, Terms
from site_builder.object_sink import ObjectSink, put_object
from site_builder.search.posting_table import Short, SortedPostings, Whole

POSTINGS_LIMIT = 4096
"""Postings of a term that its row holds; of a more common term the best, by whole impacts."""

PAGE_FLOOR = 16
PAGE_CEILING = 64
PAGE_BOUNDARY = 16
"""A page of the directory ends after 16 rows before a shard whose first term's hash is 0 modulo
this, and after 64 in any case."""

_BLOCK = 200_000
"""Postings turned into numbers of Python at one time."""


@dataclass(frozen=True, slots=True)
class ShardSizes:
    """When a shard ends, in bytes: after `floor` before a term whose hash's first four hex digits
    are 0 modulo `boundary`, and before `ceiling` in any case. Cut by content, one new term changes
    one shard."""

    floor: int
    ceiling: int
    boundary: int


BASE_SHARDS = ShardSizes(8 * 1024, 24 * 1024, 25)
"""Measured on 3,000 grown notes: shards of 14 kB in the mean, and a question of a dozen words reads
78 kB of them (p90, gzipped); with a boundary of 100 and a ceiling of 48 kB they were 28 kB, and it
read 167."""

YOUNG_SHARDS = ShardSizes(6 * 1024, 16 * 1024, 25)
"""Those of a younger segment: its terms have few postings each, and are asked for as often."""


def publish_shards(
    postings: SortedPostings, doc_ids: Sequence[str], sizes: ShardSizes, sink: ObjectSink
) -> list[DirectoryRow]:
    """Keeps all postings as shards; doc_ids by ordinal."""
    shards: list[DirectoryRow] = []
    rows: list[bytes] = []
    first = ""
    size = 0
    for term, row in _rows(postings, doc_ids, sink):
        full = size + len(row) > sizes.ceiling
        if rows and (full or (size >= sizes.floor and _boundary(term, sizes.boundary))):
            shards.append(_directory_row(first, sink.put(Kind.SHARD, _shard_body(rows))))
            rows, size = [], 0
        if not rows:
            first = term
        rows.append(row)
        size += len(row) + 1
    if rows:
        shards.append(_directory_row(first, sink.put(Kind.SHARD, _shard_body(rows))))
    return shards


def publish_pages(shards: Sequence[DirectoryRow], sink: ObjectSink) -> list[DirectoryRow]:
    """Keeps the lower level of the directory and returns the upper."""
    pages: list[DirectoryRow] = []
    rows: list[DirectoryRow] = []

    def close() -> None:
        pages.append(_directory_row(rows[0].first, put_object(sink, Terms(shards=rows))))
        rows.clear()

    for shard in shards:
        ripe = len(rows) >= PAGE_FLOOR and _boundary(shard.first, PAGE_BOUNDARY)
        if ripe or len(rows) >= PAGE_CEILING:
            close()
        rows.append(shard)
    if rows:
        close()
    return pages


def _rows(
    postings: SortedPostings, doc_ids: Sequence[str], sink: ObjectSink
) -> Iterator[tuple[str, bytes]]:
    """Each term with its encoded row: `orjson` writes such a row as the contract's canonical bytes,
    ten times as fast."""
    starts = postings.starts
    common = set(np.flatnonzero(np.diff(starts) > POSTINGS_LIMIT).tolist())
    ranks = _id_ranks(doc_ids) if common else np.empty(0, np.int64)
    for first, end in postings.blocks(_BLOCK):
        for number, numbers in _numbered(postings, first, end):
            term = postings.terms[number]
            if number in common:
                yield term, _continued(postings, number, ranks, sink)
            else:
                yield term, orjson.dumps([term, *numbers])


def _numbered(postings: SortedPostings, first: int, end: int) -> Iterator[tuple[int, list[int]]]:
    """The terms from `first` to `end` with the numbers of their rows."""
    span = slice(int(postings.starts[first]), int(postings.starts[end]))
    starts = postings.starts[first : end + 1] - postings.starts[first]
    stream, cuts = _advancing(postings.ordinals[span], postings.numbers[span], starts)
    numbers = stream.tolist()
    places = cuts.tolist()
    for number in range(first, end):
        yield number, numbers[places[number - first] : places[number - first + 1]]


def _advancing(ordinals: Short, numbers: Short, starts: Whole) -> tuple[Short, Whole]:
    """Numbers with a negative one before each document's first, and where each term's begin."""
    before = np.empty_like(ordinals)
    before[1:] = ordinals[:-1]
    before[starts[:-1][np.diff(starts) > 0]] = -1
    leads = ordinals != before
    shifts = np.cumsum(leads)
    stream = np.empty(len(numbers) + int(leads.sum()), np.int32)
    places = np.arange(len(numbers)) + shifts
    stream[places] = numbers
    stream[places[leads] - 1] = (before - ordinals)[leads]
    return stream, starts + np.concatenate([[0], shifts])[starts]


def _continued(postings: SortedPostings, number: int, ranks: Whole, sink: ObjectSink) -> bytes:
    """The row of a common term: its best postings, and the rest in an object of its own."""
    span = slice(int(postings.starts[number]), int(postings.starts[number + 1]))
    ordinals, numbers = postings.ordinals[span], postings.numbers[span]
    impacts = numbers & 15
    levels = np.bincount(impacts, minlength=17)
    at_least = np.cumsum(levels[::-1])[::-1]
    least = int(np.flatnonzero(at_least <= POSTINGS_LIMIT)[0])
    stays = impacts >= least
    order = np.lexsort((numbers >> 4, ranks[ordinals], -impacts))
    rest = order[~stays[order]]
    term = postings.terms[number]
    rows = np.stack([ordinals[rest], numbers[rest]], axis=1).tolist()
    # As `manifest.search_objects.Postings` would be written, without a model of every row.
    body = orjson.dumps({"kind": str(Kind.POSTINGS), "rows": rows, "term": term})
    reference = sink.put(Kind.POSTINGS, body)
    continuation = {
        "sha256": reference.sha256,
        "size": reference.size,
        "count": len(numbers),
        "least": least,
        "below": int(levels[least - 1]),
    }
    kept = np.array([0, int(stays.sum())])
    stream, _ = _advancing(ordinals[stays], numbers[stays], kept)
    return orjson.dumps([term, continuation, *stream.tolist()], option=orjson.OPT_SORT_KEYS)


def _id_ranks(doc_ids: Sequence[str]) -> Whole:
    """By ordinal, the document's place in the order of sha256(docId)."""
    digests = [hashlib.sha256(doc_id.encode("utf-8")).digest() for doc_id in doc_ids]
    ranks = np.empty(len(digests), np.int64)
    ranks[sorted(range(len(digests)), key=digests.__getitem__)] = np.arange(len(digests))
    return ranks


def _shard_body(rows: list[bytes]) -> bytes:
    """The canonical body of a `Shard` whose rows are encoded already: their sizes decided where
    the shard ends, and postings are most of what a site publishes."""
    return b'{"kind":"shard","terms":[' + b",".join(rows) + b"]}"


def _directory_row(first: str, reference: Reference) -> DirectoryRow:
    return DirectoryRow(first, reference.sha256, reference.size)


def _boundary(term: str, modulus: int) -> bool:
    digest = hashlib.sha256(term.encode("utf-8")).digest()
    return int.from_bytes(digest[:2]) % modulus == 0


def continuations(body: bytes, name: str) -> Iterator[HashRow]:
    """The continuations that a published shard refers to. name: says in errors which shard it is.

    Raises `NoteBridgeError` (OBJECT_INVALID) for a body that is no shard.
    """
    # Nearly every shard holds rows of numbers alone: only one with an object inside refers on.
    if body.count(b"{") == 1:
        return
    shard = read_object(Shard, body, name=name)
    try:
        found = [row.continuation for row in shard.rows() if row.continuation is not None]
    except ValueError as error:
        raise NoteBridgeError(
            ErrorCode.OBJECT_INVALID, f"{name} is no valid object: {error}."
        ) from error
    for rest in found:
        yield HashRow(rest.sha256, rest.size)


def hash_row(reference: Reference) -> HashRow:
    """A reference as rows hold it."""
    return HashRow(reference.sha256, reference.size)
