"""Budgets: requests, calls, time and tokens are counted before, and a restart refills nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace

import pytest
from miniature import World
from scripted_models import HANG, Pass, ScriptedModel, results, say, search, use
from virtual_time import MINUTE, SECOND

from agent.budget import DEFAULT_BUDGET
from agent.loop import NO_TIME
from agent.model import Done, ModelError, StopReason, TextDelta, Usage
from agent.models.extractive import ExtractiveModel
from agent.sender import input_estimate
from manifest.errors import ErrorCode
from storage.stores.requests import Request
from storage.stores.runs import RunState

LOOK = use(search("eighty"))


async def ledger(world: World, run_id: str) -> tuple[Request, ...]:
    return await world.storage.read(lambda tx: world.storage.requests.of_run(tx, run_id))


async def test_thirty_two_requests_and_then_a_summary_without_tools(world: World) -> None:
    answer = await world.ask(*[LOOK] * 32, say("Eighty [E1]."))
    assert len(world.model.requests) == 33
    assert [bool(request.tools) for request in world.model.requests] == [True] * 32 + [False]
    assert [str(line.kind) for line in await ledger(world, answer.run.id)] == (
        ["answer"] * 32 + ["summary"]
    )
    # The calls of the last turn with tools have run, and the summary sees what they gave.
    assert len(results(world.model.requests[-1].messages)) == 32
    assert (answer.status, answer.run.reason) == ("completed", "summary")
    assert answer.run.counts.requests == 33


async def test_retries_count_and_the_ledger_never_passes_thirty_three(world: World) -> None:
    fault = ModelError(ErrorCode.PROVIDER_UNAVAILABLE, "down")
    answer = await world.ask(*[LOOK, [fault]] * 16, [fault])
    # 32 requests, of which 16 came to nothing, then the summary fails as well.
    assert len(world.model.requests) == 33
    assert answer.run.counts.requests == 33
    assert (answer.text, answer.run.reason) == ("What was read so far [1].", "budget")


async def test_a_summary_that_still_calls_tools_is_taken_by_its_words(world: World) -> None:
    calling = use(search("boils"), text="Eighty [E1].")
    answer = await world.ask(*[LOOK] * 32, calling)
    assert len(world.model.requests) == 33
    assert len(world.reading.calls) == 32
    assert (answer.text, answer.run.reason) == ("Eighty [1].", "summary")


# Time


async def test_at_eighteen_thirty_tools_stop_and_the_summary_starts(world: World) -> None:
    late = [Pass(18 * MINUTE + 29 * SECOND), *LOOK]

    async def slow(_name: str, _arguments: Mapping[str, object]) -> None:
        await world.time.pass_by(1 * SECOND)
        await asyncio.sleep(0)

    world.reading.meanwhile = slow
    answer = await world.ask(late, say("No more [E1]. [E0]"))
    summary = world.model.requests[1]
    assert summary.tools == ()
    (result,) = results(summary.messages)
    assert (result.failed, result.text) == (True, NO_TIME)
    assert answer.run.reason == "summary"


async def test_calls_that_wait_for_their_turn_are_told_that_there_is_no_time(
    world: World,
) -> None:
    async def slow(_name: str, _arguments: Mapping[str, object]) -> None:
        world.time.now += 9 * MINUTE + 30 * SECOND

    world.reading.meanwhile = slow
    await world.ask(use(search("eighty"), search("boils"), search("锁")), say("Eighty [E1]."))
    given = results(world.model.requests[1].messages)
    assert [part.text == NO_TIME for part in given] == [False, False, True]
    assert len(world.reading.calls) == 2


async def test_a_tool_that_hangs_is_stopped_at_eighteen_thirty(world: World) -> None:
    hanging = asyncio.Event()

    async def hang(_name: str, _arguments: Mapping[str, object]) -> None:
        hanging.set()
        await asyncio.Event().wait()

    world.reading.meanwhile = hang
    world.model.turns = [LOOK, say("I could not look. [E0]")]
    accepted = await world.submit()
    await hanging.wait()
    for _ in range(18):
        await world.time.pass_by(MINUTE)
    await world.time.pass_by(31 * SECOND)
    await asyncio.wait_for(world.agent.wait(accepted.run_id), 30)
    await world.check(accepted.run_id)
    assert results(world.model.requests[1].messages)[0].text == NO_TIME


async def test_at_twenty_minutes_the_built_in_model_closes_from_what_was_read(
    world: World,
) -> None:
    world.model.turns = [LOOK, [TextDelta("Eight"), HANG]]
    accepted = await world.submit()
    await world.model.reached.wait()
    assert (await world.run(accepted.run_id)).state is RunState.RUNNING
    for _ in range(20):
        await world.time.pass_by(MINUTE)
    run = await asyncio.wait_for(world.agent.wait(accepted.run_id), 30)
    await world.check(accepted.run_id)
    assert (run.state, run.reason) == (RunState.COMPLETED, "deadline")
    assert world.model.closed == world.model.opened == 2
    assert (await world.entries())[-1].body["text"] == "What was read so far [1]."
    # What had been streamed is void, and the ledger knows how the request ended.
    assert [line.outcome for line in await ledger(world, run.id)] == ["tool", "PROVIDER_TIMEOUT"]
    assert "model.discarded" in await world.kinds()


async def test_the_real_built_in_model_closes_with_a_checked_quotation(world: World) -> None:
    world.closer = ExtractiveModel()
    await world.start()
    answer = await world.ask(
        LOOK, [Pass(20 * MINUTE), HANG], text="How hot is water for green tea?"
    )
    assert answer.run.reason == "deadline"
    assert answer.status in {"completed", "not_found"}
    assert all(cited.verified for cited in answer.citations)


async def test_a_wait_between_attempts_ends_at_the_deadline(world: World) -> None:
    world.time.pauses.add(49.0)
    fault = ModelError(ErrorCode.PROVIDER_RATE_LIMITED, "slow down", retry_after_ms=49_000)
    answer = await world.ask(LOOK, [Pass(18 * MINUTE + 20 * SECOND), fault], say("Eighty [E1]."))
    # When the wait was over it was too late for tools.
    assert world.model.requests[-1].tools == ()
    assert answer.run.reason == "summary"


async def test_an_answer_that_was_there_at_the_deadline_is_used(world: World) -> None:
    answer = await world.ask(LOOK, [Pass(20 * MINUTE - 1), *say("Eighty [E1]."), Pass(1)])
    assert (answer.text, answer.run.reason) == ("Eighty [1].", "")


async def test_proofs_that_do_not_come_do_not_hold_up_the_answer(world: World) -> None:
    world.reading.chain_waits = True
    world.model.turns = [LOOK, say("Eighty [E1].")]
    accepted = await world.submit()
    await world.reading.chain_asked.wait()
    assert (await world.run(accepted.run_id)).state is RunState.FINALISING
    await world.time.pass_by(30 * SECOND)
    run = await asyncio.wait_for(world.agent.wait(accepted.run_id), 30)
    assert run.state is RunState.COMPLETED
    assert (await world.entries())[-1].body["unproved"] == ["cooking/tea"]


# Tokens


async def test_known_usage_is_charged_as_the_provider_says(world: World) -> None:
    usage = Usage(uncached=100, cache_read=1000, cache_write=10, output=20, reasoning=5)
    answer = await world.ask(say("[E0]", usage=usage))
    assert answer.run.counts.tokens == 1130
    assert answer.usage == {
        "requests": 1,
        "uncached": 100,
        "cacheRead": 1000,
        "cacheWrite": 10,
        "output": 20,
        "reasoning": 5,
    }
    session = await world.storage.read(lambda tx: world.storage.sessions.get(tx, "s1"))
    assert session.usage["cacheRead"] == 1000


async def test_unknown_usage_is_charged_by_estimate(world: World) -> None:
    answer = await world.ask(say("死锁" * 50 + " [E0]"))
    (line,) = await ledger(world, answer.run.id)
    assert line.reserved_tokens == input_estimate(world.model.requests[0]) > 0
    assert answer.run.counts.tokens == line.reserved_tokens + 100 + 2
    assert line.usage is None
    assert answer.usage == {"requests": 1}


async def test_a_request_that_came_to_nothing_is_charged_for_what_it_said(world: World) -> None:
    fault = ModelError(ErrorCode.PROVIDER_AUTH_FAILED, "no")
    answer = await world.ask([TextDelta("word " * 40), fault])
    reserved = (await ledger(world, answer.run.id))[0].reserved_tokens
    assert answer.run.counts.tokens == reserved + 50
    usage = Usage(uncached=7, output=3)
    answer = await world.ask([TextDelta("word " * 40), usage, fault], client="c2")
    assert answer.run.counts.tokens == 10


@pytest.mark.parametrize("tokens", [1000, 100_000])
async def test_spent_tokens_close_the_run(world: World, tokens: int) -> None:
    world.budget = replace(DEFAULT_BUDGET, max_tokens=tokens)
    await world.start()
    using = [*LOOK[:-1], Usage(uncached=tokens, output=1), Done(StopReason.TOOL)]
    answer = await world.ask(using, say("Never."))
    assert len(world.model.requests) == 1
    assert (answer.text, answer.run.reason) == ("What was read so far [1].", "budget")


async def test_a_request_too_large_for_the_tokens_left_never_leaves(world: World) -> None:
    world.budget = replace(DEFAULT_BUDGET, max_tokens=100)
    await world.start()
    answer = await world.ask(say("Never."))
    assert world.model.requests == []
    assert (answer.run.counts.requests, answer.run.reason) == (0, "budget")


# Restarts


async def test_a_restart_refills_nothing(world: World) -> None:
    world.model.by_state = True
    world.model.turns = [LOOK, use(search("boils")), [HANG]]
    world.time.now = 5 * MINUTE
    accepted = await world.submit()
    await world.model.reached.wait()
    world.time.now += 2 * MINUTE
    await world.disk.power_off()
    world.time.now += 3 * MINUTE
    before = await world.start()
    world.model.turns = [LOOK, use(search("boils")), say("Both [E1], [E2].")]
    assert await before.recover() == [accepted.run_id]
    run = await asyncio.wait_for(world.agent.wait(accepted.run_id), 30)
    await world.check(accepted.run_id)
    assert run.counts.requests == 4
    assert run.counts.tool_calls == 2
    # Two minutes of work that no commit had charged, and three without a process.
    assert run.counts.elapsed_ms == 5 * MINUTE
    assert [str(line.kind) for line in await ledger(world, run.id)][-1] == "recovery"
    assert [line.outcome for line in await ledger(world, run.id)][2] == "RUN_INTERRUPTED"


async def test_a_run_that_was_left_for_twenty_minutes_is_closed(world: World) -> None:
    world.model.turns = [LOOK, [HANG]]
    accepted = await world.submit()
    await world.model.reached.wait()
    await world.disk.power_off()
    world.time.now += 20 * MINUTE
    await (await world.start()).recover()
    run = await asyncio.wait_for(world.agent.wait(accepted.run_id), 30)
    await world.check(accepted.run_id)
    assert (run.state, run.reason) == (RunState.COMPLETED, "deadline")
    assert len(world.model.requests) == 2


async def test_a_queued_run_left_over_night_has_all_its_time(world: World) -> None:
    await world.start(dies_at=2)
    accepted = await world.submit()
    await world.disk.power_off()
    world.time.now += 600 * MINUTE
    world.model.turns = [say("Good morning. [E0]")]
    await (await world.start()).recover()
    run = await asyncio.wait_for(world.agent.wait(accepted.run_id), 30)
    assert (run.state, run.reason, run.counts.elapsed_ms) == (RunState.COMPLETED, "", 0)


async def test_a_summary_lost_in_a_crash_is_sent_again(world: World) -> None:
    world.model.turns = [[Pass(18 * MINUTE + 30 * SECOND), *LOOK], [HANG]]
    accepted = await world.submit()
    await world.model.reached.wait()
    await world.disk.power_off()
    world.model.turns = [*world.model.turns, say("Eighty. [E0]")]
    await (await world.start()).recover()
    run = await asyncio.wait_for(world.agent.wait(accepted.run_id), 30)
    await world.check(accepted.run_id)
    assert (run.reason, run.counts.requests) == ("summary", 3)
    assert world.model.requests[-1].tools == ()


async def test_a_budget_is_the_runs_own_whatever_the_next_process_allows(world: World) -> None:
    world.model.turns = [LOOK, [HANG]]
    accepted = await world.submit()
    await world.model.reached.wait()
    world.budget = replace(DEFAULT_BUDGET, max_requests=1)
    world.shelf.put("scripted", ScriptedModel(world.time))
    await (await world.start()).recover()
    run = await asyncio.wait_for(world.agent.wait(accepted.run_id), 30)
    assert run.budget == DEFAULT_BUDGET
    assert run.state is RunState.COMPLETED
