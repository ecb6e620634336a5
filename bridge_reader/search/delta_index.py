"""Documents newer than the segments, indexed by the reader itself as the publisher would."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from bridge_reader.search.packed import IMPACT_BITS, pack
from manifest.objects import Doc
from manifest.query_plan import QueryTerm
from manifest.search_objects import Weights
from manifest.unit_terms import document_terms, impact, unit_terms

FACT_IMPACT = 1
"""Terms that state a fact (`tag:`, `link:`) are not weighed."""


class DeltaIndex:
    """An index in memory, of packed postings; the ordinal of the first document is `first`."""

    def __init__(
        self, docs: Iterable[Doc], *, pivot: int, weights: Weights, first: int = 0
    ) -> None:
        self._by_term: defaultdict[str, list[int]] = defaultdict(list)
        self.units = 0
        self.docs = tuple(docs)
        for ordinal, doc in enumerate(self.docs, start=first):
            for unit, terms in enumerate(unit_terms(doc, weights)):
                self.units += 1
                for term, frequency in terms.frequencies.items():
                    weight = impact(frequency, terms.length, pivot)
                    self._by_term[term].append(pack(ordinal, unit << IMPACT_BITS | weight))
            for term in document_terms(doc):
                self._by_term[term].append(pack(ordinal, FACT_IMPACT))

    def find(self, term: QueryTerm) -> dict[str, list[int]]:
        """The postings of a term, or of every term with that prefix, by term."""
        if not term.prefix:
            return {term.term: self._by_term[term.term]} if term.term in self._by_term else {}
        return {key: found for key, found in self._by_term.items() if key.startswith(term.term)}

    def count(self, term: str) -> int:
        """How many units have a term."""
        return len(self._by_term.get(term, ()))

    def words(self) -> list[tuple[str, int]]:
        """Every term with the number of its postings."""
        return [(term, len(found)) for term, found in self._by_term.items()]
