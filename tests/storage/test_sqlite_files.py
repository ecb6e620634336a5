"""The SQLite backend on a real disk: cancellation, crashes, damage, backups, permissions."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import stat
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from manifest.errors import ErrorCode, NoteBridgeError
from storage.backend import Tx
from storage.migrations import Migration
from storage.schema import Row
from storage.sqlite_backend import SqliteBackend
from storage.sqlite_files import marker_of

posix = pytest.mark.skipif(os.name != "posix", reason="POSIX permissions and forks")


def shelf(number: int) -> Row:
    return {"id": f"s{number}", "name": f"shelf {number}", "rank": number, "room": None}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "library.db"


async def opened(path: Path, library: SimpleNamespace, limit: int = 0) -> SqliteBackend:
    backend = await SqliteBackend.open(path, clock=lambda: 1_700_000_000_000, limit=limit)
    await backend.migrate([library.migration])
    return backend


async def shelves_in(backend: SqliteBackend, library: SimpleNamespace) -> list[object]:
    rows = await backend.read(lambda tx: tx.page(library.shelves, {}, limit=999))
    return [row["id"] for row in rows]


async def test_cancelling_the_awaiter_leaves_no_open_transaction_and_loses_no_commit(
    path: Path, library: SimpleNamespace
) -> None:
    backend = await opened(path, library)
    inside, go_on = threading.Event(), threading.Event()
    published: list[str] = []

    def unit(tx: Tx) -> str:
        tx.insert(library.shelves, shelf(1))
        inside.set()
        assert go_on.wait(10)
        tx.insert(library.shelves, shelf(2))
        return "done"

    waiting = asyncio.create_task(backend.write(unit, on_commit=published.append))
    await asyncio.to_thread(inside.wait, 10)
    queued = asyncio.create_task(backend.write(lambda tx: tx.insert(library.shelves, shelf(3))))
    await asyncio.sleep(0)
    for task in (waiting, queued):
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert published == []
    go_on.set()
    await backend.write(lambda tx: tx.insert(library.shelves, shelf(4)))
    assert await shelves_in(backend, library) == ["s1", "s2", "s3", "s4"]
    assert published == ["done"]
    await backend.close()


async def test_a_unit_that_fails_after_its_awaiter_was_cancelled_is_undone_quietly(
    path: Path, library: SimpleNamespace
) -> None:
    backend = await opened(path, library)
    complaints: list[dict[str, object]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))
    go_on = threading.Event()

    def unit(tx: Tx) -> None:
        tx.insert(library.shelves, shelf(1))
        assert go_on.wait(10)
        raise LookupError

    waiting = asyncio.create_task(backend.write(unit))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    go_on.set()
    del waiting
    assert await shelves_in(backend, library) == []
    await backend.close()
    assert complaints == []


async def test_durable_commits_are_synchronous_full_and_others_normal(
    path: Path, library: SimpleNamespace
) -> None:
    backend = await opened(path, library)
    levels: list[int] = []
    for durable in (False, True, True, False, True):
        await backend.write(
            lambda tx: tx.insert(library.shelves, shelf(len(levels))), durable=durable
        )
        levels.append(
            await backend._writer.run(lambda c: c.execute("PRAGMA synchronous").fetchone()[0])
        )
    assert levels == [1, 2, 2, 1, 2]
    await backend.close()


async def test_the_file_is_set_up_as_promised(path: Path, library: SimpleNamespace) -> None:
    backend = await opened(path, library)

    def pragmas(connection: sqlite3.Connection) -> list[object]:
        names = ("journal_mode", "secure_delete", "foreign_keys", "busy_timeout")
        return [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in names]

    assert await backend._writer.run(pragmas) == ["wal", 1, 1, 5000]
    await backend.close()


@posix
async def test_only_the_owner_may_read_the_files(path: Path, library: SimpleNamespace) -> None:
    path.touch(mode=0o644)
    old = os.umask(0)
    try:
        backend = await opened(path, library)
        await backend.write(lambda tx: tx.insert(library.shelves, shelf(1)))
        await backend.backup(path.with_name("copy.db"))
    finally:
        os.umask(old)
    files = sorted(path.parent.iterdir())
    assert len(files) >= 4
    assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
    await backend.close()


async def test_a_deleted_row_is_not_left_readable_in_the_file(
    path: Path, library: SimpleNamespace
) -> None:
    backend = await opened(path, library)
    secret: Row = {**shelf(1), "name": "very particular words"}
    await backend.write(lambda tx: tx.insert(library.shelves, secret))
    await backend.close()
    assert b"very particular words" in path.read_bytes()
    backend = await opened(path, library)
    await backend.write(lambda tx: tx.delete(library.shelves, {}))
    await backend.close()
    assert b"very particular words" not in path.read_bytes()


async def test_a_clean_stop_takes_the_mark_away_and_leaves_one_file(
    path: Path, library: SimpleNamespace
) -> None:
    backend = await opened(path, library)
    assert marker_of(path).exists()
    await backend.close()
    assert [file.name for file in path.parent.iterdir()] == [path.name]


async def damaged_file(path: Path, library: SimpleNamespace) -> bytes:
    """A cleanly closed database with many rows, all pages after the second overwritten."""
    backend = await opened(path, library)

    def fill(tx: Tx) -> None:
        for number in range(2000):
            tx.insert(library.shelves, shelf(number))

    await backend.write(fill)
    await backend.close()
    with path.open("r+b") as file:
        file.seek(8192)
        file.write(b"\xff" * (path.stat().st_size - 8192))
    return path.read_bytes()


async def test_damage_found_after_an_unclean_stop_is_set_aside_and_named(
    path: Path, library: SimpleNamespace
) -> None:
    damaged = await damaged_file(path, library)
    marker_of(path).touch()
    with pytest.raises(NoteBridgeError) as caught:
        await opened(path, library)
    assert caught.value.code is ErrorCode.STORAGE_DAMAGED
    put_away = Path(str(caught.value.details["setAside"]))
    assert put_away.name in caught.value.message
    assert put_away.read_bytes() == damaged
    again = await opened(path, library)
    assert await shelves_in(again, library) == []
    await again.close()


async def test_what_is_set_aside_never_replaces_what_was_set_aside_before(
    path: Path, library: SimpleNamespace
) -> None:
    for content in (b"first garbage" * 999, b"second garbage" * 999):
        path.write_bytes(content)
        with pytest.raises(NoteBridgeError) as caught:
            await opened(path, library)
        assert caught.value.code is ErrorCode.STORAGE_DAMAGED
    kept = {file.read_bytes()[:6] for file in path.parent.glob("library.db.damaged-*")}
    assert kept == {b"first ", b"second"}


async def test_after_a_clean_stop_nothing_is_checked(path: Path, library: SimpleNamespace) -> None:
    await damaged_file(path, library)
    backend = await opened(path, library)
    assert await backend.check() != []
    await backend.close()


async def test_damage_met_while_running_is_told_and_looked_at_next_time(
    path: Path, library: SimpleNamespace
) -> None:
    await damaged_file(path, library)
    backend = await opened(path, library)
    with pytest.raises(NoteBridgeError) as caught:
        await shelves_in(backend, library)
    assert caught.value.code is ErrorCode.STORAGE_DAMAGED
    await backend.close()
    assert marker_of(path).exists()


async def test_another_programs_database_is_left_alone(
    path: Path, library: SimpleNamespace
) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE theirs (a)")
    connection.commit()
    connection.close()
    before = path.read_bytes()
    with pytest.raises(NoteBridgeError) as caught:
        await opened(path, library)
    assert caught.value.code is ErrorCode.INVALID_ARGUMENT
    assert path.read_bytes() == before


@pytest.mark.parametrize("second_connection", [False, True])
async def test_a_backup_is_whole_and_overwrites_nothing(
    path: Path, library: SimpleNamespace, second_connection: bool
) -> None:
    backend = await SqliteBackend.open(path, clock=lambda: 0, second_connection=second_connection)
    await backend.migrate([library.migration])
    await backend.write(lambda tx: tx.insert(library.shelves, shelf(1)))
    copy = path.with_name("copy.db")
    copy.with_name("copy.db.partial").touch()  # left by a crash
    await backend.backup(copy)
    await backend.write(lambda tx: tx.insert(library.shelves, shelf(2)))
    with pytest.raises(NoteBridgeError) as caught:
        await backend.backup(copy)
    assert caught.value.code is ErrorCode.INVALID_ARGUMENT
    await backend.close()
    restored = await opened(copy, library)
    assert await shelves_in(restored, library) == ["s1"]
    await restored.close()


SECOND = Migration(2, "colours", ('ALTER TABLE "shelves" ADD COLUMN "colour" TEXT',))


async def test_migrations_run_once_oldest_first_with_a_backup_of_what_was_there(
    path: Path, library: SimpleNamespace
) -> None:
    backend = await opened(path, library)
    await backend.write(lambda tx: tx.insert(library.shelves, shelf(1)))
    assert list(path.parent.glob("*before-migration*")) == []
    await backend.migrate([library.migration, SECOND])
    await backend.migrate([library.migration, SECOND])

    def records(connection: sqlite3.Connection) -> list[object]:
        return connection.execute("SELECT number, name FROM migrations ORDER BY 1").fetchall()

    assert await backend._writer.run(records) == [(1, "a library"), (2, "colours")]
    await backend.close()
    copy = await SqliteBackend.open(
        path.with_name("library.db.before-migration-2"), clock=lambda: 0
    )
    assert await shelves_in(copy, library) == ["s1"]
    assert await copy._writer.run(records) == [(1, "a library")]
    await copy.close()


async def test_a_migration_that_fails_leaves_the_schema_as_it_was(
    path: Path, library: SimpleNamespace
) -> None:
    backend = await opened(path, library)
    broken = Migration(2, "broken", (*SECOND.statements, "CREATE TABLE oops ("))
    with pytest.raises(NoteBridgeError):
        await backend.migrate([library.migration, broken])
    await backend.migrate([library.migration, SECOND])
    await backend.close()


async def test_a_migration_may_rebuild_a_table_without_losing_what_belongs_to_it(
    path: Path, library: SimpleNamespace
) -> None:
    backend = await opened(path, library)
    await backend.write(lambda tx: tx.insert(library.shelves, shelf(1)))
    book: Row = {"shelf_id": "s1", "n": 1, "state": "in", "reader": None, "body": b""}
    await backend.write(lambda tx: tx.insert(library.books, book))
    rebuild = Migration(
        2,
        "rebuild",
        (
            library.migration.statements[0].replace('"shelves"', '"newer"', 1),
            'INSERT INTO "newer" SELECT * FROM "shelves"',
            'DROP TABLE "shelves"',
            'ALTER TABLE "newer" RENAME TO "shelves"',
        ),
    )
    await backend.migrate([library.migration, rebuild])
    assert await backend.read(lambda tx: tx.get(library.books, ("s1", 1))) == book
    assert await backend.check() == []
    await backend.close()


async def test_a_newer_schema_is_refused_and_not_touched(
    path: Path, library: SimpleNamespace
) -> None:
    backend = await opened(path, library)
    await backend.migrate([library.migration, SECOND])
    with pytest.raises(NoteBridgeError) as caught:
        await backend.migrate([library.migration])
    assert caught.value.code is ErrorCode.STORAGE_TOO_NEW
    await backend.close()


@posix
async def test_a_forked_child_cannot_use_it(path: Path, library: SimpleNamespace) -> None:
    backend = await opened(path, library)
    child = os.fork()
    if child == 0:
        try:
            asyncio.new_event_loop().run_until_complete(backend.read(lambda tx: None))
        except NoteBridgeError as error:
            os._exit(0 if error.code is ErrorCode.STORAGE_LOCKED else 2)
        except BaseException:  # noqa: BLE001 - a child must not run the parent's clean-up
            os._exit(3)
        os._exit(4)
    _, status = await asyncio.to_thread(os.waitpid, child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    await backend.write(lambda tx: tx.insert(library.shelves, shelf(1)))
    await backend.close()


async def test_usage_counts_used_free_and_waiting_bytes(
    path: Path, library: SimpleNamespace
) -> None:
    backend = await opened(path, library, limit=10_000_000)
    body = bytes(100_000)
    await backend.write(lambda tx: tx.insert(library.shelves, shelf(1)))
    row: Row = {"shelf_id": "s1", "n": 1, "state": "in", "reader": None, "body": body}
    await backend.write(lambda tx: tx.insert(library.books, row))
    full = await backend.usage()
    await backend.write(lambda tx: tx.delete(library.books, {}))
    emptied = await backend.usage()
    assert full.limit == 10_000_000
    assert full.used - emptied.used >= 90_000
    assert emptied.free >= 90_000
    assert full.log > 0
    await backend.close()
