"""Which passages to show for a question, among those of its best units. Pure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bridge_reader.passages import Passage
from manifest.query_plan import QueryTerm

TEXT_LIMIT = 10_000
"""Code points shown for one question."""

SHORT = 400
"""Code points below which a passage is shown with those behind it: the best match for a word is
often a heading alone, and the answer stands below."""

COVERAGE_SHARE = 4
"""A passage that covers less than a quarter of what the best one does is not worth its length:
measured on chunking_evaluation, recall .942 instead of .948 with a sixth fewer characters."""


@dataclass(frozen=True, slots=True)
class _Candidate:
    """told: the idf, in all, of the terms that the passage has; occurrences: how often it has
    them."""

    passage: Passage
    told: int
    occurrences: int

    @property
    def order(self) -> tuple[int, int, int]:
        return -self.told, -self.occurrences, self.passage.start


def best_passages(
    units: Sequence[Sequence[Passage]],
    weights: Mapping[QueryTerm, int],
    words_of: Callable[[Passage], Mapping[str, int]],
) -> list[Passage]:
    """What opens each unit, and then the best of the other passages, while there is room.

    A unit opens with its best passage, and if that is short, as a heading alone is, with those
    behind it.

    units: the passages of each unit, the best unit first. weights: the idf of each term.
    words_of: how often each token stands in a passage.
    """
    scored = [
        [_candidate(passage, words_of(passage), weights) for passage in unit]
        for unit in units
        if unit
    ]
    openings = [found for unit in scored for found in _opening(unit)]
    others = sorted((found for unit in scored for found in unit), key=lambda found: found.order)
    worth = others[0].told // COVERAGE_SHARE if others else 0
    chosen: dict[tuple[str, int], Passage] = {}
    room = TEXT_LIMIT
    for found in [*openings, *(found for found in others if found.told > worth)]:
        passage = found.passage
        key = (passage.doc_id, passage.start)
        if key not in chosen and len(passage.text) <= room:
            chosen[key] = passage
            room -= len(passage.text)
    return list(chosen.values())


def _opening(unit: list[_Candidate]) -> list[_Candidate]:
    best = min(unit, key=lambda found: found.order)
    opening = [best]
    length = len(best.passage.text)
    for found in unit:
        if length >= SHORT:
            break
        if found.passage.start > best.passage.start:
            opening.append(found)
            length += len(found.passage.text)
    return opening


def _candidate(
    passage: Passage, counts: Mapping[str, int], weights: Mapping[QueryTerm, int]
) -> _Candidate:
    told = occurrences = 0
    for term, weight in weights.items():
        times = (
            sum(count for token, count in counts.items() if token.startswith(term.term))
            if term.prefix
            else counts.get(term.term, 0)
        )
        told += weight if times else 0
        occurrences += times
    return _Candidate(passage, told, occurrences)
