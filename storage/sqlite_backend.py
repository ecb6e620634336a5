"""The SQLite backend: one file, one writing connection, units of work on its own thread."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TypeVar

from manifest.errors import ErrorCode, NoteBridgeError
from storage.backend import Conflict, MissingReference, ReadTx, Tx, Usage
from storage.connection_thread import ConnectionThread
from storage.driver import SAFE_FOR_SEVERAL_CONNECTIONS, sqlite3
from storage.limits import RESERVE_BYTES
from storage.migrations import Migration
from storage.private_files import free_name
from storage.sqlite_errors import is_damage, translate
from storage.sqlite_files import (
    backup_to,
    connect_reader,
    connect_writer,
    database_usage,
    marker_of,
    problems,
)
from storage.sqlite_migrator import apply_migrations
from storage.sqlite_tx import SqliteReadTx, SqliteTx

T = TypeVar("T")


class SqliteBackend:
    """See `storage.backend.Backend`.

    All writing, and with an older driver all reading, goes through one connection (see
    `storage.driver.SAFE_FOR_SEVERAL_CONNECTIONS`). Whoever opens it must own the folder.
    """

    def __init__(
        self,
        path: Path,
        writer: ConnectionThread,
        reader: ConnectionThread | None,
        *,
        clock: Callable[[], int],
        limit: int,
    ) -> None:
        self._path = path
        self._writer = writer
        self._reader = reader
        self._clock = clock
        self._limit = limit
        self._level = ""
        self._page_size = 0
        self._pages = 0
        self._damaged = False
        self._closed = False

    @classmethod
    async def open(
        cls,
        path: Path,
        *,
        clock: Callable[[], int],
        limit: int = 0,
        second_connection: bool = SAFE_FOR_SEVERAL_CONNECTIONS,
    ) -> SqliteBackend:
        """Open or create the database file.

        limit: bytes the tables may take; 0 for none. second_connection: read through another
        one. Raises STORAGE_DAMAGED after setting a damaged file aside (its new name is in the
        message and in details), INVALID_ARGUMENT for another program's database.
        """
        connection = await asyncio.to_thread(connect_writer, path, clock)
        writer = ConnectionThread("storage-writer", connection)
        reader = None
        if second_connection:
            reading = await asyncio.to_thread(connect_reader, path)
            reader = ConnectionThread("storage-reader", reading)
        return cls(path, writer, reader, clock=clock, limit=limit)

    async def write(
        self,
        unit: Callable[[Tx], T],
        *,
        durable: bool = False,
        reserve: bool = False,
        on_commit: Callable[[T], None] | None = None,
    ) -> T:
        """See `Backend.write`."""
        return await self._writer.run(
            self._guarded(lambda connection: self._transact(connection, unit, durable, reserve)),
            on_commit,
        )

    async def read(self, unit: Callable[[ReadTx], T]) -> T:
        """See `Backend.read`."""
        thread = self._reader or self._writer
        return await thread.run(self._guarded(lambda connection: snapshot(connection, unit)))

    async def migrate(self, steps: Sequence[Migration]) -> None:
        """See `Backend.migrate`. A database that holds data is backed up first, beside it."""
        await self._writer.run(self._guarded(lambda connection: self._migrate(connection, steps)))

    async def check(self) -> list[str]:
        """See `Backend.check`. After any problem the next opening checks again."""
        found = await self._writer.run(self._guarded(problems))
        self._damaged = self._damaged or bool(found)
        return found

    async def backup(self, path: Path) -> None:
        """See `Backend.backup`. Through a connection of its own where the driver allows it."""
        if self._reader is None:
            await self._writer.run(self._guarded(lambda connection: backup_to(connection, path)))
            return
        connection = await asyncio.to_thread(connect_reader, self._path)
        thread = ConnectionThread("storage-backup", connection)
        try:
            await thread.run(self._guarded(lambda source: backup_to(source, path)))
        finally:
            await thread.close()

    async def usage(self) -> Usage:
        """See `Backend.usage`."""
        thread = self._reader or self._writer
        return await thread.run(
            self._guarded(lambda connection: database_usage(connection, self._path, self._limit))
        )

    async def close(self) -> None:
        """See `Backend.close`. The mark of an unclean stop is taken away last."""
        if self._closed:
            return
        if self._reader is not None:
            await self._reader.close()
        await self._writer.close()
        self._closed = True
        if not self._damaged:
            marker_of(self._path).unlink(missing_ok=True)

    def _transact(
        self, connection: sqlite3.Connection, unit: Callable[[Tx], T], durable: bool, reserve: bool
    ) -> T:
        self._set_modes(connection, durable, reserve)
        connection.execute("BEGIN IMMEDIATE")
        tx = SqliteTx(connection, now=self._clock(), durable=durable)
        try:
            result = unit(tx)
            if not connection.in_transaction:
                raise RuntimeError("the unit went on after its transaction was undone")
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        finally:
            tx.end()
        return result

    def _set_modes(self, connection: sqlite3.Connection, durable: bool, reserve: bool) -> None:
        """Both can only be set between transactions; they hold until set again."""
        level = "FULL" if durable else "NORMAL"
        if level != self._level:
            connection.execute(f"PRAGMA synchronous={level}")
            self._level = level
        if not self._limit:
            return
        if not self._page_size:
            (self._page_size,) = connection.execute("PRAGMA page_size").fetchone()
        pages = (self._limit + (RESERVE_BYTES if reserve else 0)) // self._page_size
        if pages != self._pages:
            connection.execute(f"PRAGMA max_page_count={pages}")
            self._pages = pages

    def _migrate(self, connection: sqlite3.Connection, steps: Sequence[Migration]) -> None:
        def back_up(number: int) -> None:
            name = f"{self._path.name}.before-migration-{number}"
            backup_to(connection, free_name(self._path.with_name(name)))

        self._level = "FULL"
        connection.execute("PRAGMA synchronous=FULL")
        apply_migrations(connection, steps, now=self._clock(), back_up=back_up)

    def _guarded(self, job: Callable[[sqlite3.Connection], T]) -> Callable[[sqlite3.Connection], T]:
        """The job, with this room's own errors and SQLite's as errors that may leave it."""

        def guarded(connection: sqlite3.Connection) -> T:
            try:
                return job(connection)
            except sqlite3.Error as error:
                self._damaged = self._damaged or is_damage(error)
                raise translate(error, str(self._path)) from error
            except (Conflict, MissingReference) as error:
                raise NoteBridgeError(
                    ErrorCode.INTERNAL, f"A stored rule was broken: {error}."
                ) from error

        return guarded


def snapshot(connection: sqlite3.Connection, unit: Callable[[ReadTx], T]) -> T:
    """Run a reading unit over one snapshot."""
    connection.execute("BEGIN")
    tx = SqliteReadTx(connection)
    try:
        return unit(tx)
    finally:
        tx.end()
        if connection.in_transaction:
            connection.execute("ROLLBACK")
