"""A SQLite database as files: opening it safely, checking, copying and measuring it."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

from manifest.errors import ErrorCode, NoteBridgeError
from storage.backend import Usage
from storage.driver import sqlite3
from storage.private_files import create_private, free_name, set_aside
from storage.sqlite_errors import is_damage, translate

APPLICATION_ID = 0x4E425247
"""Marks the file as ours ("NBRG"), in SQLite's header."""

BUSY_SECONDS = 5.0
_LOG_BYTES = 32 * 1024 * 1024


def marker_of(path: Path) -> Path:
    """The file that stands beside an open database; found at opening, the stop was unclean."""
    return path.with_name(path.name + ".open")


def connect_writer(path: Path, clock: Callable[[], int]) -> sqlite3.Connection:
    """Open or create the database, checked if the last stop was unclean.

    A damaged one is set aside under another name. Raises STORAGE_DAMAGED naming it,
    INVALID_ARGUMENT for another program's database, STORAGE_LOCKED.
    """
    create_private(path)
    try:
        connection = _connect(path)
    except sqlite3.Error as error:
        raise translate(error, str(path)) from error
    try:
        _prepare(connection, path)
        found = damage(connection) if marker_of(path).exists() else []
        if not found:
            _set_marker(marker_of(path))
            return connection
    except sqlite3.Error as error:
        connection.close()
        if not is_damage(error):
            raise translate(error, str(path)) from error
        raise _put_away(path, clock(), str(error)) from error
    except BaseException:
        connection.close()
        raise
    connection.close()
    raise _put_away(path, clock(), found[0])


def connect_reader(path: Path) -> sqlite3.Connection:
    """Another connection to an existing database, which cannot change it."""
    try:
        connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode=ro",
            uri=True,
            timeout=BUSY_SECONDS,
            isolation_level=None,
            check_same_thread=False,
        )
        connection.execute("PRAGMA query_only=ON")
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    except sqlite3.Error as error:
        raise translate(error, str(path)) from error
    return connection


def damage(connection: sqlite3.Connection) -> list[str]:
    """What SQLite finds wrong with the file, one line each."""
    try:
        rows = connection.execute("PRAGMA quick_check").fetchall()
    except sqlite3.Error as error:
        if not is_damage(error):
            raise
        return [str(error)]
    return [str(row[0]) for row in rows if row[0] != "ok"]


def problems(connection: sqlite3.Connection) -> list[str]:
    """What is wrong with the file or with references between rows, one line each."""
    found = damage(connection)
    if found:
        return found
    broken = connection.execute("PRAGMA foreign_key_check").fetchall()
    return [f"{row[0]}: a row refers to a row of {row[2]} that is gone" for row in broken]


def backup_to(connection: sqlite3.Connection, path: Path) -> None:
    """Copy the whole database in one step; the file appears only when it is complete.

    One step, because a copy in parts begins again at every write and never ends beside a
    busy writer. Raises INVALID_ARGUMENT where the path is taken or cannot be written.
    """
    if path.exists():
        raise NoteBridgeError(
            ErrorCode.INVALID_ARGUMENT, f"{path} exists; a backup overwrites nothing."
        )
    partial = free_name(path.with_name(path.name + ".partial"))
    try:
        create_private(partial)
        target = sqlite3.connect(partial)
        try:
            connection.backup(target, pages=-1)
            target.execute("PRAGMA journal_mode=DELETE")
        finally:
            target.close()
        partial.rename(path)
    except OSError as error:
        raise NoteBridgeError(
            ErrorCode.INVALID_ARGUMENT, f"{path} cannot be written: {error.strerror}."
        ) from error
    finally:
        partial.unlink(missing_ok=True)


def database_usage(connection: sqlite3.Connection, path: Path, limit: int) -> Usage:
    """Bytes by use; see `Usage`."""
    (size,) = connection.execute("PRAGMA page_size").fetchone()
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    (free,) = connection.execute("PRAGMA freelist_count").fetchone()
    log = path.with_name(path.name + "-wal")
    return Usage(
        used=(pages - free) * size,
        free=free * size,
        log=log.stat().st_size if log.exists() else 0,
        limit=limit,
    )


def _connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(
        path,
        timeout=BUSY_SECONDS,
        isolation_level=None,
        check_same_thread=False,
        cached_statements=256,
    )


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    if pages and application != APPLICATION_ID:
        raise NoteBridgeError(
            ErrorCode.INVALID_ARGUMENT, f"{path} is the database of another program."
        )
    if not pages:
        connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA secure_delete=ON")
    connection.execute("PRAGMA foreign_keys=ON")
    connection.execute("PRAGMA temp_store=MEMORY")
    connection.execute(f"PRAGMA journal_size_limit={_LOG_BYTES}")
    if sys.platform == "darwin":
        connection.execute("PRAGMA fullfsync=ON")
        connection.execute("PRAGMA checkpoint_fullfsync=ON")


def _set_marker(marker: Path) -> None:
    create_private(marker)
    if os.name == "posix":
        folder = os.open(marker.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def _put_away(path: Path, now: int, reason: str) -> NoteBridgeError:
    target = set_aside(path, now)
    marker_of(path).unlink(missing_ok=True)
    return NoteBridgeError(
        ErrorCode.STORAGE_DAMAGED,
        f"{path} was damaged ({reason}) and is now {target.name}.",
        hint="Start again to begin with an empty storage, or put a backup in its place.",
        details={"setAside": str(target)},
    )
