"""A page of a longer list, and where the next one begins."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from storage.backend import ReadTx
from storage.schema import PRIMARY, Cursor, Row, Table, Where

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """Some items, in order. after: give it back for the next page; None at the end."""

    items: tuple[T, ...]
    after: Cursor | None


def read_page(
    tx: ReadTx,
    table: Table,
    where: Where,
    make: Callable[[Row], T],
    *,
    limit: int,
    index: str = PRIMARY,
    after: Cursor | None = None,
    descending: bool = False,
) -> Page[T]:
    """One page of rows, each made into an item."""
    rows = tx.page(table, where, index=index, after=after, limit=limit + 1, descending=descending)
    more = len(rows) > limit
    rows = rows[:limit]
    last = tuple(rows[-1][name] for name in table.order(index)) if more else None
    return Page(tuple(make(row) for row in rows), last)
