"""Events: everything a screen, a trace or a benchmark may know of a session, in order."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from manifest.errors import ErrorCode, NoteBridgeError
from storage.backend import MissingReference, ReadTx, Tx
from storage.json_text import Body, dump, load_body
from storage.limits import EVENT_BYTES, check_id
from storage.rows import integer_of, maybe_text_of, text_of
from storage.schema import Row
from storage.tables import EVENTS


@dataclass(frozen=True, slots=True)
class Event:
    """One event. seq counts from 1 in its session, run_seq from 1 in its run (0: no run)."""

    session_id: str
    seq: int
    run_id: str | None
    run_seq: int
    type: str
    body: Body
    created_at: int


class Events:
    """Appends events and reads those above a sequence."""

    def append(
        self,
        tx: Tx,
        session_id: str,
        type: str,  # noqa: A002 - the protocol's own word
        body: Mapping[str, object],
        *,
        run_id: str | None = None,
    ) -> Event:
        """Add an event. Raises SESSION_NOT_FOUND, OBJECT_TOO_LARGE, INVALID_ARGUMENT."""
        check_id("An event's type", type)
        row: Row = {
            "session_id": session_id,
            "seq": tx.next(EVENTS, {"session_id": session_id}, "seq"),
            "run_id": run_id,
            "run_seq": 0 if run_id is None else tx.next(EVENTS, {"run_id": run_id}, "run_seq"),
            "type": type,
            "body_json": dump("An event", body, EVENT_BYTES),
            "created_at": tx.now,
        }
        try:
            tx.insert(EVENTS, row)
        except MissingReference as error:
            raise NoteBridgeError(
                ErrorCode.SESSION_NOT_FOUND, f"There is no session {session_id[:80]} to tell of."
            ) from error
        return _event(row)

    def after(
        self, tx: ReadTx, session_id: str, *, seq: int = 0, limit: int = 256
    ) -> tuple[Event, ...]:
        """The events of a session above `seq`, in order."""
        rows = tx.page(EVENTS, {"session_id": session_id}, after=(session_id, seq), limit=limit)
        return tuple(_event(row) for row in rows)

    def of_run(
        self, tx: ReadTx, run_id: str, *, run_seq: int = 0, limit: int = 256
    ) -> tuple[Event, ...]:
        """The events of a run above `run_seq`, in order."""
        rows = tx.page(
            EVENTS,
            {"run_id": run_id},
            index="events_of_run",
            after=(run_id, run_seq),
            limit=limit,
        )
        return tuple(_event(row) for row in rows)

    def last_seq(self, tx: ReadTx, session_id: str) -> int:
        """The greatest sequence of a session's events; 0 before the first."""
        rows = tx.page(
            EVENTS, {"session_id": session_id}, limit=1, columns=("seq",), descending=True
        )
        return integer_of(rows[0], "seq") if rows else 0


def _event(row: Row) -> Event:
    return Event(
        session_id=text_of(row, "session_id"),
        seq=integer_of(row, "seq"),
        run_id=maybe_text_of(row, "run_id"),
        run_seq=integer_of(row, "run_seq"),
        type=text_of(row, "type"),
        body=load_body(text_of(row, "body_json")),
        created_at=integer_of(row, "created_at"),
    )
