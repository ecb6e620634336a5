"""Postings while they are gathered: packed integers by term, turned into impacts at the end.

An impact needs the mean length of all units, which is known only once every note has been read;
until then a posting keeps the weighted frequency.
"""

from __future__ import annotations

import hashlib
from array import array
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field

from manifest.search_objects import Posting
from manifest.unit_terms import UnitTerms, impact, pivot

_FREQUENCY_BITS = 16
_FREQUENCY_MASK = (1 << _FREQUENCY_BITS) - 1

FACT_FREQUENCY = _FREQUENCY_MASK
"""The frequency of terms that state a fact (`tag:`, `link:`): their impact is 1, not weighed."""


@dataclass(slots=True)
class PostingLists:
    """All postings of a search base to be; documents are added in order of their ordinals."""

    _by_term: defaultdict[str, array[int]] = field(
        default_factory=lambda: defaultdict(lambda: array("Q"))
    )
    _unit_lengths: array[int] = field(default_factory=lambda: array("L"))
    _unit_ordinals: array[int] = field(default_factory=lambda: array("L"))
    _first_units: array[int] = field(default_factory=lambda: array("L"))

    def add(self, units: list[UnitTerms], facts: list[str]) -> int:
        """Adds the next document and returns its ordinal."""
        ordinal = len(self._first_units)
        first = len(self._unit_lengths)
        self._first_units.append(first)
        for number, unit in enumerate(units):
            self._unit_lengths.append(unit.length)
            self._unit_ordinals.append(ordinal)
            base = (first + number) << _FREQUENCY_BITS
            for term, frequency in unit.frequencies.items():
                self._by_term[term].append(base | min(frequency, FACT_FREQUENCY - 1))
        for fact in facts:
            self._by_term[fact].append(first << _FREQUENCY_BITS | FACT_FREQUENCY)
        return ordinal

    @property
    def units(self) -> int:
        """Units of all documents."""
        return len(self._unit_lengths)

    @property
    def pivot(self) -> int:
        """Mean length of a unit, rounded to a power of two."""
        return pivot(sum(self._unit_lengths), self.units)

    def counts(self) -> Iterator[tuple[str, int]]:
        """Every term with the number of units it occurs in, in code-point order."""
        return ((term, len(self._by_term[term])) for term in sorted(self._by_term))

    @property
    def documents(self) -> int:
        """How many documents were added."""
        return len(self._first_units)

    def terms(self) -> Iterator[str]:
        """Every term that is a word of some text, in code-point order."""
        return (term for term in sorted(self._by_term) if ":" not in term)

    def document_frequencies(self, term: str) -> dict[int, int]:
        """How often a term occurs (weighted, in halves) in each document that has it."""
        found: dict[int, int] = {}
        for packed in self._by_term[term]:
            ordinal = self._unit_ordinals[packed >> _FREQUENCY_BITS]
            found[ordinal] = found.get(ordinal, 0) + (packed & _FREQUENCY_MASK)
        return found

    def postings(self, term: str, mean: int) -> list[Posting]:
        """The postings of a term by ordinal and unit; mean is `pivot`, computed once."""
        found: list[Posting] = []
        for packed in self._by_term[term]:
            unit = packed >> _FREQUENCY_BITS
            frequency = packed & _FREQUENCY_MASK
            ordinal = self._unit_ordinals[unit]
            weight = (
                1
                if frequency == FACT_FREQUENCY
                else impact(frequency, self._unit_lengths[unit], mean)
            )
            found.append(Posting(ordinal, unit - self._first_units[ordinal], weight))
        return found


def best_first(postings: list[Posting], doc_ids: list[str]) -> list[Posting]:
    """Postings by falling impact, then sha256(docId), then unit; doc_ids by ordinal."""
    return sorted(
        postings,
        key=lambda posting: (
            -posting.impact,
            hashlib.sha256(doc_ids[posting.ordinal].encode("utf-8")).digest(),
            posting.unit,
        ),
    )
