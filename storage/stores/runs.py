"""Runs: one answer in the making, its state, its budget and what it has used of it.

The states are data: who may follow whom stands in `NEXT_STATES`. Every change is
compare-and-set; the first commit wins, and whoever comes later is told what truly holds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from manifest.errors import ErrorCode, NoteBridgeError
from storage.backend import Conflict, MissingReference, ReadTx, Tx, require_durable
from storage.rows import integer_of, maybe_integer_of, maybe_text_of, text_of
from storage.schema import Cursor, Row
from storage.stores.entries import Entries, Entry, NewEntry
from storage.stores.page import Page, read_page
from storage.tables import ACTIVE_STATES, RUNS


class RunState(StrEnum):
    """Where a run stands."""

    QUEUED = "queued"
    RUNNING = "running"
    FINALISING = "finalising"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"


TERMINAL_STATES = frozenset({RunState.COMPLETED, RunState.FAILED, RunState.CANCELLED})

NEXT_STATES: dict[RunState, frozenset[RunState]] = {
    RunState.QUEUED: frozenset(
        {RunState.RUNNING, RunState.FAILED, RunState.CANCELLED, RunState.INTERRUPTED}
    ),
    RunState.RUNNING: frozenset(
        {RunState.FINALISING, RunState.FAILED, RunState.CANCELLED, RunState.INTERRUPTED}
    ),
    RunState.FINALISING: frozenset(
        {RunState.COMPLETED, RunState.FAILED, RunState.CANCELLED, RunState.INTERRUPTED}
    ),
    RunState.INTERRUPTED: frozenset({RunState.RUNNING, RunState.FAILED, RunState.CANCELLED}),
    RunState.COMPLETED: frozenset(),
    RunState.FAILED: frozenset(),
    RunState.CANCELLED: frozenset(),
}


@dataclass(frozen=True, slots=True)
class Budget:
    """What a run may use, fixed when it is accepted. deadline_ms: of working time."""

    max_requests: int
    max_tool_calls: int
    deadline_ms: int
    max_tokens: int


@dataclass(frozen=True, slots=True)
class Counts:
    """What a run has used; a restart never lowers it."""

    requests: int
    tool_calls: int
    elapsed_ms: int
    tokens: int


@dataclass(frozen=True, slots=True)
class NewRun:
    """What is fixed about a run when it is accepted. window: tokens of the model's context.

    revision: of the knowledge base, empty until `Runs.bind` names it.
    """

    model: str
    effort: str
    window: int
    budget: Budget
    revision: str = ""


@dataclass(frozen=True, slots=True)
class Run:
    """A stored run. reason: why it ended as it did, one word of the agent (`deadline`)."""

    id: str
    session_id: str
    state: RunState
    reason: str
    error_code: str | None
    revision: str
    model: str
    effort: str
    window: int
    budget: Budget
    counts: Counts
    recoveries: int
    created_at: int
    started_at: int | None
    ended_at: int | None


@dataclass(frozen=True, slots=True)
class Change:
    """The outcome of a compare-and-set: whether this one won, and the run as it truly is."""

    won: bool
    run: Run
    entry: Entry | None = None


class Runs:
    """Creates runs and moves them from state to state."""

    def __init__(self, entries: Entries, ids: Callable[[], str]) -> None:
        self._entries = entries
        self._ids = ids

    def create(self, tx: Tx, session_id: str, new: NewRun) -> Run:
        """Add a queued run. Raises SESSION_BUSY while another is active, SESSION_NOT_FOUND.

        Runs that answer a submission are created by `Submissions.accept`.
        """
        require_durable(tx, "A new run")
        row = _new_row(self._ids(), session_id, new, tx.now)
        try:
            tx.insert(RUNS, row)
        except Conflict as error:
            raise NoteBridgeError(
                ErrorCode.SESSION_BUSY,
                "Another run of this session is active.",
                hint="Wait for its end, or stop it.",
                details={"sessionId": session_id},
            ) from error
        except MissingReference as error:
            raise NoteBridgeError(
                ErrorCode.SESSION_NOT_FOUND, f"There is no session {session_id[:80]}."
            ) from error
        return _run(row)

    def get(self, tx: ReadTx, run_id: str) -> Run:
        """The run. Raises RUN_NOT_FOUND."""
        return _run(_row(tx, run_id))

    def active(self, tx: ReadTx, session_id: str) -> Run | None:
        """The session's one run that has not ended, if there is one."""
        rows = tx.page(RUNS, {"session_id": session_id, "state": ACTIVE_STATES}, limit=1)
        return _run(rows[0]) if rows else None

    def unfinished(self, tx: ReadTx, *, limit: int = 1000) -> tuple[Run, ...]:
        """Runs of all sessions that have not ended, oldest first within each state."""
        rows = tx.page(RUNS, {"state": ACTIVE_STATES}, index="runs_by_state", limit=limit)
        return tuple(_run(row) for row in rows)

    def of_session(
        self, tx: ReadTx, session_id: str, *, limit: int = 50, after: Cursor | None = None
    ) -> Page[Run]:
        """The session's runs, newest first."""
        return read_page(
            tx,
            RUNS,
            {"session_id": session_id},
            _run,
            index="runs_of_session",
            after=after,
            limit=limit,
            descending=True,
        )

    def bind(self, tx: Tx, run_id: str, revision: str) -> Run:
        """Fix the one revision the run reads. The first wins: see the returned run's."""
        tx.update(RUNS, (run_id,), {"revision": revision}, {"revision": ""})
        return self.get(tx, run_id)

    def advance(
        self,
        tx: Tx,
        run_id: str,
        to: RunState,
        *,
        expected: frozenset[RunState] | None = None,
    ) -> Change:
        """Move to a state that is not terminal, where NEXT_STATES allows it.

        expected: only from these. Leaving INTERRUPTED counts one more recovery.
        A run that stands elsewhere is not moved: `won` is false, `run` says where it is.
        Raises RUN_NOT_FOUND, INVALID_ARGUMENT for a terminal state.
        """
        if to in TERMINAL_STATES:
            raise NoteBridgeError(ErrorCode.INVALID_ARGUMENT, f"A run ends by finish, not by {to}.")
        run = self.get(tx, run_id)
        if to not in NEXT_STATES[run.state] or (expected is not None and run.state not in expected):
            return Change(False, run)
        values: Row = {"state": to.value}
        if run.started_at is None and to is RunState.RUNNING:
            values["started_at"] = tx.now
        if run.state is RunState.INTERRUPTED:
            values["recoveries"] = run.recoveries + 1
        return self._set(tx, run, values)

    def finish(
        self,
        tx: Tx,
        run_id: str,
        to: RunState,
        *,
        reason: str = "",
        error_code: ErrorCode | None = None,
        entry: NewEntry | None = None,
    ) -> Change:
        """End the run and append its last entry, in one commit; the first to do so wins.

        Where it has ended already, or may not end so from where it is (COMPLETED only from
        FINALISING), nothing is written: `won` is false and `run` says what truly holds.
        Must be durable. Raises RUN_NOT_FOUND, INVALID_ARGUMENT for a state that is no end.
        """
        require_durable(tx, "The end of a run")
        if to not in TERMINAL_STATES:
            raise NoteBridgeError(ErrorCode.INVALID_ARGUMENT, f"{to} is no end of a run.")
        run = self.get(tx, run_id)
        if to not in NEXT_STATES[run.state]:
            return Change(False, run)
        change = self._set(
            tx,
            run,
            {
                "state": to.value,
                "reason": reason,
                "error_code": None if error_code is None else error_code.value,
                "ended_at": tx.now,
            },
        )
        if not change.won or entry is None:
            return change
        return Change(
            True, change.run, self._entries.append(tx, run.session_id, entry, run_id=run_id)
        )

    def interrupt_all(self, tx: Tx) -> tuple[Run, ...]:
        """Mark every run that was under way as interrupted: the first act after a restart.

        Queued runs have not begun and stay queued. Returns all that have not ended.
        """
        for run in self.unfinished(tx):
            if run.state in (RunState.RUNNING, RunState.FINALISING):
                self._set(tx, run, {"state": RunState.INTERRUPTED.value})
        return self.unfinished(tx)

    def charge(self, tx: Tx, run_id: str, *, elapsed_ms: int = 0, tokens: int = 0) -> Counts:
        """Add working time or tokens to what the run has used; what it has used now.

        Raises RUN_NOT_FOUND.
        """
        row = _row(tx, run_id)
        row["elapsed_ms"] = integer_of(row, "elapsed_ms") + max(0, elapsed_ms)
        row["tokens"] = integer_of(row, "tokens") + max(0, tokens)
        tx.update(RUNS, (run_id,), {name: row[name] for name in ("elapsed_ms", "tokens")})
        return _counts(row)

    def _set(self, tx: Tx, run: Run, values: Row) -> Change:
        won = tx.update(RUNS, (run.id,), values, {"state": run.state.value})
        return Change(won, self.get(tx, run.id))


