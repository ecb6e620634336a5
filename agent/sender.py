"""The one place through which every request to a model goes: counted, then sent, then settled."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace

from agent.model import (
    Model,
    ModelError,
    ModelEvent,
    ModelRequest,
    TextContent,
    TextDelta,
    ThinkingDelta,
    ToolCallContent,
    ToolResultContent,
    Usage,
)
from agent.model_turn import ModelTurn, TurnGatherer
from agent.ports import Sleep
from agent.run_record import RunRecord, request_id
from manifest.errors import ErrorCode, NoteBridgeError
from manifest.units import token_estimate
from storage.stores.requests import RequestKind

DELTA_MS = 100
"""Words of a stream are committed so long after they came at the latest."""


class Sender:
    """Sends the requests of one run."""

    def __init__(self, record: RunRecord, model: Model, sleep: Sleep) -> None:
        self._record = record
        self._model = model
        self._sleep = sleep

    async def send(self, request: ModelRequest, kind: RequestKind) -> ModelTurn | ModelError:
        """One request, whole: its turn is stored when this returns it; a failed one is void.

        The request gets its id here. Raises `RunEnded`, and `NoteBridgeError`: BUDGET_EXHAUSTED,
        and what storage raises. Whoever cancels this leaves the request open
        (`RunRecord.void_open`).
        """
        reserve = input_estimate(request)
        line = await self._record.count_request(kind, reserve)
        request = replace(request, id=request_id(self._record.run_id, line.n))
        gatherer = TurnGatherer(self._record.storage.new_id)
        await self._stream(request, gatherer)
        outcome = gatherer.outcome()
        estimate = Usage(uncached=reserve, output=gatherer.said_tokens)
        usage = gatherer.usage or estimate
        if isinstance(outcome, ModelError):
            await self._record.discard(line.n, outcome.code, outcome.message, usage.total)
        else:
            await self._record.keep_turn(line, outcome, usage)
        return outcome

    async def _stream(self, request: ModelRequest, gatherer: TurnGatherer) -> None:
        # Closing the stream closes the connection behind it, also when the run is cancelled.
        async with (
            aclosing(_Deltas(self._record, request.id, self._sleep)) as deltas,
            aclosing(_events(self._model, request)) as events,
        ):
            async for event in events:
                gatherer.take(event)
                if isinstance(event, TextDelta):
                    await deltas.add("text.delta", event.text)
                elif isinstance(event, ThinkingDelta):
                    await deltas.add("thinking.delta", event.text)
                if gatherer.closed:
                    break
            gatherer.end_of_stream()
            # What a failed request said last is void before anyone has seen it.
            if not gatherer.failed:
                await deltas.flush()


class _Deltas:
    """Gathers words of one kind for up to `DELTA_MS` before they are committed."""

    def __init__(self, record: RunRecord, request_id: str, sleep: Sleep) -> None:
        self._record = record
        self._request_id = request_id
        self._sleep = sleep
        self._kind = ""
        self._held: list[str] = []
        self._timer: asyncio.Task[None] | None = None

    async def add(self, kind: str, text: str) -> None:
        if not text:
            return
        if kind != self._kind:
            await self.flush()
            self._kind = kind
        self._held.append(text)
        if self._timer is not None and self._timer.done():
            timer, self._timer = self._timer, None
            timer.result()
        if self._timer is None:
            self._timer = asyncio.create_task(self._flush_later(), name="deltas")

    async def flush(self) -> None:
        """Commits what is held. Raises what a commit beside the stream has raised."""
        timer, self._timer = self._timer, None
        if timer is not None and not timer.cancel():
            timer.result()
        await self._commit()

    async def aclose(self) -> None:
        """What is still held is dropped."""
        if self._timer is not None:
            self._timer.cancel()
            await asyncio.gather(self._timer, return_exceptions=True)

    async def _flush_later(self) -> None:
        # More words may come while a commit is under way.
        while self._held:
            await self._sleep(DELTA_MS / 1000)
            await self._commit()

    async def _commit(self) -> None:
        if self._held:
            text, self._held = "".join(self._held), []
            await self._record.said(self._kind, self._request_id, text)


async def _events(model: Model, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
    """A model's events; whatever it raises becomes its last one.

    Of a foreign exception only the type is told: its words may hold what no event may carry.
    """
    stream = None
    try:
        stream = model.stream(request)
        async for event in stream:
            yield event
    except NoteBridgeError as error:
        yield ModelError(error.code, error.message, error.hint)
    except Exception as error:  # noqa: BLE001 - an adapter's fault must not escape its room
        told = f"The adapter of {request.model} failed with {type(error).__name__}."
        yield ModelError(ErrorCode.INTERNAL, told)
    finally:
        close = getattr(stream, "aclose", None)
        if close is not None:
            # The answer is whole or void by now; how its connection ends changes nothing.
            with contextlib.suppress(Exception):
                await close()


def input_estimate(request: ModelRequest) -> int:
    """What a request's input will cost, in estimated tokens."""
    total = token_estimate(request.system)
    for tool in request.tools:
        total += token_estimate(tool.description) + 100
    for message in request.messages:
        for part in message.content:
            if isinstance(part, TextContent | ToolResultContent):
                total += token_estimate(part.text)
            elif isinstance(part, ToolCallContent):
                total += token_estimate(part.name) + len(part.arguments) * 20
    return total
