"""Tables as data: what a store declares, and what every backend enforces alike.

A declaration says which columns a table has, which of them identify a row, which
combinations are unique (perhaps only among some rows), and which rows of other tables a row
belongs to. SQLite gets its tables from `storage.migrations`; a test proves that the outcome
equals these declarations. The memory backend works from them directly.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import Enum, StrEnum
from typing import TypeAlias

from manifest.errors import ErrorCode, NoteBridgeError

SqlValue: TypeAlias = str | int | bytes | None
Row: TypeAlias = dict[str, SqlValue]
Key: TypeAlias = tuple[SqlValue, ...]
Cursor: TypeAlias = tuple[SqlValue, ...]


class Presence(Enum):
    """A filter that asks only whether a column holds a value."""

    PRESENT = "present"


PRESENT = Presence.PRESENT

Filter: TypeAlias = SqlValue | Presence | tuple[SqlValue, ...]
Where: TypeAlias = Mapping[str, Filter]
"""Columns that must equal a value, be absent (None), be PRESENT, or be one of a tuple."""

PRIMARY = "primary"
"""The name under which the key of every table is known as an index."""

_INTEGER_LIMIT = 2**63


class Kind(StrEnum):
    """The three kinds of value a column holds."""

    TEXT = "TEXT"
    INTEGER = "INTEGER"
    BLOB = "BLOB"


_PYTHON_TYPES: dict[Kind, type] = {Kind.TEXT: str, Kind.INTEGER: int, Kind.BLOB: bytes}


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name, its kind, and whether it may be absent."""

    name: str
    kind: Kind
    nullable: bool = False
    python_type: type = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "python_type", _PYTHON_TYPES[self.kind])

    def check(self, table: str, value: SqlValue) -> None:
        """ValueError where the value does not fit. table: for the message."""
        if value is None:
            if not self.nullable:
                raise ValueError(f"{table}.{self.name} must hold a value")
        elif type(value) is not self.python_type:
            raise ValueError(f"{table}.{self.name} holds {self.kind}, not {value!r:.60}")
        elif isinstance(value, str):
            if not value.isascii() and _has_lone_surrogate(value):
                raise ValueError(f"{table}.{self.name} holds a lone surrogate")
        elif isinstance(value, int) and not -_INTEGER_LIMIT <= value < _INTEGER_LIMIT:
            raise ValueError(f"{table}.{self.name} holds 64-bit integers, not {value}")


@dataclass(frozen=True, slots=True)
class Index:
    """An order to page by; `unique` forbids two rows with the same values.

    where: the index covers only rows whose column holds one of the given values.
    Rows in which an indexed column is absent never collide.
    """

    name: str
    columns: tuple[str, ...]
    unique: bool = False
    where: tuple[str, tuple[str, ...]] | None = None


@dataclass(frozen=True, slots=True)
class Reference:
    """A row belongs to a row of another table; with `cascade` it is deleted with it.

    Without `cascade` the other row cannot be deleted while it is referred to.
    """

    columns: tuple[str, ...]
    table: str
    target: tuple[str, ...]
    cascade: bool = True


