"""The search base of a revision: its segments and its delta, as one.

Ordinals count on from segment to segment, each segment taking as many as its pages have room for;
documents of the delta come behind all segments. Postings of a segment name its own ordinals;
links, related documents, the graph and the clusters name these.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import accumulate, chain

from bridge_reader.recent import Recent
from bridge_reader.revision import BoundRevision
from bridge_reader.search.common_terms import TermPart, least_impact
from bridge_reader.search.delta_index import DeltaIndex
from bridge_reader.search.hot_terms import HotTerms
from bridge_reader.search.packed import best_impacts, ordinal_of, pack, read_packed
from bridge_reader.search.segment_reader import DOC_PAGE, SegmentReader, invalid
from manifest.errors import ErrorCode, NoteBridgeError
from manifest.objects import Doc, LeafDocument
from manifest.query_plan import (
    TERM_LIMIT,
    QueryTerm,
    hot_threshold,
    plan_terms,
    query_terms,
)
from manifest.ranking import idf
from manifest.references import SHA256, Reference
from manifest.search_objects import (
    Continuation,
    Delta,
    DeltaDoc,
    DocRow,
    Related,
    TermPostings,
)
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

    Of a term in very many units, `weak` postings do not count, nor those of the `rest`, which were
    left where they are, by segment.
    """

    term: QueryTerm
    postings: list[int]
    occurrences: int
    weak: list[int] = field(default_factory=list)
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
        self._ids: dict[int, dict[str, int]] = {}
        self._newer_docs: list[DeltaDoc] = delta.docs
        self._dropped: defaultdict[int, set[int]] = defaultdict(set)
        for segment_number, ordinal, _ in delta.drop:
            self._dropped[segment_number].add(ordinal)
        self.units = sum(reader.segment.units for reader in segments)
        self.units += (newer.units if newer else 0) - sum(row.units for row in delta.drop)
        self._hot = HotTerms([reader.segment for reader in segments], delta)

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
        postings = best_impacts([found.postings, found.weak, *rests])
        return Found(found.term, postings, max(found.occurrences, len(postings)))

    async def plan(self, terms: list[QueryTerm]) -> list[QueryTerm]:
        """The terms that are looked up, in their order. Which are hot matters only where there are
        more than are looked up; then a count that no list gives is taken from the postings."""
        exact = len(terms) > TERM_LIMIT
        floor = hot_threshold(self.units)
        counts: dict[str, int] = {}
        for term in (term.term for term in terms if not term.prefix):
            count, more = self._hot.bounds(term)
            count += self._newer.count(term) if self._newer else 0
            if exact and count + more >= floor:
                count += await self._unlisted(term)
            if count >= floor:
                counts[term] = count
        return plan_terms(terms, counts)

    async def ordinals(self, fact: str) -> set[int]:
        """The documents of which a fact holds: `tag:`, `folder:`, `link:` and a value."""
        found = await self.whole(await self.find(QueryTerm(fact)))
        return set(map(ordinal_of, found.postings))

    async def document(self, ordinal: int) -> IndexedDocument | None:
        """The document whose present state has this ordinal; None if the row counts no more."""
        number, local = self._place_of(ordinal)
        if number < 0:
            return self._newer_document(local)
        if local in self._dropped[number]:
            return None
        return _indexed(ordinal, await self._segments[number].doc_row(local))

    async def present(self, ordinal: int) -> IndexedDocument | None:
        """The document that an ordinal leads to: a row of an earlier state names the document, and
        the delta or a younger segment has its present one. None if it is gone."""
        document = await self.document(ordinal)
        number, local = self._place_of(ordinal)
        if document is not None or number < 0:
            return document
        doc_id = (await self._segments[number].doc_row(local)).id
        return await self._by_id(doc_id) if doc_id else None

    def counts(self, ordinal: int) -> bool:
        """Whether an ordinal is that of some document's present state."""
        number, local = self._place_of(ordinal)
        return number < 0 or local not in self._dropped[number]

    @property
    def parts(self) -> Sequence[int]:
        """The ordinals at which younger segments and the delta begin. Within each part, documents
        stand in the order of sha256(docId)."""
        return self._offsets[1:]

    def part_of(self, ordinal: int) -> int:
        """Which part an ordinal is of."""
        return self._place_of(ordinal)[0]

    @property
    def newer(self) -> Sequence[Doc]:
        """The documents of the delta."""
        return self._newer.docs if self._newer is not None else ()

    async def documents(self, ordinals: Iterable[int], pages: int) -> dict[int, IndexedDocument]:
        """The present documents that some ordinals lead to, as far as `pages` pages of rows name
        them."""
        wanted: dict[tuple[int, int], list[int]] = {}
        for ordinal in ordinals:
            number, local = self._place_of(ordinal)
            wanted.setdefault((number, local // DOC_PAGE), []).append(ordinal)
        chosen = [ordinal for page in list(wanted.values())[:pages] for ordinal in page]
        found = await asyncio.gather(*map(self.present, chosen))
        pairs = zip(chosen, found, strict=True)
        return {ordinal: document for ordinal, document in pairs if document is not None}

    async def indexed(self, row: LeafDocument) -> IndexedDocument | None:
        """What the search base says of a document of the tree; None if that cannot be found out.

        Rows are by ordinal, so the document is looked up by its address: as a folder, it holds the
        document itself and those below it, and of these the document has its own title's words.
        """
        newer = self._newer_by_id(row.id)
        if newer is not None:
            return newer
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
        for number, reader in enumerate(self._segments):
            for row in await reader.neighbours(word):
                live = self._part(number, row).live
                if live:
                    found.append((row.term, live))
        return found

    def idf(self, found: Found) -> int:
        """How much an occurrence of a term tells, in 1024ths."""
        return idf(self.units, found.occurrences)

    async def _look_up(self, term: QueryTerm) -> Found:
        parts = await asyncio.gather(
            *(self._in_segment(number, term) for number in range(len(self._segments)))
        )
        newer = self._newer.find(term) if self._newer is not None else {}
        words = dict.fromkeys(chain(*parts, newer))
        found = [
            await self._settled(word, [part.get(word) for part in parts], newer.get(word, []))
            for word in words
        ]
        if not term.prefix:
            return replace(found[0], term=term) if found else Found(term, [], 0)
        postings = best_impacts(word.postings for word in found)
        left = sum(word.occurrences - len(word.postings) for word in found)
        return Found(
            term,
            postings,
            occurrences=len(postings) + left,
            weak=[posting for word in found for posting in word.weak],
            rest=tuple(rest for word in found for rest in word.rest),
        )

    async def _settled(
        self, word: str, parts: Sequence[TermPart | None], newer: list[int]
    ) -> Found:
        """One term, from what each segment and the delta have of it."""
        there = [(number, part) for number, part in enumerate(parts) if part is not None]
        whole = [part for _, part in there] + [TermPart(newer)]
        least = least_impact(whole)
        rest = tuple((number, word, part.rest) for number, part in there if part.rest)
        if least is None:
            rests = await asyncio.gather(*(self._rest(*each) for each in rest))
            whole = [TermPart(part.postings) for part in whole] + [TermPart(r) for r in rests]
            least = least_impact(whole) or 0
            rest = ()
        postings = [posting for part in whole for posting in part.postings]
        occurrences = sum(part.live for part in whole)
        if not least:
            return Found(QueryTerm(word), postings, occurrences)
        return Found(
            QueryTerm(word),
            [posting for posting in postings if posting & 15 >= least],
            occurrences,
            weak=[posting for posting in postings if posting & 15 < least],
            rest=rest,
        )

    async def _unlisted(self, term: str) -> int:
        """How many live units of segments whose lists do not give a term have it."""
        found = await asyncio.gather(
            *(self._in_segment(number, QueryTerm(term)) for number in self._hot.silent(term))
        )
        return sum(part.live for parts in found for part in parts.values())

    async def _common_ordinals(self, terms: list[QueryTerm]) -> set[int] | None:
        found = await asyncio.gather(*map(self.find, terms))
        whole = await asyncio.gather(*map(self.whole, found))
        sets = [set(map(ordinal_of, term.postings)) for term in whole]
        return set.intersection(*sets) if sets else None

    def _place_of(self, ordinal: int) -> tuple[int, int]:
        """A segment and the ordinal there; -1 and the place in the delta behind all segments."""
        number = next((i for i, end in enumerate(self._offsets[1:]) if ordinal < end), -1)
        return number, ordinal - self._offsets[number]

    async def _by_id(self, doc_id: str) -> IndexedDocument | None:
        newer = self._newer_by_id(doc_id)
        if newer is not None:
            return newer
        for number in range(len(self._segments) - 1, -1, -1):
            if number not in self._ids:
                self._ids[number] = await self._segments[number].ordinals_by_id()
            local = self._ids[number].get(doc_id)
            if local is not None and local not in self._dropped[number]:
                return await self.document(self._offsets[number] + local)
        return None

    def _newer_by_id(self, doc_id: str) -> IndexedDocument | None:
        places = (n for n, newer in enumerate(self._newer_docs) if newer.id == doc_id)
        return next((self._newer_document(place) for place in places), None)

    async def _in_segment(self, number: int, term: QueryTerm) -> dict[str, TermPart]:
        """What a segment has of a term, or of all terms with that prefix, by term."""
        reader = self._segments[number]
        if term.prefix:
            rows = await reader.with_prefix(term.term)
        else:
            row = await reader.find(term.term)
            rows = [row] if row is not None else []
        return {row.term: self._part(number, row) for row in rows}

    def _part(self, number: int, row: TermPostings) -> TermPart:
        gone = self._hot.gone(number, row.term) if row.continuation else 0
        return TermPart(self._live(number, row), row.continuation, gone)

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

    def _newer_document(self, number: int) -> IndexedDocument | None:
        if number >= len(self._newer_docs):
            return None
        row = self._newer_docs[number]
        reference = Reference(sha256=row.sha256, size=row.size)
        ordinal = self._offsets[-1] + number
        return IndexedDocument(ordinal, row.id, row.title, row.language, reference, newer=True)


def _indexed(ordinal: int, row: DocRow) -> IndexedDocument | None:
    if not row.id:
        return None
    if SHA256.fullmatch(row.sha256) is None:
        raise invalid(f"the row of {row.id[:200]!r}", "it names no document")
    reference = Reference(sha256=row.sha256, size=row.size)
    related = tuple(row.related)
    return IndexedDocument(ordinal, row.id, row.title, row.language, reference, related=related)


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
