"""The one place through which requests go, alone: estimates, and one stream at a time."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from miniature import World
from scripted_models import HANG, Pass, say

from agent.model import (
    Message,
    ModelError,
    ModelRequest,
    Role,
    StopReason,
    TextContent,
    TextDelta,
    ToolCallContent,
    ToolDefinition,
    ToolResultContent,
)
from agent.model_turn import ModelTurn
from agent.run_record import RunEnded, RunRecord, request_id
from agent.sender import Sender, input_estimate
from manifest.errors import ErrorCode, NoteBridgeError
from storage.backend import Tx
from storage.stores.entries import NewEntry
from storage.stores.requests import RequestKind
from storage.stores.runs import NewRun, RunState

REQUEST = ModelRequest("", "scripted", "Be brief.", (Message(Role.USER, (TextContent("Hot?"),)),))


@pytest.fixture
async def record(world: World) -> RunRecord:
    """A run under way that nobody drives."""
    storage = world.storage

    def unit(tx: Tx) -> str:
        storage.sessions.create(tx, "s1", knowledge_base_id="kb", manifest_address="x")
        new = NewRun("scripted", "default", 1000, world.budget)
        entry = NewEntry("user", {"text": "Hot?"})
        accepted = storage.submissions.accept(tx, "s1", "c1", request=b"{}", entry=entry, run=new)
        storage.runs.advance(tx, accepted.run_id, RunState.RUNNING)
        return accepted.run_id

    run = await world.run(await storage.write(unit, durable=True))
    return RunRecord(storage, run, world.time.monotonic, lambda: None)


@pytest.fixture
def sender(world: World, record: RunRecord) -> Sender:
    return Sender(record, world.model, world.time.sleep)


async def test_a_turn_is_stored_when_it_is_returned(
    world: World, record: RunRecord, sender: Sender
) -> None:
    world.model.turns = [say("Eighty.")]
    turn = await sender.send(REQUEST, RequestKind.ANSWER)
    assert isinstance(turn, ModelTurn)
    assert (turn.text, turn.stop) == ("Eighty.", StopReason.END)
    assert (await world.entries())[-1].body["text"] == "Eighty."
    assert world.model.requests == [replace(REQUEST, id=request_id(record.run_id, 1))]


async def test_a_failed_request_is_returned_as_its_error(world: World, sender: Sender) -> None:
    fault = ModelError(ErrorCode.PROVIDER_RATE_LIMITED, "slow down", retry_after_ms=5)
    world.model.turns = [[fault]]
    assert await sender.send(REQUEST, RequestKind.ANSWER) == fault
    assert [entry.role for entry in await world.entries()] == ["user"]


async def test_nothing_leaves_that_the_ledger_refuses(
    world: World, record: RunRecord, sender: Sender
) -> None:
    world.model.turns = [say("Eighty.")]
    for _ in range(32):
        await sender.send(REQUEST, RequestKind.ANSWER)
    for kind in (RequestKind.ANSWER, RequestKind.RETRY, RequestKind.RECOVERY):
        with pytest.raises(NoteBridgeError) as caught:
            await sender.send(REQUEST, kind)
        assert caught.value.code is ErrorCode.BUDGET_EXHAUSTED
    await sender.send(REQUEST, RequestKind.SUMMARY)
    with pytest.raises(NoteBridgeError):
        await sender.send(REQUEST, RequestKind.SUMMARY)
    assert len(world.model.requests) == 33


async def test_time_that_a_refused_commit_did_not_charge_is_charged_by_the_next(
    world: World, record: RunRecord, sender: Sender
) -> None:
    world.time.now += 5000
    with pytest.raises(NoteBridgeError):
        await record.count_request(RequestKind.ANSWER, 10**9)
    assert record.elapsed_ms == 5000
    world.time.now += 1000
    await record.standing()
    assert record.elapsed_ms == 6000
    assert (await world.run(record.run_id)).counts.elapsed_ms == 6000


async def test_nothing_leaves_for_a_run_that_has_ended(
    world: World, record: RunRecord, sender: Sender
) -> None:
    await record.cancel()
    with pytest.raises(RunEnded):
        await sender.send(REQUEST, RequestKind.ANSWER)
    assert world.model.requests == []


async def test_a_cancelled_request_stays_open_until_it_is_voided(
    world: World, record: RunRecord, sender: Sender
) -> None:
    world.model.turns = [[TextDelta("Eig"), Pass(100), HANG]]
    sending = asyncio.create_task(sender.send(REQUEST, RequestKind.ANSWER))
    await world.model.reached.wait()
    sending.cancel()
    await asyncio.gather(sending, return_exceptions=True)
    assert world.model.closed == 1
    (line,) = await world.storage.read(lambda tx: world.storage.requests.of_run(tx, record.run_id))
    assert line.outcome is None
    await record.void_open(ErrorCode.PROVIDER_TIMEOUT, "Too late.")
    await record.void_open(ErrorCode.PROVIDER_TIMEOUT, "Too late.")
    assert await world.kinds() == ["model.started", "text.delta", "model.discarded"]


async def test_a_fault_of_storage_is_raised_and_closes_the_stream(
    world: World, sender: Sender
) -> None:
    # More than one event may hold.
    world.model.turns = [[TextDelta("Eig"), Pass(100), TextDelta("词" * 900_000), *say("")]]
    with pytest.raises(NoteBridgeError) as caught:
        await sender.send(REQUEST, RequestKind.ANSWER)
    assert caught.value.code is ErrorCode.OBJECT_TOO_LARGE
    assert world.model.closed == 1


def test_an_estimate_counts_all_that_is_sent() -> None:
    bare = input_estimate(REQUEST)
    assert bare == 3 + 1
    tool = ToolDefinition("search_documents", "Searches.", {"type": "object"})
    assert input_estimate(replace(REQUEST, tools=(tool,))) > bare
    call = ToolCallContent("c1", "search_documents", {"query": "green tea and black tea"})
    result = ToolResultContent("c1", "search_documents", "词" * 100)
    more = (Message(Role.ASSISTANT, (call,)), Message(Role.TOOL, (result,)))
    assert input_estimate(replace(REQUEST, messages=REQUEST.messages + more)) >= bare + 100 + 5


@given(st.text(max_size=200), st.text(max_size=200))
def test_saying_more_never_costs_less(text: str, more: str) -> None:
    def of(words: str) -> int:
        message = Message(Role.USER, (TextContent(words),))
        return input_estimate(replace(REQUEST, messages=(message,)))

    assert of(text + more) >= of(text)
