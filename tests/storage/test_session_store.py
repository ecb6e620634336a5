"""Sessions, entries and events as a screen sees them."""

from __future__ import annotations

from typing import Any

import pytest

from manifest.errors import ErrorCode, NoteBridgeError
from storage.app_storage import AppStorage
from storage.backend import Tx
from storage.limits import ENTRY_BYTES
from storage.stores.entries import NewEntry
from storage.stores.runs import RunState
from storage.tables import TABLES


async def test_a_session_created_twice_is_one_but_another_one_is_refused(
    app: AppStorage, scene: Any
) -> None:
    await app.write(scene.create)
    await app.write(scene.create)
    assert len((await app.read(lambda tx: app.sessions.list(tx))).items) == 1
    with pytest.raises(NoteBridgeError) as caught:
        await app.write(
            lambda tx: app.sessions.create(
                tx, "s1", knowledge_base_id="other", manifest_address="https://notes.example/"
            )
        )
    assert caught.value.code is ErrorCode.REQUEST_CONFLICT


async def test_a_missing_session_is_said_to_be_missing(app: AppStorage) -> None:
    for unit in (
        lambda tx: app.sessions.get(tx, "none"),
        lambda tx: app.sessions.archive(tx, "none"),
        lambda tx: app.sessions.delete(tx, "none"),
        lambda tx: app.entries.append(tx, "none", NewEntry("user", {})),
        lambda tx: app.events.append(tx, "none", "text", {}),
    ):
        with pytest.raises(NoteBridgeError) as caught:
            await app.write(unit)
        assert caught.value.code is ErrorCode.SESSION_NOT_FOUND


async def test_the_list_shows_the_latest_first_and_pages(
    app: AppStorage, scene: Any, clock: Any
) -> None:
    for number in range(5):
        clock.advance(1000)
        await app.write(lambda tx, number=number: scene.create(tx, f"s{number}"))  # type: ignore[misc]
    clock.advance(1000)
    await app.write(lambda tx: app.entries.append(tx, "s2", NewEntry("user", {}, "new")))
    await app.write(lambda tx: app.sessions.archive(tx, "s3"))

    async def ids_of(**asked: Any) -> list[str]:
        found, after = [], None
        while True:
            page = await app.read(
                lambda tx: app.sessions.list(tx, limit=2, after=after, **asked)  # noqa: B023
            )
            found += [session.id for session in page.items]
            after = page.after
            if after is None:
                return found

    assert await ids_of() == ["s2", "s4", "s1", "s0"]
    assert await ids_of(archived=True) == ["s3"]
    assert await ids_of(archived=None) == ["s2", "s4", "s3", "s1", "s0"]
    assert await ids_of(origin="https://other.example") == []
    assert await ids_of(knowledge_base_id="kb", origin="") == ["s2", "s4", "s1", "s0"]


async def test_an_entry_changes_the_sessions_count_time_and_preview_with_it(
    app: AppStorage, scene: Any, clock: Any
) -> None:
    await app.write(scene.create)
    clock.advance(5)
    long = "問い " * 500
    await app.write(lambda tx: app.entries.append(tx, "s1", NewEntry("user", {"a": 1}, long)))
    await app.write(lambda tx: app.entries.append(tx, "s1", NewEntry("tool", {})))
    session = await app.read(lambda tx: app.sessions.get(tx, "s1"))
    assert session.entries == 2
    assert session.updated_at == session.created_at + 5
    assert session.preview == ("問い " * 500)[:200].strip()


async def test_text_that_no_column_can_hold_is_mended_or_kept_as_json(
    app: AppStorage, scene: Any
) -> None:
    await app.write(scene.create)
    body = {"text": "half \ud83d of a pair", "nul": "\x00", "number": 1.5}
    await app.write(lambda tx: app.entries.append(tx, "s1", NewEntry("user", body, "x\ud800y")))
    await app.write(lambda tx: app.sessions.rename(tx, "s1", "t\udfffitle"))
    entry = (await app.read(lambda tx: app.entries.after(tx, "s1")))[0]
    session = await app.read(lambda tx: app.sessions.get(tx, "s1"))
    assert entry.body == body
    assert (session.preview, session.title) == ("x\ufffdy", "t\ufffditle")


async def test_an_entry_that_is_too_large_or_no_json_leaves_nothing(
    app: AppStorage, scene: Any
) -> None:
    await app.write(scene.create)
    for body, code in (
        ({"text": "x" * (ENTRY_BYTES + 1)}, ErrorCode.OBJECT_TOO_LARGE),
        ({"text": b"bytes"}, ErrorCode.INVALID_ARGUMENT),
        ({"number": float("nan")}, ErrorCode.INVALID_ARGUMENT),
    ):
        with pytest.raises(NoteBridgeError) as caught:
            await app.write(
                lambda tx, body=body: app.entries.append(tx, "s1", NewEntry("user", body))  # type: ignore[misc]
            )
        assert caught.value.code is code
    assert (await app.read(lambda tx: app.sessions.get(tx, "s1"))).entries == 0


