"""Work that has to end by a moment, by a clock and a way to wait that are passed in."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from agent.ports import Sleep

LOOK_MS = 60_000
"""The clock is looked at so often at least: a wait on the event loop does not count the time that
the machine slept."""


class OutOfTime(Exception):
    """The moment came before the work was done. Stays inside this room."""


@asynccontextmanager
async def within(left: Callable[[], int], sleep: Sleep) -> AsyncIterator[None]:
    """Cancels what runs inside when no time is left. left: milliseconds, asked now and again.

    Raises `OutOfTime`, at once where none is left to begin with.
    """
    if left() <= 0:
        raise OutOfTime
    try:
        async with asyncio.timeout(None) as limit:
            alarm = asyncio.create_task(_ring(limit, left, sleep), name="deadline")
            try:
                yield
            finally:
                alarm.cancel()
    except TimeoutError:
        if limit.expired():
            raise OutOfTime from None
        raise


async def _ring(limit: asyncio.Timeout, left: Callable[[], int], sleep: Sleep) -> None:
    while (rest := left()) > 0:
        await sleep(min(rest, LOOK_MS) / 1000)
    limit.reschedule(asyncio.get_running_loop().time())