@dataclass(frozen=True, slots=True)
class PageOrder:
    """columns: what orders the rows of a page. after: values of the first of these columns,
    in the last row already seen; empty to begin at the beginning. exhausted: every row that
    fits shares the cursor's values, so that nothing follows.
    """

    columns: tuple[str, ...]
    after: Cursor
    exhausted: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table: columns, the key that identifies a row, indices and references."""

    name: str
    columns: tuple[Column, ...]
    key: tuple[str, ...]
    indices: tuple[Index, ...] = ()
    references: tuple[Reference, ...] = ()
    by_name: Mapping[str, Column] = field(init=False, repr=False, compare=False)
    names: tuple[str, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_name", {column.name: column for column in self.columns})
        object.__setattr__(self, "names", tuple(column.name for column in self.columns))

    def unique_indices(self) -> tuple[Index, ...]:
        """The key and every unique index, as indices."""
        key = Index(PRIMARY, self.key, unique=True)
        return (key, *(index for index in self.indices if index.unique))

    def index(self, name: str) -> Index:
        """The index of that name; PRIMARY is the key. ValueError if there is none."""
        if name == PRIMARY:
            return Index(PRIMARY, self.key, unique=True)
        for index in self.indices:
            if index.name == name:
                return index
        raise ValueError(f"table {self.name} has no index {name}")

    def order(self, index: str) -> tuple[str, ...]:
        """The columns that order a page: those of the index, then the rest of the key."""
        columns = self.index(index).columns
        return columns + tuple(name for name in self.key if name not in columns)

    def page_order(self, index: str, where: Where, after: Cursor | None) -> PageOrder:
        """What orders a page and where it begins, without the columns `where` holds fast.

        ValueError where an ordering column may be absent and is not held fast: rows without
        a value have no place in the order, a cursor could not come back to them. ValueError,
        too, for an index that covers only some rows. Cursors come from outside this room:
        one that does not fit raises INVALID_ARGUMENT.
        """
        if self.index(index).where is not None:
            raise ValueError(f"index {index} covers only some rows of {self.name}")
        order = self.order(index)
        fixed = {name for name in order if isinstance(where.get(name), str | int | bytes)}
        for name in order:
            if self.by_name[name].nullable and name not in fixed:
                raise ValueError(f"{self.name}.{name} may be absent: fix it in the filter to page")
        columns = tuple(name for name in order if name not in fixed)
        if after is None:
            return PageOrder(columns, ())
        given = dict(zip(order, after, strict=False))
        if len(after) > len(order) or any(
            type(value) is not self.by_name[name].python_type
            or (name in fixed and value != where[name])
            for name, value in given.items()
        ):
            raise NoteBridgeError(
                ErrorCode.INVALID_ARGUMENT, f"This is no cursor of a page of {self.name}."
            )
        begin = tuple(given[name] for name in columns if name in given)
        return PageOrder(columns, begin, exhausted=not begin)

    def check_key(self, key: Key) -> None:
        """ValueError unless these are values for the columns of the key, all of them."""
        if len(key) != len(self.key):
            raise ValueError(f"the key of {self.name} is {', '.join(self.key)}")
        for name, value in zip(self.key, key, strict=True):
            self._check_asked(name, value)

    def check_where(self, where: Where) -> None:
        """ValueError where a filter names no column or compares with another kind of value."""
        for name, asked in where.items():
            if name not in self.by_name:
                self.check_columns(where)
            if isinstance(asked, tuple):
                for value in asked:
                    self._check_asked(name, value)
            elif asked is not None and asked is not PRESENT:
                self._check_asked(name, asked)

    def _check_asked(self, name: str, value: object) -> None:
        if type(value) is not self.by_name[name].python_type:
            raise ValueError(f"{self.name}.{name} is not compared with {value!r:.60}")

    def check_columns(self, names: Iterable[str]) -> None:
        """ValueError where a name is no column of this table."""
        if not self.by_name.keys() >= set(names):
            unknown = sorted(set(names) - self.by_name.keys())
            raise ValueError(f"table {self.name} has no column {', '.join(unknown)}")

    def check_values(self, values: Mapping[str, SqlValue]) -> None:
        """ValueError where a value does not fit its column. Every backend asks this first.

        SQLite itself would turn "5" into 5 and keep text in a number's column, so the check
        is ours: what one backend refuses, all refuse.
        """
        self.check_columns(values)
        for name, value in values.items():
            self.by_name[name].check(self.name, value)

    def check_change(self, values: Mapping[str, SqlValue]) -> None:
        """ValueError unless these may be set in a row that exists: no key, no misfit."""
        if not values or not set(values).isdisjoint(self.key):
            raise ValueError(f"a change of {self.name} sets something, and nothing of its key")
        self.check_values(values)

    def complete(self, row: Mapping[str, SqlValue]) -> Row:
        """The row with every column, absent ones as None, checked. ValueError as above."""
        self.check_columns(row)
        whole: Row = {}
        for column in self.columns:
            value = row.get(column.name)
            column.check(self.name, value)
            whole[column.name] = value
        return whole


def _has_lone_surrogate(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return True
    return False


def clean_text(value: str) -> str:
    """The text with each lone surrogate as U+FFFD: what a column of text can hold."""
    if value.isascii():
        return value
    return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def text(name: str, *, nullable: bool = False) -> Column:
    """A column of text."""
    return Column(name, Kind.TEXT, nullable)


def integer(name: str, *, nullable: bool = False) -> Column:
    """A column of 64-bit integers."""
    return Column(name, Kind.INTEGER, nullable)


def blob(name: str, *, nullable: bool = False) -> Column:
    """A column of bytes."""
    return Column(name, Kind.BLOB, nullable)
