"""Requests: the ledger of what was sent to models, counted before it leaves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from manifest.errors import ErrorCode, NoteBridgeError
from storage.backend import ReadTx, Tx, require_durable
from storage.json_text import dump_counts, load_counts
from storage.rows import integer_of, maybe_integer_of, maybe_text_of, text_of
from storage.schema import Row
from storage.stores.runs import Run, Runs, RunState
from storage.stores.sessions import Sessions
from storage.tables import REQUESTS, RUNS


class RequestKind(StrEnum):
    """Why a request is sent."""

    ANSWER = "answer"
    RETRY = "retry"
    COMPACTION = "compaction"
    RECOVERY = "recovery"
    SUMMARY = "summary"


@dataclass(frozen=True, slots=True)
class Request:
    """One line of the ledger. outcome None: perhaps sent, its end unknown.

    reserved_tokens: the estimate charged when it was counted. usage: token counts by name.
    """

    run_id: str
    n: int
    kind: RequestKind
    reserved_tokens: int
    outcome: str | None
    usage: Mapping[str, int] | None
    sent_at: int
    ended_at: int | None


class Requests:
    """Counts requests before they leave and notes how they ended."""

    def __init__(self, sessions: Sessions, runs: Runs) -> None:
        self._sessions = sessions
        self._runs = runs

    def count(self, tx: Tx, run_id: str, kind: RequestKind, *, reserved_tokens: int = 0) -> Request:
        """Count a request; only after this commit may it leave. Must be durable.

        The one SUMMARY of a run may exceed `max_requests` by one; every kind is held to
        `max_tokens`. Raises BUDGET_EXHAUSTED, RUN_NOT_FOUND, and RUN_INTERRUPTED where the
        run is not running (cancelled meanwhile, finalising, interrupted): nothing may leave.
        """
        require_durable(tx, "The count of a request")
        run = self._runs.get(tx, run_id)
        if run.state is not RunState.RUNNING:
            raise NoteBridgeError(
                ErrorCode.RUN_INTERRUPTED,
                f"The run is {run.state}; it sends no request.",
                details={"state": run.state.value},
            )
        self._check_budget(tx, run, kind, reserved_tokens)
        row: Row = {
            "run_id": run_id,
            "n": run.counts.requests + 1,
            "kind": kind.value,
            "reserved_tokens": reserved_tokens,
            "outcome": None,
            "usage_json": None,
            "sent_at": tx.now,
            "ended_at": None,
        }
        tx.insert(REQUESTS, row)
        values: Row = {
            "requests": run.counts.requests + 1,
            "tokens": run.counts.tokens + reserved_tokens,
        }
        tx.update(RUNS, (run_id,), values)
        return _request(row)

    def settle(
        self,
        tx: Tx,
        run_id: str,
        n: int,
        outcome: str,
        *,
        usage: Mapping[str, int] | None = None,
        tokens: int | None = None,
    ) -> bool:
        """Note how a request ended, once; whether this was the first to say so.

        tokens: what it truly used, charged in place of the reserve; None keeps the reserve
        (unknown usage is charged by estimate). usage: added to the session's sums.
        Raises RUN_NOT_FOUND.
        """
        run = self._runs.get(tx, run_id)
        values: Row = {
            "outcome": outcome,
            "usage_json": None if usage is None else dump_counts(usage),
            "ended_at": tx.now,
        }
        if not tx.update(REQUESTS, (run_id, n), values, {"outcome": None}):
            return False
        if tokens is not None:
            row = tx.get(REQUESTS, (run_id, n)) or {}
            corrected = run.counts.tokens - integer_of(row, "reserved_tokens") + tokens
            tx.update(RUNS, (run_id,), {"tokens": max(0, corrected)})
        if usage is not None:
            self._sessions.add_usage(tx, run.session_id, usage)
        return True

    def of_run(self, tx: ReadTx, run_id: str) -> tuple[Request, ...]:
        """The ledger of a run, in order."""
        return tuple(map(_request, tx.page(REQUESTS, {"run_id": run_id}, limit=1000)))

    def _check_budget(self, tx: ReadTx, run: Run, kind: RequestKind, reserved: int) -> None:
        limit = run.budget.max_requests
        if kind is RequestKind.SUMMARY:
            where = {"run_id": run.id, "kind": RequestKind.SUMMARY.value}
            limit += 0 if tx.page(REQUESTS, where, limit=1) else 1
        if run.counts.requests >= limit:
            raise _exhausted("model requests", run.counts.requests, run.budget.max_requests)
        if run.counts.tokens + reserved > run.budget.max_tokens:
            raise _exhausted("tokens", run.counts.tokens, run.budget.max_tokens)


def _exhausted(what: str, used: int, limit: int) -> NoteBridgeError:
    return NoteBridgeError(
        ErrorCode.BUDGET_EXHAUSTED,
        f"The run has used {used} of {limit} {what}.",
        details={"what": what, "used": used, "limit": limit},
    )


def _request(row: Row) -> Request:
    usage = maybe_text_of(row, "usage_json")
    return Request(
        run_id=text_of(row, "run_id"),
        n=integer_of(row, "n"),
        kind=RequestKind(text_of(row, "kind")),
        reserved_tokens=integer_of(row, "reserved_tokens"),
        outcome=maybe_text_of(row, "outcome"),
        usage=None if usage is None else load_counts(usage),
        sent_at=integer_of(row, "sent_at"),
        ended_at=maybe_integer_of(row, "ended_at"),
    )
