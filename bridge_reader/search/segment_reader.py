"""Looking terms and documents up in one segment: directory, page, shard, row."""

from __future__ import annotations

import asyncio
from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager

from pydantic import ValidationError

from bridge_reader.recent import Recent
from bridge_reader.revision import BoundRevision
from bridge_reader.search.shard_text import ShardText
from manifest.errors import ErrorCode, NoteBridgeError
from manifest.query_plan import PREFIX_SHARDS
from manifest.references import Kind, Reference, object_path
from manifest.search_objects import (
    Continuation,
    DirectoryRow,
    DocRow,
    Docs,
    PostingRow,
    Postings,
    Segment,
    Shard,
    TermPostings,
    Terms,
)

SHARD_BYTES = 64 * 1024 * 1024
"""Shards kept in memory; those of ten thousand long notes take some 46 MB."""

DOC_PAGE = 32
"""Rows of a page of documents."""


class SegmentReader:
    """One segment of a revision. Ordinals here are the segment's own."""

    def __init__(self, revision: BoundRevision, segment: Segment) -> None:
        self._revision = revision
        self._shards: Recent[ShardText] = Recent(SHARD_BYTES)
        self.segment = segment

    @property
    def capacity(self) -> int:
        """Ordinals that the segment's pages have room for."""
        return len(self.segment.docPages) * DOC_PAGE

    async def find(self, term: str) -> TermPostings | None:
        """The row of a term, or None if no unit has it."""
        for row in await self._directory(term):
            shard = await self._shard(row)
            with _understood(row):
                return shard.find(term)
        return None

    async def with_prefix(self, prefix: str) -> list[TermPostings]:
        """The rows of terms with a prefix, as far as `PREFIX_SHARDS` shards hold them."""
        rows = (await self._directory(prefix, prefix=True))[:PREFIX_SHARDS]
        found: list[TermPostings] = []
        for row, shard in zip(rows, await asyncio.gather(*map(self._shard, rows)), strict=True):
            with _understood(row):
                found.extend(shard.with_prefix(prefix))
        return found

    async def neighbours(self, term: str) -> list[TermPostings]:
        """The rows of the shard in which a term would stand."""
        found: list[TermPostings] = []
        for row in await self._directory(term):
            shard = await self._shard(row)
            with _understood(row):
                found.extend(shard.rows())
        return found

    async def continuation(self, term: str, rest: Continuation) -> list[PostingRow]:
        """The postings beyond those of a term's row."""
        reference = Reference(sha256=rest.sha256, size=rest.size)
        postings = await self._revision.read(Postings, reference)
        if postings.term != term:
            raise invalid(object_path(Kind.POSTINGS, rest.sha256), f"it is of {postings.term!r}")
        return postings.rows

    async def doc_row(self, ordinal: int) -> DocRow:
        """The row of a document."""
        number = ordinal // DOC_PAGE
        page = await self._doc_page(number)
        place = ordinal - page.first
        if not 0 <= place < len(page.docs):
            path = object_path(Kind.DOCS, self.segment.docPages[number].sha256)
            raise invalid(path, f"it has no row for the ordinal {ordinal}")
        return page.docs[place]

    async def ordinals_by_id(self) -> dict[str, int]:
        """All documents that its rows name. Reads every page of them."""
        pages = await asyncio.gather(*map(self._doc_page, range(len(self.segment.docPages))))
        return {
            row.id: page.first + number
            for page in pages
            for number, row in enumerate(page.docs)
            if row.id
        }

    async def _doc_page(self, number: int) -> Docs:
        return await self._revision.read(Docs, self.segment.docPages[number])

    async def _directory(self, term: str, *, prefix: bool = False) -> list[DirectoryRow]:
        """The shard in which a term would stand; of a prefix, also those behind that may hold
        more. Empty only if the segment is."""
        if self.segment.shards is not None:
            return _reached(self.segment.shards, term, prefix=prefix)
        found: list[DirectoryRow] = []
        for page_row in _reached(self.segment.pages, term, prefix=prefix):
            page = await self._revision.read(Terms, _reference(page_row))
            found.extend(_reached(page.shards, term, prefix=prefix))
            if len(found) >= PREFIX_SHARDS:
                break
        return found

    async def _shard(self, row: DirectoryRow) -> ShardText:
        known = self._shards.get(row.sha256)
        if known is None:
            shard = await self._revision.read(Shard, _reference(row))
            with _understood(row):
                known = ShardText(shard)
            self._shards.put(row.sha256, known, known.size)
        return known


def _reached(rows: list[DirectoryRow], term: str, *, prefix: bool) -> list[DirectoryRow]:
    """Of a directory: the row below which a term would stand, and for a prefix those that begin
    with it. A term before the first row stands nowhere, and is looked for in the first."""
    start = max(0, bisect_right(rows, term, key=_first_of) - 1)
    stop = start + 1
    while prefix and stop < len(rows) and rows[stop].first.startswith(term):
        stop += 1
    return rows[start:stop]


def _first_of(row: DirectoryRow) -> str:
    return row.first


def _reference(row: DirectoryRow) -> Reference:
    return Reference(sha256=row.sha256, size=row.size)


@contextmanager
def _understood(row: DirectoryRow) -> Iterator[None]:
    """Translates what a malformed shard makes the code below stumble over."""
    try:
        yield
    except (ValueError, TypeError, IndexError, AttributeError, ValidationError) as error:
        raise invalid(object_path(Kind.SHARD, row.sha256), str(error)) from error


def invalid(name: str, why: str) -> NoteBridgeError:
    """The error for an object of the search base that makes no sense."""
    return NoteBridgeError(
        ErrorCode.OBJECT_INVALID,
        f"{name} is no valid object: {why}.",
        hint="Publish the site again with an unmodified note-bridge.",
        details={"object": name},
    )
