"""Commit before show: what a model, a tool or a listener meets is stored already."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from itertools import pairwise

from miniature import World
from scripted_models import HANG, Act, Item, Pass, say, search, use

from agent.model import Done, ModelError, ModelRequest, StopReason, TextDelta, ThinkingDelta
from manifest.errors import ErrorCode
from storage.stores.events import Event
from storage.stores.runs import RunState


async def test_a_request_is_in_the_ledger_before_it_leaves(world: World) -> None:
    seen: list[tuple[str, int, str]] = []

    async def look(request: ModelRequest) -> None:
        run_id = request.id.rpartition("-")[0]
        ledger = await world.storage.read(lambda tx: world.storage.requests.of_run(tx, run_id))
        assert ledger[-1].outcome is None
        assert ledger[-1].reserved_tokens > 0
        last = (await world.events())[-1]
        seen.append((request.id, ledger[-1].n, last.type))
        assert last.body["requestId"] == request.id

    world.model.sent = look
    answer = await world.ask(use(search("eighty")), say("Eighty [E1]."))
    run_id = answer.run.id
    assert seen == [(f"{run_id}-1", 1, "model.started"), (f"{run_id}-2", 2, "model.started")]


async def test_a_call_is_stored_before_its_tool_runs_and_its_result_before_the_model_reads_it(
    world: World,
) -> None:
    stored: list[tuple[str, int]] = []

    async def look(_name: str, _arguments: Mapping[str, object]) -> None:
        kinds = await world.kinds()
        run = await world.run((await world.entries())[0].run_id or "")
        stored.append((kinds[-1], run.counts.tool_calls))

    world.reading.meanwhile = look
    await world.ask(use(search("eighty"), search("boils")), say("Eighty [E1]."))
    # Both were counted with the turn that made them.
    assert stored == [("tool.call", 2), ("tool.result", 2)]


async def test_events_tell_the_whole_story_in_order(world: World) -> None:
    await world.ask(
        use(search("eighty"), text="Let me look."),
        [
            ThinkingDelta("So eighty."),
            *say('Eighty degrees [E1 "Water for green tea has eighty degrees"].'),
        ],
    )
    assert await world.kinds() == [
        "run.started",
        "model.started",
        "text.delta",
        "model.completed",
        "tool.call",
        "tool.result",
        "model.started",
        "thinking.delta",
        "text.delta",
        "model.completed",
        "run.finalising",
        "citation",
        "run.completed",
    ]


async def test_a_listener_gets_every_event_once_from_wherever_it_begins(world: World) -> None:
    heard: dict[int, list[Event]] = {0: [], 3: []}

    async def listen(after: int) -> None:
        async for event in world.agent.events("s1", after=after):
            heard[after].append(event)
            stored = await world.events()
            assert event in stored
            if event.type == "run.completed":
                return

    listeners = [asyncio.create_task(listen(after)) for after in heard]
    await world.ask(use(search("eighty")), say("Eighty [E1]."))
    await asyncio.wait_for(asyncio.gather(*listeners), 30)
    stored = await world.events()
    assert heard == {0: stored, 3: stored[3:]}


async def next_event(world: World, kind: str) -> Event:
    async def listen() -> Event:
        async for event in world.agent.events("s1"):
            if event.type == kind:
                return event
        raise AssertionError("the events ended")

    return await asyncio.wait_for(listen(), 30)


async def test_words_are_shown_after_a_tenth_of_a_second_even_if_no_more_come(
    world: World,
) -> None:
    world.model.turns = [
        [TextDelta("Wa"), Pass(60), TextDelta("ter "), Pass(39), HANG, *say("boils. [E0]")]
    ]
    accepted = await world.submit()
    await world.model.reached.wait()
    assert "text.delta" not in await world.kinds()
    world.time.advance(1)
    event = await next_event(world, "text.delta")
    assert event.body == {"requestId": f"{accepted.run_id}-1", "text": "Water "}
    world.model.go.set()
    await world.agent.wait(accepted.run_id)
    await world.check(accepted.run_id)


async def test_words_and_thoughts_are_never_more_than_a_tenth_of_a_second_late(
    world: World,
) -> None:
    pieces = [TextDelta(f"{n:04d} ") for n in range(100)]
    paced = [item for piece in pieces for item in (piece, Pass(10))]
    answer = await world.ask([ThinkingDelta("Hm."), *paced, *say("[E0]")])
    deltas = [event for event in await world.events() if event.type == "text.delta"]
    # A thousand milliseconds of words, the last of which the end of the stream brings.
    assert 10 <= len(deltas) <= 12
    gaps = [b.created_at - a.created_at for a, b in pairwise(deltas)]
    assert max(gaps) <= 110
    assert answer.status == "not_found"


async def test_words_that_come_while_others_are_committed_wait_no_longer(world: World) -> None:
    backend = world.disk.backend
    assert backend is not None
    slow, quick = Act(backend.quick.clear), Act(backend.quick.set)
    began: list[Item] = [
        TextDelta("Wa"),
        slow,
        Pass(100),
        TextDelta("ter "),
        quick,
        Pass(0),
        Pass(100),
    ]
    world.model.turns = [[*began, HANG, *say("boils. [E0]")]]
    accepted = await world.submit()
    await world.model.reached.wait()
    said = [event.body["text"] for event in await world.events() if event.type == "text.delta"]
    assert said == ["Wa", "ter "]
    world.model.go.set()
    await world.agent.wait(accepted.run_id)
    await world.check(accepted.run_id)


async def test_what_a_failed_request_said_is_void_before_it_is_sent_again(world: World) -> None:
    fault = ModelError(ErrorCode.PROVIDER_UNAVAILABLE, "The line broke.")
    broken: list[Item] = [TextDelta("Water has eig"), Pass(100), HANG, fault]
    world.model.turns = [broken, say("Eighty. [E0]")]
    accepted = await world.submit()
    await world.model.reached.wait()
    await next_event(world, "text.delta")
    world.model.go.set()
    await world.agent.wait(accepted.run_id)
    await world.check(accepted.run_id)
    events = await world.events()
    assert [event.type for event in events if event.type.startswith("model")] == [
        "model.started",
        "model.discarded",
        "model.started",
        "model.completed",
    ]
    (void,) = (event for event in events if event.type == "model.discarded")
    assert void.body == {
        "requestId": f"{accepted.run_id}-1",
        "code": "PROVIDER_UNAVAILABLE",
        "message": "The line broke.",
    }
    assert world.time.waited.count(1.0) == 1


async def test_the_answer_its_citations_and_the_end_are_one_commit(world: World) -> None:
    commits = []
    backend = world.disk.backend
    assert backend is not None
    await world.ask(use(search("eighty")), say("Eighty [E1]."))
    total = backend.commits
    for dies_at in range(1, total + 1):
        run_id = await one_run_until(world, dies_at, f"s-{dies_at}")
        if run_id is None:
            continue
        await world.start()
        run = await world.run(run_id)
        citations = await world.citations(run_id)
        roles = [entry.role for entry in await world.entries(f"s-{dies_at}")]
        ended = run.state is RunState.COMPLETED
        assert (len(citations) == 1) is ended is (roles[-1] == "answer")
        commits.append(ended)
    assert commits.count(True) == 1


async def one_run_until(world: World, dies_at: int, session: str) -> str | None:
    """A run in a process that dies at a commit; the run's id, if it was accepted."""
    world.model.requests.clear()
    await world.start(dies_at)
    try:
        accepted = await world.submit(session=session)
        await world.agent.wait(accepted.run_id)
    except Exception as error:
        if type(error).__name__ != "PowerCut":
            raise
    await world.disk.power_off()
    await world.start()
    runs = await world.storage.read(lambda tx: world.storage.runs.of_session(tx, session))
    return runs.items[0].id if runs.items else None


async def test_a_refusal_ends_the_run_with_a_clear_word(world: World) -> None:
    answer = await world.ask(say("I must", stop=StopReason.REFUSAL))
    assert (answer.status, answer.run.error_code) == ("failed", "PROVIDER_REFUSED")
    assert answer.message == "The model refused to answer."


async def test_an_answer_cut_by_its_length_is_kept_and_says_so(world: World) -> None:
    answer = await world.ask(use(search("eighty")), say("Eighty [E1] de", stop=StopReason.LENGTH))
    assert (answer.status, answer.run.reason) == ("completed", "length")


async def test_an_empty_answer_is_closed_from_what_was_read(world: World) -> None:
    answer = await world.ask(use(search("eighty")), [Done(StopReason.END)])
    assert (answer.text, answer.run.reason) == ("What was read so far [1].", "empty")
