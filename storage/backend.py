"""What carries the stores: the `Tx` a unit of work sees, and the `Backend` that runs it.

A unit of work is one plain function over a `Tx`. It is run whole, on one thread, in one
transaction, and has no side effects: a backend may run it again after a conflict with another
writer. Whatever must happen after the commit (publishing an event to subscribers) goes into
`on_commit`, which is called even when the task that awaited the unit has been cancelled.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeVar

from manifest.errors import ErrorCode, NoteBridgeError
from storage.migrations import Migration
from storage.schema import Cursor, Key, Row, Table, Where

T = TypeVar("T")


class Conflict(Exception):
    """A row would collide with another one under a unique index. Stays inside this room."""

    def __init__(self, table: str, index: str) -> None:
        super().__init__(f"{table}: another row under {index}")
        self.table = table
        self.index = index


class MissingReference(Exception):
    """A row refers to a row that is not there, or is still referred to. Stays inside."""

    def __init__(self, table: str) -> None:
        super().__init__(f"{table}: a reference does not hold")
        self.table = table


class ReadTx(Protocol):
    """One snapshot of the tables. Usable only inside the unit it was given to."""

    def get(self, table: Table, key: Key) -> Row | None:
        """The row of that key, or None."""

    def page(
        self,
        table: Table,
        where: Where,
        *,
        limit: int,
        index: str = ...,
        after: Cursor | None = None,
        columns: tuple[str, ...] | None = None,
        descending: bool = False,
    ) -> list[Row]:
        """Up to `limit` rows that fit `where`, in the order of `index` and then the key.

        after: the values of `table.order(index)`, or of its first columns, in the last row
        already seen; what follows it in the chosen direction is returned, without rows that
        share those values. columns: only these (default: all).
        """


class Tx(ReadTx, Protocol):
    """One transaction: what it reads it may change."""

    @property
    def now(self) -> int:
        """The time of this unit, milliseconds since 1970 UTC; one value for all its rows."""

    @property
    def durable(self) -> bool:
        """Whether the commit of this unit is synced to disk."""

    def insert(self, table: Table, row: Row) -> None:
        """Add a row. Raises Conflict(index) or MissingReference; the unit may go on after."""

    def update(self, table: Table, key: Key, values: Row, where: Where | None = None) -> bool:
        """Change the row of that key if it fits `where` (compare-and-set); whether it did.

        Key columns cannot be changed. Raises Conflict or MissingReference.
        """

    def delete(self, table: Table, where: Where) -> int:
        """Delete the rows that fit, and what cascades from them; how many fitted."""

    def next(self, table: Table, key: Where, column: str) -> int:
        """One more than the greatest value of `column` among rows that fit `key`; 1 if none.

        The number is taken by inserting a row with it, in this same unit.
        """


@dataclass(frozen=True, slots=True)
class Usage:
    """Bytes: in use by rows, free inside the file, waiting in the log, and the cap (0: none)."""

    used: int
    free: int
    log: int
    limit: int


class Backend(Protocol):
    """Carries the tables. Every awaitable may be cancelled: the unit still runs whole."""

    async def write(
        self,
        unit: Callable[[Tx], T],
        *,
        durable: bool = False,
        reserve: bool = False,
        on_commit: Callable[[T], None] | None = None,
    ) -> T:
        """Run a unit in a transaction of its own and commit it; an exception undoes it.

        durable: the commit is synced to disk before this returns. Otherwise a crash of the
        process loses nothing, a power cut perhaps the last moments.
        reserve: may use the space kept back for ending runs and for deleting.
        on_commit: called on the event loop right after the commit, in order of commits.
        Raises STORAGE_FULL, STORAGE_LOCKED, STORAGE_DAMAGED, and what the unit raises.
        """

    async def read(self, unit: Callable[[ReadTx], T]) -> T:
        """Run a unit over one snapshot."""

    async def migrate(self, steps: Sequence[Migration]) -> None:
        """Apply what is missing, oldest first. Raises STORAGE_TOO_NEW, STORAGE_DAMAGED."""

    async def check(self) -> list[str]:
        """Problems found in the stored data, one line each; empty when it is sound."""

    async def backup(self, path: Path) -> None:
        """Write a whole copy to `path`, which must not exist. Raises INVALID_ARGUMENT."""

    async def usage(self) -> Usage:
        """What is in use."""

    async def close(self) -> None:
        """Finish what was submitted and let go. Twice is fine."""


def require_durable(tx: Tx, what: str) -> None:
    """Refuse a unit that promises durability without `durable=True`.

    Acceptance, counts, tool results, cancellation and terminal states must be synced before
    anyone sees them. No test without a power cut would notice a forgotten flag: hence INTERNAL.
    """
    if not tx.durable:
        raise NoteBridgeError(
            ErrorCode.INTERNAL,
            f"{what} must be committed with durable=True.",
        )
