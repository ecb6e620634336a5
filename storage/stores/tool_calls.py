"""Tool calls: each one a model asked for, counted once, with its result."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from manifest.errors import ErrorCode, NoteBridgeError
from storage.backend import ReadTx, Tx, require_durable
from storage.json_text import Body, dump, load_body
from storage.limits import TOOL_JSON_BYTES, check_id
from storage.rows import integer_of, maybe_integer_of, maybe_text_of, text_of
from storage.schema import Row, clean_text
from storage.stores.runs import Runs
from storage.tables import RUNS, TOOL_CALLS

NAME_CHARACTERS = 200
"""A model may ask for a tool of any name; this much of it is kept."""


class ToolCallState(StrEnum):
    """Where a tool call stands. REFUSED: above the budget, never run, answered by an error."""

    STARTED = "started"
    DONE = "done"
    FAILED = "failed"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A stored call. call_id is ours; n counts the run's calls from 1 in order.

    request_n: the request whose answer asked for it. result: None until it is finished.
    """

    run_id: str
    call_id: str
    n: int
    request_n: int
    name: str
    arguments: Body
    result: Body | None
    state: ToolCallState
    created_at: int
    ended_at: int | None


class ToolCalls:
    """Counts tool calls and keeps their results."""

    def __init__(self, runs: Runs) -> None:
        self._runs = runs

    def start(
        self,
        tx: Tx,
        run_id: str,
        call_id: str,
        *,
        name: str,
        arguments: Mapping[str, object],
        request_n: int,
    ) -> ToolCall:
        """Count a call and record it; a call already recorded is returned as it stands.

        Where `max_tool_calls` is used up, the call is recorded as REFUSED and not counted.
        Must be durable. Raises RUN_NOT_FOUND, OBJECT_TOO_LARGE, INVALID_ARGUMENT.
        """
        require_durable(tx, "The count of a tool call")
        check_id("A call id", call_id)
        known = tx.get(TOOL_CALLS, (run_id, call_id))
        if known is not None:
            return _tool_call(known)
        run = self._runs.get(tx, run_id)
        counted = run.counts.tool_calls < run.budget.max_tool_calls
        row: Row = {
            "run_id": run_id,
            "call_id": call_id,
            "n": tx.next(TOOL_CALLS, {"run_id": run_id}, "n"),
            "request_n": request_n,
            "name": clean_text(name)[:NAME_CHARACTERS],
            "arguments_json": dump("The arguments of a tool call", arguments, TOOL_JSON_BYTES),
            "result_json": None,
            "state": (ToolCallState.STARTED if counted else ToolCallState.REFUSED).value,
            "created_at": tx.now,
            "ended_at": None,
        }
        tx.insert(TOOL_CALLS, row)
        if counted:
            tx.update(RUNS, (run_id,), {"tool_calls": run.counts.tool_calls + 1})
        return _tool_call(row)

    def finish(
        self,
        tx: Tx,
        run_id: str,
        call_id: str,
        *,
        result: Mapping[str, object],
        failed: bool = False,
    ) -> ToolCall:
        """Store the result, once: a call that has one keeps it. Must be durable.

        A REFUSED call stays refused. Raises INVALID_ARGUMENT for an unknown call.
        """
        require_durable(tx, "A tool's result")
        call = self.get(tx, run_id, call_id)
        state = ToolCallState.FAILED if failed else ToolCallState.DONE
        if call.state is ToolCallState.REFUSED:
            state = ToolCallState.REFUSED
        values: Row = {
            "result_json": dump("The result of a tool call", result, TOOL_JSON_BYTES),
            "state": state.value,
            "ended_at": tx.now,
        }
        tx.update(TOOL_CALLS, (run_id, call_id), values, {"result_json": None})
        return self.get(tx, run_id, call_id)

    def get(self, tx: ReadTx, run_id: str, call_id: str) -> ToolCall:
        """The call. Raises INVALID_ARGUMENT if the run has none of that id."""
        row = tx.get(TOOL_CALLS, (run_id, call_id))
        if row is None:
            raise NoteBridgeError(
                ErrorCode.INVALID_ARGUMENT, f"The run has no tool call {call_id[:80]}."
            )
        return _tool_call(row)

    def of_run(self, tx: ReadTx, run_id: str) -> tuple[ToolCall, ...]:
        """The calls of a run, in order."""
        rows = tx.page(TOOL_CALLS, {"run_id": run_id}, index="tool_calls_order", limit=10_000)
        return tuple(map(_tool_call, rows))


def _tool_call(row: Row) -> ToolCall:
    result = maybe_text_of(row, "result_json")
    return ToolCall(
        run_id=text_of(row, "run_id"),
        call_id=text_of(row, "call_id"),
        n=integer_of(row, "n"),
        request_n=integer_of(row, "request_n"),
        name=text_of(row, "name"),
        arguments=load_body(text_of(row, "arguments_json")),
        result=None if result is None else load_body(result),
        state=ToolCallState(text_of(row, "state")),
        created_at=integer_of(row, "created_at"),
        ended_at=maybe_integer_of(row, "ended_at"),
    )
