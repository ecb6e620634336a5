"""Submissions: accepted once, whatever the client does; refusals leave nothing behind."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from miniature import World
from scripted_models import HANG, ScriptedModel, say, search, use

from agent.agent import QUESTION_LIMIT, Submission
from agent.model import Effort
from manifest.errors import ErrorCode, NoteBridgeError
from storage.stores.runs import TERMINAL_STATES, RunState


async def test_the_same_request_is_accepted_once_and_told_where_it_stands(world: World) -> None:
    world.model.turns = [[HANG, *say("[E0]")]]
    first = await world.submit()
    assert (first.duplicate, first.state) == (False, RunState.QUEUED)
    await world.model.reached.wait()
    again = await world.submit()
    assert (again.duplicate, again.state) == (True, RunState.RUNNING)
    world.model.go.set()
    assert (await world.agent.wait(first.run_id)).state in TERMINAL_STATES
    last = await world.submit()
    assert last.state is RunState.COMPLETED
    for each in (again, last):
        assert (each.submission_id, each.run_id, each.message_id) == (
            first.submission_id,
            first.run_id,
            first.message_id,
        )
    assert len(world.model.requests) == 1
    assert (await world.entries())[0].id == first.message_id


async def test_many_at_once_are_one(world: World) -> None:
    accepted = await asyncio.gather(*(world.submit() for _ in range(10)))
    assert len({each.run_id for each in accepted}) == 1
    assert [each.duplicate for each in accepted].count(False) == 1
    await world.agent.wait(accepted[0].run_id)
    assert len(world.model.requests) == 1


@pytest.mark.parametrize(
    "change",
    [
        {"text": "How cold?"},
        {"model": "other"},
        {"effort": Effort.LOW},
        {"revision": "0" * 64},
        {"text": "How hot? "},
    ],
)
async def test_another_request_under_the_same_id_is_refused(
    world: World, change: dict[str, Any]
) -> None:
    world.shelf.put("other", ScriptedModel(world.time))
    answer = await world.ask(say("[E0]"))
    before = await world.events(), await world.entries()
    with pytest.raises(NoteBridgeError) as caught:
        await world.submit(**change)
    assert caught.value.code is ErrorCode.REQUEST_CONFLICT
    assert (await world.events(), await world.entries()) == before
    assert len(world.model.requests) == 1
    assert answer.run.state in TERMINAL_STATES


async def test_the_same_id_in_another_session_is_another_request(world: World) -> None:
    first = await world.ask(say("[E0]"))
    second = await world.ask(say("[E0]"), session="s2")
    assert first.run.id != second.run.id


async def test_a_session_answers_one_question_at_a_time(world: World) -> None:
    world.model.turns = [[HANG, *say("[E0]")]]
    accepted = await world.submit()
    await world.model.reached.wait()
    with pytest.raises(NoteBridgeError) as caught:
        await world.submit("How cold?", client="c2")
    assert caught.value.code is ErrorCode.SESSION_BUSY
    world.model.go.set()
    await world.agent.wait(accepted.run_id)
    # The refusal left no record: the same id is free.
    answer = await world.ask(say("[E0]"), text="How cold?", client="c2")
    assert answer.status == "not_found"
    assert [entry.role for entry in await world.entries()].count("user") == 2


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"text": ""}, ErrorCode.INVALID_ARGUMENT),
        ({"text": " \n"}, ErrorCode.INVALID_ARGUMENT),
        ({"text": "x" * (QUESTION_LIMIT + 1)}, ErrorCode.INVALID_ARGUMENT),
        ({"text": "How \ud83c hot?"}, ErrorCode.INVALID_ARGUMENT),
        ({"client": ""}, ErrorCode.INVALID_ARGUMENT),
        ({"client": "ü"}, ErrorCode.INVALID_ARGUMENT),
        ({"model": "nobody"}, ErrorCode.MODEL_NOT_FOUND),
        ({"effort": Effort.MAX}, ErrorCode.MODEL_CAPABILITY_MISMATCH),
    ],
)
async def test_refusals_leave_no_record(
    world: World, change: dict[str, Any], code: ErrorCode
) -> None:
    with pytest.raises(NoteBridgeError) as caught:
        await world.submit(**change)
    assert caught.value.code is code
    assert await world.entries() == ()
    assert await world.events() == []
    runs = await world.storage.read(lambda tx: world.storage.runs.of_session(tx, "s1"))
    assert runs.items == ()


async def test_an_unknown_session_is_refused(world: World) -> None:
    with pytest.raises(NoteBridgeError) as caught:
        await world.agent.submit(Submission("nowhere", "c1", "How hot?", "scripted"))
    assert caught.value.code is ErrorCode.SESSION_NOT_FOUND


async def test_what_was_accepted_stays_so_when_its_model_is_gone(world: World) -> None:
    answer = await world.ask(say("[E0]"))
    del world.shelf.profiles["scripted"]
    again = await world.submit()
    assert (again.run_id, again.duplicate) == (answer.run.id, True)


async def test_a_client_that_leaves_during_the_commit_has_its_run(world: World) -> None:
    backend = world.disk.backend
    assert backend is not None
    await world.ask(say("[E0]"))
    backend.quick.clear()
    submission = Submission("s1", "c2", "How cold?", "scripted")
    submitting = asyncio.create_task(world.agent.submit(submission))
    while (last := (await world.entries())[-1]).role != "user":  # noqa: ASYNC110
        await asyncio.sleep(0)
    submitting.cancel()
    await asyncio.gather(submitting, return_exceptions=True)
    assert submitting.cancelled()
    backend.quick.set()
    run = await asyncio.wait_for(world.agent.wait(last.run_id or ""), 30)
    assert run.state is RunState.COMPLETED


async def test_the_model_gets_the_question_the_effort_and_its_own_limit(world: World) -> None:
    world.shelf.put(
        "small", world.model, window=8000, max_output=99, efforts=frozenset({Effort.LOW})
    )
    answer = await world.ask(say("[E0]"), model="small", effort=Effort.LOW)
    (request,) = world.model.requests
    assert (request.model, request.effort, request.max_output) == ("small", Effort.LOW, 99)
    assert [message.text for message in request.messages] == ["How hot?"]
    assert answer.run.window == 8000
    assert {tool.name for tool in request.tools} == {spec.name for spec in world.reading.specs}


async def test_a_run_reads_the_revision_it_is_told_or_the_newest(world: World) -> None:
    answer = await world.ask(say("[E0]"))
    assert answer.run.revision == world.reading.revision
    await world.ask(say("[E0]"), client="c2", revision=world.reading.revision)
    assert [revision for _, revision in world.opened] == ["", world.reading.revision]


@pytest.mark.parametrize("code", [ErrorCode.SITE_UNREACHABLE, ErrorCode.REVISION_EXPIRED])
async def test_a_site_that_cannot_be_read_fails_the_run(world: World, code: ErrorCode) -> None:
    world.open_fault = NoteBridgeError(code, "It is gone.", hint="Look again.")
    answer = await world.ask(say("[E0]"))
    assert (answer.status, answer.run.error_code, answer.message) == (
        "failed",
        code,
        "It is gone.",
    )
    assert world.model.requests == []


async def test_a_fault_of_our_own_fails_the_run_and_its_words_go_nowhere(world: World) -> None:
    world.open_fault = RuntimeError("Bearer sk-123")
    accepted = await world.submit()
    run = await world.agent.wait(accepted.run_id)
    assert (run.state, run.error_code) == (RunState.FAILED, "INTERNAL")
    assert "sk-123" not in str([each.body for each in await world.entries()])
    # The session is free again.
    world.open_fault = None
    assert (await world.ask(say("[E0]"), client="c2")).status == "not_found"


# Side by side


async def test_sessions_run_side_by_side(world: World) -> None:
    models = {name: ScriptedModel(world.time) for name in ("a", "b", "c")}
    for name, model in models.items():
        model.turns = [use(search("eighty")), [HANG, *say(f"From {name} [E1].")]]
        world.shelf.put(name, model)
    accepted = {name: await world.submit(session=name, model=name) for name in models}
    for model in models.values():
        await asyncio.wait_for(model.reached.wait(), 30)
    # All three are amid their second request now; they end in another order than they began.
    for name in ("c", "a", "b"):
        models[name].go.set()
        run = await asyncio.wait_for(world.agent.wait(accepted[name].run_id), 30)
        assert run.state is RunState.COMPLETED
        assert (await world.entries(name))[-1].body["text"] == f"From {name} [1]."
        seqs = [event.seq for event in await world.events(name)]
        assert seqs == list(range(1, len(seqs) + 1))


async def test_closing_interrupts_and_takes_nothing_more(world: World) -> None:
    world.model.turns = [[HANG]]
    accepted = await world.submit()
    await world.model.reached.wait()
    await world.agent.close()
    assert world.model.closed == 1
    assert (await world.run(accepted.run_id)).state is RunState.INTERRUPTED
    later = await world.submit(session="s2")
    await world.agent.wait(later.run_id)
    assert (await world.run(later.run_id)).state is RunState.QUEUED
    world.model.turns = [say("[E0]")]
    await world.start()
    assert sorted(await world.agent.recover()) == sorted([accepted.run_id, later.run_id])
    for run_id in (accepted.run_id, later.run_id):
        assert (await world.agent.wait(run_id)).state is RunState.COMPLETED
        await world.check(run_id)
