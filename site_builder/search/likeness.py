"""What newer documents are like: some documents of a young segment against all there are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from manifest.search_objects import Related
from site_builder.search.lookup import Strengths
from site_builder.search.posting_table import Short, SortedPostings, Whole
from site_builder.search.similarity import (
    DocumentTerms,
    document_frequencies,
    nearest,
    vectors,
    weights_of,
)


@dataclass(frozen=True, slots=True)
class Likeness:
    """What a document is like, best first, and the norm of its vector."""

    related: list[Related]
    norm: int


class YoungDocuments:
    """The documents of a segment that is being made, of which some are new to the search base.

    newer: the ordinals of these, in the segment. first: that of its first document through all
    segments.
    """

    def __init__(self, postings: SortedPostings, newer: Iterable[int], first: int) -> None:
        self._postings = postings
        self._newer = sorted(newer)
        self._first = first
        self._found = DocumentTerms.of(postings)
        chosen = np.isin(self._found.ordinals, self._newer)
        self._fresh = DocumentTerms(
            self._found.terms[chosen], self._found.ordinals[chosen], self._found.strengths[chosen]
        )

    def words(self) -> list[str]:
        """The words of the newer ones, in code-point order."""
        return [self._postings.terms[number] for number in np.unique(self._fresh.terms).tolist()]

    def like(
        self, elsewhere: Sequence[Mapping[str, Strengths]], norms: Whole, documents: int
    ) -> dict[int, Likeness]:
        """What the newer ones are like, by their ordinals in the segment.

        elsewhere: who has their words in each older segment; nobody at all has a word that is too
        common to tell. norms: by ordinal through all segments, 0 for rows that count no more and
        for the newer ones. documents: how many there are in all.
        """
        frequencies = self._frequencies(elsewhere, documents)
        their = vectors(self._fresh, frequencies, documents)
        known = norms.copy()
        for ordinal in self._newer:
            known[self._first + ordinal] = their.norms[ordinal]
        liked: dict[int, Likeness] = {}
        for ordinal in self._newer:
            span = slice(*np.searchsorted(their.ordinals, [ordinal, ordinal + 1]).tolist())
            products = np.zeros(len(known), np.int64)
            for number, weight in zip(
                their.terms[span].tolist(), their.weights[span].tolist(), strict=True
            ):
                frequency = frequencies[number : number + 1]
                for ordinals, strengths in self._occurrences(number, elsewhere):
                    spread = np.broadcast_to(frequency, len(ordinals))
                    products[ordinals] += weight * weights_of(strengths, spread, documents)
            products[self._first + ordinal] = 0
            products[known == 0] = 0
            norm = int(known[self._first + ordinal])
            liked[ordinal] = Likeness(nearest(products, norm, known), norm)
        return liked

    def _frequencies(self, elsewhere: Sequence[Mapping[str, Strengths]], documents: int) -> Whole:
        """By term of the segment, how many of all documents have it."""
        found = document_frequencies(self._found, len(self._postings.terms))
        for number in np.unique(self._fresh.terms).tolist():
            word = self._postings.terms[number]
            for words in elsewhere:
                if word in words:
                    found[number] += len(words[word]) or documents
        return found

    def _occurrences(
        self, number: int, elsewhere: Sequence[Mapping[str, Strengths]]
    ) -> list[tuple[Whole, Short]]:
        """Who has a term, and how much of it: here, and in each older segment."""
        span = slice(*np.searchsorted(self._found.terms, [number, number + 1]).tolist())
        here = self._found.ordinals[span].astype(np.int64) + self._first
        found = [(here, self._found.strengths[span])]
        for words in elsewhere:
            strengths = words.get(self._postings.terms[number], {})
            ordinals = np.fromiter(strengths, np.int64, len(strengths))
            found.append((ordinals, np.fromiter(strengths.values(), np.int32, len(strengths))))
        return found
