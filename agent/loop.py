"""The driver of a run: carries out one step after another and commits what each gives.

What follows a step is `run_state`'s to say. An end that another has committed first (a
cancellation) ends the loop wherever it stands.
"""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import assert_never

from agent import conversation
from agent.budget import Allowance, tools_end_ms
from agent.deadline import OutOfTime, within
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
from agent.model_turn import RequestedCall, TurnGatherer
from agent.ports import Reading, Sleep
from agent.prompt import SYSTEM
from agent.run_record import RunRecord, ToolOutcome
from agent.run_state import Ask, CallTools, Close, Fail, Finalise, Step, step_from
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

    closer: the built-in model, which ends a run that may not ask any more. resumed: the run goes
    on after a restart, so its next request counts as recovery.
    """

    def __init__(
        self,
        run: Run,
        record: RunRecord,
        reading: Reading,
        model: Model,
        profile: ModelProfile,
        closer: Model,
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
        self._sender = Sender(record, model, sleep)
        self._resumed = resumed
        self._tools = tuple(
            ToolDefinition(spec.name, spec.description, spec.parameters) for spec in reading.specs
        )

    async def drive(self) -> None:
        """Runs to the end. Raises `RunEnded`, and what storage raises: the run is then interrupted,
        not lost."""
        step = await self._where_it_stands()
        while True:
            match step:
                case Ask():
                    step = await self._ask(step)
                case CallTools():
                    step = await self._call_tools(step)
                case Finalise(text, reason):
                    await self._finalise(text, reason)
                    return
                case Close(reason):
                    await self._finalise(await self._closing_words(), reason)
                    return
                case Fail(code, message):
                    await self._record.fail(code, message)
                    return
                case _:
                    assert_never(step)

    async def _where_it_stands(self) -> Step:
        return step_from(*await self._record.standing())

    def _until(self, elapsed_ms: int) -> AbstractAsyncContextManager[None]:
        """What runs inside ends, with `OutOfTime`, when the run has worked for so long."""
        return within(lambda: elapsed_ms - self._record.elapsed_ms, self._sleep)

    async def _ask(self, step: Ask) -> Step:
        try:
            async with self._until(self._run.budget.deadline_ms):
                if step.after_ms:
                    await self._sleep(step.after_ms / 1000)
                    return step.waited(await self._allowed())
                request = await self._request(summary=step.summary)
                outcome = await self._sender.send(request, self._kind(step))
        except OutOfTime:
            await self._record.void_open(ErrorCode.PROVIDER_TIMEOUT, "The run's time is over.")
            return await self._where_it_stands()
        except NoteBridgeError as error:
            if error.code is not ErrorCode.BUDGET_EXHAUSTED:
                raise
            # The ledger refused it: it never left.
            return Close("budget") if step.summary else Ask(summary=True)
        return step.next(outcome, await self._allowed())

    async def _allowed(self) -> Allowance:
        return (await self._record.standing())[1]

    def _kind(self, step: Ask) -> RequestKind:
        resumed, self._resumed = self._resumed, False
        if step.summary:
            return RequestKind.SUMMARY
        if resumed:
            return RequestKind.RECOVERY
        return RequestKind.RETRY if step.attempt else RequestKind.ANSWER

    async def _request(self, *, summary: bool) -> ModelRequest:
        said = conversation.messages(await self._record.entries(), self._profile.provider_tag)
        return ModelRequest(
            id="",
            model=self._run.model,
            system=SYSTEM,
            messages=said,
            tools=() if summary else self._tools,
            effort=Effort(self._run.effort),
            max_output=self._profile.max_output,
        )

    async def _call_tools(self, step: CallTools) -> Step:
        stored = await self._record.tool_calls()
        for call in step.calls:
            known = stored[call.id]
            if known.result is not None:
                continue
            problem = OVER_BUDGET if known.state is ToolCallState.REFUSED else call.problem
            await self._keep(_refusal(call, problem) if problem else await self._call(call))
        await self._record.keep_results(step.calls)
        return step.next(await self._allowed())

    async def _call(self, call: RequestedCall) -> ToolOutcome:
        try:
            async with self._until(tools_end_ms(self._run.budget)):
                result = await self._reading.call(call.name, call.arguments)
        except OutOfTime:
            return _refusal(call, NO_TIME)
        except NoteBridgeError as error:
            return _refusal(call, f"{error.code}: {error.message} {error.hint}".strip())
        except Exception as error:  # noqa: BLE001 - one tool's fault must not cost the answer
            return _refusal(call, f"INTERNAL: The tool failed with {type(error).__name__}.")
        return ToolOutcome(call, result.passages, result.text, dict(result.details))

    async def _keep(self, outcome: ToolOutcome) -> None:
        try:
            await self._record.keep_result(outcome)
        except NoteBridgeError as error:
            if error.code is not ErrorCode.OBJECT_TOO_LARGE:
                raise
            await self._record.keep_result(_refusal(outcome.call, f"{error.code}: {error.message}"))

    async def _finalise(self, text: str, reason: str) -> None:
        await finalise(self._record, self._reading, text, reason, self._sleep)

    async def _closing_words(self) -> str:
        """An answer from what was read, by the built-in model: nothing leaves this process."""
        said = conversation.messages(await self._record.entries(), "")
        question = next(
            (message for message in reversed(said) if message.role is Role.USER),
            Message(Role.USER, (TextContent(""),)),
        )
        request = ModelRequest(
            id="",
            model="",
            system=SYSTEM,
            messages=(*said, question),
        )
        gatherer = TurnGatherer(self._record.storage.new_id)
        async for event in self._closer.stream(request):
            gatherer.take(event)
        outcome = gatherer.outcome()
        return "" if isinstance(outcome, ModelError) else outcome.text


def _refusal(call: RequestedCall, problem: str) -> ToolOutcome:
    def told(_label_of: object) -> str:
        return problem

    passages: tuple[Passage, ...] = ()
    return ToolOutcome(call, passages, told, {"error": problem}, failed=True)
