"""One table in memory: its rows, and every index as a sorted list."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator
from typing import TypeAlias

from storage.backend import Conflict
from storage.schema import (
    PRIMARY,
    Filter,
    Index,
    Key,
    PageOrder,
    Presence,
    Reference,
    Row,
    SqlValue,
    Table,
    Where,
)

_Place: TypeAlias = tuple[tuple[bool, str | int | bytes], ...]
"""Values as they sort: an absent one before all others."""


class MemoryTable:
    """Rows by key, kept in order of every index of the declaration."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.rows: dict[Key, Row] = {}
        names = (PRIMARY, *(index.name for index in table.indices))
        self._columns = {name: table.order(name) for name in names}
        self._orders: dict[str, list[tuple[_Place, Key]]] = {name: [] for name in names}

    def key_of(self, row: Row) -> Key:
        """The values that identify a row."""
        return tuple(row[name] for name in self.table.key)

    def put(self, key: Key, row: Row | None) -> None:
        """Set or (None) remove the row of a key, in every index; unchecked."""
        before = self.rows.pop(key, None)
        if before is not None:
            for name, order in self._orders.items():
                place = (_place(before, self._columns[name]), key)
                del order[bisect_left(order, place)]
        if row is not None:
            self.rows[key] = row
            for name, order in self._orders.items():
                insort(order, (_place(row, self._columns[name]), key))

    def check_unique(self, row: Row, replaced: Key | None) -> None:
        """Raise Conflict where another row than the replaced one has the same values."""
        for index in self.table.unique_indices():
            values = [row[name] for name in index.columns]
            if None in values or not _covers(index, row):
                continue
            wanted: Where = dict(zip(index.columns, values, strict=True))
            for other in self._along(index.name, wanted):
                if self.key_of(other) != replaced and _covers(index, other):
                    raise Conflict(self.table.name, index.name)

    def page(
        self, where: Where, index: str, order: PageOrder, limit: int, descending: bool
    ) -> list[Row]:
        """Rows that fit, in the order of the index, after the place given."""
        begin = _encode(order.after)
        found: list[Row] = []
        for row in self._along(index, where, descending):
            place = _place(row, order.columns[: len(begin)])
            if begin and (place >= begin if descending else place <= begin):
                continue
            if self.fits(row, where):
                found.append(row)
                if len(found) == limit:
                    break
        return found

    def matching(self, where: Where) -> Iterator[Row]:
        """Rows that fit, by the index that narrows them most."""
        best = max(self._columns, key=lambda name: len(self._prefix(name, where)))
        return (row for row in self._along(best, where) if self.fits(row, where))

    def greatest(self, where: Where, column: str) -> int:
        """The greatest value of a column among rows that fit; 0 where there are none."""
        for name, columns in self._columns.items():
            prefix = self._prefix(name, where)
            if len(prefix) == len(where) < len(columns) and columns[len(prefix)] == column:
                for row in self._along(name, where, descending=True):
                    return _integer(row[column])
                return 0
        return max((_integer(row[column]) for row in self.matching(where)), default=0)

    def referring(self, reference: Reference, target: Row) -> list[Row]:
        """Rows that belong to the target row by this reference."""
        values = [target[name] for name in reference.target]
        if None in values:
            return []
        return list(self.matching(dict(zip(reference.columns, values, strict=True))))

    def refers(self, reference: Reference, target: Row) -> bool:
        """Whether a row belongs to the target row by this reference."""
        return bool(self.referring(reference, target))

    @staticmethod
    def fits(row: Row, where: Where) -> bool:
        """Whether the row has what is asked of it."""
        return all(_fits(row[name], asked) for name, asked in where.items())

    def _prefix(self, index: str, where: Where) -> _Place:
        """The values that `where` fixes of the index's first columns."""
        values: list[SqlValue] = []
        for name in self._columns[index]:
            asked = where.get(name)
            if not isinstance(asked, str | int | bytes):
                break
            values.append(asked)
        return _encode(tuple(values))

    def _along(self, index: str, where: Where, descending: bool = False) -> Iterator[Row]:
        """Rows in the order of the index, among those with its fixed first columns."""
        order = self._orders[index]
        prefix = self._prefix(index, where)
        size = len(prefix)
        low = bisect_left(order, prefix, key=lambda item: item[0][:size])
        high = bisect_right(order, prefix, key=lambda item: item[0][:size])
        for position in reversed(range(low, high)) if descending else range(low, high):
            yield self.rows[order[position][1]]


def cost_of(row: Row | None) -> int:
    """The bytes a row is charged with: those of its values, eight for a number."""
    total = 0
    for value in (row or {}).values():
        if isinstance(value, str):
            total += len(value.encode())
        elif isinstance(value, bytes):
            total += len(value)
        else:
            total += 8
    return total


def _place(row: Row, columns: tuple[str, ...]) -> _Place:
    return _encode(tuple(row[name] for name in columns))


def _encode(values: tuple[SqlValue, ...]) -> _Place:
    return tuple((False, 0) if value is None else (True, value) for value in values)


def _covers(index: Index, row: Row) -> bool:
    return index.where is None or row[index.where[0]] in index.where[1]


def _fits(value: SqlValue, asked: Filter) -> bool:
    if isinstance(asked, Presence):
        return value is not None
    if isinstance(asked, tuple):
        return value is not None and value in asked
    return value == asked


def _integer(value: SqlValue) -> int:
    return value if isinstance(value, int) else 0
