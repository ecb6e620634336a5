"""Models that say what a test has written down, and the words to write it with."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from virtual_time import VirtualTime

from agent.model import (
    Done,
    Message,
    Model,
    ModelEvent,
    ModelProfile,
    ModelRequest,
    Role,
    StopReason,
    TextDelta,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
    ToolResultContent,
    Usage,
)
from manifest.errors import ErrorCode, NoteBridgeError


@dataclass(frozen=True)
class Pass:
    """In a script: so many milliseconds pass, and whoever waited for them goes on."""

    milliseconds: int


@dataclass(frozen=True)
class Reach:
    """In a script: `model.reached` is set, and the stream goes on once `model.go` is."""


@dataclass(frozen=True)
class Act:
    """In a script: something is done."""

    what: Callable[[], object]


HANG = Reach()
Item = ModelEvent | Exception | Pass | Reach | Act
Turn = Sequence[Item]


def say(text: str, *, stop: StopReason = StopReason.END, usage: Usage | None = None) -> Turn:
    """A turn in words."""
    said: list[Item] = [TextDelta(text[:5]), TextDelta(text[5:])] if text else []
    return [*said, *([usage] if usage else []), Done(stop)]


def use(*calls: tuple[str, Mapping[str, Any] | str], text: str = "") -> Turn:
    """A turn that calls tools: (name, arguments as a mapping or as raw JSON text)."""
    items: list[Item] = [TextDelta(text)] if text else []
    for number, (name, arguments) in enumerate(calls):
        raw = arguments if isinstance(arguments, str) else json.dumps(arguments)
        key = f"k{number}"
        items += [ToolCallStart(key, name), ToolCallDelta(key, raw), ToolCallEnd(key)]
    return [*items, Done(StopReason.TOOL)]


def search(query: str) -> tuple[str, Mapping[str, Any]]:
    """A call of the search tool."""
    return "search_documents", {"query": query}


class ScriptedModel:
    """Answers its n-th request with its n-th turn, and the rest with the last one.

    by_state: with the turn that belongs to the results given since the last question, so that a
    request that is sent again is answered as before. sent: told of each request as it arrives.
    """

    def __init__(self, time: VirtualTime) -> None:
        self.turns: Sequence[Turn] = [say("Nothing to say. [E0]")]
        self.by_state = False
        self.requests: list[ModelRequest] = []
        self.opened = 0
        self.closed = 0
        self.reached = asyncio.Event()
        self.go = asyncio.Event()
        self.sent: Callable[[ModelRequest], Awaitable[None]] | None = None
        self._time = time

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        self.requests.append(request)
        self.opened += 1
        turn = self.turns[min(self._position(request), len(self.turns) - 1)]
        try:
            if self.sent is not None:
                await self.sent(request)
            for item in turn:
                self._time.tick()
                if isinstance(item, Exception):
                    raise item
                if isinstance(item, Pass):
                    await self._time.pass_by(item.milliseconds)
                elif isinstance(item, Act):
                    item.what()
                elif isinstance(item, Reach):
                    self.reached.set()
                    await self.go.wait()
                else:
                    yield item
                    await asyncio.sleep(0)
        finally:
            self.closed += 1

    def _position(self, request: ModelRequest) -> int:
        if not self.by_state:
            return len(self.requests) - 1
        asked = max(i for i, message in enumerate(request.messages) if message.role is Role.USER)
        return sum(message.role is Role.TOOL for message in request.messages[asked:])


class Closer:
    """A built-in model that quotes nothing and names the first passage it sees."""

    def __init__(self) -> None:
        self.requests: list[ModelRequest] = []

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        self.requests.append(request)
        label = re.search(r'label="(E\d+)"', "".join(result_texts(request.messages)))
        yield TextDelta(f"What was read so far [{label[1] if label else 'E0'}].")
        yield Done(StopReason.END)


def results(messages: Sequence[Message]) -> list[ToolResultContent]:
    """All results of tools in a conversation."""
    parts = [part for message in messages for part in message.content]
    return [part for part in parts if isinstance(part, ToolResultContent)]


def result_texts(messages: Sequence[Message]) -> list[str]:
    return [result.text for result in results(messages)]


@dataclass
class Shelf:
    """The models at hand."""

    models: dict[str, Model] = field(default_factory=dict)
    profiles: dict[str, ModelProfile] = field(default_factory=dict)

    def put(self, name: str, model: Model, **known: Any) -> None:
        self.models[name] = model
        self.profiles[name] = ModelProfile(name=name, **known)

    def profile(self, name: str) -> ModelProfile:
        if name not in self.profiles:
            raise NoteBridgeError(ErrorCode.MODEL_NOT_FOUND, f"There is no model {name}.")
        return self.profiles[name]

    def get(self, name: str) -> Model:
        self.profile(name)
        return self.models[name]
