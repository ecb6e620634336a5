"""Cancelling: at whatever moment, there is one end, and `cancel` tells the one that holds."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from functools import partial

import pytest
from miniature import World
from scripted_models import HANG, Pass, say, search, use

from agent.model import ModelEvent, ModelRequest, TextDelta
from manifest.errors import ErrorCode, NoteBridgeError
from storage.backend import ReadTx, Tx
from storage.stores.runs import Run, RunState

TURNS = [
    use(search("eighty"), search("boils"), text="Let me look."),
    [TextDelta("Eighty "), Pass(100), *say('degrees [E1 "Water for green tea has eighty"].')],
]


async def active(world: World, session: str) -> Run | None:
    def unit(tx: ReadTx) -> Run | None:
        return world.storage.runs.active(tx, session)

    return await world.storage.read(unit)


async def test_wherever_it_is_cancelled_a_run_has_one_end(world: World) -> None:
    world.model.by_state = True
    await world.ask(*TURNS, session="s0")
    ticks = world.time.ticks
    ends: list[RunState] = []
    cancelling: list[asyncio.Task[None]] = []
    told: list[Run] = []

    async def cancel(session: str) -> None:
        run = await active(world, session)
        if run is not None:
            told.append(await world.agent.cancel(run.id))

    def begin(session: str) -> None:
        cancelling.append(asyncio.create_task(cancel(session)))

    for ahead in range(1, ticks + 1):
        told.clear()
        session = f"s{ahead}"
        world.time.at_tick(ahead, partial(begin, session))
        accepted = await world.submit(session=session)
        run = await asyncio.wait_for(world.agent.wait(accepted.run_id), 30)
        await asyncio.wait_for(asyncio.gather(*cancelling), 30)
        run = await world.run(run.id)
        assert all(each.state is run.state for each in told)
        assert world.model.closed == world.model.opened
        await world.check(run.id)
        ends.append(run.state)
    assert set(ends) == {RunState.CANCELLED, RunState.COMPLETED}
    assert ends.count(RunState.CANCELLED) > ticks // 2
    await world.start()
    assert await world.agent.recover() == []


async def test_cancelling_while_it_streams_closes_the_stream(world: World) -> None:
    world.model.turns = [[TextDelta("Eig"), HANG]]
    accepted = await world.submit()
    await world.model.reached.wait()
    run = await world.agent.cancel(accepted.run_id)
    assert run.state is RunState.CANCELLED
    assert world.model.closed == world.model.opened == 1
    assert (await world.kinds())[-1] == "run.cancelled"
    await world.check(accepted.run_id)


async def test_cancelling_while_a_tool_runs_stops_the_tool(world: World) -> None:
    stopped, running = asyncio.Event(), asyncio.Event()

    async def hang(_name: str, _arguments: Mapping[str, object]) -> None:
        running.set()
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    world.reading.meanwhile = hang
    world.model.turns = TURNS
    accepted = await world.submit()
    await running.wait()
    assert (await world.agent.cancel(accepted.run_id)).state is RunState.CANCELLED
    assert stopped.is_set()
    await world.check(accepted.run_id)


async def test_cancelling_while_it_finalises_wins_over_the_answer(world: World) -> None:
    world.reading.chain_waits = True
    world.model.turns = TURNS
    accepted = await world.submit()
    await world.reading.chain_asked.wait()
    assert (await world.agent.cancel(accepted.run_id)).state is RunState.CANCELLED
    await world.check(accepted.run_id)
    assert [entry.role for entry in await world.entries()][-1] == "answer"
    assert (await world.entries())[-1].body["status"] == "cancelled"


async def test_cancelling_between_two_attempts(world: World) -> None:
    world.time.pauses.clear()
    world.model.turns = [[TextDelta("Eig")]]
    accepted = await world.submit()
    while 1.0 not in world.time.waited:  # noqa: ASYNC110 - the run waits, nothing tells of it
        await asyncio.sleep(0)
    assert (await world.agent.cancel(accepted.run_id)).state is RunState.CANCELLED
    assert len(world.model.requests) == 1


async def test_an_end_that_came_first_holds(world: World) -> None:
    answer = await world.ask(*TURNS)
    run = await world.agent.cancel(answer.run.id)
    assert run.state is RunState.COMPLETED
    assert run == await world.run(run.id)
    await world.check(run.id)


async def test_cancelling_twice_tells_the_same(world: World) -> None:
    world.model.turns = [[HANG]]
    accepted = await world.submit()
    await world.model.reached.wait()
    first, second = await asyncio.gather(
        world.agent.cancel(accepted.run_id), world.agent.cancel(accepted.run_id)
    )
    assert first == second
    assert first.state is RunState.CANCELLED
    await world.check(accepted.run_id)


async def test_an_unknown_run_is_not_found(world: World) -> None:
    with pytest.raises(NoteBridgeError) as caught:
        await world.agent.cancel("nobody")
    assert caught.value.code is ErrorCode.RUN_NOT_FOUND


async def test_a_client_that_leaves_while_cancelling_has_cancelled(world: World) -> None:
    world.model.turns = [[HANG]]
    accepted = await world.submit()
    await world.model.reached.wait()
    backend = world.disk.backend
    assert backend is not None
    backend.quick.clear()
    impatient = asyncio.create_task(world.agent.cancel(accepted.run_id))
    while (await world.run(accepted.run_id)).state is not RunState.CANCELLED:  # noqa: ASYNC110
        await asyncio.sleep(0)
    impatient.cancel()
    await asyncio.sleep(0)
    backend.quick.set()
    await asyncio.wait_for(world.agent.wait(accepted.run_id), 30)
    assert world.model.closed == 1
    await world.check(accepted.run_id)


class Stubborn:
    """A model whose connection cannot be closed until somebody helps."""

    def __init__(self) -> None:
        self.streaming = asyncio.Event()
        self.closing = asyncio.Event()
        self.help = asyncio.Event()

    async def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]:
        try:
            self.streaming.set()
            await asyncio.Event().wait()
            yield TextDelta("never")
        finally:
            self.closing.set()
            await self.help.wait()


@pytest.mark.parametrize("how", ["cancel", "close"])
async def test_a_connection_that_does_not_close_holds_nobody_up(world: World, how: str) -> None:
    model = Stubborn()
    world.shelf.put("stubborn", model)
    accepted = await world.submit(model="stubborn")
    await model.streaming.wait()
    work = world.agent.cancel(accepted.run_id) if how == "cancel" else world.agent.close()
    stopping = asyncio.create_task(work)
    await model.closing.wait()
    await world.time.pass_by(9_999)
    assert not stopping.done()
    await world.time.pass_by(1)
    await asyncio.wait_for(stopping, 30)
    ended = {"cancel": RunState.CANCELLED, "close": RunState.INTERRUPTED}
    assert (await world.run(accepted.run_id)).state is ended[how]
    model.help.set()
    await asyncio.wait_for(world.agent.wait(accepted.run_id), 30)
    assert (await world.run(accepted.run_id)).state is ended[how]
    await world.check(accepted.run_id)


async def test_a_run_that_others_have_ended_commits_nothing_more(world: World) -> None:
    world.model.turns = [[TextDelta("Eig"), HANG, *TURNS[0]], *TURNS[1:]]
    accepted = await world.submit()
    await world.model.reached.wait()

    def end(tx: Tx) -> None:
        world.storage.runs.finish(tx, accepted.run_id, RunState.CANCELLED)

    await world.storage.write(end, durable=True)
    before = await world.events()
    world.model.go.set()
    run = await asyncio.wait_for(world.agent.wait(accepted.run_id), 30)
    assert run.state is RunState.CANCELLED
    assert await world.events() == before
    assert [entry.role for entry in await world.entries()] == ["user"]
    assert world.model.closed == 1


async def test_a_cancelled_run_never_comes_back(world: World) -> None:
    world.model.turns = [use(search("eighty")), [HANG]]
    accepted = await world.submit()
    await world.model.reached.wait()
    await world.disk.power_off()
    await world.start()
    # Nobody works on it in this process; it is stopped all the same.
    assert (await world.agent.cancel(accepted.run_id)).state is RunState.CANCELLED
    assert await world.agent.recover() == []
    await world.start()
    assert await world.agent.recover() == []
    assert len(world.model.requests) == 2
    await world.check(accepted.run_id)


async def test_a_cancelled_session_takes_the_next_question(world: World) -> None:
    world.model.turns = [use(search("eighty")), [TextDelta("Eig"), HANG]]
    accepted = await world.submit()
    await world.model.reached.wait()
    await world.agent.cancel(accepted.run_id)
    answer = await world.ask(say("Eighty [E1]."), client="c2")
    assert answer.status == "completed"
    said = [message.text for message in world.model.requests[0].messages]
    # The half answer is not part of the conversation.
    assert said == ["How hot?", "", "", "How hot?"]
