"""Bringing a SQLite database to the newest schema, step by step."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from manifest.errors import ErrorCode, NoteBridgeError
from storage.driver import sqlite3
from storage.migrations import CREATE_RECORDS, Migration


def applied_number(connection: sqlite3.Connection) -> int:
    """The number of the last migration the database has seen; 0 for an empty one."""
    found = connection.execute(
        "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'migrations'"
    ).fetchone()
    if found is None:
        return 0
    (number,) = connection.execute('SELECT coalesce(max("number"), 0) FROM "migrations"').fetchone()
    return int(number)


def check_not_newer(number: int, steps: Sequence[Migration]) -> None:
    """Raise STORAGE_TOO_NEW where the database has seen more than this program knows."""
    known = steps[-1].number if steps else 0
    if number > known:
        raise NoteBridgeError(
            ErrorCode.STORAGE_TOO_NEW,
            f"The storage is of a newer version ({number}; this program knows {known}).",
            hint="Use the newer program, or another folder.",
            details={"found": number, "known": known},
        )


def apply_migrations(
    connection: sqlite3.Connection,
    steps: Sequence[Migration],
    *,
    now: int,
    back_up: Callable[[int], None],
) -> None:
    """Apply what is missing, oldest first, each with its record in one transaction.

    back_up: called with the first missing number before a database with data is changed.
    Raises STORAGE_TOO_NEW, and STORAGE_DAMAGED where a step would leave a broken reference.
    """
    number = applied_number(connection)
    check_not_newer(number, steps)
    missing = [step for step in steps if step.number > number]
    if not missing:
        return
    if number > 0:
        back_up(missing[0].number)
    # A step that rebuilds a table drops the old one: with references enforced, what belongs
    # to its rows would be deleted with it. They are checked as a whole before each commit.
    connection.execute("PRAGMA foreign_keys=OFF")
    try:
        for step in missing:
            _apply(connection, step, now)
    finally:
        connection.execute("PRAGMA foreign_keys=ON")


def _apply(connection: sqlite3.Connection, step: Migration, now: int) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        if applied_number(connection) >= step.number:
            connection.execute("ROLLBACK")  # another process came first
            return
        connection.execute(CREATE_RECORDS)
        for statement in step.statements:
            connection.execute(statement)
        connection.execute(
            'INSERT INTO "migrations" ("number", "name", "applied_at") VALUES (?, ?, ?)',
            (step.number, step.name, now),
        )
        if connection.execute("PRAGMA foreign_key_check").fetchone() is not None:
            raise NoteBridgeError(
                ErrorCode.STORAGE_DAMAGED,
                f"Migration {step.number} ({step.name}) would leave broken references.",
            )
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
