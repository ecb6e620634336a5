"""Storage whose process can die at any commit, and what outlives it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from virtual_time import VirtualTime

from storage.app_storage import AppStorage
from storage.backend import Backend
from storage.memory_backend import MemoryBackend
from storage.migrations import MIGRATIONS
from storage.owner_lock import OwnerLock
from storage.private_files import prepare_folder
from storage.sqlite_backend import SqliteBackend
from storage.tables import TABLES


class PowerCut(Exception):
    """The process is gone; nothing of it reaches the disk any more."""


class MortalBackend:
    """A backend that stops at its n-th commit, which is kept: told to whoever waited, or not.

    Commits return while `quick` is set.
    """

    def __init__(
        self, inner: Backend, time: VirtualTime, dies_at: int = 0, *, told: bool = True
    ) -> None:
        self.inner = inner
        self._time = time
        self.commits = 0
        self._under_way = 0
        self._idle = asyncio.Event()
        self._idle.set()
        self.quick = asyncio.Event()
        self.quick.set()
        self.dead = asyncio.Event()
        self._dies_at = dies_at
        self._told = told

    async def write(self, unit: Any, *, on_commit: Any = None, **options: Any) -> Any:
        self._live()

        def committed(value: Any) -> None:
            self.commits += 1
            if self.commits == self._dies_at and not self._told:
                self.dead.set()
            if on_commit is not None and not self.dead.is_set():
                on_commit(value)

        self._under_way += 1
        self._idle.clear()
        try:
            value = await self.inner.write(unit, on_commit=committed, **options)
        finally:
            self._under_way -= 1
            if not self._under_way:
                self._idle.set()
        await self.quick.wait()
        self._time.tick()
        if self.commits >= self._dies_at > 0:
            self.dead.set()
            if not self._told:
                raise PowerCut
        return value

    async def settle(self) -> None:
        """Until no commit is under way."""
        await self._idle.wait()

    async def read(self, unit: Any) -> Any:
        self._live()
        return await self.inner.read(unit)

    def _live(self) -> None:
        self._time.tick()
        if self.dead.is_set():
            raise PowerCut

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


class Disk:
    """What outlives a process: a SQLite file, or a memory backend that is handed on."""

    def __init__(self, kind: str, folder: Path, time: VirtualTime) -> None:
        self.kind = kind
        self.folder = folder
        self._time = time
        self._memory = MemoryBackend(TABLES, clock=time.wall)
        self._ids = 0
        self._lock: OwnerLock | None = None
        self.backend: MortalBackend | None = None

    def new_id(self) -> str:
        self._ids += 1
        return f"id-{self._ids}"

    async def power_on(self, dies_at: int = 0, *, told: bool = True) -> AppStorage:
        await self.power_off()
        inner: Backend = self._memory
        if self.kind == "sqlite":
            prepare_folder(self.folder)
            self._lock = OwnerLock.acquire(self.folder)
            inner = await SqliteBackend.open(self.folder / "app.db", clock=self._time.wall)
            await inner.migrate(MIGRATIONS)
        self.backend = MortalBackend(inner, self._time, dies_at, told=told)
        self._time.settle = self.backend.settle
        return AppStorage(self.backend, ids=self.new_id, lock=self._lock)

    async def power_off(self) -> None:
        """Ends the runs' tasks without a word to storage, as a kill would."""
        if self.backend is None:
            return
        self.backend.dead.set()
        left = [task for task in asyncio.all_tasks() if task.get_name().startswith("run ")]
        for task in left:
            task.cancel()
        await asyncio.gather(*left, return_exceptions=True)
        if self.kind == "sqlite":
            await self.backend.inner.close()
        if self._lock is not None:
            self._lock.release()
        self.backend = None
