"""Checking the search base: directories in order, postings that make sense, rows that agree."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from bridge_reader.search.segment_reader import DOC_PAGE
from bridge_reader.verification.inspection import Inspection, each
from bridge_reader.verification.tree_check import CheckedDocument
from manifest.errors import ErrorCode
from manifest.objects import Root
from manifest.ranking import tie_key
from manifest.references import HashRow, Kind, Reference, object_path
from manifest.search_objects import (
    Continuation,
    Delta,
    DirectoryRow,
    DocRow,
    Docs,
    Dropped,
    Posting,
    Postings,
    Segment,
    Shard,
    TermPostings,
    Terms,
    read_postings,
)
from manifest.tokens import VERSION


@dataclass(slots=True)
class SearchCheck:
    """What the search base turned out to hold. capacity: ordinals that all segments have room
    for; named: those whose rows name a document. Graph and clusters name these."""

    capacity: int = 0
    named: set[int] = field(default_factory=set)
    live: Counter[str] = field(default_factory=Counter)


async def check_search(
    inspection: Inspection, root: Root, documents: Mapping[str, CheckedDocument]
) -> SearchCheck:
    """Reads and checks segments and delta against the documents of the tree."""
    found = SearchCheck()
    delta = await inspection.read(Delta, root.delta)
    for number, reference in enumerate(root.segments):
        segment = await inspection.read(Segment, reference)
        if segment is None:
            return found
        check = _SegmentCheck(inspection, segment, object_path(Kind.SEGMENT, reference.sha256))
        dropped = [row for row in delta.drop if row.segment == number] if delta else []
        await check.rows(documents, dropped, found)
        await check.terms()
        if delta is not None:
            check.hot_dropped(delta.hotDropped[number : number + 1])
        found.capacity += len(segment.docPages) * DOC_PAGE
    if delta is not None:
        _check_delta(inspection, root, delta, documents, found.live)
    name = object_path(Kind.DELTA, root.delta.sha256)
    for doc_id in documents:
        times = found.live[doc_id]
        inspection.expect(times == 1, name, f"{doc_id!r} can be found {times} times by search")
    return found


def _check_delta(
    inspection: Inspection,
    root: Root,
    delta: Delta,
    documents: Mapping[str, CheckedDocument],
    live: Counter[str],
) -> None:
    name = object_path(Kind.DELTA, root.delta.sha256)
    if root.segments:
        bases = {reference.sha256 for reference in root.segments}
        inspection.expect(delta.base in bases, name, "its base is no segment of this revision")
    rows = [(row.segment, row.ordinal) for row in delta.drop]
    inspection.expect(len(set(rows)) == len(rows), name, "it drops a row twice")
    for row in delta.drop:
        there = row.segment < len(root.segments)
        inspection.expect(there, name, f"it drops from a segment {row.segment}")
    order = [tie_key(0, doc.id, 0) for doc in delta.docs]
    inspection.expect(order == sorted(order), name, "its documents are not in the order of ids")
    for doc in delta.docs:
        checked = documents.get(doc.id)
        reference = Reference(sha256=doc.sha256, size=doc.size)
        agrees = checked is not None and checked.doc == reference
        inspection.expect(agrees, name, f"{doc.id!r} is another document in the tree")
        live[doc.id] += 1


class _SegmentCheck:
    def __init__(self, inspection: Inspection, segment: Segment, name: str) -> None:
        self._inspection = inspection
        self._segment = segment
        self._name = name
        self._units: dict[int, int] = {}
        self._order: list[bytes] = []
        self._hot = dict(segment.hot)
        self._last_term = ""
        self._terms = 0

    async def rows(
        self,
        documents: Mapping[str, CheckedDocument],
        dropped: Sequence[Dropped],
        found: SearchCheck,
    ) -> None:
        """The pages of document rows, and what the delta drops of them."""
        expect = self._inspection.expect
        gone = {row.ordinal for row in dropped}
        for number, reference in enumerate(self._segment.docPages):
            page = await self._inspection.read(Docs, reference)
            if page is None:
                continue
            name = object_path(Kind.DOCS, reference.sha256)
            expect(page.first == number * DOC_PAGE, name, f"it begins at {page.first}")
            last = number == len(self._segment.docPages) - 1
            full = len(page.docs) == DOC_PAGE or (last and 0 < len(page.docs) < DOC_PAGE)
            expect(full, name, f"it has {len(page.docs)} rows")
            for ordinal, row in enumerate(page.docs, number * DOC_PAGE):
                self._units[ordinal] = row.units
                self._order.append(tie_key(0, row.id, 0)[1] if row.id else b"")
                if row.id:
                    found.named.add(found.capacity + ordinal)
                if ordinal not in gone:
                    found.live[row.id] += bool(row.id)
                    expect(_agrees(row, documents), name, f"{row.id!r} is another in the tree")
                elif row.id:
                    expect(row.id in documents, name, f"it names {row.id!r}, which is gone")
        order = [ordered for ordered in self._order if ordered]
        expect(order == sorted(order), self._name, "its documents are not in the order of ids")
        units = sum(self._units.values())
        right = units == self._segment.units and len(self._units) == self._segment.docs
        expect(right, self._name, f"its rows are {len(self._units)}, with {units} units")
        for drop in dropped:
            right = self._units.get(drop.ordinal, -1) == drop.units
            expect(right, self._name, f"the delta drops an ordinal {drop.ordinal} wrongly")

    def hot_dropped(self, counts: Sequence[Sequence[int]]) -> None:
        """What the delta says of hot terms in dropped rows."""
        for gone in counts:
            pairs = zip(self._segment.hot, gone, strict=False)
            fits = len(gone) in (0, len(self._segment.hot))
            right = fits and all(count <= row.units for row, count in pairs)
            self._inspection.expect(right, self._name, "the delta counts its hot terms wrongly")

    async def terms(self) -> None:
        """The directory, the shards in order, and each term's postings."""
        expect = self._inspection.expect
        expect(
            self._segment.tokens == VERSION,
            self._name,
            f"its tokens are of version {self._segment.tokens!r}, which this version cannot check",
        )
        hot = [row.term for row in self._segment.hot]
        expect(hot == sorted(set(hot)), self._name, "its hot terms are not in order")
        for row in self._segment.shards or ():
            await self._shard(row)
        for page_row in self._segment.pages:
            page = await self._inspection.read(Terms, _reference(page_row))
            if page is None:
                continue
            name = object_path(Kind.TERMS, page_row.sha256)
            expect(_begins(page.shards, page_row.first), name, "it begins with another term")
            for row in page.shards:
                await self._shard(row)
        for term in self._hot:
            expect(False, self._name, f"the hot term {term!r} has no postings")

    async def _shard(self, row: DirectoryRow) -> None:
        shard = await self._inspection.read(Shard, _reference(row))
        if shard is None:
            return
        name = object_path(Kind.SHARD, row.sha256)
        expect = self._inspection.expect
        rests: list[tuple[TermPostings, Continuation]] = []
        first = True
        for found in self._readable(shard, name):
            expect(not first or found.term == row.first, name, "it begins with another term")
            first = False
            rising = self._last_term < found.term or not self._terms
            expect(rising, name, f"the term {found.term!r} is out of order")
            self._last_term = found.term
            self._terms += 1
            self._check_postings(found, name)
            if found.continuation is not None:
                rests.append((found, found.continuation))
        await each(lambda rest: self._continuation(*rest), rests)
        self._inspection.progress("search terms", self._terms, 0)

    def _readable(self, shard: Shard, name: str) -> Iterator[TermPostings]:
        try:
            yield from shard.rows()
        except ValueError as error:
            self._inspection.report(ErrorCode.OBJECT_INVALID, name, f"{name}: {error}.")

    def _check_postings(self, row: TermPostings, name: str) -> None:
        expect = self._inspection.expect
        try:
            postings = list(read_postings(row.numbers))
        except ValueError as error:
            expect(False, name, f"{row.term!r}: {error}")
            return
        expect(postings == sorted(postings), name, f"{row.term!r}: its postings are not in order")
        known = all(self._is_known(posting) for posting in postings)
        expect(known, name, f"{row.term!r}: it names a unit that no document has")
        count = row.continuation.count if row.continuation else len(postings)
        # A floor of 1 is that of lists whose floor was not published.
        least = self._segment.hotFloor if self._segment.hotFloor > 1 else count + 1
        hot = self._hot.pop(row.term, min(count, least - 1))
        expect(hot == count, name, f"the hot term {row.term!r} has {count} postings, not {hot}")

    async def _continuation(self, row: TermPostings, rest: Continuation) -> None:
        postings = await self._inspection.read(Postings, HashRow(rest.sha256, rest.size))
        if postings is None:
            return
        name = object_path(Kind.POSTINGS, rest.sha256)
        expect = self._inspection.expect
        expect(postings.term == row.term, name, f"it continues {postings.term!r}")
        kept = sum(number >= 0 for number in row.numbers)
        total = kept + len(postings.rows)
        expect(total == rest.count, name, f"with it there are {total} postings, not {rest.count}")
        impacts = [found.number & 15 for found in postings.rows]
        expect(impacts == sorted(impacts, reverse=True), name, "its postings are not in order")
        stays = all(number & 15 >= rest.least for number in row.numbers if number >= 0)
        cut = stays and (not rest.least or max(impacts, default=0) < rest.least)
        expect(cut, name, f"its term is not cut at the impact {rest.least}")
        below = impacts.count(rest.least - 1)
        expect(
            not rest.least or below == rest.below, name, f"{below} postings are just below the cut"
        )
        known = all(
            self._is_known(Posting(found.ordinal, found.number >> 4, found.number & 15))
            for found in postings.rows
        )
        expect(known, name, "it names a unit that no document has")

    def _is_known(self, posting: Posting) -> bool:
        units = self._units.get(posting.ordinal)
        # Facts of a document without any text stand at its unit 0 all the same.
        return units is not None and posting.impact > 0 and posting.unit < max(1, units)


def _agrees(row: DocRow, documents: Mapping[str, CheckedDocument]) -> bool:
    """Whether a row that counts is of the present state of its document."""
    checked = documents.get(row.id)
    if checked is None:
        return False
    return (row.sha256, row.size, row.units) == (
        checked.doc.sha256,
        checked.doc.size,
        checked.units,
    )


def _begins(rows: list[DirectoryRow], first: str) -> bool:
    return bool(rows) and rows[0].first == first


def _reference(row: DirectoryRow) -> HashRow:
    return HashRow(row.sha256, row.size)
