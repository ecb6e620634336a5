"""SQLite's errors in this project's words."""

from __future__ import annotations

import re

from manifest.errors import ErrorCode, NoteBridgeError
from storage.backend import Conflict, MissingReference
from storage.driver import sqlite3
from storage.schema import Table

_BUSY, _LOCKED, _READONLY, _IOERR, _CORRUPT, _FULL, _CANTOPEN, _NOTADB = 5, 6, 8, 10, 11, 13, 14, 26

_UNIQUE = re.compile(r"UNIQUE constraint failed: (.+)")


def is_damage(error: sqlite3.Error) -> bool:
    """Whether the error says that the file is damaged, or no database at all."""
    return _result_code(error) in (_CORRUPT, _NOTADB)


def translate(error: sqlite3.Error, where: str) -> NoteBridgeError:
    """The error as one that may leave this room. where: what was in use, for the message."""
    code = _result_code(error)
    if code in (_CORRUPT, _NOTADB):
        return NoteBridgeError(
            ErrorCode.STORAGE_DAMAGED,
            f"{where} is damaged: {error}.",
            hint="Start again: a damaged file is set aside, and a new one is begun.",
        )
    if code == _FULL:
        return NoteBridgeError(
            ErrorCode.STORAGE_FULL,
            f"{where} cannot grow: the limit set for it, or the disk, is full.",
            hint="Delete sessions, raise the limit, or free disk space.",
        )
    if code in (_BUSY, _LOCKED):
        return NoteBridgeError(
            ErrorCode.STORAGE_LOCKED, f"{where} is in use by another program.", hint="Try again."
        )
    if code in (_READONLY, _IOERR, _CANTOPEN):
        return NoteBridgeError(
            ErrorCode.STORAGE_LOCKED,
            f"{where} cannot be read or written: {error}.",
            hint="Check the disk and the permissions of the folder.",
        )
    return NoteBridgeError(ErrorCode.INTERNAL, f"{where}: {error}.")


def broken_rule(error: sqlite3.IntegrityError, table: Table) -> Conflict | MissingReference | None:
    """Which declared rule of the table a change broke, or None where it was another one.

    SQLite names the columns of a unique index; the declarations know the index by them.
    """
    message = str(error)
    if "FOREIGN KEY" in message:
        return MissingReference(table.name)
    found = _UNIQUE.fullmatch(message)
    if found is None:
        return None
    columns = tuple(part.rpartition(".")[2] for part in found[1].split(", "))
    for index in table.unique_indices():
        if index.columns == columns:
            return Conflict(table.name, index.name)
    return None


def _result_code(error: sqlite3.Error) -> int:
    code = getattr(error, "sqlite_errorcode", None)
    return code & 0xFF if isinstance(code, int) else 1
