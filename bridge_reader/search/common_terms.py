"""Of a term in very many units only the best postings count: which, whatever segments they are in.

A base over all documents would keep, of a term in more than `POSTINGS_LIMIT` units, the postings of
the least impact from which on there are no more than that. What is spread over several segments,
some of whose rows count no more, is cut at the same impact, so that it ranks alike. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from manifest.search_objects import Continuation

POSTINGS_LIMIT = 4096
IMPACTS = 16


@dataclass(frozen=True, slots=True)
class TermPart:
    """What one segment has of a term: live postings (packed). rest: where the others are. gone: how
    many of the term's postings are of dropped rows, those of the rest included."""

    postings: list[int]
    rest: Continuation | None = None
    gone: int = 0

    @property
    def live(self) -> int:
        """All live postings, those of the rest included."""
        return self.rest.count - self.gone if self.rest else len(self.postings)


def least_impact(parts: Sequence[TermPart]) -> int | None:
    """From which impact on postings count; None if that cannot be said without the rests."""
    if sum(part.live for part in parts) <= POSTINGS_LIMIT:
        return None if any(part.rest for part in parts) else 0
    levels = [0] * (IMPACTS + 1)
    for part in parts:
        for posting in part.postings:
            levels[posting & 15] += 1
    known = max((part.rest.least for part in parts if part.rest), default=1)
    counted = 0
    for impact in range(IMPACTS, known - 1, -1):
        counted += levels[impact]
        if counted > POSTINGS_LIMIT:
            return impact + 1
    # All that is known stays: it is the least unless the next impact would fit as well.
    below = sum(_surely_at(part, known - 1) for part in parts)
    return known if counted + below > POSTINGS_LIMIT else None


def _surely_at(part: TermPart, impact: int) -> int:
    """How many live postings of an impact there are at least."""
    if part.rest is not None and part.rest.least == impact + 1:
        return max(0, part.rest.below - part.gone)
    return sum(posting & 15 == impact for posting in part.postings)
