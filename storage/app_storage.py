"""AppStorage: the stores of the application over one backend, and who may open them."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from manifest.errors import NoteBridgeError
from storage.backend import Backend, ReadTx, Tx, Usage
from storage.limits import DATABASE_BYTES
from storage.memory_backend import MemoryBackend
from storage.migrations import MIGRATIONS
from storage.owner_lock import OwnerLock
from storage.private_files import prepare_folder
from storage.sqlite_backend import SqliteBackend
from storage.sqlite_reader import SqliteReader
from storage.stores.citations import Citations
from storage.stores.entries import Entries
from storage.stores.events import Events
from storage.stores.evidence import EvidenceStore
from storage.stores.requests import Requests
from storage.stores.runs import Runs
from storage.stores.session_export import SessionExport
from storage.stores.sessions import Sessions
from storage.stores.settings import Settings
from storage.stores.submissions import Submissions
from storage.stores.tool_calls import ToolCalls
from storage.tables import TABLES

T = TypeVar("T")

DATABASE_NAME = "app.db"


class AppStorage:
    """The stores as attributes; their methods are called inside a unit of work.

        session = await app.read(lambda tx: app.sessions.get(tx, session_id))

    clock: milliseconds since 1970 UTC. ids: a fresh, unguessable id at each call.
    """

    def __init__(
        self, backend: Backend, *, ids: Callable[[], str], lock: OwnerLock | None = None
    ) -> None:
        self._backend = backend
        self._lock = lock
        self.new_id = ids
        self.sessions = Sessions()
        self.session_export = SessionExport(self.sessions)
        self.entries = Entries(self.sessions, ids)
        self.events = Events()
        self.runs = Runs(self.entries, ids)
        self.submissions = Submissions(self.entries, self.runs, ids)
        self.requests = Requests(self.sessions, self.runs)
        self.tool_calls = ToolCalls(self.runs)
        self.evidence = EvidenceStore(ids)
        self.citations = Citations()
        self.settings = Settings()

    @classmethod
    async def open(
        cls,
        folder: Path,
        *,
        clock: Callable[[], int],
        ids: Callable[[], str],
        limit: int = DATABASE_BYTES,
    ) -> AppStorage:
        """Become the owner of the folder's storage, creating or migrating it as needed.

        limit: bytes the database may take. Raises STORAGE_LOCKED while another process owns
        it, STORAGE_TOO_NEW, STORAGE_DAMAGED (the damaged file was set aside; opening again
        begins anew), INVALID_ARGUMENT on a network file system.
        """
        opening = asyncio.ensure_future(cls._open(folder, clock, ids, limit))
        try:
            return await asyncio.shield(opening)
        except asyncio.CancelledError:
            # The threads that open files cannot be stopped: wait, then undo what they did.
            with contextlib.suppress(NoteBridgeError):
                await (await opening).close()
            raise

    @classmethod
    def in_memory(
        cls, *, clock: Callable[[], int], ids: Callable[[], str], limit: int = 0
    ) -> AppStorage:
        """Storage that lives with this process: for tests. limit 0: none."""
        return cls(MemoryBackend(TABLES, clock=clock, limit=limit), ids=ids)

    @classmethod
    async def read_only(cls, folder: Path) -> AppStorage:
        """Read what another process owns, or what a stopped one left. Writes are refused.

        Raises INVALID_ARGUMENT where there is no storage, STORAGE_TOO_NEW, and
        STORAGE_LOCKED where it must first be migrated by its owner.
        """
        backend = await SqliteReader.open(folder / DATABASE_NAME, MIGRATIONS)
        return cls(backend, ids=_no_ids)

    @classmethod
    async def _open(
        cls, folder: Path, clock: Callable[[], int], ids: Callable[[], str], limit: int
    ) -> AppStorage:
        await asyncio.to_thread(prepare_folder, folder)
        lock = await asyncio.to_thread(OwnerLock.acquire, folder)
        try:
            backend = await SqliteBackend.open(folder / DATABASE_NAME, clock=clock, limit=limit)
            try:
                await backend.migrate(MIGRATIONS)
            except BaseException:
                await backend.close()
                raise
        except BaseException:
            lock.release()
            raise
        return cls(backend, ids=ids, lock=lock)

    async def write(
        self,
        unit: Callable[[Tx], T],
        *,
        durable: bool = False,
        reserve: bool = False,
        on_commit: Callable[[T], None] | None = None,
    ) -> T:
        """Run a unit in one transaction. See `storage.backend.Backend.write`."""
        return await self._backend.write(
            unit, durable=durable, reserve=reserve, on_commit=on_commit
        )

    async def read(self, unit: Callable[[ReadTx], T]) -> T:
        """Run a unit over one snapshot."""
        return await self._backend.read(unit)

    async def check(self) -> list[str]:
        """Problems found in the stored data, one line each."""
        return await self._backend.check()

    async def backup(self, path: Path) -> None:
        """Write a whole copy to a file that does not exist yet. Raises INVALID_ARGUMENT."""
        await self._backend.backup(path)

    async def usage(self) -> Usage:
        """Bytes in use, free, waiting in the log, and the cap."""
        return await self._backend.usage()

    def announce(self, socket: str) -> None:
        """Write into the lock where the owner listens, for other processes to find."""
        if self._lock is not None:
            self._lock.announce(socket)

    async def close(self) -> None:
        """Finish what was submitted, close the files, release the lock. Twice is fine."""
        await self._backend.close()
        if self._lock is not None:
            self._lock.release()

    async def __aenter__(self) -> AppStorage:
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        await self.close()


def _no_ids() -> str:
    raise AssertionError("a read-only storage gives no ids")
