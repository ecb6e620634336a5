"""Storage for tests: a clock and ids that can be foreseen, and every backend there is."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace

import pytest

from storage.app_storage import AppStorage
from storage.backend import Backend, Tx
from storage.memory_backend import MemoryBackend
from storage.migrations import Migration
from storage.schema import Index, Reference, Table, blob, integer, text
from storage.sqlite_backend import SqliteBackend
from storage.stores.entries import NewEntry
from storage.stores.runs import Budget, NewRun, RunState
from storage.stores.submissions import Accepted

SHELVES = Table(
    "shelves",
    (text("id"), text("name"), integer("rank"), text("room", nullable=True)),
    key=("id",),
    indices=(
        Index("shelves_name", ("name",), unique=True),
        Index("shelves_rank", ("rank",)),
        Index("shelves_room", ("room",)),
    ),
)
BOOKS = Table(
    "books",
    (
        text("shelf_id"),
        integer("n"),
        text("state"),
        text("reader", nullable=True),
        blob("body"),
    ),
    key=("shelf_id", "n"),
    indices=(
        Index("books_lent", ("shelf_id",), unique=True, where=("state", ("lent", "late"))),
        Index("books_reader", ("reader", "n"), unique=True),
    ),
    references=(Reference(("shelf_id",), "shelves", ("id",)),),
)
MARKS = Table(
    "marks",
    (text("id"), text("shelf_id", nullable=True), integer("n", nullable=True)),
    key=("id",),
    references=(Reference(("shelf_id", "n"), "books", ("shelf_id", "n"), cascade=False),),
)
LIBRARY = (SHELVES, BOOKS, MARKS)
LIBRARY_MIGRATION = Migration(
    1,
    "a library",
    (
        """CREATE TABLE "shelves" ("id" TEXT NOT NULL, "name" TEXT NOT NULL,
        "rank" INTEGER NOT NULL, "room" TEXT, PRIMARY KEY ("id"))""",
        'CREATE UNIQUE INDEX "shelves_name" ON "shelves" ("name")',
        'CREATE INDEX "shelves_rank" ON "shelves" ("rank")',
        'CREATE INDEX "shelves_room" ON "shelves" ("room")',
        """CREATE TABLE "books" ("shelf_id" TEXT NOT NULL, "n" INTEGER NOT NULL,
        "state" TEXT NOT NULL, "reader" TEXT, "body" BLOB NOT NULL,
        PRIMARY KEY ("shelf_id", "n"),
        FOREIGN KEY ("shelf_id") REFERENCES "shelves" ("id") ON DELETE CASCADE)""",
        """CREATE UNIQUE INDEX "books_lent" ON "books" ("shelf_id")
        WHERE "state" IN ('lent', 'late')""",
        'CREATE UNIQUE INDEX "books_reader" ON "books" ("reader", "n")',
        """CREATE TABLE "marks" ("id" TEXT NOT NULL, "shelf_id" TEXT, "n" INTEGER,
        PRIMARY KEY ("id"),
        FOREIGN KEY ("shelf_id", "n") REFERENCES "books" ("shelf_id", "n"))""",
    ),
)


@dataclass
class ManualClock:
    """Milliseconds since 1970 UTC, moved by hand."""

    now: int = 1_700_000_000_000

    def __call__(self) -> int:
        return self.now

    def advance(self, milliseconds: int) -> None:
        self.now += milliseconds


@dataclass
class CountingIds:
    """id-1, id-2 and so on."""

    count: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    def __call__(self) -> str:
        return f"id-{next(self.count)}"


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def ids() -> CountingIds:
    return CountingIds()


@pytest.fixture
def library() -> SimpleNamespace:
    """Three small tables with every kind of rule, and the migration that makes them."""
    return SimpleNamespace(
        shelves=SHELVES,
        books=BOOKS,
        marks=MARKS,
        tables=LIBRARY,
        migration=LIBRARY_MIGRATION,
    )


OpenBackend = Callable[..., Awaitable[Backend]]


@pytest.fixture(params=["memory", "sqlite", "sqlite with a second connection"])
async def open_backend(
    request: pytest.FixtureRequest, tmp_path: Path, clock: ManualClock
) -> AsyncIterator[OpenBackend]:
    """A function that opens an empty backend with the library's tables; closed at the end."""
    opened: list[Backend] = []

    async def open_one(limit: int = 0) -> Backend:
        backend: Backend
        if request.param == "memory":
            backend = MemoryBackend(LIBRARY, clock=clock, limit=limit)
        else:
            backend = await SqliteBackend.open(
                tmp_path / f"library-{len(opened)}.db",
                clock=clock,
                limit=limit,
                second_connection=request.param != "sqlite",
            )
        await backend.migrate([LIBRARY_MIGRATION])
        opened.append(backend)
        return backend

    yield open_one
    for backend in opened:
        await backend.close()


@pytest.fixture
async def backend(open_backend: OpenBackend) -> Backend:
    """Each backend in turn, with the library's tables, empty."""
    return await open_backend()


@pytest.fixture(params=["memory", "sqlite"])
async def app(
    request: pytest.FixtureRequest, tmp_path: Path, clock: ManualClock, ids: CountingIds
) -> AsyncIterator[AppStorage]:
    """The application's storage over each backend in turn."""
    if request.param == "memory":
        storage = AppStorage.in_memory(clock=clock, ids=ids)
    else:
        storage = await AppStorage.open(tmp_path / "data", clock=clock, ids=ids)
    async with storage:
        yield storage


NEW_RUN = NewRun(
    model="local/small",
    effort="default",
    window=100_000,
    budget=Budget(max_requests=3, max_tool_calls=2, deadline_ms=60_000, max_tokens=1_000),
)


@pytest.fixture(scope="session")
def new_run() -> NewRun:
    """A run with a small budget."""
    return NEW_RUN


class Scene:
    """The acts that most tests of stores begin with."""

    def __init__(self, app: AppStorage) -> None:
        self.app = app
        self.new_run = NEW_RUN

    def create(self, tx: Tx, session_id: str = "s1") -> None:
        self.app.sessions.create(
            tx, session_id, knowledge_base_id="kb", manifest_address="https://notes.example/"
        )

    def accept(self, tx: Tx, session_id: str = "s1", client_id: str = "c1") -> Accepted:
        return self.app.submissions.accept(
            tx,
            session_id,
            client_id,
            request=b'{"text":"hello"}',
            entry=NewEntry("user", {"text": "hello"}, preview="hello"),
            run=self.new_run,
        )

    async def running(self, session_id: str = "s1", client_id: str = "c1") -> str:
        """The id of a run under way in a session, which is made if need be."""

        def unit(tx: Tx) -> str:
            self.create(tx, session_id)
            accepted = self.accept(tx, session_id, client_id)
            assert self.app.runs.advance(tx, accepted.run_id, RunState.RUNNING).won
            return accepted.run_id

        return await self.app.write(unit, durable=True)


@pytest.fixture
def scene(app: AppStorage) -> Scene:
    return Scene(app)
