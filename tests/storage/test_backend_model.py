"""Random transactions, carried out by each backend and by a model too simple to be wrong."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from storage.backend import Backend, Conflict, MissingReference, Tx
from storage.memory_backend import MemoryBackend
from storage.schema import PRESENT, PRIMARY, Filter, Presence, Row, Table, Where
from storage.sqlite_backend import SqliteBackend


class Model:
    """Lists of rows; every rule checked by looking at all of them."""

    def __init__(self, tables: tuple[Table, ...]) -> None:
        self.tables = {table.name: table for table in tables}
        self.rows: dict[str, list[Row]] = {table.name: [] for table in tables}

    def copy(self) -> Model:
        twin = Model(tuple(self.tables.values()))
        twin.rows = {name: [dict(row) for row in rows] for name, rows in self.rows.items()}
        return twin

    def broken(self) -> set[str]:
        """Names of broken rules: unique indices and, as "reference", references."""
        found = set()
        for name, table in self.tables.items():
            for index in table.unique_indices():
                covered = [
                    tuple(row[column] for column in index.columns)
                    for row in self.rows[name]
                    if index.where is None or row[index.where[0]] in index.where[1]
                ]
                held = [values for values in covered if None not in values]
                if len(held) != len(set(held)):
                    found.add(index.name)
            for reference in table.references:
                targets = {
                    tuple(row[column] for column in reference.target)
                    for row in self.rows[reference.table]
                }
                for row in self.rows[name]:
                    values = tuple(row[column] for column in reference.columns)
                    if None not in values and values not in targets:
                        found.add("reference")
        return found

    def cascade(self) -> None:
        """Delete rows whose cascading reference points to nothing, until there are none."""
        for name, table in self.tables.items():
            for reference in table.references:
                if reference.cascade:
                    targets = {
                        tuple(row[column] for column in reference.target)
                        for row in self.rows[reference.table]
                    }
                    self.rows[name] = [
                        row
                        for row in self.rows[name]
                        if tuple(row[column] for column in reference.columns) in targets
                    ]


def fits(row: Row, where: Where) -> bool:
    for name, asked in where.items():
        value = row[name]
        if isinstance(asked, Presence):
            fit = value is not None
        elif isinstance(asked, tuple):
            fit = value in asked
        else:
            fit = value == asked
        if not fit:
            return False
    return True


@dataclass(frozen=True)
class Step:
    """One call of a Tx, as data."""

    name: str
    table: str
    row: Row
    where: dict[str, Filter]
    index: str = PRIMARY
    limit: int = 3
    descending: bool = False


def on_model(model: Model, step: Step) -> tuple[object, Model]:
    """What the step must return, or the set of rules one of which it must name."""
    table = model.tables[step.table]
    rows = model.rows[step.table]
    where: Where = step.where
    after = model.copy()
    key = tuple(step.row[name] for name in table.key)
    if step.name == "insert":
        after.rows[step.table].append(dict(step.row))
        outcome: object = None
    elif step.name == "update":
        change = {name: value for name, value in step.row.items() if name not in table.key}
        outcome = False
        for row in after.rows[step.table]:
            if tuple(row[name] for name in table.key) == key and fits(row, where):
                row.update(change)
                outcome = True
    elif step.name == "delete":
        after.rows[step.table] = [row for row in rows if not fits(row, where)]
        outcome = len(rows) - len(after.rows[step.table])
        after.cascade()
    elif step.name == "get":
        outcome = next((r for r in rows if tuple(r[n] for n in table.key) == key), None)
    elif step.name == "next":
        column = next(c.name for c in table.columns if c.kind == "INTEGER")
        outcome = max((int(r[column] or 0) for r in rows if fits(r, where)), default=0) + 1
    else:
        order = table.order(step.index)
        found = sorted(
            (row for row in rows if fits(row, where)),
            key=lambda row: tuple(row[name] for name in order),
            reverse=step.descending,
        )
        start = tuple(step.row[name] for name in order)
        found = [
            row
            for row in found
            if (
                tuple(row[name] for name in order) < start
                if step.descending
                else tuple(row[name] for name in order) > start
            )
        ]
        outcome = found[: step.limit]
    broken = after.broken()
    return (broken, model) if broken else (outcome, after)


def on_tx(tx: Tx, table: Table, step: Step) -> object:
    where: Where = step.where
    key = tuple(step.row[name] for name in table.key)
    try:
        if step.name == "insert":
            tx.insert(table, step.row)
            return None
        if step.name == "update":
            change = {name: value for name, value in step.row.items() if name not in table.key}
            return tx.update(table, key, change, where)
        if step.name == "delete":
            return tx.delete(table, where)
        if step.name == "get":
            return tx.get(table, key)
        if step.name == "next":
            column = next(c.name for c in table.columns if c.kind == "INTEGER")
            return tx.next(table, where, column)
        after = tuple(step.row[name] for name in table.order(step.index))
        return tx.page(
            table,
            where,
            index=step.index,
            after=after,
            limit=step.limit,
            descending=step.descending,
        )
    except Conflict as error:
        return {error.index}
    except MissingReference:
        return {"reference"}


SHELF_IDS = st.sampled_from(["a", "b", "死"])
SMALL = st.integers(0, 2)
ROWS: dict[str, st.SearchStrategy[Row]] = {
    "shelves": st.fixed_dictionaries(
        {
            "id": SHELF_IDS,
            "name": st.sampled_from(["x", "y", "z"]),
            "rank": SMALL,
            "room": st.sampled_from([None, "hall"]),
        }
    ),
    "books": st.fixed_dictionaries(
        {
            "shelf_id": SHELF_IDS,
            "n": SMALL,
            "state": st.sampled_from(["in", "lent", "late"]),
            "reader": st.sampled_from([None, "p", "q"]),
            "body": st.sampled_from([b"", b"\xff"]),
        }
    ),
    "marks": st.fixed_dictionaries(
        {
            "id": SHELF_IDS,
            "shelf_id": st.none() | SHELF_IDS,
            "n": st.none() | SMALL,
        }
    ),
}
INDICES = {
    "shelves": ["primary", "shelves_rank", "shelves_name"],
    "books": ["primary"],
    "marks": ["primary"],
}


@st.composite
def steps(draw: st.DrawFn) -> Step:
    table = draw(st.sampled_from(["shelves", "books", "books", "marks"]))
    row = draw(ROWS[table])
    name = draw(st.sampled_from(["insert"] * 4 + ["update", "delete", "get", "next", "page"]))
    columns = draw(st.lists(st.sampled_from(sorted(row)), max_size=2, unique=True))
    where: dict[str, Filter] = {}
    for column in columns:
        # A page of one value of an ordering column needs a cursor with that same value: the
        # row gives both. None in a tuple would fit nothing in SQL: it is not asked.
        some = (row[column],) if row[column] is not None else PRESENT
        where[column] = draw(st.sampled_from([row[column], row[column], PRESENT, some]))
    return Step(
        name,
        table,
        row,
        where,
        draw(st.sampled_from(INDICES[table])),
        draw(st.integers(1, 4)),
        draw(st.booleans()),
    )


TRANSACTIONS = st.lists(
    st.tuples(st.lists(steps(), min_size=1, max_size=8), st.booleans()), min_size=1, max_size=6
)


async def agree(
    backend: Backend, library: SimpleNamespace, transactions: list[tuple[list[Step], bool]]
) -> None:
    tables = {table.name: table for table in library.tables}
    model = Model(library.tables)
    for name in ("marks", "shelves"):
        await backend.write(lambda tx, name=name: tx.delete(tables[name], {}))  # type: ignore[misc]
    for whole, commits in transactions:
        expected = []
        after = model
        for step in whole:
            outcome, after = on_model(after, step)
            expected.append(outcome)
        assert_same(whole, expected, await carry_out(backend, tables, whole, commits))
        model = after if commits else model
        for name, table in tables.items():
            rows = await backend.read(lambda tx, table=table: tx.page(table, {}, limit=99))  # type: ignore[misc]
            assert rows == in_order(table.key, model.rows[name])
    assert await backend.check() == []


async def carry_out(
    backend: Backend, tables: dict[str, Table], whole: list[Step], commits: bool
) -> list[object]:
    got: list[object] = []

    def unit(tx: Tx) -> None:
        got.extend(on_tx(tx, tables[step.table], step) for step in whole)
        if not commits:
            raise LookupError

    with contextlib.suppress(LookupError):
        await backend.write(unit)
    return got


def in_order(key: tuple[str, ...], rows: list[Row]) -> list[Row]:
    return sorted(rows, key=lambda row: tuple(row[name] for name in key))


def assert_same(whole: list[Step], expected: list[object], got: list[object]) -> None:
    """A conflict may name any one of several broken rules; all else must be equal."""
    for step, wanted, outcome in zip(whole, expected, got, strict=True):
        if isinstance(wanted, set):
            assert isinstance(outcome, set), (step, wanted, outcome)
            assert outcome <= wanted, (step, wanted, outcome)
        else:
            assert outcome == wanted, step


@pytest.fixture
def runner() -> Iterator[asyncio.Runner]:
    """One event loop for all examples of a test."""
    with asyncio.Runner() as one:
        yield one


SETTINGS = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@SETTINGS
@given(transactions=TRANSACTIONS)
def test_memory_agrees_with_the_model(
    library: SimpleNamespace,
    runner: asyncio.Runner,
    transactions: list[tuple[list[Step], bool]],
) -> None:
    backend = MemoryBackend(library.tables, clock=lambda: 0)
    runner.run(agree(backend, library, transactions))


@pytest.fixture
def sqlite_backend(
    tmp_path: Path, library: SimpleNamespace, runner: asyncio.Runner
) -> Iterator[SqliteBackend]:
    """One file for all examples: each begins by emptying it."""
    backend = runner.run(SqliteBackend.open(tmp_path / "library.db", clock=lambda: 0))
    runner.run(backend.migrate([library.migration]))
    yield backend
    runner.run(backend.close())


@SETTINGS
@given(transactions=TRANSACTIONS)
def test_sqlite_agrees_with_the_model(
    library: SimpleNamespace,
    runner: asyncio.Runner,
    sqlite_backend: SqliteBackend,
    transactions: list[tuple[list[Step], bool]],
) -> None:
    runner.run(agree(sqlite_backend, library, transactions))
