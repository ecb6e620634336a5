"""The search base of a revision: its segments and its delta, as one.

Ordinals count on from segment to segment, each segment taking as many as its pages have room for;
documents of the delta come behind all segments. Postings of a segment name its own ordinals;
links, related documents, the graph and the clusters name these.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate, chain

from bridge_reader.recent import Recent
from bridge_reader.revision import BoundRevision
from bridge_reader.search.delta_index import DeltaIndex
from bridge_reader.search.packed import best_impacts, ordinal_of, pack, read_packed
from bridge_reader.search.segment_reader import DOC_PAGE, SegmentReader, invalid
from manifest.errors import ErrorCode, NoteBridgeError
from manifest.objects import Doc, LeafDocument
from manifest.query_plan import QueryTerm, query_terms
from manifest.ranking import idf
from manifest.references import SHA256, Reference
from manifest.search_objects import Continuation, Delta, DeltaDoc, Related, TermPostings
from manifest.tokens import VERSION
from manifest.unit_terms import WEIGHTS

LOOK_UP_ROWS = 64
LOOK_UP_WORDS = 6
"""Rows and words looked at to find a document's ordinal."""

POSTINGS_KEPT = 400_000
"""Postings of terms looked up last that stay decoded; forty bytes each."""


@dataclass(frozen=True, slots=True)
class Found:
    """What the search base has for a term: live postings (packed), and how many there are in all.

    rest: postings of common terms that were left where they are, by segment.
    """

    term: QueryTerm
    postings: list[int]
    occurrences: int
    rest: tuple[tuple[int, str, Continuation], ...] = ()


@dataclass(frozen=True, slots=True)
class IndexedDocument:
    """What the search base says of a document. newer: it is of the delta, and what it is like was
    not measured yet."""

    ordinal: int
    id: str
    title: str
    language: str
    doc: Reference
    related: tuple[Related, ...] = ()
    newer: bool = False


