"""What a model's stream can get wrong: the run says what it was, and never hangs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence

import pytest
from miniature import World
from scripted_models import Item, say, search, use

from agent.model import (
    Done,
    Model,
    ModelError,
    ModelEvent,
    ModelRequest,
    ProviderItem,
    ProviderItemEvent,
    StopReason,
    TextDelta,
    ToolCallContent,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
)
from agent.model_turn import ARGUMENTS_LIMIT, CALLS_LIMIT, TEXT_LIMIT
from manifest.errors import ErrorCode, NoteBridgeError

BROKEN = ErrorCode.PROVIDER_STREAM_BROKEN
BEGUN = [TextDelta("Eig"), ToolCallStart("k", "search_documents")]


@pytest.mark.parametrize(
    ("stream", "told"),
    [
        ([], "without its final event"),
        ([TextDelta("Eighty")], "without its final event"),
        ([*BEGUN, ToolCallDelta("k", "{")], "without its final event"),
        ([*BEGUN, ToolCallStart("k", "get_document")], "same tool call twice"),
        ([ToolCallDelta("k", "{}")], "not open"),
        ([ToolCallEnd("k")], "not open"),
        ([*BEGUN, ToolCallEnd("k"), ToolCallDelta("k", "{}")], "not open"),
        ([Done(StopReason.TOOL)], "called none"),
        ([*BEGUN, ToolCallDelta("k", "1" * (ARGUMENTS_LIMIT + 1))], "longer than is sensible"),
        ([ToolCallStart(f"k{n}", "x") for n in range(CALLS_LIMIT + 1)], "tool calls at once"),
        ([TextDelta("x" * 100_000)] * (TEXT_LIMIT // 100_000 + 1), "longer than is sensible"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
async def test_a_broken_stream_is_asked_again_and_then_fails(
    world: World, stream: Sequence[Item], told: str
) -> None:
    answer = await world.ask(stream)
    assert (answer.status, answer.run.error_code) == ("failed", BROKEN)
    assert told in answer.message
    assert len(world.model.requests) == 3
    assert world.model.closed == world.model.opened
    assert world.time.waited.count(1.0) == world.time.waited.count(2.0) == 1


async def test_a_stream_that_was_broken_once_is_no_matter(world: World) -> None:
    answer = await world.ask([TextDelta("Eigh")], use(search("eighty")), say("Eighty [E1]."))
    assert (answer.status, answer.text) == ("completed", "Eighty [1].")


async def test_an_error_amid_the_stream_is_the_providers_own(world: World) -> None:
    fault = ModelError(ErrorCode.PROVIDER_BAD_REQUEST, "The schema is odd.", "Change it.")
    answer = await world.ask([TextDelta("Eigh"), fault, TextDelta("ty"), Done(StopReason.END)])
    assert (answer.run.error_code, answer.message) == (fault.code, fault.message)
    assert len(world.model.requests) == 1


async def test_what_follows_the_end_does_not_count(world: World) -> None:
    answer = await world.ask([*say("Nothing. [E0]"), TextDelta("More."), RuntimeError("late")])
    assert (answer.status, answer.text) == ("not_found", "Nothing.")


async def test_an_error_of_ours_inside_an_adapter_keeps_its_code(world: World) -> None:
    fault = NoteBridgeError(ErrorCode.PROVIDER_TIMEOUT, "Too slow.", hint="Wait.")
    answer = await world.ask([TextDelta("Eigh"), fault], say("Nothing. [E0]"))
    assert answer.status == "not_found"
    (void,) = (event for event in await world.events() if event.type == "model.discarded")
    assert (void.body["code"], void.body["message"]) == ("PROVIDER_TIMEOUT", "Too slow.")


@pytest.mark.parametrize("fault", [ValueError, KeyError, TimeoutError, OSError, ExceptionGroup])
async def test_a_foreign_exception_fails_the_run_and_its_words_go_nowhere(
    world: World, fault: type[Exception]
) -> None:
    secret = "Bearer sk-123"
    raised = fault(secret, [ValueError(secret)]) if fault is ExceptionGroup else fault(secret)
    answer = await world.ask([TextDelta("Eigh"), raised])
    assert (answer.status, answer.run.error_code) == ("failed", "INTERNAL")
    assert answer.message == f"The adapter of scripted failed with {fault.__name__}."
    bodies = [event.body for event in await world.events()]
    stored = str([*bodies, *(entry.body for entry in await world.entries())])
    assert "sk-123" not in stored


class Refusing:
    """A model that fails before its stream begins, or whose stream cannot be closed."""

    def __init__(self, fault: Exception | None = None) -> None:
        self.fault = fault

    def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        if self.fault is not None:
            raise self.fault
        return Unclosable()


class Unclosable:
    """No generator, as an SDK's own stream may be; closing it breaks."""

    def __init__(self) -> None:
        self._left: list[ModelEvent] = [TextDelta("Nothing. [E0]"), Done(StopReason.END)]

    def __aiter__(self) -> AsyncIterator[ModelEvent]:
        return self

    async def __anext__(self) -> ModelEvent:
        if not self._left:
            raise StopAsyncIteration
        return self._left.pop(0)

    async def aclose(self) -> None:
        raise OSError("the socket was gone")


@pytest.mark.parametrize(
    ("model", "status", "code"),
    [
        (Refusing(ValueError("x")), "failed", "INTERNAL"),
        (Refusing(NoteBridgeError(ErrorCode.PROVIDER_AUTH_FAILED, "x")), "failed", "PROVIDER_AUTH"),
        (Refusing(), "not_found", ""),
    ],
)
async def test_a_stream_may_fail_before_it_begins_and_while_it_is_closed(
    world: World, model: Model, status: str, code: str
) -> None:
    world.shelf.put("other", model)
    answer = await world.ask(model="other")
    assert answer.status == status
    assert (answer.run.error_code or "").startswith(code)
    assert answer.run.counts.requests == 1


class Silent:
    """A model whose stream never says a word."""

    def __init__(self) -> None:
        self.closed = False

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        try:
            await asyncio.Event().wait()
            yield Done(StopReason.END)
        finally:
            self.closed = True


async def test_a_stream_that_says_nothing_at_all_ends_with_the_time(world: World) -> None:
    silent = Silent()
    world.shelf.put("silent", silent)
    accepted = await world.submit(model="silent")
    while (await world.kinds())[-1:] != ["model.started"]:  # noqa: ASYNC110 - reading is waiting
        await asyncio.sleep(0)
    for _ in range(20):
        await world.time.pass_by(60_000)
    run = await asyncio.wait_for(world.agent.wait(accepted.run_id), 30)
    await world.check(accepted.run_id)
    assert (run.state, run.reason, silent.closed) == ("completed", "deadline", True)


async def test_opaque_items_go_back_to_whom_they_came_from_and_to_nobody_else(
    world: World,
) -> None:
    items = [
        ProviderItemEvent(ProviderItem("tag", {"signature": "abc"})),
        ProviderItemEvent(ProviderItem("tag", {"signature": "def"}), key="k0"),
        ProviderItemEvent(ProviderItem("other", {"signature": "ghi"})),
    ]
    *calls, done = use(search("eighty"))
    await world.ask([*calls, *items, done], say("Eighty [E1]."))
    asked = world.model.requests[1].messages[1]
    (call,) = (part for part in asked.content if isinstance(part, ToolCallContent))
    kept = [part for part in asked.content if isinstance(part, ProviderItem)]
    assert kept == [
        ProviderItem("tag", {"signature": "abc"}),
        ProviderItem("tag", {"signature": "def"}, call.id),
    ]
