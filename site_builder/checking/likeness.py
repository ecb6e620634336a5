"""Which texts say almost the same: sketches of their overlapping windows of characters.

Source: Broder, "On the resemblance and containment of documents" (1997): the smallest hashes of
all windows are a fair sample, and the share that two samples have in common estimates the share of
windows that the texts do. Integers only, so every machine finds the same. Windows of characters
need no words and so serve Chinese and English alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

Sketch: TypeAlias = npt.NDArray[np.uint64]
"""Hashes of windows, ascending, each once; empty for a text too short to compare."""

WINDOW = 12
"""Characters: a phrase of Chinese, two or three words of English."""

SAMPLE = 128
FIRST_LOOK = 8
"""Hashes of a sketch, and the smallest of them, by which pairs worth comparing are found."""

SHARED_AT_LEAST = 3
"""... of those that both must hold: texts alike to four fifths share about six."""

CROWD = 50
"""Texts with one hash in common past which only neighbours are compared: many copies of one text
still hang together, each on the next."""

SHORTEST = 200
"""Characters, without spaces and signs, of a text that is compared at all."""

_SIGNS = re.compile(r"[\W_]+")
_STEP = 0x9E3779B97F4A7C15
_MIX = np.uint64(0xBF58476D1CE4E5B9)


class Pair(NamedTuple):
    """Two texts by their numbers, the smaller first. percent: of windows that both have."""

    one: int
    other: int
    percent: int


def sketch(text: str) -> Sketch:
    """The sketch of a text; letters' case, spaces and signs count for nothing."""
    bare = _SIGNS.sub("", text.lower())
    if len(bare) < SHORTEST:
        return np.empty(0, dtype=np.uint64)
    codes = np.frombuffer(bare.encode("utf-32-le", "replace"), dtype="<u4").astype(np.uint64)
    count = len(codes) - WINDOW + 1
    hashes = np.zeros(count, dtype=np.uint64)
    for offset in range(WINDOW):
        factor = np.uint64(pow(_STEP, offset + 1, 1 << 64))
        hashes += codes[offset : offset + count] * factor
    hashes ^= hashes >> np.uint64(29)
    hashes *= _MIX
    hashes ^= hashes >> np.uint64(32)
    return _smallest(hashes)


def _smallest(hashes: Sketch) -> Sketch:
    """The smallest hashes, each once, without sorting all of them where few repeat."""
    if len(hashes) > 8 * SAMPLE:
        few = np.unique(np.partition(hashes, 2 * SAMPLE)[: 2 * SAMPLE])
        if len(few) >= SAMPLE:
            return few[:SAMPLE]
    return np.unique(hashes)[:SAMPLE]


def percent_alike(one: Sketch, other: Sketch) -> int:
    """The estimated share of windows that two texts have in common; 0 if either is too short."""
    if not len(one) or not len(other):
        return 0
    first, second = set(one.tolist()), set(other.tolist())
    union = sorted(first | second)[:SAMPLE]
    return 100 * sum(value in first and value in second for value in union) // len(union)


def alike(sketches: Sequence[Sketch], percent: int) -> list[Pair]:
    """The pairs that share at least so many percent of their windows, in order."""
    found = (
        Pair(one, other, percent_alike(sketches[one], sketches[other]))
        for one, other in sorted(_candidates(sketches))
    )
    return [pair for pair in found if pair.percent >= percent]


def _candidates(sketches: Sequence[Sketch]) -> Iterator[tuple[int, int]]:
    """Pairs whose smallest hashes agree often enough."""
    shared: dict[tuple[int, int], int] = {}
    holders: dict[int, list[int]] = {}
    for number, values in enumerate(sketches):
        for value in values[:FIRST_LOOK].tolist():
            holders.setdefault(value, []).append(number)
    for numbers in holders.values():
        for pair in _pairs(numbers):
            shared[pair] = shared.get(pair, 0) + 1
    return (pair for pair, count in shared.items() if count >= SHARED_AT_LEAST)


def _pairs(numbers: Sequence[int]) -> Iterator[tuple[int, int]]:
    for place, one in enumerate(numbers):
        reach = 2 if len(numbers) > CROWD else len(numbers)
        for other in numbers[place + 1 : place + reach]:
            yield one, other
