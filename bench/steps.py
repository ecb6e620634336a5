"""What it takes to commit one step of the agent, beside the same statements in bare SQLite.

The step: a tool call is counted and recorded, its entry and two events are appended, the session's
line is kept up. Six statements, one transaction.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable
from contextlib import closing
from functools import cache
from pathlib import Path

from bench.figures import Number, percentile
from bench.workshop import Workshop
from storage.backend import Tx
from storage.driver import driver_report, sqlite3
from storage.migrations import MIGRATIONS
from storage.schema import Row, Table
from storage.sqlite_backend import SqliteBackend
from storage.tables import ENTRIES, EVENTS, RUNS, SESSIONS, TOOL_CALLS

TURN = 50
"""Either side takes its turn every so many steps, so that both meet the same machine."""

SESSION, RUN = "session", "run"
BODY = '{"text":"' + "知识" * 300 + '"}'

_RAW = (
    'UPDATE "runs" SET "tool_calls" = ? WHERE "id" = ?',
    'UPDATE "sessions" SET "entries" = ?, "updated_at" = ? WHERE "id" = ?',
)


def measure_steps(workshop: Workshop) -> dict[str, object]:
    """Milliseconds of a step, synced to disk and not, both ways, and their ratio."""
    document: dict[str, object] = {"driver": driver_report().sqlite_version, "statements": 6}
    for name, durable in (("synced", True), ("unsynced", False)):
        workshop.say(f"{workshop.settings.steps} steps, {name}")
        folder = workshop.folder("steps")
        document[name] = asyncio.run(_beside_raw(folder, workshop.settings.steps, durable))
    return document


async def _beside_raw(folder: Path, steps: int, durable: bool) -> dict[str, object]:
    ours: list[float] = []
    raw: list[float] = []
    await _prepare(folder / "raw.db")
    await _prepare(folder / "ours.db")
    backend = await SqliteBackend.open(folder / "ours.db", clock=_now)
    try:
        with closing(_connect(folder / "raw.db", durable)) as connection:
            for first in range(1, steps + 1, TURN):
                numbers = range(first, min(first + TURN, steps + 1))
                for number in numbers:
                    started = time.perf_counter()
                    _raw_step(connection, number)
                    raw.append((time.perf_counter() - started) * 1000)
                for number in numbers:
                    started = time.perf_counter()
                    await backend.write(_unit(number), durable=durable)
                    ours.append((time.perf_counter() - started) * 1000)
    finally:
        await backend.close()
    return {
        "steps": len(ours),
        "milliseconds": _times(ours),
        "rawMilliseconds": _times(raw),
        "ratio": round(percentile(ours, 0.5) / percentile(raw, 0.5), 2),
    }


async def _prepare(path: Path) -> None:
    """A database with the application's tables, a session and a run."""
    backend = await SqliteBackend.open(path, clock=_now)
    try:
        await backend.migrate(MIGRATIONS)
        await backend.write(_begin, durable=True)
    finally:
        await backend.close()


def _begin(tx: Tx) -> None:
    tx.insert(SESSIONS, _filled(SESSIONS, id=SESSION))
    tx.insert(RUNS, _filled(RUNS, id=RUN, session_id=SESSION, state="running"))


def _unit(number: int) -> Callable[[Tx], None]:
    def unit(tx: Tx) -> None:
        tx.update(RUNS, (RUN,), {"tool_calls": number})
        for table, row in _rows(number, tx.now):
            tx.insert(table, row)
        tx.update(SESSIONS, (SESSION,), {"entries": number, "updated_at": tx.now})

    return unit


def _raw_step(connection: sqlite3.Connection, number: int) -> None:
    now = _now()
    connection.execute("BEGIN IMMEDIATE")
    connection.execute(_RAW[0], (number, RUN))
    for table, row in _rows(number, now):
        connection.execute(_insert(table), tuple(row.values()))
    connection.execute(_RAW[1], (number, now, SESSION))
    connection.execute("COMMIT")


def _rows(number: int, now: int) -> list[tuple[Table, Row]]:
    """What a step adds."""
    call = f"call-{number}"
    run: dict[str, str | int] = {"session_id": SESSION, "run_id": RUN, "created_at": now}
    return [
        (
            TOOL_CALLS,
            _filled(TOOL_CALLS, run_id=RUN, call_id=call, n=number, result_json=BODY, state="done"),
        ),
        (ENTRIES, _filled(ENTRIES, **run, seq=number, id=f"entry-{number}", body_json=BODY)),
        (
            EVENTS,
            _filled(EVENTS, **run, seq=2 * number - 1, run_seq=2 * number - 1, body_json="{}"),
        ),
        (EVENTS, _filled(EVENTS, **run, seq=2 * number, run_seq=2 * number, body_json="{}")),
    ]


def _filled(table: Table, **values: str | int) -> Row:
    """A row in the order of the columns, those not given as empty as they may be."""
    empty: dict[type, str | int | bytes] = {str: "", int: 0, bytes: b""}
    return {
        column.name: values.get(column.name, None if column.nullable else empty[column.python_type])
        for column in table.columns
    }


@cache
def _insert(table: Table) -> str:
    names = ", ".join(f'"{name}"' for name in table.names)
    return f'INSERT INTO "{table.name}" ({names}) VALUES ({", ".join("?" * len(table.names))})'


def _connect(path: Path, durable: bool) -> sqlite3.Connection:
    """Bare SQLite with the same settings as the application's."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA foreign_keys=ON")
    connection.execute(f"PRAGMA synchronous={'FULL' if durable else 'NORMAL'}")
    if sys.platform == "darwin":
        connection.execute("PRAGMA fullfsync=ON")
        connection.execute("PRAGMA checkpoint_fullfsync=ON")
    return connection


def _now() -> int:
    return time.time_ns() // 1_000_000


def _times(times: list[float]) -> dict[str, Number]:
    return {
        "p50": round(percentile(times, 0.5), 4),
        "p95": round(percentile(times, 0.95), 4),
        "mean": round(sum(times) / len(times), 4),
    }
