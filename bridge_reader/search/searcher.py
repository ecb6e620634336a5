"""Searching one revision: legs, filters, texts of the best hits, and what to say when it cannot."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace

from bridge_reader.passages import Passage, PassageCutter
from bridge_reader.revision import BoundRevision
from bridge_reader.search.best_passages import best_passages
from bridge_reader.search.delta_index import DeltaIndex
from bridge_reader.search.filters import Filters
from bridge_reader.search.lexical import Admits, RankedDocument, Ranking, rank_documents
from bridge_reader.search.report import Hit, Leg, SearchReport
from bridge_reader.search.search_base import IndexedDocument, SearchBase
from bridge_reader.search.titles import compare_titles
from manifest.errors import ErrorCode, NoteBridgeError
from manifest.objects import Doc
from manifest.query_plan import TERM_LIMIT, QueryTerm, query_terms
from manifest.ranking import idf
from manifest.unit_terms import WEIGHTS
from manifest.units import section_units

TEXTS = 5
"""Texts fetched, and units shown, for one answer."""

HITS_LIMIT = 10

UNIT_PIVOT = 256
"""The length, in tokens, that units are measured against where no segment gives one."""

_UNREADABLE = frozenset(
    {
        ErrorCode.SEARCH_UNAVAILABLE,
        ErrorCode.REVISION_EXPIRED,
        ErrorCode.INTEGRITY_MISMATCH,
        ErrorCode.OBJECT_INVALID,
        ErrorCode.OBJECT_TOO_LARGE,
        ErrorCode.SCHEMA_UNSUPPORTED,
        ErrorCode.SITE_UNREACHABLE,
    }
)
"""What may be wrong with a part of the index while the rest of the site can still be read."""


class Searcher:
    """Search over one revision. The index's small parts stay in memory once read."""

    def __init__(self, revision: BoundRevision, cutter: PassageCutter) -> None:
        self._revision = revision
        self._cutter = cutter
        self._base: SearchBase | None = None

    async def base(self) -> SearchBase:
        """The search base. Raises as `SearchBase.load`."""
        if self._base is None:
            self._base = await SearchBase.load(self._revision)
        return self._base

    async def search(
        self, question: str, filters: Filters | None = None, limit: int = HITS_LIMIT
    ) -> SearchReport:
        """The documents that answer a question best.

        No hits and `degraded` empty: nothing matches. `degraded` filled: the index could not be
        used, and titles and headings were compared instead.
        Raises `NoteBridgeError`: DOC_NOT_FOUND for a filter by an unknown document,
        SEARCH_UNAVAILABLE if not even titles can be read.
        """
        filters = filters or Filters()
        terms = query_terms(question)
        if not terms:
            return SearchReport((), (), await self._legs())
        if filters.doc_id:
            return await self._within(terms, filters)
        try:
            base = await self.base()
            ranking = await rank_documents(base, terms, filters, self._admits(filters), limit)
        except NoteBridgeError as error:
            if error.code not in _UNREADABLE:
                raise
            return await self._by_titles(terms, filters, limit, error)
        return await self._report(ranking)

    def _admits(self, filters: Filters) -> Admits:
        async def admits(document: IndexedDocument) -> bool:
            if not filters.admit_language(document.language):
                return False
            if not filters.by_date:
                return True
            return filters.admit_date(await self._revision.leaf_document(document.id))

        return admits

    async def _report(self, ranking: Ranking) -> SearchReport:
        """Reads the texts behind the best units, five at most, and makes hits of the documents."""
        place = {found.document.ordinal: n for n, found in enumerate(ranking.documents[:TEXTS])}
        units = sorted(
            (unit for unit in ranking.unit_scores if unit[0] in place),
            key=lambda unit: (-ranking.unit_scores[unit], place[unit[0]], unit[1]),
        )
        chosen: defaultdict[int, list[int]] = defaultdict(list)
        for ordinal, unit in units[:TEXTS]:
            chosen[ordinal].append(unit)
        read = await asyncio.gather(
            *(
                self._read(found, chosen[found.document.ordinal], ranking.weights)
                for found in ranking.documents
            )
        )
        return SearchReport(
            hits=tuple(hit for hit, _ in read),
            terms_used=tuple(term.term for term in ranking.weights),
            legs=await self._legs(),
            matched=ranking.matched,
            corrections=ranking.corrections,
            unread=tuple((hit.doc_id, why) for hit, why in read if why),
        )

    async def _read(
        self, found: RankedDocument, units: list[int], weights: Mapping[QueryTerm, int]
    ) -> tuple[Hit, str]:
        """The hit, with passages of its units; the reason if its text cannot be read."""
        document = found.document
        hit = Hit(
            document.id, document.title, document.language, document.doc, found.unit, found.score
        )
        if not units:
            return hit, ""
        try:
            doc = await self._revision.doc_at(document.id, document.doc)
            return self._with_passages(hit, doc, units, weights), ""
        except NoteBridgeError as error:
            # One text that cannot be read does not take the other answers with it.
            if error.code not in _UNREADABLE:
                raise
            return hit, f"{error.code}: {error.message}"

    def _with_passages(
        self, hit: Hit, doc: Doc, units: list[int], weights: Mapping[QueryTerm, int]
    ) -> Hit:
        spans = section_units(doc.text, list(doc.sections))
        if max(units) >= len(spans):
            raise NoteBridgeError(
                ErrorCode.OBJECT_INVALID,
                f"The search index names a unit that {doc.id[:200]!r} does not have.",
                hint="Publish the site again with an unmodified note-bridge.",
            )
        found: dict[int, Passage] = {}
        for unit in units:
            number, span = spans[unit]
            passages = self._cutter.section(doc, hit.doc.sha256, number)
            found.update((p.start, p) for p in best_passages(passages, span, weights))
        section = doc.sections[spans[units[0]][0]]
        return replace(
            hit, section=section, passages=tuple(found[start] for start in sorted(found))
        )

    async def _within(self, terms: list[QueryTerm], filters: Filters) -> SearchReport:
        """The best units of one document; how rare a term is, the document itself tells."""
        row = await self._revision.leaf_document(filters.doc_id)
        used = tuple(term.term for term in terms)
        if not filters.admit(row):
            return SearchReport((), used, await self._legs())
        doc = await self._revision.doc_at(row.id, row.doc)
        index = DeltaIndex([doc], pivot=UNIT_PIVOT, weights=WEIGHTS)
        weights: dict[QueryTerm, int] = {}
        scores: defaultdict[int, int] = defaultdict(int)
        for term in terms[:TERM_LIMIT]:
            postings = {found.unit: found.impact for part in index.find(term) for found in part}
            weights[term] = idf(index.units, len(postings))
            for unit, weight in postings.items():
                scores[unit] += weights[term] * weight
        units = sorted(scores, key=lambda unit: (-scores[unit], unit))[:TEXTS]
        if not units:
            return SearchReport((), used, await self._legs())
        best = Hit(row.id, row.title, row.language, row.doc, units[0], scores[units[0]])
        hit = self._with_passages(best, doc, units, weights)
        return SearchReport((hit,), used, await self._legs(), matched=1)

    async def _by_titles(
        self, terms: list[QueryTerm], filters: Filters, limit: int, why: NoteBridgeError
    ) -> SearchReport:
        try:
            found = await compare_titles(self._revision, terms, filters.admit, limit)
        except NoteBridgeError as error:
            raise NoteBridgeError(
                ErrorCode.SEARCH_UNAVAILABLE,
                f"Neither the search index ({why.message}) nor titles ({error.message}) can be "
                "read.",
                hint=error.hint,
                details={"index": str(why.code), "titles": str(error.code)},
            ) from error
        hits = tuple(
            Hit(
                match.row.id,
                match.row.title,
                match.row.language,
                match.row.doc,
                unit=0,
                score=match.score,
                section=match.section,
            )
            for match in found.matches
        )
        return SearchReport(
            hits,
            tuple(term.term for term in terms),
            legs=(
                Leg("lexical", ran=False, reason=f"{why.code}: {why.message}"),
                Leg("titles", ran=True),
                await self._vector_leg(),
            ),
            matched=len(hits),
            degraded=(
                f"{why.message} Instead, the titles of {found.compared} documents were compared, "
                f"and the headings of {found.headings}."
            ),
        )

    async def _legs(self) -> tuple[Leg, ...]:
        return (Leg("lexical", ran=True), await self._vector_leg())

    async def _vector_leg(self) -> Leg:
        published = (await self._revision.root()).vectors is not None
        reason = "No embedding model is set up." if published else "The site publishes no vectors."
        return Leg("vectors", ran=False, reason=reason)
