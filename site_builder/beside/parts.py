"""Long lists cut into files so that one change rewrites few of them.

Both ways depend on the set of documents alone, not on its history.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from manifest.canonical import text_sha256
from manifest.tree import tree_digits

Item = TypeVar("Item")

PART_LIMIT = 256
"""Entries of a part by prefix; a full one splits in four."""

RUN_MEAN = 40
RUN_LEAST = 16
RUN_MOST = 128
"""Entries of a run: cut where a hash says so, on average after so many beyond the least."""


@dataclass(frozen=True, slots=True)
class Part(Generic[Item]):
    """Some entries of a list, in its order; name: digits that tell the part from all others."""

    name: str
    items: tuple[Item, ...]


def by_prefix(
    items: Sequence[Item], key: Callable[[Item], str], limit: int = PART_LIMIT
) -> Iterator[Part[Item]]:
    """Parts by the digits of the document tree (`manifest.tree`), for lists that only programs
    read. key: gives the docId, or what else names the item. A list within the limit is one part
    without a name."""
    yield from _split("", [(tree_digits(key(item)), item) for item in items], limit)


def _split(prefix: str, rows: list[tuple[str, Item]], limit: int) -> Iterator[Part[Item]]:
    if len(rows) <= limit:
        if rows or not prefix:
            yield Part(prefix, tuple(item for _, item in rows))
        return
    for digit in "0123":
        quarter = [row for row in rows if row[0][len(prefix)] == digit]
        yield from _split(prefix + digit, quarter, limit)


def runs(items: Sequence[Item], key: Callable[[Item], str]) -> Iterator[Part[Item]]:
    """Neighbours of a sorted list together, for lists that are read in order. key: as above.

    A run ends behind an item whose hash says so, hence an item that comes or goes changes its own
    run, and at most some that follow. It is named by the hash of its first item.
    """
    run: list[Item] = []
    for number, item in enumerate(items):
        run.append(item)
        ends = int(text_sha256(key(item))[:8], 16) % RUN_MEAN == 0
        left = len(items) - number - 1
        if len(run) >= RUN_MOST or (ends and len(run) >= RUN_LEAST and left >= RUN_LEAST):
            yield Part(text_sha256(key(run[0]))[:8], tuple(run))
            run = []
    if run:
        yield Part(text_sha256(key(run[0]))[:8], tuple(run))
