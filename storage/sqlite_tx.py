"""Reading and changing SQLite tables as their declarations say, inside one transaction."""

from __future__ import annotations

from collections.abc import Sequence

from storage.driver import sqlite3
from storage.rows import integer_of
from storage.schema import PRIMARY, Cursor, Filter, Key, Presence, Row, SqlValue, Table, Where
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
        where = dict(zip(table.key, key, strict=True))
        rows = self.page(table, where, limit=1)
        return rows[0] if rows else None

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
        table.check_columns(columns or ())
        order = table.page_order(index, where, after)
        conditions, values = _conditions(table, where)
        if order.after:
            names = _names(order.columns[: len(order.after)])
            marks = ", ".join("?" * len(order.after))
            conditions.append(f"({names}) {'<' if descending else '>'} ({marks})")
            values.extend(order.after)
        wanted = columns or table.names
        direction = " DESC" if descending else ""
        ordering = ", ".join(f'"{name}"{direction}' for name in order.columns)
        sql = (
            f'SELECT {_names(wanted)} FROM "{table.name}"{_clause(conditions)}'
            f"{' ORDER BY ' + ordering if ordering else ''} LIMIT ?"
        )
        found = self._execute(sql, [*values, limit])
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
        marks = ", ".join("?" * len(whole))
        sql = f'INSERT INTO "{table.name}" ({_names(table.names)}) VALUES ({marks})'
        self._change(table, sql, list(whole.values()))

    def update(self, table: Table, key: Key, values: Row, where: Where | None = None) -> bool:
        """See `storage.backend.Tx`."""
        table.check_change(values)
        conditions, asked = _conditions(table, where or {})
        for name, value in zip(table.key, key, strict=True):
            conditions.append(f'"{name}" = ?')
            asked.append(value)
        assignments = ", ".join(f'"{name}" = ?' for name in values)
        sql = f'UPDATE "{table.name}" SET {assignments}{_clause(conditions)}'
        return self._change(table, sql, [*values.values(), *asked]) > 0

    def delete(self, table: Table, where: Where) -> int:
        """See `storage.backend.Tx`."""
        conditions, values = _conditions(table, where)
        return self._change(table, f'DELETE FROM "{table.name}"{_clause(conditions)}', values)

    def next(self, table: Table, key: Where, column: str) -> int:
        """See `storage.backend.Tx`."""
        table.check_columns((column,))
        conditions, values = _conditions(table, key)
        sql = f'SELECT coalesce(max("{column}"), 0) FROM "{table.name}"{_clause(conditions)}'
        (greatest,) = self._execute(sql, values).fetchone()
        return integer_of({column: greatest}, column) + 1

    def _change(self, table: Table, sql: str, values: list[SqlValue]) -> int:
        try:
            return self._execute(sql, values).rowcount
        except sqlite3.IntegrityError as error:
            broken = broken_rule(error, table)
            if broken is None:
                raise
            raise broken from error


def _names(columns: Sequence[str]) -> str:
    return ", ".join(f'"{name}"' for name in columns)


def _clause(conditions: list[str]) -> str:
    return f" WHERE {' AND '.join(conditions)}" if conditions else ""


def _conditions(table: Table, where: Where) -> tuple[list[str], list[SqlValue]]:
    table.check_where(where)
    conditions: list[str] = []
    values: list[SqlValue] = []
    for name, asked in where.items():
        condition, bound = _condition(name, asked)
        conditions.append(condition)
        values.extend(bound)
    return conditions, values


def _condition(name: str, asked: Filter) -> tuple[str, tuple[SqlValue, ...]]:
    if asked is None:
        return f'"{name}" IS NULL', ()
    if isinstance(asked, Presence):
        return f'"{name}" IS NOT NULL', ()
    if isinstance(asked, tuple):
        return f'"{name}" IN ({", ".join("?" * len(asked))})', asked
    return f'"{name}" = ?', (asked,)
