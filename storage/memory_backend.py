"""The memory backend: the same rules as SQLite's, from the same declarations, for tests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from manifest.errors import ErrorCode, NoteBridgeError
from storage.backend import Conflict, MissingReference, ReadTx, Tx, Usage
from storage.limits import RESERVE_BYTES
from storage.memory_table import MemoryTable, cost_of
from storage.migrations import Migration
from storage.schema import PRIMARY, Cursor, Key, Reference, Row, Table, Where

T = TypeVar("T")


class MemoryBackend:
    """See `storage.backend.Backend`. Units run at once, in the calling task."""

    def __init__(
        self, tables: Sequence[Table], *, clock: Callable[[], int], limit: int = 0
    ) -> None:
        self._tables = {table.name: MemoryTable(table) for table in tables}
        self._clock = clock
        self._limit = limit
        self._used = 0
        self._closed = False

    async def write(
        self,
        unit: Callable[[Tx], T],
        *,
        durable: bool = False,
        reserve: bool = False,
        on_commit: Callable[[T], None] | None = None,
    ) -> T:
        """See `Backend.write`."""
        self._check_open()
        tx = MemoryTx(self._tables, now=self._clock(), durable=durable)
        try:
            result = unit(tx)
            self._check_room(tx.grown, reserve)
        except BaseException as error:
            tx.undo()
            if isinstance(error, Conflict | MissingReference):
                raise NoteBridgeError(
                    ErrorCode.INTERNAL, f"A stored rule was broken: {error}."
                ) from error
            raise
        finally:
            tx.end()
        self._used += tx.grown
        if on_commit is not None:
            try:
                on_commit(result)
            except Exception as error:  # noqa: BLE001 - the commit stands, whatever follows it
                asyncio.get_running_loop().call_exception_handler(
                    {"message": "What follows a commit failed", "exception": error}
                )
        return result

    async def read(self, unit: Callable[[ReadTx], T]) -> T:
        """See `Backend.read`."""
        self._check_open()
        tx = MemoryTx(self._tables, now=0, durable=False)
        try:
            return unit(tx)
        finally:
            tx.end()

    async def migrate(self, steps: Sequence[Migration]) -> None:
        """Nothing to do: the tables come from the declarations."""

    async def check(self) -> list[str]:
        """Nothing can be wrong."""
        return []

    async def backup(self, path: Path) -> None:
        """Raises INVALID_ARGUMENT: there is nothing on disk to copy."""
        raise NoteBridgeError(
            ErrorCode.INVALID_ARGUMENT, f"Storage in memory is not backed up to {path}."
        )

    async def usage(self) -> Usage:
        """See `Backend.usage`: bytes of the values held."""
        return Usage(used=self._used, free=0, log=0, limit=self._limit)

    async def close(self) -> None:
        """See `Backend.close`."""
        self._closed = True

    def _check_open(self) -> None:
        if self._closed:
            raise NoteBridgeError(ErrorCode.INTERNAL, "The storage was closed.")

    def _check_room(self, grown: int, reserve: bool) -> None:
        room = self._limit + (RESERVE_BYTES if reserve else 0)
        if self._limit and grown > 0 and self._used + grown > room:
            raise NoteBridgeError(
                ErrorCode.STORAGE_FULL,
                "The storage in memory cannot grow: its limit is reached.",
                hint="Delete sessions, or raise the limit.",
            )


class MemoryTx:
    """One transaction over the tables, with what it takes to undo it."""

    def __init__(self, tables: dict[str, MemoryTable], *, now: int, durable: bool) -> None:
        self._tables: dict[str, MemoryTable] | None = tables
        self._undo: list[tuple[MemoryTable, Key, Row | None]] = []
        self.now = now
        self.durable = durable
        self.grown = 0

    def end(self) -> None:
        """From now on every use raises: a unit must not keep its transaction."""
        self._tables = None

    def undo(self, mark: int = 0) -> None:
        """Take back every change since the mark, the last one first."""
        while len(self._undo) > mark:
            table, key, row = self._undo.pop()
            self.grown += cost_of(row) - cost_of(table.rows.get(key))
            table.put(key, row)

    def get(self, table: Table, key: Key) -> Row | None:
        """See `storage.backend.ReadTx`."""
        table.check_key(key)
        row = self._of(table.name).rows.get(key)
        return None if row is None else dict(row)

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
        table.check_where(where)
        order = table.page_order(index, where, after)
        if order.exhausted:
            return []
        rows = self._of(table.name).page(where, index, order, limit, descending)
        return [{name: row[name] for name in columns or table.names} for row in rows]

    def insert(self, table: Table, row: Row) -> None:
        """See `storage.backend.Tx`."""
        whole = table.complete(row)
        held = self._of(table.name)
        key = held.key_of(whole)
        held.check_unique(whole, None)
        self._check_references(table, whole)
        self._put(held, key, whole)

    def update(self, table: Table, key: Key, values: Row, where: Where | None = None) -> bool:
        """See `storage.backend.Tx`."""
        table.check_key(key)
        table.check_change(values)
        table.check_where(where or {})
        held = self._of(table.name)
        row = held.rows.get(key)
        if row is None or not held.fits(row, where or {}):
            return False
        changed = {**row, **values}
        held.check_unique(changed, key)
        self._check_references(table, changed)
        self._put(held, key, changed)
        return True

    def delete(self, table: Table, where: Where) -> int:
        """See `storage.backend.Tx`."""
        table.check_where(where)
        held = self._of(table.name)
        doomed = list(held.matching(where))
        mark = len(self._undo)
        gone: list[tuple[str, Row]] = []
        for row in doomed:
            self._delete_row(held, row, gone)
        for name, row in gone:
            if any(self._of(child).refers(reference, row) for child, reference in self._to(name)):
                self.undo(mark)
                raise MissingReference(table.name)
        return len(doomed)

    def next(self, table: Table, key: Where, column: str) -> int:
        """See `storage.backend.Tx`."""
        table.check_columns((column,))
        table.check_where(key)
        return self._of(table.name).greatest(key, column) + 1

    def _delete_row(self, held: MemoryTable, row: Row, gone: list[tuple[str, Row]]) -> None:
        key = held.key_of(row)
        if key not in held.rows:
            return
        self._put(held, key, None)
        gone.append((held.table.name, row))
        for child, reference in self._to(held.table.name):
            if reference.cascade:
                for each in self._of(child).referring(reference, row):
                    self._delete_row(self._of(child), each, gone)

    def _put(self, held: MemoryTable, key: Key, row: Row | None) -> None:
        before = held.rows.get(key)
        self._undo.append((held, key, before))
        self.grown += cost_of(row) - cost_of(before)
        held.put(key, row)

    def _check_references(self, table: Table, row: Row) -> None:
        for reference in table.references:
            values = [row[name] for name in reference.columns]
            if None in values:
                continue
            wanted = dict(zip(reference.target, values, strict=True))
            if not any(self._of(reference.table).matching(wanted)):
                raise MissingReference(table.name)

    def _to(self, name: str) -> list[tuple[str, Reference]]:
        """The references of other tables to the table of that name."""
        if self._tables is None:
            raise RuntimeError("this transaction has ended")
        return [
            (other, reference)
            for other, held in self._tables.items()
            for reference in held.table.references
            if reference.table == name
        ]

    def _of(self, name: str) -> MemoryTable:
        if self._tables is None:
            raise RuntimeError("this transaction has ended")
        return self._tables[name]