class SearchBase:
    """Terms and documents of one revision."""

    def __init__(
        self, segments: list[SegmentReader], delta: Delta, newer: DeltaIndex | None
    ) -> None:
        self._segments = segments
        self._offsets = [0, *accumulate(segment.capacity for segment in segments)]
        self._newer = newer
        self._found: Recent[Found] = Recent(POSTINGS_KEPT)
        self._newer_docs: list[DeltaDoc] = delta.docs
        self._dropped: defaultdict[int, set[int]] = defaultdict(set)
        for segment_number, ordinal in delta.drop:
            self._dropped[segment_number].add(ordinal)
        self.units = sum(reader.segment.units for reader in segments)
        self.units += newer.units if newer else 0
        self.hot: dict[str, int] = defaultdict(int)
        for reader in segments:
            for term, units in reader.segment.hot:
                self.hot[term] += units

    @classmethod
    async def load(cls, revision: BoundRevision) -> SearchBase:
        """The search base of a revision, with the texts of its delta.

        Raises `NoteBridgeError`: SEARCH_UNAVAILABLE if there is none, or one whose tokens are cut
        by rules that this version does not know, and what reading raises.
        """
        segments, delta = await asyncio.gather(revision.segments(), revision.delta())
        if not segments and not delta.docs:
            raise _unavailable("the site publishes no search index")
        for segment in segments:
            if segment.tokens != VERSION:
                raise _unavailable(f"its index is of token version {segment.tokens!r}")
        readers = [SegmentReader(revision, segment) for segment in segments]
        newer: DeltaIndex | None = None
        if delta.docs:
            docs = await asyncio.gather(*(_newer_doc(revision, row) for row in delta.docs))
            newer = DeltaIndex(
                docs,
                pivot=segments[0].pivot if segments else 1,
                weights=segments[0].weights if segments else WEIGHTS,
                first=sum(reader.capacity for reader in readers),
            )
        return cls(readers, delta, newer)

    async def find(self, term: QueryTerm) -> Found:
        """What there is for a term; of a prefix, each unit counts once, with its best impact."""
        found = self._found.get(term)
        if found is None:
            found = await self._look_up(term)
            self._found.put(term, found, len(found.postings) + 1)
        return found

    async def whole(self, found: Found) -> Found:
        """The same with the postings that were left where they are."""
        rests = await asyncio.gather(*(self._rest(*rest) for rest in found.rest))
        postings = best_impacts([found.postings, *rests])
        return Found(found.term, postings, max(found.occurrences, len(postings)))

    async def ordinals(self, fact: str) -> set[int]:
        """The documents of which a fact holds: `tag:`, `folder:`, `link:` and a value."""
        found = await self.whole(await self.find(QueryTerm(fact)))
        return set(map(ordinal_of, found.postings))

    async def document(self, ordinal: int) -> IndexedDocument | None:
        """The document of an ordinal; None if it was dropped."""
        if ordinal >= self._offsets[-1]:
            return self._newer_document(ordinal)
        number = next(i for i, end in enumerate(self._offsets[1:]) if ordinal < end)
        local = ordinal - self._offsets[number]
        row = await self._segments[number].doc_row(local)
        if not row.id or local in self._dropped[number]:
            return None
        if SHA256.fullmatch(row.sha256) is None:
            raise invalid(f"the row of {row.id[:200]!r}", "it names no document")
        return IndexedDocument(
            ordinal,
            row.id,
            row.title,
            row.language,
            Reference(sha256=row.sha256, size=row.size),
            related=tuple(row.related),
        )

    async def documents(self, ordinals: Iterable[int], pages: int) -> dict[int, IndexedDocument]:
        """The documents of some ordinals, as far as `pages` pages of rows hold them."""
        wanted: dict[tuple[int, int], list[int]] = {}
        for ordinal in ordinals:
            wanted.setdefault(self._page_of(ordinal), []).append(ordinal)
        chosen = [ordinal for page in list(wanted.values())[:pages] for ordinal in page]
        found = await asyncio.gather(*map(self.document, chosen))
        return {document.ordinal: document for document in found if document is not None}

    async def indexed(self, row: LeafDocument) -> IndexedDocument | None:
        """What the search base says of a document of the tree; None if that cannot be found out.

        Rows are by ordinal, so the document is looked up by its address: as a folder, it holds the
        document itself and those below it, and of these the document has its own title's words.
        """
        for number, newer in enumerate(self._newer_docs):
            if newer.id == row.id:
                return await self.document(self._offsets[-1] + number)
        address = row.url.rstrip("/")
        terms = [QueryTerm(f"folder:{address}")] if address else []
        candidates = await self._common_ordinals(terms)
        if candidates is None or len(candidates) > LOOK_UP_ROWS:
            words = [term for term in query_terms(row.title) if not term.prefix]
            candidates = await self._common_ordinals(terms + words[:LOOK_UP_WORDS])
        for ordinal in sorted(candidates or ())[:LOOK_UP_ROWS]:
            document = await self.document(ordinal)
            if document is not None and document.id == row.id:
                return document
        return None

    async def neighbours(self, word: str) -> list[tuple[str, int]]:
        """Terms near a word in the directories, with how many units have them."""
        found = self._newer.words() if self._newer is not None else []
        for reader in self._segments:
            for row in await reader.neighbours(word):
                rest = row.continuation
                found.append((row.term, rest.count if rest else len(row.numbers)))
        return found

    def idf(self, found: Found) -> int:
        """How much an occurrence of a term tells, in 1024ths."""
        return idf(self.units, found.occurrences)

    async def _look_up(self, term: QueryTerm) -> Found:
        parts = await asyncio.gather(
            *(self._in_segment(number, term) for number in range(len(self._segments)))
        )
        lists = [postings for part in parts for postings in part.lists]
        if self._newer is not None:
            lists += self._newer.find(term)
        postings = best_impacts(lists) if term.prefix else list(chain.from_iterable(lists))
        more = sum(rest.count for part in parts for _, _, rest in part.rest)
        kept = sum(len(postings) for part in parts for postings in part.cut)
        return Found(
            term,
            postings,
            occurrences=len(postings) + max(0, more - kept),
            rest=tuple(rest for part in parts for rest in part.rest),
        )

    async def _common_ordinals(self, terms: list[QueryTerm]) -> set[int] | None:
        found = await asyncio.gather(*map(self.find, terms))
        whole = await asyncio.gather(*map(self.whole, found))
        sets = [set(map(ordinal_of, term.postings)) for term in whole]
        return set.intersection(*sets) if sets else None

    def _page_of(self, ordinal: int) -> tuple[int, int]:
        number = next((i for i, end in enumerate(self._offsets[1:]) if ordinal < end), -1)
        return number, (ordinal - self._offsets[number]) // DOC_PAGE

    async def _in_segment(self, number: int, term: QueryTerm) -> _Part:
        reader = self._segments[number]
        if term.prefix:
            rows = await reader.with_prefix(term.term)
        else:
            row = await reader.find(term.term)
            rows = [row] if row is not None else []
        part = _Part([], [], [])
        for row in rows:
            live = self._live(number, row)
            part.lists.append(live)
            if row.continuation is not None:
                part.rest.append((number, row.term, row.continuation))
                part.cut.append(live)
        return part

    async def _rest(self, number: int, term: str, rest: Continuation) -> list[int]:
        rows = await self._segments[number].continuation(term, rest)
        offset, dropped = self._offsets[number], self._dropped.get(number, ())
        with _understood(term):
            return [
                pack(row.ordinal + offset, row.number) for row in rows if row.ordinal not in dropped
            ]

    def _live(self, number: int, row: TermPostings) -> list[int]:
        """Postings with ordinals of the whole base, those of dropped documents left out."""
        with _understood(row.term):
            return read_packed(
                row.numbers,
                end=self._segments[number].capacity,
                offset=self._offsets[number],
                dropped=self._dropped.get(number, ()),
            )

    def _newer_document(self, ordinal: int) -> IndexedDocument | None:
        number = ordinal - self._offsets[-1]
        if number >= len(self._newer_docs):
            return None
        row = self._newer_docs[number]
        reference = Reference(sha256=row.sha256, size=row.size)
        return IndexedDocument(ordinal, row.id, row.title, row.language, reference, newer=True)


@dataclass(frozen=True, slots=True)
class _Part:
    """What one segment has; cut: of `lists`, those of which there is more in a continuation."""

    lists: list[list[int]]
    rest: list[tuple[int, str, Continuation]]
    cut: list[list[int]]


@contextmanager
def _understood(term: str) -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise invalid(f"the posting list of {term!r}", str(error)) from error


async def _newer_doc(revision: BoundRevision, row: DeltaDoc) -> Doc:
    return await revision.doc_at(row.id, Reference(sha256=row.sha256, size=row.size))


def _unavailable(why: str) -> NoteBridgeError:
    return NoteBridgeError(
        ErrorCode.SEARCH_UNAVAILABLE,
        f"The search index cannot be used: {why}.",
        hint="Documents can still be read by their ids, and titles compared.",
    )
