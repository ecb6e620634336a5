"""SIGKILL in the middle of many commits: what was acknowledged is there, and all is whole."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from storage.app_storage import AppStorage

WRITE = """
import asyncio, itertools, sys, uuid
from pathlib import Path
from storage.app_storage import AppStorage
from storage.stores.entries import NewEntry

async def main():
    app = await AppStorage.open(Path(sys.argv[1]), clock=lambda: 0, ids=lambda: uuid.uuid4().hex)
    session = lambda tx: app.sessions.create(
        tx, "s1", knowledge_base_id="kb", manifest_address="https://notes.example/")
    await app.write(session, durable=True)
    for count in itertools.count():
        def unit(tx):
            entry = app.entries.append(tx, "s1", NewEntry("user", {"text": "x" * 300}))
            app.events.append(tx, "s1", "entry", {"seq": entry.seq})
            return entry.seq
        seq = await app.write(unit, durable=count % 2 == 0)
        print(seq, flush=True)

asyncio.run(main())
"""


def acknowledged_before_a_kill(folder: Path, after: int) -> int:
    """Run the writer, kill it once it has acknowledged `after` commits; the last one told."""
    process = subprocess.Popen(
        [sys.executable, "-c", WRITE, str(folder)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    lines = [process.stdout.readline() for _ in range(after)]
    process.send_signal(signal.SIGKILL if os.name == "posix" else signal.SIGTERM)
    rest, _ = process.communicate()
    told = [line for line in (*lines, *rest.splitlines(keepends=True)) if line.endswith("\n")]
    return int(told[-1])


@pytest.mark.parametrize("rounds", [(1, 25, 60)])
async def test_nothing_acknowledged_is_lost_and_nothing_is_half_done(
    tmp_path: Path, clock: Callable[[], int], ids: Callable[[], str], rounds: tuple[int, ...]
) -> None:
    for commits in rounds:
        acknowledged = acknowledged_before_a_kill(tmp_path, commits)
        reader = await AppStorage.read_only(tmp_path)
        seen = await reader.read(lambda tx: reader.sessions.get(tx, "s1"))  # noqa: B023
        await reader.close()
        assert seen.entries >= acknowledged
        async with await AppStorage.open(tmp_path, clock=clock, ids=ids) as app:
            assert await app.check() == []
            entries = await app.read(lambda tx: app.entries.after(tx, "s1", limit=9999))
            events = await app.read(lambda tx: app.events.after(tx, "s1", limit=9999))
            session = await app.read(lambda tx: app.sessions.get(tx, "s1"))
        seqs = [entry.seq for entry in entries]
        assert seqs == list(range(1, len(seqs) + 1))
        assert len(seqs) >= acknowledged
        assert [event.body["seq"] for event in events] == seqs
        assert session.entries == len(seqs)
