"""Reading and changing SQLite tables as their declarations say, inside one transaction."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import TypeAlias

from storage.driver import sqlite3
from storage.rows import integer_of
from storage.schema import PRIMARY, Cursor, Key, Presence, Row, SqlValue, Table, Where
from storage.sqlite_errors import broken_rule


class SqliteReadTx:
    """One snapshot, through one connection; of no use after its unit has ended."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection: sqlite3.Connection | None = connection

    def end(self) -> None:
        """From now on every use raises: a unit must not keep its transaction."""
        self._connection = None

    def get(self, table: Table, key: Key) -> Row | None:
        """See `storage.backend.ReadTx`."""
        table.check_key(key)
        found = self._execute(_get_sql(table.name, table.names, table.key), key).fetchone()
        return None if found is None else dict(zip(table.names, found, strict=True))

    def page(
        self,
        table: Table,
        where: Where,
        *,
        limit: int,
        index: str = PRIMARY,
        after: Cursor | None = None,
        columns: tuple[str, ...] | None = None,
        descending: bool = False,
    ) -> list[Row]:
        """See `storage.backend.ReadTx`."""
        wanted = columns or table.names
        table.check_columns(wanted)
        order = table.page_order(index, where, after)
        if order.exhausted:
            return []
        shape, values = _shape(table, where)
        sql = _page_sql(table.name, wanted, shape, order.columns, len(order.after), descending)
        found = self._execute(sql, (*values, *order.after, limit))
        return [dict(zip(wanted, row, strict=True)) for row in found]

    def _execute(self, sql: str, values: Sequence[SqlValue]) -> sqlite3.Cursor:
        if self._connection is None:
            raise RuntimeError("this transaction has ended")
        try:
            return self._connection.execute(sql, values)
        except sqlite3.IntegrityError:
            raise
        except sqlite3.Error:
            # SQLite may have rolled back by itself: going on would commit line by line.
            self.end()
            raise


class SqliteTx(SqliteReadTx):
    """One transaction that may change what it reads."""

    def __init__(self, connection: sqlite3.Connection, *, now: int, durable: bool) -> None:
        super().__init__(connection)
        self.now = now
        self.durable = durable

    def insert(self, table: Table, row: Row) -> None:
        """See `storage.backend.Tx`."""
        whole = table.complete(row)
        self._change(table, _insert_sql(table.name, table.names), tuple(whole.values()))

    def update(self, table: Table, key: Key, values: Row, where: Where | None = None) -> bool:
        """See `storage.backend.Tx`."""
        table.check_key(key)
        table.check_change(values)
        shape, asked = _shape(table, where or {})
        sql = _update_sql(table.name, tuple(values), table.key, shape)
        return self._change(table, sql, (*values.values(), *key, *asked)) > 0

    def delete(self, table: Table, where: Where) -> int:
        """See `storage.backend.Tx`."""
        shape, values = _shape(table, where)
        return self._change(table, f'DELETE FROM "{table.name}"{_clause(shape)}', values)

    def next(self, table: Table, key: Where, column: str) -> int:
        """See `storage.backend.Tx`."""
        table.check_columns((column,))
        shape, values = _shape(table, key)
        (greatest,) = self._execute(_next_sql(table.name, shape, column), values).fetchone()
        return integer_of({column: greatest}, column) + 1

    def _change(self, table: Table, sql: str, values: tuple[SqlValue, ...]) -> int:
        try:
            return self._execute(sql, values).rowcount
        except sqlite3.IntegrityError as error:
            broken = broken_rule(error, table)
            if broken is None:
                raise
            raise broken from error


# The text of a statement depends only on names that stand in this program, so each is made
# once. A filter's shape says how each of its columns is compared.
_EQUAL, _ABSENT, _PRESENT = -1, -2, -3
_Shape: TypeAlias = tuple[tuple[str, int], ...]


def _shape(table: Table, where: Where) -> tuple[_Shape, tuple[SqlValue, ...]]:
    """The shape of a filter (a number from 0 on: one of so many values), and its values."""
    table.check_where(where)
    shape: list[tuple[str, int]] = []
    values: list[SqlValue] = []
    for name, asked in where.items():
        if asked is None:
            shape.append((name, _ABSENT))
        elif isinstance(asked, Presence):
            shape.append((name, _PRESENT))
        elif isinstance(asked, tuple):
            shape.append((name, len(asked)))
            values.extend(asked)
        else:
            shape.append((name, _EQUAL))
            values.append(asked)
    return tuple(shape), tuple(values)


@lru_cache(maxsize=256)
def _clause(shape: _Shape) -> str:
    conditions = " AND ".join(_condition(name, how) for name, how in shape)
    return f" WHERE {conditions}" if conditions else ""


def _condition(name: str, how: int) -> str:
    if how == _ABSENT:
        return f'"{name}" IS NULL'
    if how == _PRESENT:
        return f'"{name}" IS NOT NULL'
    return f'"{name}" = ?' if how == _EQUAL else f'"{name}" IN ({_marks(how)})'


@lru_cache(maxsize=256)
def _get_sql(table: str, columns: tuple[str, ...], key: tuple[str, ...]) -> str:
    return f'SELECT {_names(columns)} FROM "{table}"{_clause(_all_equal(key))}'


@lru_cache(maxsize=256)
def _page_sql(
    table: str,
    columns: tuple[str, ...],
    shape: _Shape,
    order: tuple[str, ...],
    after: int,
    descending: bool,
) -> str:
    clause = _clause(shape)
    if after:
        place = f"({_names(order[:after])}) {'<' if descending else '>'} ({_marks(after)})"
        clause = f"{clause} AND {place}" if clause else f" WHERE {place}"
    ordering = ", ".join(f'"{name}"{" DESC" if descending else ""}' for name in order)
    by = f" ORDER BY {ordering}" if ordering else ""
    return f'SELECT {_names(columns)} FROM "{table}"{clause}{by} LIMIT ?'


@lru_cache(maxsize=256)
def _insert_sql(table: str, columns: tuple[str, ...]) -> str:
    return f'INSERT INTO "{table}" ({_names(columns)}) VALUES ({_marks(len(columns))})'


@lru_cache(maxsize=256)
def _update_sql(table: str, columns: tuple[str, ...], key: tuple[str, ...], shape: _Shape) -> str:
    assignments = ", ".join(f'"{name}" = ?' for name in columns)
    return f'UPDATE "{table}" SET {assignments}{_clause(_all_equal(key) + shape)}'


@lru_cache(maxsize=256)
def _next_sql(table: str, shape: _Shape, column: str) -> str:
    return f'SELECT coalesce(max("{column}"), 0) FROM "{table}"{_clause(shape)}'


def _all_equal(names: tuple[str, ...]) -> _Shape:
    return tuple((name, _EQUAL) for name in names)


def _names(columns: Sequence[str]) -> str:
    return ", ".join(f'"{name}"' for name in columns)


def _marks(count: int) -> str:
    return ", ".join("?" * count)
