"""Time that moves only when a test moves it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

EPOCH = 1_700_000_000_000
SECOND = 1000
MINUTE = 60 * SECOND


class VirtualTime:
    """A clock that moves only by hand; a wait of a length in `pauses` passes at once.

    Pauses are what a run waits between two attempts, when nothing else goes on. All other waits
    (deadlines, words held back) run beside the work, and end when the clock is moved past them.
    """

    def __init__(self) -> None:
        self.now = 0
        self.pauses = {1.0, 2.0}
        self.waited: list[float] = []
        self.settle: Callable[[], Awaitable[None]] | None = None
        self.ticks = 0
        self._alarms: dict[int, Callable[[], object]] = {}
        self._sleepers: list[tuple[int, asyncio.Future[None]]] = []

    def tick(self) -> None:
        """Something happens: a step of storage, of a model, of a tool."""
        self.ticks += 1
        alarm = self._alarms.pop(self.ticks, None)
        if alarm is not None:
            alarm()

    def at_tick(self, ahead: int, alarm: Callable[[], object]) -> None:
        """Does something so many ticks from now."""
        self._alarms = {self.ticks + ahead: alarm}

    def monotonic(self) -> int:
        return self.now

    def wall(self) -> int:
        return EPOCH + self.now

    async def sleep(self, seconds: float) -> None:
        self.waited.append(seconds)
        if seconds in self.pauses:
            self.now += int(seconds * 1000)
            await asyncio.sleep(0)
            return
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._sleepers.append((self.now + int(seconds * 1000), future))
        await future

    def advance(self, milliseconds: int) -> None:
        self.now += milliseconds
        for due, future in self._sleepers:
            if due <= self.now and not future.done():
                future.set_result(None)
        self._sleepers = [each for each in self._sleepers if not each[1].done()]

    def machine_slept(self, milliseconds: int) -> None:
        """The clock went on; the event loop, and whoever waits on it, did not."""
        self.now += milliseconds
        self._sleepers = [(due + milliseconds, future) for due, future in self._sleepers]

    async def pass_by(self, milliseconds: int) -> None:
        """Moves the clock and lets those it woke do their work."""
        self.advance(milliseconds)
        for _ in range(3):
            await asyncio.sleep(0)
        if self.settle is not None:
            await self.settle()
