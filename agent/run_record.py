"""What one run commits, step by step: every change is stored, with its events, before it shows.

Each method is one transaction over several stores. Working time since the last commit is charged
with it, so that no restart gives any back. Once a run has ended nothing more of it is committed:
whoever still works on it is told by `RunEnded`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
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
from storage.stores.tool_calls import ToolCall

T = TypeVar("T")

Committed = Callable[[], None]
"""Told after each commit that there are new events."""


class RunEnded(Exception):
    """The run has ended meanwhile, or is not running. Stays inside this room."""


def request_id(run_id: str, n: int) -> str:
    """The id of a run's n-th request, in events and logs: it can be told from the ledger."""
    return f"{run_id}-{n}"


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
        self.budget = run.budget
        self._monotonic = monotonic
        self._committed = committed
        self._elapsed_ms = run.counts.elapsed_ms
        self._charged_at = monotonic()

    @property
    def elapsed_ms(self) -> int:
        """The run's working time up to now."""
        return self._elapsed_ms + self._monotonic() - self._charged_at

    async def start(self) -> Change:
        """The run begins, or goes on after a restart.

        Then the time since it was last heard of counts, and requests that were under way are void.
        """

        def unit(tx: Tx) -> tuple[Change, int]:
            before = self.storage.runs.get(tx, self.run_id)
            change = self.storage.runs.advance(tx, self.run_id, RunState.RUNNING)
            if not (change.won and before.state is RunState.INTERRUPTED):
                return change, 0
            gap = max(0, tx.now - self._last_heard(tx, before))
            self.storage.runs.charge(tx, self.run_id, elapsed_ms=gap)
            self._void_open(tx, ErrorCode.RUN_INTERRUPTED, "The bridge stopped meanwhile.")
            return change, gap

        change, gap = await self._write(unit, durable=True, running=False)
        self._elapsed_ms += gap
        return change

    def _last_heard(self, tx: Tx, run: Run) -> int:
        """When the run last committed an event; milliseconds since 1970 UTC."""
        last = self.storage.events.last_seq(tx, run.session_id)
        events = self.storage.events.after(tx, run.session_id, seq=last - 1, limit=1)
        # A session's newest event may be of an earlier run.
        started = run.started_at or run.created_at
        return max((started, *(event.created_at for event in events)))

    async def bind(self, revision: str) -> Run:
        """The one revision that the run reads, whatever is published meanwhile."""

        def unit(tx: Tx) -> Run:
            run = self.storage.runs.bind(tx, self.run_id, revision)
            self._event(tx, "run.started", {"revision": run.revision, "model": run.model})
            return run

        return await self._write(unit, durable=True)

    async def standing(self) -> tuple[StoredTurn, Allowance]:
        """Where the run stands by what is stored, and what it may still do, by now."""

        def unit(tx: Tx) -> tuple[StoredTurn, Allowance]:
            run = self.storage.runs.get(tx, self.run_id)
            ledger = self.storage.requests.of_run(tx, self.run_id)
            summarised = any(line.kind is RequestKind.SUMMARY for line in ledger)
            allowed = allowance(run.budget, run.counts, summarised=summarised)
            return self._stored_turn(tx), allowed

        return await self._write(unit)

    def _stored_turn(self, tx: ReadTx) -> StoredTurn:
        entries = self.storage.entries.of_run(tx, self.run_id)
        last = entries[-1]
        if last.role != conversation.ASSISTANT:
            return StoredTurn(last.role)
        return conversation.stored_turn(last.body)

    async def count_request(self, kind: RequestKind, reserved: int) -> Request:
        """Counts a request; only afterwards may it leave. Raises BUDGET_EXHAUSTED."""

        def unit(tx: Tx) -> Request:
            line = self.storage.requests.count(tx, self.run_id, kind, reserved_tokens=reserved)
            self._event(
                tx,
                "model.started",
                {"requestId": self._id_of(line), "n": line.n, "kind": str(kind)},
            )
            return line

        return await self._write(unit, durable=True)

    def _id_of(self, line: Request) -> str:
        return request_id(self.run_id, line.n)

    async def said(self, kind: str, request_id: str, text: str) -> None:
        """Words of a stream (`text.delta`, `thinking.delta`); a power cut may lose the last."""

        def unit(tx: Tx) -> None:
            self._event(tx, kind, {"requestId": request_id, "text": text})

        await self._write(unit)

    async def discard(self, n: int, code: ErrorCode, message: str, tokens: int) -> None:
        """A request came to nothing: what it had streamed is void. tokens: what it used."""
        await self._write(lambda tx: self._void(tx, n, code, message, tokens=tokens), durable=True)

    async def void_open(self, code: ErrorCode, message: str) -> None:
        """The same for requests whose end nobody saw."""
        await self._write(lambda tx: self._void_open(tx, code, message), durable=True)

    def _void_open(self, tx: Tx, code: ErrorCode, message: str) -> None:
        for line in self.storage.requests.of_run(tx, self.run_id):
            if line.outcome is None:
                self._void(tx, line.n, code, message)

    def _void(
        self, tx: Tx, n: int, code: ErrorCode, message: str, *, tokens: int | None = None
    ) -> None:
        self.storage.requests.settle(tx, self.run_id, n, str(code), tokens=tokens)
        told = {"requestId": request_id(self.run_id, n), "code": str(code), "message": message}
        self._event(tx, "model.discarded", told)

    async def keep_turn(self, line: Request, turn: ModelTurn, usage: Usage) -> None:
        """A turn is complete: its words, its calls (counted), its usage."""
        summary = line.kind is RequestKind.SUMMARY

        def unit(tx: Tx) -> None:
            known = turn.usage.counts() if turn.usage is not None else None
            self.storage.requests.settle(
                tx, self.run_id, line.n, str(turn.stop), usage=known, tokens=usage.total
            )
            told = {"requestId": self._id_of(line), "stop": str(turn.stop)}
            self._event(tx, "model.completed", {**told, "usage": usage.counts()})
            body = conversation.assistant_body(turn, summary=summary)
            self.storage.entries.append(
                tx, self.session_id, NewEntry(conversation.ASSISTANT, body), run_id=self.run_id
            )
            for call in turn.calls:
                self._start_call(tx, call, line.n)

        await self._write(unit, durable=True)

    def _start_call(self, tx: Tx, call: RequestedCall, request_n: int) -> None:
        self.storage.tool_calls.start(
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

    async def tool_calls(self) -> dict[str, ToolCall]:
        """The run's calls by id."""
        calls = await self.storage.read(lambda tx: self.storage.tool_calls.of_run(tx, self.run_id))
        return {call.call_id: call for call in calls}

    async def keep_result(self, outcome: ToolOutcome) -> None:
        """A tool has returned: its passages become evidence, and only then have labels.

        Raises OBJECT_TOO_LARGE.
        """

        def unit(tx: Tx) -> None:
            stored = self.storage.evidence.add(
                tx, self.session_id, [_stored(passage) for passage in outcome.passages]
            )
            labels = {
                id(passage): evidence.label
                for passage, evidence in zip(outcome.passages, stored, strict=True)
            }
            text = outcome.text(lambda passage: labels[id(passage)])
            call = outcome.call
            self.storage.tool_calls.finish(
                tx,
                self.run_id,
                call.id,
                result={"name": call.name, "text": text},
                failed=outcome.failed,
            )
            told = {
                "callId": call.id,
                "name": call.name,
                "failed": outcome.failed,
                "labels": [evidence.label for evidence in stored],
                "details": dict(outcome.details),
            }
            self._event(tx, "tool.result", told)

        await self._write(unit, durable=True)

    async def keep_results(self, calls: Sequence[RequestedCall]) -> None:
        """All calls of a turn have results: what carries them, in entries of bounded size."""

        def unit(tx: Tx) -> None:
            found = {call.call_id: call for call in self.storage.tool_calls.of_run(tx, self.run_id)}
            results = [conversation.result_body(call, found.get(call.id)) for call in calls]
            for batch in conversation.batches(results):
                entry = NewEntry(conversation.TOOL, {"results": batch})
                self.storage.entries.append(tx, self.session_id, entry, run_id=self.run_id)

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

    async def proved(self, evidence: Iterable[Evidence]) -> frozenset[str]:
        """The ids of those whose proof is stored already."""

        def unit(tx: ReadTx) -> frozenset[str]:
            proof = self.storage.evidence.proof
            return frozenset(each.id for each in evidence if proof(tx, each).objects)

        return await self.storage.read(unit)

    async def finalise(self) -> Change:
        """Citations are being checked: no request leaves any more."""

        def unit(tx: Tx) -> Change:
            change = self.storage.runs.advance(tx, self.run_id, RunState.FINALISING)
            if change.won:
                self._event(tx, "run.finalising", {})
            return change

        return await self._write(unit, durable=True, running=False)

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

        return await self._write(unit, durable=True, reserve=True, running=False)

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

        return await self._write(unit, durable=True, reserve=True, running=False)

    def _event(self, tx: Tx, kind: str, body: Mapping[str, object]) -> None:
        self.storage.events.append(tx, self.session_id, kind, body, run_id=self.run_id)

    async def _write(
        self,
        unit: Callable[[Tx], T],
        *,
        durable: bool = False,
        reserve: bool = False,
        running: bool = True,
    ) -> T:
        """running: only while the run is running; raises `RunEnded` where it is not."""
        now = self._monotonic()
        elapsed, self._charged_at = now - self._charged_at, now
        self._elapsed_ms += elapsed

        def charged(tx: Tx) -> T:
            if running:
                self._require_running(tx)
            self.storage.runs.charge(tx, self.run_id, elapsed_ms=elapsed)
            return unit(tx)

        try:
            return await self.storage.write(
                charged, durable=durable, reserve=reserve, on_commit=lambda _: self._committed()
            )
        except Exception:
            # Nothing was charged: the next commit does it.
            self._charged_at -= elapsed
            self._elapsed_ms -= elapsed
            raise

    def _require_running(self, tx: ReadTx) -> None:
        if self.storage.runs.get(tx, self.run_id).state is not RunState.RUNNING:
            raise RunEnded


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
