"""Which terms are in very many units, from the lists of all segments. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, repeat

from manifest.search_objects import Delta, Segment


class HotTerms:
    """How many live units have the terms that segments list.

    Each list holds what its segment has in at least `hotFloor` units, dropped rows included; the
    delta says how many of them those are.
    """

    def __init__(self, segments: Sequence[Segment], delta: Delta) -> None:
        self._floors = [segment.hotFloor for segment in segments]
        self._listed: list[dict[str, tuple[int, int]]] = []
        dropped: Iterable[list[int]] = chain(delta.hotDropped, repeat([]))
        for segment, counts in zip(segments, dropped, strict=False):
            gone = chain(counts, repeat(0))
            self._listed.append(
                {row.term: (row.units, n) for row, n in zip(segment.hot, gone, strict=False)}
            )

    def bounds(self, term: str) -> tuple[int, int]:
        """Live units that are listed for a term, and how many more there may be at most."""
        listed = sum(
            units - gone for found in self._listed for units, gone in [found.get(term, (0, 0))]
        )
        return listed, sum(self._floors[number] - 1 for number in self.silent(term))

    def silent(self, term: str) -> list[int]:
        """The segments that do not list a term."""
        return [number for number, found in enumerate(self._listed) if term not in found]

    def gone(self, segment: int, term: str) -> int:
        """Units of a segment's dropped rows that have a term; 0 for one that it does not list."""
        return self._listed[segment].get(term, (0, 0))[1]
