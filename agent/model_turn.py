"""A stream of model events, gathered into one turn: words, tool calls, items, usage, end.

Everything a provider can get wrong is decided here, before anything is stored: a call without an
end, arguments that are no JSON object, events after the end, an end that never comes.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import assert_never

from agent.model import (
    Done,
    ModelError,
    ModelEvent,
    ProviderItem,
    ProviderItemEvent,
    StopReason,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
    Usage,
)
from manifest.errors import ErrorCode
from manifest.units import token_estimate

ARGUMENTS_LIMIT = 64 * 1024
"""Characters of one call's arguments; the six tools need a few hundred."""

CALLS_LIMIT = 256
"""Tool calls gathered from one stream; a model that makes more is out of order."""

TEXT_LIMIT = 1_000_000
"""Characters of words or of thinking in one turn."""


@dataclass(frozen=True, slots=True)
class RequestedCall:
    """A tool call of a turn. id is ours. problem: why it cannot be run, empty if it can."""

    id: str
    name: str
    arguments: dict[str, object]
    problem: str = ""


@dataclass(frozen=True, slots=True)
class ModelTurn:
    """What one stream said, to its end."""

    text: str
    thinking: str
    calls: tuple[RequestedCall, ...]
    items: tuple[ProviderItem, ...]
    usage: Usage | None
    stop: StopReason


@dataclass(slots=True)
class _Call:
    name: str
    id: str
    arguments: list[str] = field(default_factory=list)
    length: int = 0
    ended: bool = False


class TurnGatherer:
    """Takes the events of one stream, in order, and says what they make.

    call_id gives the id of each call as it begins. Ask for the `outcome` once `closed`.
    """

    def __init__(self, call_id: Callable[[], str]) -> None:
        self._call_id = call_id
        self._text: list[str] = []
        self._thinking: list[str] = []
        self._length = 0
        self._calls: dict[str, _Call] = {}
        self._items: list[tuple[ProviderItem, str]] = []
        self._usage: Usage | None = None
        self._stop: StopReason | None = None
        self._failure: ModelError | None = None

    @property
    def closed(self) -> bool:
        """Whether the end has come, good or bad: nothing more is taken."""
        return self._stop is not None or self._failure is not None

    @property
    def failed(self) -> bool:
        """Whether the end was a bad one."""
        return self._failure is not None

    @property
    def usage(self) -> Usage | None:
        """What the provider has said of tokens so far."""
        return self._usage

    @property
    def said_tokens(self) -> int:
        """An estimate of the tokens of words, thinking and arguments so far."""
        arguments = (piece for call in self._calls.values() for piece in call.arguments)
        return token_estimate(_whole((*self._text, *self._thinking, *arguments)))

    def take(self, event: ModelEvent) -> None:
        """The next event. Anything out of order makes it broken; after the end nothing counts."""
        if self.closed:
            return
        match event:
            case TextDelta(text):
                self._text.append(text)
                self._grow(len(text))
            case ThinkingDelta(text):
                self._thinking.append(text)
                self._grow(len(text))
            case ToolCallStart() | ToolCallDelta() | ToolCallEnd():
                self._take_call(event)
            case ProviderItemEvent(item, key):
                self._items.append((item, key))
            case Usage():
                self._usage = event
            case Done(reason):
                self._stop = reason
            case ModelError():
                self._failure = event
            case _:
                assert_never(event)

    def end_of_stream(self) -> None:
        """The stream is over. Without its terminal event it is broken."""
        if not self.closed:
            self._break("The model's stream ended without its final event.")

    def outcome(self) -> ModelTurn | ModelError:
        """The whole turn, or why there is none. Only once closed."""
        self.end_of_stream()
        if self._failure is not None:
            return self._failure
        stop = self._stop or StopReason.END
        calls = tuple(_requested(call, stop) for call in self._calls.values())
        if stop is StopReason.TOOL and not calls:
            return _broken("The model stopped for a tool but called none.")
        return ModelTurn(
            text=_whole(self._text),
            thinking=_whole(self._thinking),
            calls=calls,
            items=tuple(self._with_partner(item, key) for item, key in self._items),
            usage=self._usage,
            stop=stop,
        )

    def _take_call(self, event: ToolCallStart | ToolCallDelta | ToolCallEnd) -> None:
        known = self._calls.get(event.key)
        if isinstance(event, ToolCallStart):
            if known is not None:
                self._break("The model began the same tool call twice.")
            elif len(self._calls) >= CALLS_LIMIT:
                self._break(f"The model made more than {CALLS_LIMIT} tool calls at once.")
            else:
                self._calls[event.key] = _Call(event.name, self._call_id())
        elif known is None or known.ended:
            self._break("The model went on with a tool call that is not open.")
        elif isinstance(event, ToolCallDelta):
            known.arguments.append(event.arguments)
            known.length += len(event.arguments)
            self._grow(len(event.arguments))
            if known.length > ARGUMENTS_LIMIT:
                self._break("The arguments of a tool call are longer than is sensible.")
        else:
            known.ended = True

    def _grow(self, length: int) -> None:
        self._length += length
        if self._length > TEXT_LIMIT:
            self._break("The model's answer is longer than is sensible.")

    def _break(self, message: str) -> None:
        self._failure = _broken(message)

    def _with_partner(self, item: ProviderItem, key: str) -> ProviderItem:
        call = self._calls.get(key)
        return ProviderItem(item.tag, item.data, call.id) if call is not None else item


def _whole(pieces: Iterable[str]) -> str:
    """The pieces as one text that UTF-8 can carry: halves of a character, streamed apart, are
    joined, and what has no other half becomes U+FFFD."""
    text = "".join(pieces)
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _broken(message: str) -> ModelError:
    return ModelError(ErrorCode.PROVIDER_STREAM_BROKEN, message, hint="It is asked again.")


def _requested(call: _Call, stop: StopReason) -> RequestedCall:
    """A call cut by the output limit, or with arguments that are no object, is not run."""
    if stop is StopReason.LENGTH or not call.ended:
        problem = "The call was cut off by the output limit and was not run. Make it again."
        return RequestedCall(call.id, call.name, {}, problem)
    text = _whole(call.arguments).strip() or "{}"
    try:
        arguments = json.loads(text, parse_constant=_refuse_constant)
        json.dumps(arguments, ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError):
        return RequestedCall(call.id, call.name, {}, "The arguments were no valid JSON.")
    if not isinstance(arguments, dict):
        return RequestedCall(call.id, call.name, {}, "The arguments were no JSON object.")
    return RequestedCall(call.id, call.name, arguments)


def _refuse_constant(literal: str) -> object:
    raise ValueError(literal)
