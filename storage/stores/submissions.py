"""Submissions: what a client sent, accepted once however often it is sent.

Accepting is one durable commit of submission, run and first entry. A refusal raises, so its
transaction is undone and leaves no record.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from manifest.errors import ErrorCode, NoteBridgeError
from storage.backend import ReadTx, Tx, require_durable
from storage.limits import REQUEST_BYTES, check_id, check_size
from storage.rows import bytes_of, integer_of, text_of
from storage.schema import Row
from storage.stores.entries import Entries, NewEntry
from storage.stores.runs import NewRun, Runs, RunState
from storage.tables import SUBMISSIONS


@dataclass(frozen=True, slots=True)
class Submission:
    """An accepted request. request: its canonical bytes; message_id: of its first entry."""

    id: str
    session_id: str
    client_id: str
    request: bytes
    run_id: str
    message_id: str
    accepted_at: int


@dataclass(frozen=True, slots=True)
class Accepted:
    """The answer to a submission: its ids, the run's state now, and whether it was known."""

    submission_id: str
    run_id: str
    message_id: str
    state: RunState
    duplicate: bool


class Submissions:
    """Accepts submissions."""

    def __init__(self, entries: Entries, runs: Runs, ids: Callable[[], str]) -> None:
        self._entries = entries
        self._runs = runs
        self._ids = ids

    def accept(
        self,
        tx: Tx,
        session_id: str,
        client_id: str,
        *,
        request: bytes,
        entry: NewEntry,
        run: NewRun,
    ) -> Accepted:
        """Accept a request once: submission, queued run and first entry in this commit.

        The same client id with the same bytes returns the earlier ids, `duplicate` and the
        state now. Must be durable. Raises REQUEST_CONFLICT for the same client id with
        other bytes, SESSION_BUSY, SESSION_NOT_FOUND, OBJECT_TOO_LARGE, INVALID_ARGUMENT.
        """
        require_durable(tx, "Acceptance")
        check_id("A client's request id", client_id)
        check_size("A request", request, REQUEST_BYTES)
        earlier = self.find(tx, session_id, client_id)
        if earlier is not None:
            return self._again(tx, earlier, request)
        created = self._runs.create(tx, session_id, run)
        message = self._entries.append(tx, session_id, entry, run_id=created.id)
        row: Row = {
            "id": self._ids(),
            "session_id": session_id,
            "client_id": client_id,
            "request": request,
            "run_id": created.id,
            "message_id": message.id,
            "accepted_at": tx.now,
        }
        tx.insert(SUBMISSIONS, row)
        return Accepted(text_of(row, "id"), created.id, message.id, created.state, False)

    def find(self, tx: ReadTx, session_id: str, client_id: str) -> Submission | None:
        """The submission of that client id in the session, or None."""
        where = {"session_id": session_id, "client_id": client_id}
        rows = tx.page(SUBMISSIONS, where, index="submissions_client", limit=1)
        return _submission(rows[0]) if rows else None

    def of_run(self, tx: ReadTx, run_id: str) -> Submission | None:
        """The submission that a run answers: recovery starts from its request."""
        rows = tx.page(SUBMISSIONS, {"run_id": run_id}, index="submissions_run", limit=1)
        return _submission(rows[0]) if rows else None

    def _again(self, tx: ReadTx, earlier: Submission, request: bytes) -> Accepted:
        if earlier.request != request:
            raise NoteBridgeError(
                ErrorCode.REQUEST_CONFLICT,
                "This request id was used for another request.",
                hint="Send a changed request under a new id.",
                details={"submissionId": earlier.id},
            )
        state = self._runs.get(tx, earlier.run_id).state
        return Accepted(earlier.id, earlier.run_id, earlier.message_id, state, True)


def _submission(row: Row) -> Submission:
    return Submission(
        id=text_of(row, "id"),
        session_id=text_of(row, "session_id"),
        client_id=text_of(row, "client_id"),
        request=bytes_of(row, "request"),
        run_id=text_of(row, "run_id"),
        message_id=text_of(row, "message_id"),
        accepted_at=integer_of(row, "accepted_at"),
    )
