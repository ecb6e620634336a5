"""The reader's own database, used by several processes at once: a cache, begun anew if damaged.

Each process has one connection in WAL mode and keeps transactions short. Everything that
writes or checkpoints, in any process, holds one lock of the operating system meanwhile: with
SQLite before 3.51.3 a commit during another connection's checkpoint could corrupt the file,
and here this never coincides, whatever the driver.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from manifest.errors import ErrorCode, NoteBridgeError
from storage.driver import sqlite3
from storage.file_lock import held
from storage.migrations import Migration
from storage.private_files import create_private, prepare_folder, set_aside
from storage.sqlite_errors import is_damage, translate
from storage.sqlite_files import BUSY_SECONDS
from storage.sqlite_migrator import apply_migrations

T = TypeVar("T")

DATABASE_NAME = "reader.db"
LOCK_NAME = "reader.lock"

READER_MIGRATIONS = (
    Migration(
        1,
        "objects, pins, known manifests",
        (
            """CREATE TABLE "objects" (
  "sha256" TEXT NOT NULL PRIMARY KEY,
  "kind" TEXT NOT NULL,
  "body" BLOB NOT NULL,
  "size" INTEGER NOT NULL,
  "last_used" INTEGER NOT NULL
)""",
            'CREATE INDEX "objects_last_used" ON "objects" ("last_used", "sha256", "size")',
            'CREATE TABLE "totals" ("bytes" INTEGER NOT NULL, "objects" INTEGER NOT NULL)',
            'INSERT INTO "totals" VALUES (0, 0)',
            """CREATE TRIGGER "object_added" AFTER INSERT ON "objects" BEGIN
  UPDATE "totals" SET "bytes" = "bytes" + NEW."size", "objects" = "objects" + 1;
END""",
            """CREATE TRIGGER "object_removed" AFTER DELETE ON "objects" BEGIN
  UPDATE "totals" SET "bytes" = "bytes" - OLD."size", "objects" = "objects" - 1;
END""",
            """CREATE TABLE "pins" (
  "sha256" TEXT NOT NULL,
  "holder" TEXT NOT NULL,
  "expires_at" INTEGER NOT NULL,
  PRIMARY KEY ("sha256", "holder")
)""",
            'CREATE INDEX "pins_of_holder" ON "pins" ("holder")',
            """CREATE TABLE "known_manifests" (
  "address" TEXT NOT NULL PRIMARY KEY,
  "sequence" INTEGER NOT NULL,
  "revision" TEXT NOT NULL,
  "body" BLOB NOT NULL,
  "fetched_at" INTEGER NOT NULL
)""",
        ),
    ),
)


class ReaderDatabase:
    """One connection of this process; calls may come from any of its threads."""

    def __init__(self, folder: Path, *, clock: Callable[[], int]) -> None:
        """Open or create the database.

        Raises INVALID_ARGUMENT on a network file system, STORAGE_TOO_NEW, STORAGE_LOCKED.
        """
        prepare_folder(folder)
        self._path = folder / DATABASE_NAME
        self._lock_path = folder / LOCK_NAME
        self._clock = clock
        self._gate = threading.Lock()
        self._pid = os.getpid()
        self._damaged_files: list[Path] = []
        self._inode = 0
        self._connection: sqlite3.Connection | None = self._open()

    @property
    def damaged_files(self) -> tuple[Path, ...]:
        """What this process found damaged and set aside, under its new names."""
        return tuple(self._damaged_files)

    @property
    def is_open(self) -> bool:
        """Whether this process may use it."""
        return self._connection is not None and os.getpid() == self._pid

    def read(self, job: Callable[[sqlite3.Connection], T]) -> T:
        """Run one reading statement or more. Damage sets the file aside and tries once more.

        Raises STORAGE_LOCKED after `close` and in a process forked from the one that opened.
        """
        return self._run(job, contextlib.nullcontext)

    def write(self, job: Callable[[sqlite3.Connection], T], *, durable: bool = False) -> T:
        """Run a job in a transaction of its own. durable: synced to disk. Damage as in `read`.

        Raises STORAGE_FULL, STORAGE_LOCKED.
        """

        def whole(connection: sqlite3.Connection) -> T:
            connection.execute(f"PRAGMA synchronous={'FULL' if durable else 'NORMAL'}")
            with _transaction(connection):
                return job(connection)

        return self._run(whole, lambda: held(self._lock_path))

    def close(self) -> None:
        """Close the connection. Twice is fine."""
        with self._gate:
            if self._connection is not None and os.getpid() == self._pid:
                with held(self._lock_path):
                    self._connection.close()
            self._connection = None

    def _run(
        self,
        job: Callable[[sqlite3.Connection], T],
        lock: Callable[[], contextlib.AbstractContextManager[None]],
    ) -> T:
        with self._gate:
            if self._connection is None or os.getpid() != self._pid:
                raise NoteBridgeError(
                    ErrorCode.STORAGE_LOCKED,
                    "The reader's cache was closed, or opened before a fork.",
                    hint="Open it in the process that uses it.",
                )
            if not self._is_ours():
                self._connection = self._open(self._connection)
            try:
                try:
                    with lock():
                        return job(self._connection)
                except sqlite3.DatabaseError as error:
                    if not is_damage(error):
                        raise
                self._connection = self._open(self._connection)
                with lock():
                    return job(self._connection)
            except sqlite3.Error as error:
                raise translate(error, str(self._path)) from error

    def _open(self, damaged: sqlite3.Connection | None = None) -> sqlite3.Connection:
        """Connect under the lock, so that no two processes create or replace the file.

        damaged: the connection to let go of; its file is set aside, unless another process
        has put a new one in its place already.
        """
        with held(self._lock_path):
            if damaged is not None:
                damaged.close()
                if self._is_ours():
                    self._put_away()
            try:
                try:
                    return self._connect()
                except sqlite3.DatabaseError as error:
                    if not is_damage(error):
                        raise
                self._put_away()
                return self._connect()
            except sqlite3.Error as error:
                raise translate(error, str(self._path)) from error

    def _is_ours(self) -> bool:
        """Whether the file is the one we opened; else another process has replaced it."""
        try:
            return self._path.stat().st_ino == self._inode
        except FileNotFoundError:
            return False

    def _put_away(self) -> None:
        try:
            self._damaged_files.append(set_aside(self._path, self._clock()))
        except OSError as error:
            raise NoteBridgeError(
                ErrorCode.STORAGE_DAMAGED,
                f"{self._path} is damaged and cannot be renamed: {error.strerror}.",
                hint="Stop other programs that use it and delete it: it is only a cache.",
            ) from error

    def _connect(self) -> sqlite3.Connection:
        create_private(self._path)
        connection = sqlite3.connect(
            self._path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False
        )
        try:
            self._inode = self._path.stat().st_ino
            connection.execute("PRAGMA journal_mode=WAL")
            apply_migrations(
                connection, READER_MIGRATIONS, now=self._clock(), back_up=lambda number: None
            )
        except BaseException:
            connection.close()
            raise
        return connection


@contextlib.contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