async def test_history_pages_backwards_from_the_newest(app: AppStorage, scene: Any) -> None:
    def fill(tx: Tx) -> None:
        scene.create(tx)
        scene.create(tx, "s2")
        for number in range(1, 8):
            app.entries.append(tx, "s1", NewEntry("user", {"n": number}))
            app.entries.append(tx, "s2", NewEntry("user", {}))

    await app.write(fill)
    seen: list[list[int]] = []
    seq: int | None = None
    while True:
        page = await app.read(lambda tx: app.entries.before(tx, "s1", seq=seq, limit=3))  # noqa: B023
        seen.append([entry.seq for entry in page.items])
        if page.after is None:
            break
        seq = int(page.after[1] or 0)
    assert seen == [[5, 6, 7], [2, 3, 4], [1]]


async def test_a_page_of_history_stops_at_its_size_but_holds_at_least_one(
    app: AppStorage, scene: Any
) -> None:
    def fill(tx: Tx) -> None:
        scene.create(tx)
        for size in (10, 300_000, 100_000, 100_000):
            app.entries.append(tx, "s1", NewEntry("user", {"text": "x" * size}))

    await app.write(fill)
    page = await app.read(lambda tx: app.entries.before(tx, "s1"))
    assert [entry.seq for entry in page.items] == [3, 4]
    page = await app.read(lambda tx: app.entries.before(tx, "s1", seq=3))
    assert [entry.seq for entry in page.items] == [2]
    assert page.after == ("s1", 2)
    page = await app.read(lambda tx: app.entries.before(tx, "s1", seq=2))
    assert page.after is None


async def test_events_rise_by_one_per_session_and_per_run(app: AppStorage, scene: Any) -> None:
    run_id = await scene.running()

    def unit(tx: Tx) -> None:
        scene.create(tx, "s2")
        app.events.append(tx, "s1", "session.renamed", {})
        for number in range(3):
            app.events.append(tx, "s1", "text.delta", {"n": number}, run_id=run_id)
        app.events.append(tx, "s2", "other", {})
        app.events.append(tx, "s1", "session.renamed", {})

    await app.write(unit)
    events = await app.read(lambda tx: app.events.after(tx, "s1"))
    assert [(event.seq, event.run_seq) for event in events] == [
        (1, 0),
        (2, 1),
        (3, 2),
        (4, 3),
        (5, 0),
    ]
    later = await app.read(lambda tx: app.events.after(tx, "s1", seq=3))
    assert [event.seq for event in later] == [4, 5]
    of_run = await app.read(lambda tx: app.events.of_run(tx, run_id, run_seq=1))
    assert [event.body["n"] for event in of_run] == [1, 2]
    assert await app.read(lambda tx: app.events.last_seq(tx, "s1")) == 5
    assert await app.read(lambda tx: app.events.last_seq(tx, "none")) == 0


async def test_entries_are_found_by_id_and_by_run(app: AppStorage, scene: Any) -> None:
    run_id = await scene.running()
    await app.write(lambda tx: app.entries.append(tx, "s1", NewEntry("user", {"other": 1})))
    added = await app.write(
        lambda tx: app.entries.append(tx, "s1", NewEntry("assistant", {}), run_id=run_id)
    )
    of_run = await app.read(lambda tx: app.entries.of_run(tx, run_id))
    assert [entry.seq for entry in of_run] == [1, 3]
    assert [e.seq for e in await app.read(lambda tx: app.entries.of_run(tx, run_id, seq=1))] == [3]
    assert await app.read(lambda tx: app.entries.get(tx, added.id)) == added
    with pytest.raises(NoteBridgeError):
        await app.read(lambda tx: app.entries.get(tx, "none"))


async def test_deleting_a_session_leaves_no_row_of_it(app: AppStorage, scene: Any) -> None:
    run_id = await scene.running()
    await app.write(lambda tx: app.events.append(tx, "s1", "text", {}, run_id=run_id))
    with pytest.raises(NoteBridgeError) as caught:
        await app.write(lambda tx: app.sessions.delete(tx, "s1"))
    assert caught.value.code is ErrorCode.SESSION_BUSY
    await app.write(lambda tx: app.runs.finish(tx, run_id, RunState.CANCELLED), durable=True)
    await app.write(lambda tx: app.sessions.delete(tx, "s1"))
    for table in TABLES:
        assert await app.read(lambda tx, table=table: tx.page(table, {}, limit=9)) == []  # type: ignore[misc]


async def test_settings_hold_json_values(app: AppStorage) -> None:
    await app.write(lambda tx: app.settings.put(tx, "theme", {"dark": True}))
    await app.write(lambda tx: app.settings.put(tx, "theme", ["a", None]))
    await app.write(lambda tx: app.settings.put(tx, "colour", "red"))
    assert await app.read(lambda tx: app.settings.get(tx, "theme")) == ["a", None]
    assert await app.read(lambda tx: app.settings.get(tx, "none", 7)) == 7
    assert await app.read(app.settings.all) == {"colour": "red", "theme": ["a", None]}
    assert await app.write(lambda tx: app.settings.remove(tx, "theme"))
    assert not await app.write(lambda tx: app.settings.remove(tx, "theme"))
