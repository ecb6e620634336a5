"""Opening, sharing and closing the application's storage."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from manifest.errors import ErrorCode, NoteBridgeError
from storage.app_storage import DATABASE_NAME, AppStorage
from storage.migrations import MIGRATIONS
from storage.owner_lock import read_owner
from storage.sqlite_backend import SqliteBackend
from storage.sqlite_files import marker_of

Clock = Callable[[], int]
Ids = Callable[[], str]

READ = """
import asyncio, sys
from pathlib import Path
from storage.app_storage import AppStorage
async def main():
    app = await AppStorage.read_only(Path(sys.argv[1]))
    page = await app.read(lambda tx: app.sessions.list(tx))
    print([session.id for session in page.items])
    await app.close()
asyncio.run(main())
"""


async def add_session(app: AppStorage, session_id: str) -> None:
    await app.write(
        lambda tx: app.sessions.create(
            tx, session_id, knowledge_base_id="kb", manifest_address="https://notes.example/"
        )
    )


def read_from_another_process(folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", READ, str(folder)], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


async def test_what_was_stored_is_there_after_closing_and_opening(
    tmp_path: Path, clock: Clock, ids: Ids
) -> None:
    async with await AppStorage.open(tmp_path / "data", clock=clock, ids=ids) as app:
        await add_session(app, "s1")
    async with await AppStorage.open(tmp_path / "data", clock=clock, ids=ids) as app:
        session = await app.read(lambda tx: app.sessions.get(tx, "s1"))
        assert session.knowledge_base_id == "kb"
        assert await app.check() == []


async def test_a_second_owner_is_refused_until_the_first_closes(
    tmp_path: Path, clock: Clock, ids: Ids
) -> None:
    app = await AppStorage.open(tmp_path, clock=clock, ids=ids)
    app.announce("/run/bridge.sock")
    owner = read_owner(tmp_path)
    assert owner is not None
    assert (owner.pid, owner.socket) == (os.getpid(), "/run/bridge.sock")
    with pytest.raises(NoteBridgeError) as caught:
        await AppStorage.open(tmp_path, clock=clock, ids=ids)
    assert caught.value.code is ErrorCode.STORAGE_LOCKED
    assert str(os.getpid()) in caught.value.message
    await app.close()
    await (await AppStorage.open(tmp_path, clock=clock, ids=ids)).close()


async def test_another_process_reads_while_the_owner_lives_and_after_it_stopped(
    tmp_path: Path, clock: Clock, ids: Ids
) -> None:
    app = await AppStorage.open(tmp_path, clock=clock, ids=ids)
    await add_session(app, "s1")
    assert await asyncio.to_thread(read_from_another_process, tmp_path) == "['s1']"
    await add_session(app, "s2")
    await app.close()
    assert "s2" in await asyncio.to_thread(read_from_another_process, tmp_path)


async def test_a_reader_sees_new_commits_and_writes_nothing(
    tmp_path: Path, clock: Clock, ids: Ids
) -> None:
    owner = await AppStorage.open(tmp_path, clock=clock, ids=ids)
    reader = await AppStorage.read_only(tmp_path)
    await add_session(owner, "s1")
    assert await reader.read(lambda tx: reader.sessions.get(tx, "s1"))
    for attempt in (add_session(reader, "s2"), reader._backend.migrate(MIGRATIONS)):
        with pytest.raises(NoteBridgeError) as caught:
            await attempt
        assert caught.value.code is ErrorCode.STORAGE_LOCKED
    assert (await reader.usage()).used > 0
    assert await reader.check() == []
    await reader.backup(tmp_path / "copy.db")
    await reader.close()
    await owner.close()


async def test_reading_where_there_is_no_storage_makes_none(tmp_path: Path) -> None:
    with pytest.raises(NoteBridgeError) as caught:
        await AppStorage.read_only(tmp_path)
    assert caught.value.code is ErrorCode.INVALID_ARGUMENT
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("version", "code"),
    [(99, ErrorCode.STORAGE_TOO_NEW), (0, ErrorCode.STORAGE_LOCKED)],
)
async def test_a_reader_of_another_version_is_told_so(
    tmp_path: Path, clock: Clock, version: int, code: ErrorCode
) -> None:
    backend = await SqliteBackend.open(tmp_path / DATABASE_NAME, clock=clock)
    if version:
        await backend.migrate(MIGRATIONS)
        await backend._writer.run(
            lambda c: c.execute("INSERT INTO migrations VALUES (?, 'later', 0)", (version,))
        )
    await backend.close()
    with pytest.raises(NoteBridgeError) as caught:
        await AppStorage.read_only(tmp_path)
    assert caught.value.code is code


async def test_a_newer_storage_is_refused_whole_and_its_lock_let_go(
    tmp_path: Path, clock: Clock, ids: Ids
) -> None:
    app = await AppStorage.open(tmp_path, clock=clock, ids=ids)
    await app._backend._writer.run(  # type: ignore[attr-defined]
        lambda c: c.execute("INSERT INTO migrations VALUES (99, 'later', 0)")
    )
    await app.close()
    before = (tmp_path / DATABASE_NAME).read_bytes()
    for _ in range(2):
        with pytest.raises(NoteBridgeError) as caught:
            await AppStorage.open(tmp_path, clock=clock, ids=ids)
        assert caught.value.code is ErrorCode.STORAGE_TOO_NEW
    assert (tmp_path / DATABASE_NAME).read_bytes() == before
    assert read_owner(tmp_path) is None


async def test_an_opening_that_is_cancelled_leaves_no_owner(
    tmp_path: Path, clock: Clock, ids: Ids
) -> None:
    inside, go_on = threading.Event(), threading.Event()

    def slow_clock() -> int:
        inside.set()
        assert go_on.wait(10)
        return 0

    opening = asyncio.create_task(AppStorage.open(tmp_path, clock=slow_clock, ids=ids))
    await asyncio.to_thread(inside.wait, 10)
    opening.cancel()
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await opening
    assert read_owner(tmp_path) is None
    assert not marker_of(tmp_path / DATABASE_NAME).exists()
    await (await AppStorage.open(tmp_path, clock=clock, ids=ids)).close()


async def test_a_full_storage_still_lets_a_session_be_deleted(
    tmp_path: Path, clock: Clock, ids: Ids
) -> None:
    app = await AppStorage.open(tmp_path, clock=clock, ids=ids, limit=600_000)
    await add_session(app, "s1")

    async def fill() -> None:
        for _ in range(20):
            await app.write(lambda tx: app.events.append(tx, "s1", "text", {"t": "x" * 50_000}))

    with pytest.raises(NoteBridgeError) as caught:
        await fill()
    assert caught.value.code is ErrorCode.STORAGE_FULL
    await app.write(lambda tx: app.sessions.delete(tx, "s1"), reserve=True)
    await add_session(app, "s2")
    await app.close()


async def test_a_forgotten_storage_does_not_keep_the_process_alive(tmp_path: Path) -> None:
    script = """
import asyncio, sys, time, uuid
from pathlib import Path
from storage.app_storage import AppStorage
async def main():
    app = await AppStorage.open(Path(sys.argv[1]), clock=lambda: 0, ids=lambda: "x")
    await app.write(lambda tx: app.settings.put(tx, "colour", "red"))
asyncio.run(main())
"""
    done = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", script, str(tmp_path)], timeout=20, check=False
    )
    assert done.returncode == 0
    reader = await AppStorage.read_only(tmp_path)
    assert await reader.read(lambda tx: reader.settings.get(tx, "colour")) == "red"
    await reader.close()
