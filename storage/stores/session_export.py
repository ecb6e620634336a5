"""A session as one JSON document: everything of it, to keep or to move elsewhere."""

from __future__ import annotations

import base64
import binascii
import hashlib
from collections.abc import Iterator, Mapping
from enum import StrEnum

from manifest.errors import ErrorCode, NoteBridgeError
from storage.backend import Conflict, MissingReference, ReadTx, Tx, require_durable
from storage.json_text import Body, load
from storage.rows import integer_of, text_of
from storage.schema import Row, SqlValue, Table
from storage.stores.citations import Verdict
from storage.stores.evidence import Origin
from storage.stores.proofs import objects_of_session
from storage.stores.requests import RequestKind
from storage.stores.runs import RunState
from storage.stores.sessions import Session, Sessions
from storage.stores.tool_calls import ToolCallState
from storage.tables import (
    ACTIVE_STATES,
    CITATIONS,
    ENTRIES,
    EVENTS,
    EVIDENCE,
    EVIDENCE_OBJECTS,
    EVIDENCE_PROOFS,
    REQUESTS,
    RUNS,
    SESSIONS,
    SUBMISSIONS,
    TOOL_CALLS,
)

KIND = "session"
SCHEMA = "1.0"

_ALL = 10_000_000
_OF_SESSION = (RUNS, SUBMISSIONS, ENTRIES, EVENTS, EVIDENCE, EVIDENCE_PROOFS)
_OF_RUN = (REQUESTS, TOOL_CALLS, CITATIONS)
_WORDS: dict[tuple[str, str], type[StrEnum]] = {
    ("runs", "state"): RunState,
    ("requests", "kind"): RequestKind,
    ("tool_calls", "state"): ToolCallState,
    ("evidence", "origin"): Origin,
    ("citations", "verdict"): Verdict,
}
# In the order of import: what is referred to comes first.
_TABLES = (
    SESSIONS,
    RUNS,
    SUBMISSIONS,
    REQUESTS,
    TOOL_CALLS,
    ENTRIES,
    EVENTS,
    EVIDENCE,
    EVIDENCE_OBJECTS,
    EVIDENCE_PROOFS,
    CITATIONS,
)


class SessionExport:
    """Writes a session out whole and reads it in again."""

    def __init__(self, sessions: Sessions) -> None:
        self._sessions = sessions

    def export(self, tx: ReadTx, session_id: str) -> Body:
        """The session as JSON values: {kind, schema, tables: {name: [row]}}.

        Bytes that are UTF-8 stand as {"text": ...}, others as {"base64": ...}; columns
        without a value are left out. Raises SESSION_NOT_FOUND.
        """
        self._sessions.get(tx, session_id)
        tables = {
            table.name: [_to_json(row) for row in _rows(tx, table, session_id)] for table in _TABLES
        }
        return {"kind": KIND, "schema": SCHEMA, "tables": tables}

    def restore(self, tx: Tx, exported: Mapping[str, object]) -> Session:
        """Put an exported session back. A run that had not ended becomes a failed one.

        Must be durable. Raises INVALID_ARGUMENT where it is no export, or broken, SESSION
        exists already, or its evidence does; SCHEMA_UNSUPPORTED for another version;
        INTEGRITY_MISMATCH where an object's bytes do not have its hash.
        """
        require_durable(tx, "An import")
        if exported.get("kind") != KIND:
            raise _broken("it is no exported session")
        if str(exported.get("schema")).partition(".")[0] != SCHEMA.partition(".")[0]:
            raise NoteBridgeError(
                ErrorCode.SCHEMA_UNSUPPORTED,
                f"The export has schema {str(exported.get('schema'))[:20]}, not {SCHEMA}.",
            )
        tables = exported.get("tables")
        if not isinstance(tables, dict):
            raise _broken("it has no tables")
        rows = {table.name: _from_json(table, tables.get(table.name, [])) for table in _TABLES}
        if len(rows[SESSIONS.name]) != 1:
            raise _broken("it does not hold exactly one session")
        session_id = text_of(rows[SESSIONS.name][0], "id")
        _check_belonging(rows, session_id)
        for table in _TABLES:
            for row in rows[table.name]:
                _insert(tx, table, row)
        return self._sessions.get(tx, session_id)


