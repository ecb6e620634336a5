"""Recovery: a run goes on from any commit as if nothing had happened, or says that it cannot."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from dataclasses import dataclass

import pytest
from miniature import World
from mortal_storage import PowerCut
from scripted_models import HANG, Pass, Turn, results, say, search, use

from agent.answer import read_answer
from agent.model import TextDelta
from agent.ports import Reading
from manifest.errors import ErrorCode, NoteBridgeError
from storage.backend import ReadTx
from storage.stores.runs import Run, RunState

ANSWER = 'Eighty degrees [E1 "Water for green tea has eighty"], boiling [E2], nothing [E9].'
TURNS: list[Turn] = [
    use(search("eighty"), ("no_such_tool", {}), text="Let me look."),
    use(search("boils"), search("eighty")),
    [TextDelta("Eighty "), Pass(100), *say(ANSWER[7:])],
]


@dataclass
class Trace:
    """What a run has left, without ids and times."""

    roles: list[str]
    texts: list[object]
    evidence: list[tuple[str, int, int]]
    citations: list[tuple[int, str, str]]
    tool_calls: int

    @classmethod
    async def of(cls, world: World, run_id: str) -> Trace:
        def unit(tx: ReadTx) -> Trace:
            storage = world.storage
            run = storage.runs.get(tx, run_id)
            entries = storage.entries.of_run(tx, run_id)
            return cls(
                [entry.role for entry in entries],
                [entry.body.get("text") for entry in entries],
                [
                    (each.doc_id, each.start, each.end)
                    for each in storage.evidence.of_session(tx, run.session_id)
                ],
                [
                    (each.n, each.quote, each.verdict)
                    for each in storage.citations.of_run(tx, run_id)
                ],
                run.counts.tool_calls,
            )

        return await world.storage.read(unit)


async def dies(world: World, session: str) -> None:
    """A question to a process that dies at some commit."""
    with contextlib.suppress(PowerCut):
        accepted = await world.submit(session=session)
        await world.agent.wait(accepted.run_id)
    await world.disk.power_off()


async def goes_on(world: World, session: str, *, dies_at: int = 0, told: bool = True) -> Run:
    """The next process: it recovers, and the client sends its question again."""
    agent = await world.start(dies_at, told=told)
    await agent.recover()
    accepted = await world.submit(session=session)
    return await asyncio.wait_for(agent.wait(accepted.run_id), 30)


@pytest.mark.parametrize("told", [True, False], ids=["told", "untold"])
async def test_abandoned_after_any_commit_a_run_ends_as_if_nothing_had_happened(
    world: World, told: bool
) -> None:
    world.model.by_state = True
    world.model.turns = TURNS
    await world.start()
    await world.ask(session="s0")
    backend = world.disk.backend
    assert backend is not None
    commits = backend.commits
    run_id = (await world.entries("s0"))[0].run_id or ""
    undisturbed = await Trace.of(world, run_id)
    assert undisturbed.roles == ["user", *["assistant", "tool"] * 2, "assistant", "answer"]
    recovered = 0
    for dies_at in range(1, commits + 1):
        session = f"s{dies_at}"
        world.model.requests.clear()
        world.reading.calls.clear()
        await world.start(dies_at, told=told)
        await dies(world, session)
        run = await goes_on(world, session)
        assert run.state is RunState.COMPLETED
        assert await Trace.of(world, run.id) == undisturbed
        await world.check(run.id)
        # Three requests and four calls, and one more where one was under way.
        assert 3 <= run.counts.requests <= 4
        assert 4 <= len(world.reading.calls) <= 5
        assert run.recoveries <= 1
        recovered += run.recoveries
    # All but the commits before the run had begun, and the one that ended it.
    assert recovered >= commits - 5


@pytest.mark.parametrize("every", [*range(4, 16), 20, 30])
async def test_a_process_that_dies_again_and_again_is_given_up_after_three_recoveries(
    world: World, every: int
) -> None:
    world.model.by_state = True
    world.model.turns = TURNS
    await world.start(dies_at=every)
    await dies(world, "s1")
    for _ in range(5):
        with contextlib.suppress(PowerCut):
            await goes_on(world, "s1", dies_at=every)
        await world.disk.power_off()
    await world.start()
    run = await world.run((await world.entries("s1"))[0].run_id or "")
    await world.check(run.id)
    if run.state is RunState.COMPLETED:
        assert run.recoveries <= 3
        assert every > 5
    else:
        assert (run.state, run.error_code) == (RunState.FAILED, "RUN_INTERRUPTED")
        assert run.recoveries == 3
        answer = await read_answer(world.storage, run.id)
        assert answer.message == "The run was interrupted 4 times and is given up."


async def test_a_crash_before_the_site_is_open_counts_as_a_try(world: World) -> None:
    opening = asyncio.Event()

    async def never(_address: str, _revision: str) -> Reading:
        opening.set()
        await asyncio.Event().wait()
        return world.reading

    world.open = never  # type: ignore[method-assign, assignment]
    await world.start()
    accepted = await world.submit()
    for recoveries in range(4):
        await asyncio.wait_for(opening.wait(), 30)
        assert (await world.run(accepted.run_id)).recoveries == recoveries
        opening.clear()
        await (await world.start()).recover()
    run = await world.run(accepted.run_id)
    assert (run.state, run.error_code) == (RunState.FAILED, "RUN_INTERRUPTED")
    await world.check(run.id)


async def interrupted(world: World, *turns: Turn) -> str:
    """A run whose process is gone amid its last turn."""
    world.model.turns = [*turns, [TextDelta("Eig"), Pass(100), HANG]]
    accepted = await world.submit()
    await world.model.reached.wait()
    await world.disk.power_off()
    return accepted.run_id


async def test_no_half_sentence_is_shown_twice(world: World) -> None:
    run_id = await interrupted(world)
    world.model.turns = [*world.model.turns, say("Eighty. [E0]")]
    await (await world.start()).recover()
    await asyncio.wait_for(world.agent.wait(run_id), 30)
    await world.check(run_id)
    story = [
        (event.type, str(event.body.get("requestId"))[-2:])
        for event in await world.events()
        if event.type.startswith(("model", "text"))
    ]
    assert story == [
        ("model.started", "-1"),
        ("text.delta", "-1"),
        ("model.discarded", "-1"),
        ("model.started", "-2"),
        ("text.delta", "-2"),
        ("model.completed", "-2"),
    ]


async def test_results_that_are_stored_are_not_asked_for_again(world: World) -> None:
    second = asyncio.Event()

    async def hang(_name: str, arguments: Mapping[str, object]) -> None:
        if arguments["query"] == "boils":
            second.set()
            await asyncio.Event().wait()

    world.reading.meanwhile = hang
    world.model.turns = [use(search("eighty"), search("boils")), say("Both [E1], [E2].")]
    accepted = await world.submit()
    await second.wait()
    await world.disk.power_off()
    world.reading.meanwhile = None
    await (await world.start()).recover()
    run = await asyncio.wait_for(world.agent.wait(accepted.run_id), 30)
    await world.check(run.id)
    asked = [arguments["query"] for _, arguments in world.reading.calls]
    assert asked == ["eighty", "boils", "boils"]
    assert run.counts.tool_calls == 2
    assert [part.failed for part in results(world.model.requests[-1].messages)] == [False, False]


@pytest.mark.parametrize("code", [ErrorCode.MODEL_NOT_FOUND, ErrorCode.PROVIDER_AUTH_FAILED])
async def test_a_model_or_key_that_is_gone_fails_the_run_before_anything_is_read(
    world: World, code: ErrorCode
) -> None:
    run_id = await interrupted(world)

    def gone(_name: str) -> object:
        raise NoteBridgeError(code, "It is gone.")

    world.shelf.get = gone  # type: ignore[method-assign, assignment]
    world.opened.clear()
    await (await world.start()).recover()
    run = await asyncio.wait_for(world.agent.wait(run_id), 30)
    assert (run.state, run.error_code) == (RunState.FAILED, code)
    assert world.opened == []
    await world.check(run_id)


async def test_a_run_goes_on_at_its_own_revision(world: World) -> None:
    run_id = await interrupted(world, use(search("eighty")))
    world.model.turns = [*world.model.turns, say("Eighty [E1].")]
    await (await world.start()).recover()
    await asyncio.wait_for(world.agent.wait(run_id), 30)
    assert [revision for _, revision in world.opened] == ["", world.reading.revision]


async def test_a_revision_that_has_expired_is_answered_from_what_was_read(world: World) -> None:
    asked = asyncio.Event()

    async def hang(_name: str, arguments: Mapping[str, object]) -> None:
        if arguments["query"] == "boils":
            asked.set()
            await asyncio.Event().wait()

    world.reading.meanwhile = hang
    world.model.turns = [use(search("eighty"), search("boils")), say("Eighty [E1].")]
    accepted = await world.submit()
    await asked.wait()
    await world.disk.power_off()
    world.open_fault = NoteBridgeError(ErrorCode.REVISION_EXPIRED, "It is gone.")
    await (await world.start()).recover()
    run = await asyncio.wait_for(world.agent.wait(accepted.run_id), 30)
    await world.check(run.id)
    assert run.state is RunState.COMPLETED
    assert run.revision == world.reading.revision
    kept, gone = results(world.model.requests[-1].messages)
    assert (kept.failed, gone.failed) == (False, True)
    assert gone.text == "REVISION_EXPIRED: It is gone."
    assert world.model.requests[-1].tools == ()
    assert (await world.entries())[-1].body["unproved"] == ["cooking/tea"]


async def test_recovering_leaves_runs_of_this_process_alone(world: World) -> None:
    world.model.turns = [[HANG, *say("[E0]")]]
    accepted = await world.submit()
    await world.model.reached.wait()
    assert await world.agent.recover() == []
    assert (await world.run(accepted.run_id)).state is RunState.RUNNING
    world.model.go.set()
    run = await asyncio.wait_for(world.agent.wait(accepted.run_id), 30)
    assert (run.state, run.recoveries) == (RunState.COMPLETED, 0)
    assert await world.agent.recover() == []
    assert len(world.model.requests) == 1


async def test_recovering_twice_takes_a_run_up_once(world: World) -> None:
    run_id = await interrupted(world)
    world.model.turns = [*world.model.turns, say("Eighty. [E0]")]
    agent = await world.start()
    assert await agent.recover() == [run_id]
    assert await agent.recover() == []
    run = await asyncio.wait_for(agent.wait(run_id), 30)
    assert (run.state, run.recoveries) == (RunState.COMPLETED, 1)
    assert len(world.model.requests) == 2


async def test_recovering_twice_at_once_and_beside_new_questions(world: World) -> None:
    run_id = await interrupted(world)
    world.model.by_state = True
    world.model.turns = [say("Eighty. [E0]")]
    agent = await world.start()
    asked = [world.submit(session=f"n{n}") for n in range(5)]
    recovering = asyncio.gather(agent.recover(), agent.recover())
    accepted = await asyncio.gather(*asked)
    first, second = await recovering
    assert [*first, *second].count(run_id) == 1
    for each in (run_id, *(found.run_id for found in accepted)):
        run = await asyncio.wait_for(agent.wait(each), 30)
        assert run.state is RunState.COMPLETED
        assert run.recoveries == (each == run_id)
        await world.check(each)
    assert len(world.model.requests) == 7


async def test_a_session_with_an_interrupted_run_is_busy_until_it_is_taken_up(
    world: World,
) -> None:
    run_id = await interrupted(world)
    world.model.turns = [*world.model.turns, say("Eighty. [E0]")]
    agent = await world.start()
    with pytest.raises(NoteBridgeError) as caught:
        await world.submit("How cold?", client="c2")
    assert caught.value.code is ErrorCode.SESSION_BUSY
    await agent.recover()
    await asyncio.wait_for(agent.wait(run_id), 30)
    await world.ask(say("[E0]"), text="How cold?", client="c2")
