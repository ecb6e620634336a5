"""Entries: what was said in a session, append-only, in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from manifest.errors import ErrorCode, NoteBridgeError
from storage.backend import ReadTx, Tx
from storage.json_text import Body, dump, load_body
from storage.limits import ENTRY_BYTES, check_id
from storage.rows import integer_of, maybe_text_of, text_of
from storage.schema import PRIMARY, Row
from storage.stores.page import Page, read_page
from storage.stores.sessions import Sessions
from storage.tables import ENTRIES

PAGE_BYTES = 256_000
"""A page of history stops before it would pass this many characters of stored JSON."""


@dataclass(frozen=True, slots=True)
class NewEntry:
    """An entry to append. role: user, assistant, tool, summary or another word of the agent.

    preview: plain text for the session's line in a list; None leaves that line as it is.
    """

    role: str
    body: Mapping[str, object]
    preview: str | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """A stored entry. seq counts from 1 within its session; id is unique everywhere."""

    session_id: str
    seq: int
    id: str
    role: str
    run_id: str | None
    body: Body
    created_at: int


class Entries:
    """Appends and pages entries."""

    def __init__(self, sessions: Sessions, ids: Callable[[], str]) -> None:
        self._sessions = sessions
        self._ids = ids

    def append(
        self, tx: Tx, session_id: str, entry: NewEntry, *, run_id: str | None = None
    ) -> Entry:
        """Add an entry at the end; the session's count, time and preview change with it.

        Raises SESSION_NOT_FOUND, OBJECT_TOO_LARGE, INVALID_ARGUMENT.
        """
        check_id("An entry's role", entry.role)
        self._sessions.note_entry(tx, session_id, entry.preview)
        row: Row = {
            "session_id": session_id,
            "seq": tx.next(ENTRIES, {"session_id": session_id}, "seq"),
            "id": self._ids(),
            "role": entry.role,
            "run_id": run_id,
            "body_json": dump("An entry", entry.body, ENTRY_BYTES),
            "created_at": tx.now,
        }
        tx.insert(ENTRIES, row)
        return _entry(row)

    def after(
        self, tx: ReadTx, session_id: str, *, seq: int = 0, limit: int = 200
    ) -> tuple[Entry, ...]:
        """The entries that follow `seq`, oldest first: for building a model's context."""
        rows = tx.page(ENTRIES, {"session_id": session_id}, after=(session_id, seq), limit=limit)
        return tuple(_entry(row) for row in rows)

    def before(
        self, tx: ReadTx, session_id: str, *, seq: int | None = None, limit: int = 50
    ) -> Page[Entry]:
        """The newest entries (those before `seq`, if given), oldest first: for a screen.

        At most `limit` and about 256 kB, at least one. The page's `after` is the cursor of
        its first entry where older ones exist; its second value is the `seq` to ask with.
        """
        page = read_page(
            tx,
            ENTRIES,
            {"session_id": session_id},
            lambda row: row,
            index=PRIMARY,
            after=None if seq is None else (session_id, seq),
            limit=limit,
            descending=True,
        )
        kept = _within(page.items, PAGE_BYTES)
        entries = tuple(_entry(row) for row in reversed(kept))
        more = page.after is not None or len(kept) < len(page.items)
        return Page(entries, (session_id, entries[0].seq) if more else None)

    def of_run(
        self, tx: ReadTx, run_id: str, *, seq: int = 0, limit: int = 500
    ) -> tuple[Entry, ...]:
        """The entries of a run that follow `seq`, oldest first."""
        rows = tx.page(
            ENTRIES,
            {"run_id": run_id},
            index="entries_of_run",
            after=(run_id, seq),
            limit=limit,
        )
        return tuple(_entry(row) for row in rows)

    def get(self, tx: ReadTx, entry_id: str) -> Entry:
        """The entry of that id. Raises INVALID_ARGUMENT if there is none."""
        rows = tx.page(ENTRIES, {"id": entry_id}, index="entries_id", limit=1)
        if not rows:
            raise NoteBridgeError(ErrorCode.INVALID_ARGUMENT, f"There is no entry {entry_id[:80]}.")
        return _entry(rows[0])


def _within(rows: tuple[Row, ...], limit: int) -> tuple[Row, ...]:
    total = 0
    for count, row in enumerate(rows):
        total += len(text_of(row, "body_json"))
        if total > limit and count > 0:
            return rows[:count]
    return rows


def _entry(row: Row) -> Entry:
    return Entry(
        session_id=text_of(row, "session_id"),
        seq=integer_of(row, "seq"),
        id=text_of(row, "id"),
        role=text_of(row, "role"),
        run_id=maybe_text_of(row, "run_id"),
        body=load_body(text_of(row, "body_json")),
        created_at=integer_of(row, "created_at"),
    )
