"""Searching one revision: legs, filters, texts of the best hits, and what to say when it cannot."""

from __future__ import annotations

from dataclasses import replace

from bridge_reader.passages import PassageCutter
from bridge_reader.revision import BoundRevision
from bridge_reader.search.delta_index import DeltaIndex
from bridge_reader.search.filters import Filters
from bridge_reader.search.lexical import Admits, Ranking, Wanted, rank_documents
from bridge_reader.search.packed import best_impacts, score_units
from bridge_reader.search.report import Hit, Leg, SearchReport
from bridge_reader.search.search_base import IndexedDocument, SearchBase
from bridge_reader.search.texts import (
    UNREADABLE,
    UnitTexts,
    WantedUnit,
    read_texts,
)
from bridge_reader.search.titles import compare_titles
from manifest.errors import ErrorCode, NoteBridgeError
from manifest.query_plan import TERM_LIMIT, QueryTerm, query_terms
from manifest.ranking import idf
from manifest.unit_terms import WEIGHTS

TEXTS = 5
UNITS = 8
"""Texts fetched, and units shown, for one answer."""

HITS_LIMIT = 10

UNIT_PIVOT = 256
"""The length, in tokens, that units are measured against where no segment gives one."""

_UNSEARCHABLE = UNREADABLE | {ErrorCode.SEARCH_UNAVAILABLE}


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
            ranking = await rank_documents(
                base, terms, Wanted(filters, self._admits(filters), limit)
            )
        except NoteBridgeError as error:
            if error.code not in _UNSEARCHABLE:
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
        """Reads the best units' texts, five at most, and makes hits of the documents."""
        first = {found.document.ordinal: found.document for found in ranking.documents[:TEXTS]}
        places = list(first)
        units = sorted(
            (unit for unit in ranking.unit_scores if unit[0] in first),
            key=lambda unit: (-ranking.unit_scores[unit], places.index(unit[0]), unit[1]),
        )
        texts = await read_texts(
            self._revision,
            self._cutter,
            [WantedUnit(first[o].id, first[o].doc, unit) for o, unit in units[:UNITS]],
            ranking.weights,
        )
        hits = [
            Hit(
                found.document.id,
                found.document.title,
                found.document.language,
                found.document.doc,
                found.unit,
                found.score,
            )
            for found in ranking.documents
        ]
        return SearchReport(
            hits=tuple(_with_text(hit, texts) for hit in hits),
            terms_used=tuple(term.term for term in ranking.weights),
            legs=await self._legs(),
            matched=ranking.matched,
            corrections=ranking.corrections,
            unread=tuple(texts.unread.items()),
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
        found: list[tuple[int, list[int]]] = []
        for term in terms[:TERM_LIMIT]:
            postings = best_impacts(index.find(term).values())
            weights[term] = idf(index.units, len(postings))
            found.append((weights[term], postings))
        scores = score_units(found)
        units = sorted(scores, key=lambda unit: (-scores[unit], unit))[:UNITS]
        if not units:
            return SearchReport((), used, await self._legs())
        wanted = [WantedUnit(row.id, row.doc, unit) for unit in units]
        texts = await read_texts(self._revision, self._cutter, wanted, weights)
        hit = Hit(row.id, row.title, row.language, row.doc, units[0], scores[units[0]])
        return SearchReport((_with_text(hit, texts),), used, await self._legs(), matched=1)

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


def _with_text(hit: Hit, texts: UnitTexts) -> Hit:
    return replace(
        hit,
        section=texts.sections.get((hit.doc_id, hit.unit)),
        passages=texts.passages_of(hit.doc_id),
    )
