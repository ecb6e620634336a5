"""Postings while they are gathered, and sorted by term: packed integers from beginning to end.

A posting is one 64-bit key: the term's number in order of appearance, the unit among all units,
the weighted frequency. Sorting the keys sorts the index. An impact needs the mean length of all
units, which is known only once every note was read.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from manifest.errors import ErrorCode, NoteBridgeError
from manifest.unit_terms import MAX_IMPACT, WEIGHT_UNIT, pivot
from site_builder.index_card import NoteTerms

Whole = npt.NDArray[np.int64]
Short = npt.NDArray[np.int32]

_FREQUENCY_BITS = 16
_UNIT_BITS = 24
_TERM_SHIFT = _UNIT_BITS + _FREQUENCY_BITS
_TERM_LIMIT = 1 << 23
_FREQUENCY_MASK = (1 << _FREQUENCY_BITS) - 1
_UNIT_MASK = (1 << _UNIT_BITS) - 1

_FACT = _FREQUENCY_MASK
"""The frequency of terms that state a fact (`tag:`, `link:`): their impact is 1, not weighed."""

_SLICE = 1 << 20
"""Postings worked on at one time, where a passing copy of all would cost too much memory."""


@dataclass(frozen=True, slots=True)
class SortedPostings:
    """Every posting, by term in code-point order, then by ordinal and unit.

    starts: where each term's postings begin, and behind the last where they end. numbers: `unit *
    16 + impact`. lengths and units: of each document, by ordinal: body tokens, and how many units.
    """

    terms: list[str]
    starts: Whole
    ordinals: Short
    numbers: Short
    lengths: Whole
    units: Whole
    pivot: int

    @property
    def documents(self) -> int:
        return len(self.units)

    @property
    def counts(self) -> Whole:
        """How many units have each term."""
        return np.diff(self.starts)

    def blocks(self, size: int) -> Iterator[tuple[int, int]]:
        """The terms in ranges of about so many postings, but always whole terms."""
        first = 0
        while first < len(self.terms):
            reached = int(np.searchsorted(self.starts, self.starts[first] + size, side="right"))
            end = min(len(self.terms), max(first + 1, reached - 1))
            yield first, end
            first = end


class PostingTable:
    """Takes documents in order of their ordinals."""

    def __init__(self) -> None:
        self._number_of: dict[str, int] = {}
        self._keys: list[Whole] = []
        self._unit_lengths: list[Whole] = []
        self._first_units = [0]

    def add(self, terms: NoteTerms, facts: Sequence[str]) -> None:
        """The next document; facts: its `folder:` and `link:` terms."""
        first = self._first_units[-1]
        words = np.repeat(self._numbers(terms.terms), terms.counts)
        places = terms.units.astype(np.int64) + first
        keys = words << _TERM_SHIFT | places << _FREQUENCY_BITS | terms.frequencies
        stated = self._numbers([*terms.tags, *facts])
        self._keys.append(keys)
        self._keys.append(stated << _TERM_SHIFT | first << _FREQUENCY_BITS | _FACT)
        self._unit_lengths.append(terms.lengths.astype(np.int64))
        self._first_units.append(first + len(terms.lengths))

    @property
    def pivot(self) -> int:
        """Mean length of a unit, rounded to a power of two."""
        return pivot(sum(int(part.sum()) for part in self._unit_lengths), self._first_units[-1])

    def sorted(self, mean: int) -> SortedPostings:
        """Turns everything into sorted postings; the table is empty afterwards. mean: the length
        that units are measured against, a base's own `pivot`.

        Raises `NoteBridgeError` (INTERNAL) for more units or terms than a key has room for.
        """
        if self._first_units[-1] > _UNIT_MASK or len(self._number_of) > _TERM_LIMIT:
            raise NoteBridgeError(
                ErrorCode.INTERNAL, "One search segment cannot hold so many notes."
            )
        terms = sorted(self._number_of)
        keys = self._sorted_keys(terms)
        lengths = _joined(self._unit_lengths)
        firsts = np.array(self._first_units, np.int64)
        del self._unit_lengths, self._first_units, self._number_of
        per_unit = np.diff(firsts)
        unit_ordinals = np.repeat(np.arange(len(per_unit), dtype=np.int32), per_unit)
        ordinals = np.empty(len(keys), np.int32)
        numbers = np.empty(len(keys), np.int32)
        counts = np.zeros(len(terms), np.int64)
        for part in _slices(len(keys)):
            units = keys[part] >> _FREQUENCY_BITS & _UNIT_MASK
            ordinals[part] = unit_ordinals[units]
            impacts = _impacts(keys[part] & _FREQUENCY_MASK, lengths[units], mean)
            numbers[part] = (units - firsts[ordinals[part]]) * 16 + impacts
            counts += np.bincount(keys[part] >> _TERM_SHIFT, minlength=len(terms))
        document_lengths = np.add.reduceat(
            np.append(lengths, 0), np.minimum(firsts[:-1], len(lengths))
        )
        return SortedPostings(
            terms=terms,
            starts=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
            ordinals=ordinals,
            numbers=numbers,
            lengths=np.where(per_unit > 0, document_lengths, 0),
            units=per_unit,
            pivot=mean,
        )

    def _numbers(self, terms: Sequence[str]) -> Whole:
        known = self._number_of
        number_of = known.setdefault
        return np.array([number_of(term, len(known)) for term in terms], np.int64)

    def _sorted_keys(self, terms: list[str]) -> Whole:
        """All keys, the terms' numbers replaced by their places in order."""
        numbers = np.fromiter((self._number_of[term] for term in terms), np.int64, len(terms))
        places = np.empty(len(terms), np.int64)
        places[numbers] = np.arange(len(terms))
        keys = _joined(self._keys)
        self._keys.clear()
        for part in _slices(len(keys)):
            low = keys[part] & ((1 << _TERM_SHIFT) - 1)
            keys[part] = places[keys[part] >> _TERM_SHIFT] << _TERM_SHIFT | low
        keys.sort()
        return keys


def _joined(parts: list[Whole]) -> Whole:
    return np.concatenate(parts) if parts else np.empty(0, np.int64)


def _slices(size: int) -> Iterator[slice]:
    return (slice(first, first + _SLICE) for first in range(0, size, _SLICE))


def _impacts(frequencies: Whole, lengths: Whole, mean: int) -> Whole:
    """`manifest.unit_terms.impact`, of many at once; 1 for a fact."""
    saturated = 2 * mean * frequencies
    weighed = 1 + 15 * saturated // (saturated + WEIGHT_UNIT * (mean + lengths))
    return np.where(frequencies == _FACT, 1, np.minimum(weighed, MAX_IMPACT))