def _rows(tx: ReadTx, table: Table, session_id: str) -> Iterator[Row]:
    if table is SESSIONS:
        yield from tx.page(SESSIONS, {"id": session_id}, limit=1)
    elif table in _OF_SESSION:
        yield from tx.page(table, {"session_id": session_id}, limit=_ALL)
    elif table in _OF_RUN:
        for run in tx.page(RUNS, {"session_id": session_id}, limit=_ALL, columns=("id",)):
            yield from tx.page(table, {"run_id": run["id"]}, limit=_ALL)
    else:
        for sha256 in sorted(objects_of_session(tx, session_id)):
            yield from tx.page(EVIDENCE_OBJECTS, {"sha256": sha256}, limit=1)


def _check_belonging(rows: Mapping[str, list[Row]], session_id: str) -> None:
    """An export must not write into sessions that are here already."""
    runs = {row["id"] for row in rows[RUNS.name]}
    for table in _TABLES:
        for row in rows[table.name]:
            if row.get("session_id", session_id) != session_id:
                raise _broken(f"a row of {table.name} belongs to another session")
            if row.get("run_id") is not None and row["run_id"] not in runs:
                raise _broken(f"a row of {table.name} belongs to an unknown run")


def _insert(tx: Tx, table: Table, row: Row) -> None:
    if table is RUNS and row["state"] in ACTIVE_STATES:
        row = {**row, "state": "failed", "reason": "imported", "ended_at": tx.now}
    if table is EVIDENCE_OBJECTS:
        if tx.get(table, (row["sha256"],)) is not None:
            return
        _check_object(row)
    try:
        tx.insert(table, row)
    except Conflict as error:
        raise _broken(f"{table.name} holds the same already ({error.index})") from error
    except MissingReference as error:
        raise _broken(f"a row of {table.name} refers to nothing") from error


def _check_object(row: Row) -> None:
    body = row["body"]
    if not isinstance(body, bytes) or hashlib.sha256(body).hexdigest() != row["sha256"]:
        raise NoteBridgeError(
            ErrorCode.INTEGRITY_MISMATCH,
            f"The exported object {text_of(row, 'sha256')[:64]} does not have that hash.",
        )
    if integer_of(row, "size") != len(body):
        raise _broken("an object states another size than it has")


def _to_json(row: Row) -> Body:
    return {name: _value_to_json(value) for name, value in row.items() if value is not None}


def _value_to_json(value: SqlValue) -> object:
    if not isinstance(value, bytes):
        return value
    try:
        return {"text": value.decode()}
    except UnicodeDecodeError:
        return {"base64": base64.b64encode(value).decode()}


def _from_json(table: Table, exported: object) -> list[Row]:
    if not isinstance(exported, list):
        raise _broken(f"its {table.name} are no list")
    return [_row_from_json(table, row) for row in exported]


def _row_from_json(table: Table, exported: object) -> Row:
    if not isinstance(exported, dict):
        raise _broken(f"a row of {table.name} is no object")
    try:
        # Fields of a later minor version are not ours to keep.
        known = {name: exported[name] for name in table.names if name in exported}
        row = table.complete({name: _value_from_json(value) for name, value in known.items()})
        for name, value in row.items():
            _check_meaning(table.name, name, value)
    except (ValueError, binascii.Error) as error:
        raise _broken(f"a row of {table.name}: {error}") from error
    return row


def _check_meaning(table: str, column: str, value: SqlValue) -> None:
    """ValueError where the stores could not read back what a column holds."""
    if (table, column) in _WORDS:
        _WORDS[table, column](str(value))
    if column.endswith("_json") and isinstance(value, str):
        wanted = list if column == "heading_path_json" else dict
        if not isinstance(load(value), wanted):
            raise ValueError(f"{column} holds another kind of JSON")


def _value_from_json(value: object) -> SqlValue:
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, dict) and isinstance(value.get("text"), str):
        return str(value["text"]).encode()
    if isinstance(value, dict) and isinstance(value.get("base64"), str):
        return base64.b64decode(str(value["base64"]), validate=True)
    raise ValueError("a value of no known kind")


def _broken(why: str) -> NoteBridgeError:
    return NoteBridgeError(ErrorCode.INVALID_ARGUMENT, f"This session cannot be imported: {why}.")
