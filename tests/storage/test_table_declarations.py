"""The tables that migrations make are the tables that the stores declare."""

from __future__ import annotations

import sqlite3

import pytest

from storage.migrations import MIGRATIONS
from storage.schema import Index, Reference, Table
from storage.tables import ACTIVE_STATES, RUNS, TABLES


@pytest.fixture(scope="module")
def migrated() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:")
    for migration in MIGRATIONS:
        for statement in migration.statements:
            connection.execute(statement)
    return connection


def columns_of(connection: sqlite3.Connection, table: str) -> list[tuple[str, str, bool, int]]:
    rows = connection.execute(f'PRAGMA table_xinfo("{table}")').fetchall()
    return [(name, kind, not required, key) for _, name, kind, required, _, key, _ in rows]


def indices_of(connection: sqlite3.Connection, table: str) -> set[Index]:
    found = set()
    for _, name, unique, origin, partial in connection.execute(f'PRAGMA index_list("{table}")'):
        if origin == "pk":
            continue
        columns = connection.execute(f'PRAGMA index_xinfo("{name}")').fetchall()
        keyed = [row for row in columns if row[5]]
        assert all(row[3] == 0 and row[4] == "BINARY" for row in keyed), name
        where = None
        if partial:
            (sql,) = connection.execute(
                "SELECT sql FROM sqlite_master WHERE name = ?", (name,)
            ).fetchone()
            condition = " ".join(sql.partition("WHERE")[2].split())
            column, _, values = condition.partition(" IN ")
            where = (column.strip('"'), tuple(v.strip("' ") for v in values.strip("()").split(",")))
        found.add(Index(name, tuple(row[2] for row in keyed), bool(unique), where))
    return found


def references_of(connection: sqlite3.Connection, table: str) -> set[Reference]:
    by_id: dict[int, list[tuple[str, str, str, str]]] = {}
    for row in connection.execute(f'PRAGMA foreign_key_list("{table}")'):
        by_id.setdefault(row[0], []).append((row[3], row[2], row[4], row[6]))
    return {
        Reference(
            columns=tuple(column for column, *_ in parts),
            table=parts[0][1],
            target=tuple(target for _, _, target, _ in parts),
            cascade=parts[0][3] == "CASCADE",
        )
        for parts in by_id.values()
    }


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_the_migrated_table_equals_its_declaration(
    migrated: sqlite3.Connection, table: Table
) -> None:
    place = {name: number for number, name in enumerate(table.key, 1)}
    declared = [
        (column.name, column.kind.value, column.nullable, place.get(column.name, 0))
        for column in table.columns
    ]
    assert columns_of(migrated, table.name) == declared
    assert indices_of(migrated, table.name) == set(table.indices)
    assert references_of(migrated, table.name) == set(table.references)


def test_migrations_make_no_other_tables(migrated: sqlite3.Connection) -> None:
    rows = migrated.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    assert {name for (name,) in rows} == {table.name for table in TABLES}


def test_migration_numbers_rise_by_one_from_one() -> None:
    assert [step.number for step in MIGRATIONS] == list(range(1, len(MIGRATIONS) + 1))


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_a_unique_index_is_known_by_its_columns(table: Table) -> None:
    """SQLite names only the columns of a conflict: no two unique indices may share them."""
    columns = [index.columns for index in table.unique_indices()]
    assert len(columns) == len(set(columns))


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_what_is_referred_to_is_unique_and_cascades_find_their_rows_by_index(table: Table) -> None:
    by_name = {each.name: each for each in TABLES}
    for reference in table.references:
        unique = {index.columns for index in by_name[reference.table].unique_indices()}
        assert reference.target in unique
        leading = {
            index.columns[: len(reference.columns)]
            for index in (*table.indices, table.index("primary"))
            if index.where is None
        }
        assert reference.columns in leading


def test_one_active_run_per_session_is_a_rule_of_the_database() -> None:
    index = RUNS.index("runs_active")
    assert index.unique
    assert index.columns == ("session_id",)
    assert index.where == ("state", ACTIVE_STATES)
