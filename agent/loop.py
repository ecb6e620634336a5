"""The driver of a run: carries out one step after another and commits what each gives.

What follows a step is `run_state`'s to say. An end that another has committed first (a
cancellation) ends the loop wherever it stands.
"""

from __future__ import annotations

from typing import assert_never

from agent import conversation
from agent.finalising import finalise
from agent.model import (
    Effort,
    Message,
    Model,
    ModelError,
    ModelProfile,
    ModelRequest,
    Role,
    TextContent,
    ToolDefinition,
)
from agent.model_turn import ModelTurn, RequestedCall, TurnGatherer
from agent.ports import Monotonic, Reading, Sleep
from agent.prompt import SYSTEM
from agent.run_record import RunRecord, ToolOutcome
from agent.run_state import Ask, CallTools, Close, Fail, Finalise, Step, step_from, surplus
from agent.sender import Sender
from bridge_reader.passages import Passage
from manifest.errors import ErrorCode, NoteBridgeError
from storage.stores.requests import RequestKind
from storage.stores.runs import Run
from storage.stores.tool_calls import ToolCallState

OVER_BUDGET = "The run has used all its tool calls; answer from what you have read."
NO_TIME = "There is no time for more tools; answer from what you have read."


class RunLoop:
    """One run, from where it stands to its end.

    closer: the built-in model, which ends a run whose time is over. resumed: the run goes on after
    a restart, so its next request counts as recovery.
    """

    def __init__(
        self,
        run: Run,
        record: RunRecord,
        reading: Reading,
        model: Model,
        profile: ModelProfile,
        closer: Model,
        monotonic: Monotonic,
        sleep: Sleep,
        *,
        resumed: bool = False,
    ) -> None:
        self._run = run
        self._record = record
        self._reading = reading
        self._profile = profile
        self._closer = closer
        self._sleep = sleep
        self._sender = Sender(record, model, monotonic)
        self._resumed = resumed
        self._tools = tuple(
            ToolDefinition(spec.name, spec.description, spec.parameters) for spec in reading.specs
        )

    async def drive(self) -> None:
        """Runs to the end. Raises what storage raises; the run is then interrupted, not lost."""
        if not (await self._record.begin(self._reading.revision)).won:
            return
        step = step_from(*await self._record.standing())
        while True:
            match step:
                case Ask():
                    step = await self._ask(step)
                case CallTools():
                    step = await self._call_tools(step)
                case Finalise(text, reason):
                    await finalise(self._record, self._reading, text, reason)
                    return
                case Close(reason):
                    text = await self._closing_words()
                    await finalise(self._record, self._reading, text, reason)
                    return
                case Fail(code, message):
                    await self._record.fail(code, message)
                    return
                case _:
                    assert_never(step)

    async def _ask(self, step: Ask) -> Step:
        if step.after_ms:
            await self._sleep(step.after_ms / 1000)
        request = await self._request(summary=step.summary)
        reason = "summary" if step.summary else ""
        try:
            outcome = await self._sender.send(request, self._kind(step), reason=reason)
        except NoteBridgeError as error:
            return self._not_sent(step, error)
        _, allowed = await self._record.standing()
        return step.next(outcome, allowed)

    def _kind(self, step: Ask) -> RequestKind:
        resumed, self._resumed = self._resumed, False
        if step.summary:
            return RequestKind.SUMMARY
        if resumed:
            return RequestKind.RECOVERY
        return RequestKind.RETRY if step.attempt else RequestKind.ANSWER

    def _not_sent(self, step: Ask, error: NoteBridgeError) -> Step:
        """A request that the ledger refused never left."""
        if error.code is ErrorCode.BUDGET_EXHAUSTED:
            return Close("budget") if step.summary else Ask(summary=True)
        if error.code is ErrorCode.RUN_INTERRUPTED:
            # Somebody ended the run; `fail` finds that out and changes nothing.
            return Fail(error.code, error.message)
        raise error

    async def _request(self, *, summary: bool) -> ModelRequest:
        said = conversation.messages(await self._record.entries(), self._profile.provider_tag)
        return ModelRequest(
            id=self._record.storage.new_id(),
            model=self._run.model,
            system=SYSTEM,
            messages=said,
            tools=() if summary else self._tools,
            effort=Effort(self._run.effort),
            max_output=self._profile.max_output,
        )

    async def _call_tools(self, step: CallTools) -> Step:
        offered = frozenset(tool.name for tool in self._tools)
        refused = surplus(step.calls, offered)
        for call in step.calls:
            stored = (await self._record.tool_calls()).get(call.id)
            if stored is not None and stored.result is not None:
                continue
            if stored is not None and stored.state is ToolCallState.REFUSED:
                refused.setdefault(call.id, OVER_BUDGET)
            problem = refused.get(call.id, "")
            outcome = _refusal(call, problem) if problem else await self._call(call)
            await self._record.keep_result(outcome)
        await self._record.keep_results(step.calls)
        _, allowed = await self._record.standing()
        return step.next(allowed)

    async def _call(self, call: RequestedCall) -> ToolOutcome:
        try:
            result = await self._reading.call(call.name, call.arguments)
        except NoteBridgeError as error:
            return _refusal(call, f"{error.code}: {error.message} {error.hint}".strip())
        return ToolOutcome(call, result.passages, result.text, dict(result.details))

    async def _closing_words(self) -> str:
        """An answer from what was read, by the built-in model: nothing leaves this process."""
        said = conversation.messages(await self._record.entries(), "")
        question = next(
            (message for message in reversed(said) if message.role is Role.USER),
            Message(Role.USER, (TextContent(""),)),
        )
        request = ModelRequest(
            id=self._record.storage.new_id(),
            model="",
            system=SYSTEM,
            messages=(*said, question),
        )
        gatherer = TurnGatherer(self._record.storage.new_id)
        async for event in self._closer.stream(request):
            gatherer.take(event)
        outcome = gatherer.outcome()
        return "[E0]" if isinstance(outcome, ModelError) else _words(outcome)


def _words(turn: ModelTurn) -> str:
    return turn.text or "[E0]"


def _refusal(call: RequestedCall, problem: str) -> ToolOutcome:
    def told(_label_of: object) -> str:
        return problem

    passages: tuple[Passage, ...] = ()
    return ToolOutcome(call, passages, told, {"error": problem}, failed=True)
