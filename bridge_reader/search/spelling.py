"""Words that nobody wrote, and the ones meant: tried only when a search finds nothing at all.

Only words of spaced scripts, of four letters and more, with their first letter right, and only
among their neighbours in the directory: that costs no request that the search has not made.
"""

from __future__ import annotations

from collections.abc import Iterable

from manifest.query_plan import QueryTerm
from manifest.tokens import runs

SHORTEST = 4


def may_be_misspelt(term: QueryTerm) -> bool:
    """Whether a term is a word that is worth a second look."""
    if term.prefix or len(term.term) < SHORTEST:
        return False
    return all(not run.bigrams for run in runs(term.term))


def nearest(word: str, neighbours: Iterable[tuple[str, int]]) -> str | None:
    """The term one edit away that most units have; the first in code-point order among equals."""
    best: tuple[int, str] | None = None
    for term, units in neighbours:
        if term[:1] == word[:1] and ":" not in term and one_edit_apart(word, term):
            best = min(best or (-units, term), (-units, term))
    return best[1] if best else None


def one_edit_apart(left: str, right: str) -> bool:
    """Whether one letter added, left out, changed, or swapped with the next makes them equal."""
    if left == right or abs(len(left) - len(right)) > 1:
        return False
    shorter, longer = sorted((left, right), key=len)
    start = 0
    while start < len(shorter) and shorter[start] == longer[start]:
        start += 1
    if len(shorter) < len(longer):
        return shorter[start:] == longer[start + 1 :]
    swapped = longer[start + 1 : start + 2] + longer[start : start + 1] + longer[start + 2 :]
    return shorter[start + 1 :] == longer[start + 1 :] or shorter[start:] == swapped
