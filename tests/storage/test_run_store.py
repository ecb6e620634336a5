"""Submissions and runs: accepted once, ended once, whoever comes first."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manifest.errors import ErrorCode, NoteBridgeError
from storage.app_storage import AppStorage
from storage.backend import Tx
from storage.stores.entries import NewEntry
from storage.stores.runs import NEXT_STATES, TERMINAL_STATES, NewRun, RunState
from storage.tables import ACTIVE_STATES, ENTRIES, RUNS, SUBMISSIONS


async def test_accepting_stores_submission_run_and_entry_in_one_commit(
    app: AppStorage, scene: Any
) -> None:
    await app.write(scene.create)
    accepted = await app.write(scene.accept, durable=True)
    assert (accepted.state, accepted.duplicate) == (RunState.QUEUED, False)
    entry = await app.read(lambda tx: app.entries.get(tx, accepted.message_id))
    assert (entry.seq, entry.role, entry.run_id) == (1, "user", accepted.run_id)
    run = await app.read(lambda tx: app.runs.get(tx, accepted.run_id))
    assert (run.model, run.effort, run.window, run.budget) == (
        "local/small",
        "default",
        100_000,
        scene.new_run.budget,
    )
    submission = await app.read(lambda tx: app.submissions.of_run(tx, accepted.run_id))
    assert submission is not None
    assert submission.request == b'{"text":"hello"}'


async def test_the_same_request_again_gives_the_earlier_ids_and_the_state_now(
    app: AppStorage, scene: Any
) -> None:
    await app.write(scene.create)
    first = await app.write(scene.accept, durable=True)
    await app.write(lambda tx: app.runs.advance(tx, first.run_id, RunState.RUNNING))
    again = await app.write(scene.accept, durable=True)
    assert again == replace(first, state=RunState.RUNNING, duplicate=True)
    for table in (SUBMISSIONS, RUNS, ENTRIES):
        assert len(await app.read(lambda tx, table=table: tx.page(table, {}, limit=9))) == 1  # type: ignore[misc]


async def test_refusals_leave_no_record(app: AppStorage, scene: Any) -> None:
    await app.write(scene.create)
    await app.write(scene.accept, durable=True)

    def other_request(tx: Tx) -> None:
        app.submissions.accept(
            tx, "s1", "c1", request=b"other", entry=NewEntry("user", {}), run=scene.new_run
        )

    for unit, code in (
        (other_request, ErrorCode.REQUEST_CONFLICT),
        (lambda tx: scene.accept(tx, client_id="c2"), ErrorCode.SESSION_BUSY),
        (lambda tx: scene.accept(tx, "none", "c3"), ErrorCode.SESSION_NOT_FOUND),
        (lambda tx: scene.accept(tx, client_id="c\n"), ErrorCode.INVALID_ARGUMENT),
    ):
        with pytest.raises(NoteBridgeError) as caught:
            await app.write(unit, durable=True)
        assert caught.value.code is code
    for table in (SUBMISSIONS, RUNS, ENTRIES):
        assert len(await app.read(lambda tx, table=table: tx.page(table, {}, limit=9))) == 1  # type: ignore[misc]


async def test_many_senders_of_one_request_start_one_run(app: AppStorage, scene: Any) -> None:
    await app.write(scene.create)
    outcomes = await asyncio.gather(*(app.write(scene.accept, durable=True) for _ in range(9)))
    assert len({outcome.run_id for outcome in outcomes}) == 1
    assert [outcome.duplicate for outcome in outcomes].count(False) == 1


async def test_what_must_be_durable_is_refused_otherwise(app: AppStorage, scene: Any) -> None:
    run_id = await scene.running()
    for unit in (
        lambda tx: scene.accept(tx, client_id="c2"),
        lambda tx: app.runs.finish(tx, run_id, RunState.FAILED),
        lambda tx: app.evidence.add(tx, "s1", []),
        lambda tx: app.session_export.restore(tx, {}),
    ):
        with pytest.raises(NoteBridgeError, match="durable=True"):
            await app.write(unit)


async def test_sessions_run_side_by_side_and_a_session_again_after_an_end(
    app: AppStorage, scene: Any
) -> None:
    first = await scene.running("s1")
    await scene.running("s2")
    assert len(await app.read(lambda tx: app.runs.unfinished(tx))) == 2
    await app.write(lambda tx: app.runs.finish(tx, first, RunState.FAILED), durable=True)
    second = await scene.running("s1", "c2")
    active = await app.read(lambda tx: app.runs.active(tx, "s1"))
    assert active is not None
    assert active.id == second
    page = await app.read(lambda tx: app.runs.of_session(tx, "s1"))
    assert {run.id for run in page.items} == {first, second}


async def test_the_first_end_wins_and_the_others_are_told_what_holds(
    app: AppStorage, scene: Any
) -> None:
    run_id = await scene.running()
    await app.write(lambda tx: app.runs.advance(tx, run_id, RunState.FINALISING))

    def end(to: RunState) -> Any:
        return app.write(
            lambda tx: app.runs.finish(
                tx, run_id, to, reason=to.value, entry=NewEntry("assistant", {"end": to.value})
            ),
            durable=True,
        )

    ends = [RunState.CANCELLED, RunState.COMPLETED, RunState.FAILED]
    changes = await asyncio.gather(*(end(to) for to in ends))
    assert [change.won for change in changes].count(True) == 1
    held = next(change for change in changes if change.won)
    assert {change.run.state for change in changes} == {held.run.state}
    entries = await app.read(lambda tx: app.entries.of_run(tx, run_id))
    assert [e.body for e in entries if e.role == "assistant"] == [{"end": held.run.state.value}]


async def test_completed_comes_only_after_finalising(app: AppStorage, scene: Any) -> None:
    run_id = await scene.running()
    change = await app.write(
        lambda tx: app.runs.finish(tx, run_id, RunState.COMPLETED), durable=True
    )
    assert (change.won, change.run.state) == (False, RunState.RUNNING)


async def test_ends_are_reached_by_finish_alone(app: AppStorage, scene: Any) -> None:
    run_id = await scene.running()
    for unit in (
        lambda tx: app.runs.advance(tx, run_id, RunState.CANCELLED),
        lambda tx: app.runs.finish(tx, run_id, RunState.RUNNING),
    ):
        with pytest.raises(NoteBridgeError) as caught:
            await app.write(unit, durable=True)
        assert caught.value.code is ErrorCode.INVALID_ARGUMENT


async def test_a_restart_interrupts_what_was_under_way_and_resuming_counts(
    app: AppStorage, scene: Any
) -> None:
    running = await scene.running("s1")
    finalising = await scene.running("s2")
    await app.write(lambda tx: app.runs.advance(tx, finalising, RunState.FINALISING))
    await app.write(lambda tx: scene.create(tx, "s3"))
    queued = (await app.write(lambda tx: scene.accept(tx, "s3"), durable=True)).run_id
    left = await app.write(app.runs.interrupt_all)
    assert {run.id: run.state for run in left} == {
        running: RunState.INTERRUPTED,
        finalising: RunState.INTERRUPTED,
        queued: RunState.QUEUED,
    }
    change = await app.write(lambda tx: app.runs.advance(tx, running, RunState.RUNNING))
    assert (change.won, change.run.recoveries) == (True, 1)
    expected = frozenset({RunState.QUEUED})
    change = await app.write(
        lambda tx: app.runs.advance(tx, finalising, RunState.RUNNING, expected=expected)
    )
    assert (change.won, change.run.state) == (False, RunState.INTERRUPTED)


async def test_an_interrupted_run_keeps_its_session_busy(app: AppStorage, scene: Any) -> None:
    await scene.running()
    await app.write(app.runs.interrupt_all)
    with pytest.raises(NoteBridgeError) as caught:
        await app.write(lambda tx: scene.accept(tx, client_id="c2"), durable=True)
    assert caught.value.code is ErrorCode.SESSION_BUSY


async def test_the_first_revision_bound_is_kept(app: AppStorage, scene: Any) -> None:
    run_id = await scene.running()
    bound = [
        (await app.write(lambda tx, name=name: app.runs.bind(tx, run_id, name))).revision  # type: ignore[misc]
        for name in ("rev-1", "rev-2")
    ]
    assert bound == ["rev-1", "rev-1"]


async def test_what_a_run_used_only_grows(app: AppStorage, scene: Any) -> None:
    run_id = await scene.running()
    for elapsed, tokens in ((100, 7), (-50, -3), (25, 0)):
        await app.write(
            lambda tx, e=elapsed, t=tokens: app.runs.charge(tx, run_id, elapsed_ms=e, tokens=t)  # type: ignore[misc]
        )
    counts = (await app.read(lambda tx: app.runs.get(tx, run_id))).counts
    assert (counts.elapsed_ms, counts.tokens) == (125, 7)


async def test_a_missing_run_is_said_to_be_missing(app: AppStorage) -> None:
    for unit in (
        lambda tx: app.runs.get(tx, "none"),
        lambda tx: app.runs.bind(tx, "none", "r"),
        lambda tx: app.runs.charge(tx, "none"),
        lambda tx: app.runs.advance(tx, "none", RunState.RUNNING),
        lambda tx: app.runs.finish(tx, "none", RunState.FAILED),
    ):
        with pytest.raises(NoteBridgeError) as caught:
            await app.write(unit, durable=True)
        assert caught.value.code is ErrorCode.RUN_NOT_FOUND


def test_active_states_are_those_that_are_not_terminal() -> None:
    assert {state.value for state in RunState} - TERMINAL_STATES == set(ACTIVE_STATES)
    assert {state for state, following in NEXT_STATES.items() if not following} == TERMINAL_STATES


MOVES = st.lists(st.sampled_from(RunState), max_size=8)


@settings(max_examples=60, deadline=None)
@given(moves=MOVES)
def test_a_run_only_moves_as_the_table_of_states_says(
    new_run: NewRun, moves: list[RunState]
) -> None:
    async def go() -> None:
        app = AppStorage.in_memory(clock=lambda: 0, ids=iter(map(str, range(99))).__next__)

        def begin(tx: Tx) -> str:
            app.sessions.create(tx, "s1", knowledge_base_id="", manifest_address="")
            return app.runs.create(tx, "s1", new_run).id

        run_id = await app.write(begin, durable=True)
        state = RunState.QUEUED
        for to in moves:
            move = app.runs.finish if to in TERMINAL_STATES else app.runs.advance
            change = await app.write(lambda tx: move(tx, run_id, to), durable=True)  # noqa: B023
            allowed = to in NEXT_STATES[state]
            assert change.won is allowed
            state = to if allowed else state
            assert change.run.state is state

    asyncio.run(go())
