"""Looking terms and documents up in one segment: directory, page, shard, row."""

from __future__ import annotations

import asyncio
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pydantic import ValidationError

from bridge_reader.revision import BoundRevision
from manifest.errors import ErrorCode, NoteBridgeError
from manifest.query_plan import PREFIX_SHARDS
from manifest.references import Kind, Reference, object_path
from manifest.search_objects import (
    Continuation,
    DirectoryRow,
    DocRow,
    Docs,
    Posting,
    Postings,
    Segment,
    Shard,
    TermPostings,
    Terms,
    read_postings,
)

DOC_PAGE = 32
"""Rows of a page of documents."""


class SegmentReader:
    """One segment of a revision. Ordinals here are the segment's own."""

    def __init__(self, revision: BoundRevision, segment: Segment) -> None:
        self._revision = revision
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
                place = bisect_left(shard.terms, term, key=_term_of)
                if place < len(shard.terms) and shard.terms[place][0] == term:
                    return next(_rows([shard.terms[place]]))
        return None

    async def with_prefix(self, prefix: str) -> list[TermPostings]:
        """The rows of terms with a prefix, as far as `PREFIX_SHARDS` shards hold them."""
        rows = (await self._directory(prefix, prefix=True))[:PREFIX_SHARDS]
        found: list[TermPostings] = []
        for row, shard in zip(rows, await asyncio.gather(*map(self._shard, rows)), strict=True):
            with _understood(row):
                first = bisect_left(shard.terms, prefix, key=_term_of)
                terms = [term for term in shard.terms[first:] if term[0].startswith(prefix)]
                found.extend(_rows(terms))
        return found

    async def neighbours(self, term: str) -> list[TermPostings]:
        """The rows of the shard in which a term would stand."""
        found: list[TermPostings] = []
        for row in await self._directory(term):
            shard = await self._shard(row)
            with _understood(row):
                found.extend(shard.rows())
        return found

    async def continuation(self, term: str, rest: Continuation) -> list[Posting]:
        """The postings beyond those of a term's row."""
        reference = Reference(sha256=rest.sha256, size=rest.size)
        postings = await self._revision.read(Postings, reference)
        if postings.term != term:
            raise _invalid(object_path(Kind.POSTINGS, rest.sha256), f"it is of {postings.term!r}")
        return [Posting(row.ordinal, row.number >> 4, row.number & 15) for row in postings.rows]

    async def doc_row(self, ordinal: int) -> DocRow:
        """The row of a document."""
        reference = self.segment.docPages[ordinal // DOC_PAGE]
        page = await self._revision.read(Docs, reference)
        number = ordinal - page.first
        if not 0 <= number < len(page.docs):
            path = object_path(Kind.DOCS, reference.sha256)
            raise _invalid(path, f"it has no row for the ordinal {ordinal}")
        return page.docs[number]

    async def _directory(self, term: str, *, prefix: bool = False) -> list[DirectoryRow]:
        """The shard in which a term would stand; of a prefix, also those behind that may hold
        more. Empty only if the segment is."""
        found: list[DirectoryRow] = []
        for page_row in _reached(self.segment.pages, term, prefix=prefix):
            page = await self._revision.read(Terms, _reference(page_row))
            found.extend(_reached(page.shards, term, prefix=prefix))
            if len(found) >= PREFIX_SHARDS:
                break
        return found

    async def _shard(self, row: DirectoryRow) -> Shard:
        return await self._revision.read(Shard, _reference(row))


def decoded(row: TermPostings) -> list[Posting]:
    """The postings of a shard's row. Raises `NoteBridgeError` (OBJECT_INVALID)."""
    try:
        return list(read_postings(row.numbers))
    except ValueError as error:
        raise _invalid(f"the shard of {row.term!r}", str(error)) from error


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


def _term_of(row: list[Any]) -> str:
    return str(row[0])


def _rows(rows: list[list[Any]]) -> Iterator[TermPostings]:
    return Shard.model_construct(terms=rows).rows()


def _reference(row: DirectoryRow) -> Reference:
    return Reference(sha256=row.sha256, size=row.size)


@contextmanager
def _understood(row: DirectoryRow) -> Iterator[None]:
    """Translates what a malformed shard makes the code below stumble over."""
    try:
        yield
    except (ValueError, TypeError, IndexError, AttributeError, ValidationError) as error:
        raise _invalid(object_path(Kind.SHARD, row.sha256), str(error)) from error


def _invalid(name: str, why: str) -> NoteBridgeError:
    return NoteBridgeError(
        ErrorCode.OBJECT_INVALID,
        f"{name} is no valid object: {why}.",
        hint="Publish the site again with an unmodified note-bridge.",
        details={"object": name},
    )
