"""Which passages of a unit to show for a question. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from bridge_reader.passages import Passage
from manifest.query_plan import QueryTerm
from manifest.search_text import search_text
from manifest.tokens import tokens
from manifest.units import Span

TEXT_LIMIT = 2000
"""Code points shown of one unit."""


@dataclass(frozen=True, slots=True)
class _Coverage:
    """What a passage has of the question: idf of the terms in it, then how often they occur."""

    told: int
    occurrences: int


def best_passages(
    passages: list[Passage], unit: Span, weights: Mapping[QueryTerm, int]
) -> list[Passage]:
    """Of a section's passages those that overlap the unit and cover the question best.

    weights: the idf of each term. They come in order of the text, `TEXT_LIMIT` code points at most
    unless the first alone is longer.
    """
    overlapping = [found for found in passages if found.start < unit.end and found.end > unit.start]
    ranked = sorted(
        ((_coverage(found.text, weights), found) for found in overlapping),
        key=lambda pair: (-pair[0].told, -pair[0].occurrences, pair[1].start),
    )
    chosen: list[Passage] = []
    length = 0
    for _, passage in ranked:
        if not chosen or length + len(passage.text) <= TEXT_LIMIT:
            chosen.append(passage)
            length += len(passage.text)
    return sorted(chosen, key=lambda passage: passage.start)


def _coverage(text: str, weights: Mapping[QueryTerm, int]) -> _Coverage:
    counts = Counter(tokens(search_text(text)))
    told = occurrences = 0
    for term, weight in weights.items():
        times = (
            sum(count for token, count in counts.items() if token.startswith(term.term))
            if term.prefix
            else counts[term.term]
        )
        told += weight if times else 0
        occurrences += times
    return _Coverage(told, occurrences)