def _row(tx: ReadTx, run_id: str) -> Row:
    row = tx.get(RUNS, (run_id,))
    if row is None:
        raise NoteBridgeError(ErrorCode.RUN_NOT_FOUND, f"There is no run {run_id[:80]}.")
    return row


def _counts(row: Row) -> Counts:
    return Counts(
        requests=integer_of(row, "requests"),
        tool_calls=integer_of(row, "tool_calls"),
        elapsed_ms=integer_of(row, "elapsed_ms"),
        tokens=integer_of(row, "tokens"),
    )


def _new_row(run_id: str, session_id: str, new: NewRun, now: int) -> Row:
    return {
        "id": run_id,
        "session_id": session_id,
        "state": RunState.QUEUED.value,
        "reason": "",
        "error_code": None,
        "revision": new.revision,
        "model": new.model,
        "effort": new.effort,
        "window": new.window,
        "max_requests": new.budget.max_requests,
        "max_tool_calls": new.budget.max_tool_calls,
        "deadline_ms": new.budget.deadline_ms,
        "max_tokens": new.budget.max_tokens,
        "requests": 0,
        "tool_calls": 0,
        "elapsed_ms": 0,
        "tokens": 0,
        "recoveries": 0,
        "created_at": now,
        "started_at": None,
        "ended_at": None,
    }


def _run(row: Row) -> Run:
    return Run(
        id=text_of(row, "id"),
        session_id=text_of(row, "session_id"),
        state=RunState(text_of(row, "state")),
        reason=text_of(row, "reason"),
        error_code=maybe_text_of(row, "error_code"),
        revision=text_of(row, "revision"),
        model=text_of(row, "model"),
        effort=text_of(row, "effort"),
        window=integer_of(row, "window"),
        budget=Budget(
            max_requests=integer_of(row, "max_requests"),
            max_tool_calls=integer_of(row, "max_tool_calls"),
            deadline_ms=integer_of(row, "deadline_ms"),
            max_tokens=integer_of(row, "max_tokens"),
        ),
        counts=_counts(row),
        recoveries=integer_of(row, "recoveries"),
        created_at=integer_of(row, "created_at"),
        started_at=maybe_integer_of(row, "started_at"),
        ended_at=maybe_integer_of(row, "ended_at"),
    )
