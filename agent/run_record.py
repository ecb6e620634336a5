"""What one run commits, step by step: every change is stored, with its events, before it shows.

Each method is one transaction over several stores. Working time since the last commit is charged
with it, so that no restart gives any back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from agent import conversation
from agent.budget import Allowance, allowance
from agent.model import Usage
from agent.model_turn import ModelTurn, RequestedCall
from agent.ports import Monotonic
from agent.run_state import StoredTurn
from bridge_reader.passages import Passage as ReadPassage
from manifest.errors import ErrorCode
from storage.app_storage import AppStorage
from storage.backend import ReadTx, Tx
from storage.stores.citations import Citation
from storage.stores.entries import Entry, NewEntry
from storage.stores.evidence import Evidence, Origin, Passage
from storage.stores.proofs import Proof
from storage.stores.requests import Request, RequestKind
from storage.stores.runs import Change, Run, RunState
from storage.stores.tool_calls import ToolCall, ToolCallState

T = TypeVar("T")

Committed = Callable[[], None]
"""Told after each commit that there are new events."""


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    """The result of one call, as the model reads it once evidence has labels."""

    call: RequestedCall
    passages: tuple[ReadPassage, ...]
    text: Callable[[Callable[[ReadPassage], str]], str]
    details: Mapping[str, object]
    failed: bool = False


class RunRecord:
    """Commits for one run. monotonic: milliseconds that count sleep."""

    def __init__(
        self, storage: AppStorage, run: Run, monotonic: Monotonic, committed: Committed
    ) -> None:
        self.storage = storage
        self.run_id = run.id
        self.session_id = run.session_id
        self._monotonic = monotonic
        self._committed = committed
        self._charged_at = monotonic()

    async def begin(self, revision: str) -> Change:
        """The run starts, or goes on, at a revision."""

        def unit(tx: Tx) -> Change:
            change = self.storage.runs.advance(tx, self.run_id, RunState.RUNNING)
            if change.won:
                if not change.run.revision:
                    self.storage.runs.bind(tx, self.run_id, revision)
                self._event(tx, "run.started", {"revision": revision, "model": change.run.model})
            return change

        return await self._write(unit, durable=True)

    async def standing(self) -> tuple[StoredTurn, Allowance]:
        """Where the run stands by what is stored, and what it may still do."""
        await self.charge()

        def unit(tx: ReadTx) -> tuple[StoredTurn, Allowance]:
            run = self.storage.runs.get(tx, self.run_id)
            ledger = self.storage.requests.of_run(tx, self.run_id)
            summarised = any(line.kind is RequestKind.SUMMARY for line in ledger)
            allowed = allowance(run.budget, run.counts, summarised=summarised)
            return self._stored_turn(tx), allowed

        return await self.storage.read(unit)

    def _stored_turn(self, tx: ReadTx) -> StoredTurn:
        entries = self.storage.entries.of_run(tx, self.run_id)
        last = entries[-1]
        if last.role != conversation.ASSISTANT:
            return StoredTurn(last.role, "", ())
        body: conversation.Body = last.body
        return StoredTurn(
            last.role, body["text"], conversation.requested_calls(body), body["reason"]
        )

    async def charge(self) -> None:
        """Charges the working time since the last commit."""
        await self._write(lambda _tx: None)

    async def count_request(self, request_id: str, kind: RequestKind, reserved: int) -> Request:
        """Counts a request; only afterwards may it leave. Raises BUDGET_EXHAUSTED,
        RUN_INTERRUPTED."""

        def unit(tx: Tx) -> Request:
            line = self.storage.requests.count(tx, self.run_id, kind, reserved_tokens=reserved)
            self._event(
                tx, "model.started", {"requestId": request_id, "n": line.n, "kind": str(kind)}
            )
            return line

        return await self._write(unit, durable=True)

    async def said(self, kind: str, request_id: str, text: str) -> None:
        """Words of a stream (`text.delta`, `thinking.delta`); a power cut may lose the last."""

        def unit(tx: Tx) -> None:
            self._event(tx, kind, {"requestId": request_id, "text": text})

        await self._write(unit)

    async def discard(self, request_id: str, n: int, code: ErrorCode, message: str) -> None:
        """A request came to nothing: what it had streamed is void."""

        def unit(tx: Tx) -> None:
            self.storage.requests.settle(tx, self.run_id, n, str(code))
            self._event(
                tx,
                "model.discarded",
                {"requestId": request_id, "code": str(code), "message": message},
            )

        await self._write(unit, durable=True)

    async def keep_turn(
        self, request_id: str, n: int, turn: ModelTurn, usage: Usage, reason: str
    ) -> list[ToolCall]:
        """A turn is complete: its words, its calls (counted), its usage."""

        def unit(tx: Tx) -> list[ToolCall]:
            known = turn.usage.counts() if turn.usage is not None else None
            self.storage.requests.settle(
                tx, self.run_id, n, str(turn.stop), usage=known, tokens=usage.total
            )
            self._event(
                tx,
                "model.completed",
                {"requestId": request_id, "stop": str(turn.stop), "usage": usage.counts()},
            )
            self.storage.entries.append(
                tx,
                self.session_id,
                NewEntry(conversation.ASSISTANT, conversation.assistant_body(turn, reason)),
                run_id=self.run_id,
            )
            return [self._start(tx, call, n) for call in turn.calls]

        return await self._write(unit, durable=True)

    def _start(self, tx: Tx, call: RequestedCall, request_n: int) -> ToolCall:
        stored = self.storage.tool_calls.start(
            tx,
            self.run_id,
            call.id,
            name=call.name,
            arguments=call.arguments,
            request_n=request_n,
        )
        self._event(
            tx,
            "tool.call",
            {"callId": call.id, "name": call.name, "arguments": dict(call.arguments)},
        )
        return stored

    async def tool_calls(self) -> dict[str, ToolCall]:
        """The run's calls by id."""
        calls = await self.storage.read(lambda tx: self.storage.tool_calls.of_run(tx, self.run_id))
        return {call.call_id: call for call in calls}

    async def keep_result(self, outcome: ToolOutcome) -> None:
        """A tool has returned: its passages become evidence, and only then have labels."""

        def unit(tx: Tx) -> None:
            stored = self.storage.evidence.add(
                tx, self.session_id, [_stored(passage) for passage in outcome.passages]
            )
            labels = {
                id(passage): evidence.label
                for passage, evidence in zip(outcome.passages, stored, strict=True)
            }
            text = outcome.text(lambda passage: labels[id(passage)])
            self.storage.tool_calls.finish(
                tx,
                self.run_id,
                outcome.call.id,
                result={"name": outcome.call.name, "text": text},
                failed=outcome.failed,
            )
            self._event(
                tx,
                "tool.result",
                {
                    "callId": outcome.call.id,
                    "name": outcome.call.name,
                    "failed": outcome.failed,
                    "labels": [evidence.label for evidence in stored],
                    "details": dict(outcome.details),
                },
            )

        await self._write(unit, durable=True)

    async def keep_results(self, calls: Sequence[RequestedCall]) -> None:
        """All calls of a turn have results: the message that carries them."""

        def unit(tx: Tx) -> None:
            found = {call.call_id: call for call in self.storage.tool_calls.of_run(tx, self.run_id)}
            results = [_result(call, found.get(call.id)) for call in calls]
            self.storage.entries.append(
                tx,
                self.session_id,
                NewEntry(conversation.TOOL, {"results": results}),
                run_id=self.run_id,
            )

        await self._write(unit, durable=True)

    async def entries(self) -> tuple[Entry, ...]:
        """The whole session's entries, oldest first."""

        def unit(tx: ReadTx) -> tuple[Entry, ...]:
            found: list[Entry] = []
            while page := self.storage.entries.after(
                tx, self.session_id, seq=found[-1].seq if found else 0
            ):
                found.extend(page)
            return tuple(found)

        return await self.storage.read(unit)

    async def evidence(self) -> dict[int, Evidence]:
        """The session's evidence by number."""

        def unit(tx: ReadTx) -> dict[int, Evidence]:
            found: dict[int, Evidence] = {}
            while page := self.storage.evidence.of_session(
                tx, self.session_id, n=max(found, default=0)
            ):
                found |= {each.n: each for each in page}
            return found

        return await self.storage.read(unit)

    async def finalise(self) -> Change:
        """Citations are being checked: no request leaves any more."""

        def unit(tx: Tx) -> Change:
            change = self.storage.runs.advance(tx, self.run_id, RunState.FINALISING)
            if change.won:
                self._event(tx, "run.finalising", {})
            return change

        return await self._write(unit, durable=True)

    async def complete(
        self,
        answer: NewEntry,
        citations: Sequence[Citation],
        proofs: Sequence[Proof],
        shown: Sequence[Mapping[str, object]],
        reason: str,
    ) -> Change:
        """The answer, its citations, their proofs and the run's end, in one commit."""

        def unit(tx: Tx) -> Change:
            change = self.storage.runs.finish(
                tx, self.run_id, RunState.COMPLETED, reason=reason, entry=answer
            )
            if change.won:
                self.storage.evidence.add(tx, self.session_id, (), proofs)
                self.storage.citations.add(tx, citations)
                for citation in shown:
                    self._event(tx, "citation", citation)
                self._event(tx, "run.completed", {"reason": reason})
            return change

        return await self._write(unit, durable=True, reserve=True)

    async def fail(self, code: ErrorCode, message: str) -> Change:
        """The run ends without an answer."""
        return await self._end(RunState.FAILED, "error", code, message)

    async def cancel(self) -> Change:
        """The run is stopped by its user."""
        return await self._end(RunState.CANCELLED, "cancelled", None, "")

    async def _end(
        self, state: RunState, reason: str, code: ErrorCode | None, message: str
    ) -> Change:
        body: dict[str, object] = {"text": "", "status": str(state), "message": message}
        if code is not None:
            body["code"] = str(code)

        def unit(tx: Tx) -> Change:
            change = self.storage.runs.finish(
                tx,
                self.run_id,
                state,
                reason=reason,
                error_code=code,
                entry=NewEntry(conversation.ANSWER, body),
            )
            if change.won:
                self._event(tx, f"run.{state}", {"code": str(code or ""), "message": message})
            return change

        return await self._write(unit, durable=True, reserve=True)

    def _event(self, tx: Tx, kind: str, body: Mapping[str, object]) -> None:
        self.storage.events.append(tx, self.session_id, kind, body, run_id=self.run_id)

    async def _write(
        self, unit: Callable[[Tx], T], *, durable: bool = False, reserve: bool = False
    ) -> T:
        now = self._monotonic()
        elapsed, self._charged_at = now - self._charged_at, now

        def charged(tx: Tx) -> T:
            found = unit(tx)
            self.storage.runs.charge(tx, self.run_id, elapsed_ms=elapsed)
            return found

        return await self.storage.write(
            charged, durable=durable, reserve=reserve, on_commit=lambda _found: self._committed()
        )


def _stored(passage: ReadPassage) -> Passage:
    return Passage(
        revision=passage.revision,
        doc_id=passage.doc_id,
        section_id=passage.section_id,
        doc_sha256=passage.doc_sha256,
        section_sha256=passage.section_sha256,
        start=passage.start,
        end=passage.end,
        text=passage.text,
        title=passage.title,
        heading_path=passage.heading_path,
        url=passage.url,
        site_url=passage.site_url,
        retrieved_at=passage.retrieved_at,
        origin=Origin(passage.origin),
    )


def _result(call: RequestedCall, stored: ToolCall | None) -> dict[str, object]:
    if stored is None or stored.result is None:
        return {
            "callId": call.id,
            "name": call.name,
            "text": conversation.NO_RESULT,
            "failed": True,
        }
    failed = stored.state is not ToolCallState.DONE
    body: conversation.Body = stored.result
    return {"callId": call.id, "name": call.name, "text": body["text"], "failed": failed}
