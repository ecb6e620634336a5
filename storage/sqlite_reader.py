"""Reading a storage that another process owns: the same tables, nothing can be written."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NoReturn, TypeVar

from manifest.errors import ErrorCode, NoteBridgeError
from storage.backend import ReadTx, Tx, Usage
from storage.connection_thread import ConnectionThread
from storage.driver import sqlite3
from storage.migrations import Migration
from storage.sqlite_backend import snapshot
from storage.sqlite_errors import translate
from storage.sqlite_files import backup_to, connect_reader, database_usage, problems
from storage.sqlite_migrator import applied_number, check_not_newer

T = TypeVar("T")


class SqliteReader:
    """A `Backend` that only reads. Safe beside an owner with any driver: it writes nothing
    and resets no log.
    """

    def __init__(self, path: Path, thread: ConnectionThread) -> None:
        self._path = path
        self._thread = thread

    @classmethod
    async def open(cls, path: Path, steps: Sequence[Migration]) -> SqliteReader:
        """Open an existing database of the newest schema.

        Raises INVALID_ARGUMENT where there is none, STORAGE_TOO_NEW, STORAGE_LOCKED where
        its owner must migrate it first.
        """
        connection = await asyncio.to_thread(_connect, path)
        reader = cls(path, ConnectionThread("storage-reader", connection))
        try:
            await reader._run(lambda connection: _check_schema(connection, steps))
        except BaseException:
            await reader.close()
            raise
        return reader

    async def write(
        self,
        unit: Callable[[Tx], T],
        *,
        durable: bool = False,
        reserve: bool = False,
        on_commit: Callable[[T], None] | None = None,
    ) -> T:
        """Raises STORAGE_LOCKED: only the owner writes."""
        self._refuse()

    async def read(self, unit: Callable[[ReadTx], T]) -> T:
        """See `Backend.read`."""
        return await self._run(lambda connection: snapshot(connection, unit))

    async def migrate(self, steps: Sequence[Migration]) -> None:
        """Raises STORAGE_LOCKED: only the owner migrates."""
        self._refuse()

    async def check(self) -> list[str]:
        """See `Backend.check`."""
        return await self._run(problems)

    async def backup(self, path: Path) -> None:
        """See `Backend.backup`."""
        await self._run(lambda connection: backup_to(connection, path))

    async def usage(self) -> Usage:
        """See `Backend.usage`; the cap is the owner's and not known here."""
        return await self._run(lambda connection: database_usage(connection, self._path, 0))

    async def close(self) -> None:
        """See `Backend.close`."""
        await self._thread.close()

    async def _run(self, job: Callable[[sqlite3.Connection], T]) -> T:
        def guarded(connection: sqlite3.Connection) -> T:
            try:
                return job(connection)
            except sqlite3.Error as error:
                raise translate(error, str(self._path)) from error

        return await self._thread.run(guarded)

    def _refuse(self) -> NoReturn:
        raise NoteBridgeError(
            ErrorCode.STORAGE_LOCKED,
            f"{self._path} was opened for reading only.",
            hint="Write through the process that owns it.",
        )


def _connect(path: Path) -> sqlite3.Connection:
    if not path.exists():
        raise NoteBridgeError(ErrorCode.INVALID_ARGUMENT, f"There is no storage at {path}.")
    return connect_reader(path)


def _check_schema(connection: sqlite3.Connection, steps: Sequence[Migration]) -> None:
    number = applied_number(connection)
    check_not_newer(number, steps)
    if steps and number < steps[-1].number:
        raise NoteBridgeError(
            ErrorCode.STORAGE_LOCKED,
            "The storage is of an older version and must be migrated by its owner.",
            hint="Stop the older program and start this one on the folder.",
        )
