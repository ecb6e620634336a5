"""Work that has to end by a moment: cancelled then, and told apart from all other ends."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from virtual_time import MINUTE, VirtualTime

from agent.deadline import OutOfTime, within


@pytest.fixture
def left(time: VirtualTime) -> Callable[[], int]:
    """What is left of ten minutes."""
    return lambda: 10 * MINUTE - time.now


async def waiting(time: VirtualTime, left: Callable[[], int]) -> None:
    async with within(left, time.sleep):
        await asyncio.Event().wait()


async def begun(time: VirtualTime, left: Callable[[], int]) -> asyncio.Task[None]:
    task = asyncio.create_task(waiting(time, left))
    await time.pass_by(0)
    return task


async def test_work_ends_when_its_time_is_over(time: VirtualTime, left: Callable[[], int]) -> None:
    task = await begun(time, left)
    for _ in range(9):
        await time.pass_by(MINUTE)
    await time.pass_by(MINUTE - 1)
    assert not task.done()
    await time.pass_by(1)
    with pytest.raises(OutOfTime):
        await asyncio.wait_for(task, 30)


async def test_time_that_the_machine_slept_counts_at_the_next_look(
    time: VirtualTime, left: Callable[[], int]
) -> None:
    task = await begun(time, left)
    time.machine_slept(60 * MINUTE)
    await asyncio.sleep(0)
    assert not task.done()
    await time.pass_by(MINUTE)
    with pytest.raises(OutOfTime):
        await asyncio.wait_for(task, 30)


async def test_work_that_is_done_in_time_leaves_nothing_behind(
    time: VirtualTime, left: Callable[[], int]
) -> None:
    before = asyncio.all_tasks()
    async with within(left, time.sleep):
        await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert asyncio.all_tasks() == before
    await time.pass_by(20 * MINUTE)


async def test_nothing_begins_without_time(time: VirtualTime) -> None:
    began = False
    with pytest.raises(OutOfTime):
        async with within(lambda: 0, time.sleep):
            began = True
    assert not began


async def test_other_ends_stay_what_they_are(time: VirtualTime, left: Callable[[], int]) -> None:
    for fault in (TimeoutError("the work's own"), ValueError("x")):
        with pytest.raises(type(fault)) as caught:
            async with within(left, time.sleep):
                raise fault
        assert caught.value is fault
    task = await begun(time, left)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
