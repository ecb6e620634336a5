"""The one place through which every request to a model goes: counted, then sent, then settled."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing

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
from agent.ports import Monotonic
from agent.run_record import RunRecord
from manifest.errors import NoteBridgeError
from manifest.units import token_estimate
from storage.stores.requests import RequestKind

DELTA_MS = 100
"""Words of a stream are committed at most so far apart."""

CHARACTERS_PER_TOKEN = 3
"""For what a stream said when its provider does not tell."""


class Sender:
    """Sends the requests of one run."""

    def __init__(self, record: RunRecord, model: Model, monotonic: Monotonic) -> None:
        self._record = record
        self._model = model
        self._monotonic = monotonic

    async def send(
        self, request: ModelRequest, kind: RequestKind, *, reason: str = ""
    ) -> ModelTurn | ModelError:
        """One request, whole: its turn is stored when this returns it; a failed one is void.

        reason: stored with the turn. Raises `NoteBridgeError`: BUDGET_EXHAUSTED, RUN_INTERRUPTED.
        """
        reserve = input_estimate(request)
        line = await self._record.count_request(request.id, kind, reserve)
        gatherer = TurnGatherer(self._record.storage.new_id)
        try:
            await self._stream(request, gatherer)
        except NoteBridgeError as error:
            gatherer.take(ModelError(error.code, error.message, error.hint))
        outcome = gatherer.outcome()
        if isinstance(outcome, ModelError):
            await self._record.discard(request.id, line.n, outcome.code, outcome.message)
            return outcome
        usage = outcome.usage or Usage(
            uncached=reserve, output=gatherer.said // CHARACTERS_PER_TOKEN
        )
        await self._record.keep_turn(request.id, line.n, outcome, usage, reason)
        return outcome

    async def _stream(self, request: ModelRequest, gatherer: TurnGatherer) -> None:
        deltas = _Deltas(self._record, request.id, self._monotonic)
        # Closing the stream closes the connection behind it, also when the run is cancelled.
        async with aclosing(_generator(self._model.stream(request))) as events:
            async for event in events:
                gatherer.take(event)
                if isinstance(event, TextDelta):
                    await deltas.add("text.delta", event.text)
                elif isinstance(event, ThinkingDelta):
                    await deltas.add("thinking.delta", event.text)
                if gatherer.closed:
                    break
        await deltas.flush()
        gatherer.end_of_stream()


class _Deltas:
    """Gathers words of one kind for up to `DELTA_MS` before they are committed."""

    def __init__(self, record: RunRecord, request_id: str, monotonic: Monotonic) -> None:
        self._record = record
        self._request_id = request_id
        self._monotonic = monotonic
        self._kind = ""
        self._held: list[str] = []
        self._since = 0

    async def add(self, kind: str, text: str) -> None:
        if kind != self._kind:
            await self.flush()
            self._kind = kind
        if not self._held:
            self._since = self._monotonic()
        self._held.append(text)
        if self._monotonic() - self._since >= DELTA_MS:
            await self.flush()

    async def flush(self) -> None:
        if self._held:
            text, self._held = "".join(self._held), []
            await self._record.said(self._kind, self._request_id, text)


async def _generator(events: AsyncIterator[ModelEvent]) -> AsyncGenerator[ModelEvent, None]:
    """A stream as a generator that can be closed, whatever kind of iterator a model gives."""
    try:
        async for event in events:
            yield event
    finally:
        close = getattr(events, "aclose", None)
        if close is not None:
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
