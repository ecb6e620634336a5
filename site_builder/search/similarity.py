"""Related documents without any model: TF-IDF cosine over each document's weightiest terms.

All in integers, so that every machine finds the same: sums stay below 2^53, where even doubles are
exact.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from manifest.ranking import idf
from manifest.search_objects import Related
from site_builder.search.posting_table import Short, SortedPostings, Whole

Flags = npt.NDArray[np.bool_]

TERMS_PER_DOCUMENT = 40
RELATED_LIMIT = 8
SCORE_FLOOR = 40
"""In thousandths of a cosine: below, two documents merely share a language."""

COMMON_SHARE = 10
"""A term in more than a tenth of the documents tells none from another."""

COMMON_FLOOR = 20
"""... unless there are so few documents that a tenth is nothing."""

_BLOCK = 500_000
"""Postings looked at at one time."""

_WEIGHT_BITS = 20
_TERM_BITS = 23


@dataclass(frozen=True, slots=True)
class DocumentTerms:
    """How much of each word each document has, by term, then by ordinal.

    terms: numbers of terms. strengths: impacts summed over the document's units, of which the
    logarithm counts.
    """

    terms: Short
    ordinals: Short
    strengths: Short

    @classmethod
    def of(cls, postings: SortedPostings, least: int = 1, most: int = 2**31) -> DocumentTerms:
        """Those of all words that at least `least` and at most `most` of the documents have; terms
        that state facts are no words."""
        parts = [
            _document_terms(postings, first, end, range(least, most + 1))
            for first, end in postings.blocks(_BLOCK)
        ]
        terms, ordinals, strengths = (
            np.concatenate([part[n] for part in parts]) if parts else np.empty(0, np.int32)
            for n in range(3)
        )
        return cls(terms, ordinals, strengths)


def _document_terms(
    postings: SortedPostings, first: int, end: int, wanted: range
) -> tuple[Short, Short, Short]:
    """Terms, ordinals and strengths of the terms from `first` to `end`."""
    span = slice(int(postings.starts[first]), int(postings.starts[end]))
    words = np.fromiter((":" not in term for term in postings.terms[first:end]), bool, end - first)
    terms = np.repeat(
        np.arange(end - first, dtype=np.int32), np.diff(postings.starts[first : end + 1])
    )
    ordinals = postings.ordinals[span]
    leads = np.ones(len(terms), bool)
    leads[1:] = (terms[1:] != terms[:-1]) | (ordinals[1:] != ordinals[:-1])
    begins = np.flatnonzero(leads)
    impacts = postings.numbers[span] & 15
    strengths = np.add.reduceat(impacts, begins) if len(begins) else impacts
    terms, ordinals = terms[begins], ordinals[begins]
    spread = np.bincount(terms, minlength=end - first)
    words &= (spread >= wanted.start) & (spread < wanted.stop)
    kept = words[terms]
    return terms[kept] + np.int32(first), ordinals[kept], strengths[kept]


@dataclass(frozen=True, slots=True)
class Vectors:
    """The weightiest terms of documents. terms, ordinals, weights: by ordinal; norms: by ordinal,
    the square root of the sum of squared weights, rounded down."""

    terms: Whole
    ordinals: Whole
    weights: Whole
    norms: Whole


def vectors(found: DocumentTerms, frequencies: Whole, documents: int) -> Vectors:
    """The vectors of documents, among `documents` in all.

    frequencies: by term, how many of all documents have it.
    """
    telling = (frequencies >= 2) & (frequencies <= most_telling(documents))
    parts = [
        _ranking_keys(found, slice(begin, begin + _BLOCK), telling, frequencies, documents)
        for begin in range(0, len(found.terms), _BLOCK)
    ]
    keys = np.concatenate(parts) if parts else np.empty(0, np.int64)
    keys.sort()
    ordinals = keys >> _TERM_BITS + _WEIGHT_BITS
    starts = np.searchsorted(ordinals, ordinals)
    best = np.arange(len(keys)) - starts < TERMS_PER_DOCUMENT
    ordinals, keys = ordinals[best], keys[best]
    weights = (1 << _WEIGHT_BITS) - 1 - (keys >> _TERM_BITS & ((1 << _WEIGHT_BITS) - 1))
    size = max(documents, int(ordinals[-1]) + 1 if len(ordinals) else 0)
    squares = np.bincount(ordinals, weights * weights, minlength=size).astype(np.int64)
    norms = np.array([math.isqrt(square) for square in squares.tolist()], np.int64)
    return Vectors(keys & ((1 << _TERM_BITS) - 1), ordinals, weights, norms)


def _ranking_keys(
    found: DocumentTerms, part: slice, telling: Flags, frequencies: Whole, documents: int
) -> Whole:
    """Documents, falling weights and terms as single numbers: sorted, each document's weightiest
    terms come first, and among equal weights the earlier term."""
    kept = telling[found.terms[part]]
    terms = found.terms[part][kept]
    weights = weights_of(found.strengths[part][kept], frequencies[terms], documents)
    keys = found.ordinals[part][kept].astype(np.int64) << _TERM_BITS + _WEIGHT_BITS
    keys |= ((1 << _WEIGHT_BITS) - 1 - weights) << _TERM_BITS
    return keys | terms


def most_telling(documents: int) -> int:
    """How many of so many documents may have a term that still tells something."""
    return max(COMMON_FLOOR, documents // COMMON_SHARE)


def weights_of(strengths: Short, frequencies: Whole, documents: int) -> Whole:
    """What terms weigh in documents: their rarity, times the logarithm of their strength."""
    known = np.unique(frequencies)
    rarities = np.array([idf(documents, int(count)) for count in known], np.int64)
    rarity = rarities[np.searchsorted(known, frequencies)]
    lengths = np.searchsorted(2 ** np.arange(40), strengths, side="right")
    return rarity * np.maximum(1, lengths - 1)


def related(found: Vectors) -> list[list[Related]]:
    """For each document the most alike others, best first, then by ordinal."""
    order = np.lexsort((found.ordinals, found.terms))
    terms = found.terms[order]
    others, weights = found.ordinals[order], found.weights[order]
    begins = np.searchsorted(terms, found.terms, side="left")
    ends = np.searchsorted(terms, found.terms, side="right")
    documents = len(found.norms)
    bounds = np.searchsorted(found.ordinals, np.arange(documents + 1))
    lists: list[list[Related]] = []
    for ordinal in range(documents):
        span = range(int(bounds[ordinal]), int(bounds[ordinal + 1]))
        parts = [slice(int(begins[n]), int(ends[n])) for n in span]
        if not parts:
            lists.append([])
            continue
        places = np.concatenate([others[part] for part in parts])
        by = zip(parts, found.weights[span.start : span.stop].tolist(), strict=True)
        values = np.concatenate([weights[part] * weight for part, weight in by])
        products = np.bincount(places, values, minlength=documents).astype(np.int64)
        products[ordinal] = 0
        lists.append(nearest(products, int(found.norms[ordinal]), found.norms))
    return lists


def nearest(products: Whole, norm: int, norms: Whole) -> list[Related]:
    """The documents of the highest cosine; products: of the vectors, by ordinal."""
    there = np.flatnonzero(products)
    scores = np.minimum(1000, 1000 * products[there] // np.maximum(1, norm * norms[there]))
    there, scores = there[scores >= SCORE_FLOOR], scores[scores >= SCORE_FLOOR]
    best = np.lexsort((there, -scores))[:RELATED_LIMIT]
    return [
        Related(*pair) for pair in zip(there[best].tolist(), scores[best].tolist(), strict=True)
    ]


def document_frequencies(found: DocumentTerms, terms: int) -> Whole:
    """By term, how many documents have it."""
    return np.bincount(found.terms, minlength=terms).astype(np.int64)
