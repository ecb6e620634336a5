"""Published objects on disk: put in only once verified, verified again at every read."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from manifest.errors import ErrorCode, NoteBridgeError
from storage.driver import sqlite3
from storage.reader_database import ReaderDatabase

_EVICT_TO_PERCENT = 90
_BATCH = 64


@dataclass(frozen=True, slots=True)
class CachedObject:
    """An object's kind and its exact body, which has the hash it is known by."""

    sha256: str
    kind: str
    body: bytes


@dataclass(frozen=True, slots=True)
class CacheUsage:
    """Bytes of bodies and how many objects; limit: the bound in bytes."""

    bytes: int
    objects: int
    limit: int


class ObjectCache:
    """Objects by hash, bounded in bytes; what was used least recently goes first.

    Safe for several processes and threads. Pinned objects (of the revisions that runs are
    bound to) stay until unpinned or until the pin expires: a killed process unpins nothing.
    clock: milliseconds since 1970 UTC. limit: bytes of bodies, never exceeded.
    """

    def __init__(self, database: ReaderDatabase, *, clock: Callable[[], int], limit: int) -> None:
        self._database = database
        self._clock = clock
        self._limit = limit
        self._gate = threading.Lock()
        self._used: dict[str, int] = {}
        self._damaged = 0

    @property
    def damaged_objects(self) -> int:
        """How many damaged objects this process has met and dropped."""
        return self._damaged

    def get(self, sha256: str) -> CachedObject | None:
        """The object, or None where it is absent. A damaged one is dropped and counts as absent."""
        row = self._database.read(
            lambda connection: connection.execute(
                'SELECT "kind", "body" FROM "objects" WHERE "sha256" = ?', (sha256,)
            ).fetchone()
        )
        if row is None:
            return None
        kind, body = row
        if isinstance(body, bytes) and hashlib.sha256(body).hexdigest() == sha256:
            self._note_use(sha256)
            return CachedObject(sha256, str(kind), body)
        # Only these bytes: another process may have put sound ones in their place meanwhile.
        self._database.write(
            lambda connection: connection.execute(
                'DELETE FROM "objects" WHERE "sha256" = ? AND "body" IS ?', (sha256, body)
            )
        )
        self._damaged += 1
        return None

    def put(self, sha256: str, kind: str, body: bytes) -> bool:
        """Keep one object; see `put_all`."""
        return self.put_all([CachedObject(sha256, kind, body)])

    def put_all(self, objects: Sequence[CachedObject]) -> bool:
        """Keep objects, in one transaction, making room; whether all of them found room.

        Raises INTEGRITY_MISMATCH where a body does not have its hash: nothing is kept then.
        """
        for each in objects:
            if hashlib.sha256(each.body).hexdigest() != each.sha256:
                raise NoteBridgeError(
                    ErrorCode.INTEGRITY_MISMATCH,
                    f"The bytes of {each.kind} {each.sha256[:64]} do not have that hash.",
                )
        now = self._clock()
        fitting = [each for each in objects if len(each.body) <= self._limit]

        def job(connection: sqlite3.Connection) -> int:
            self._write_uses(connection)
            connection.executemany(
                'INSERT INTO "objects" ("sha256", "kind", "body", "size", "last_used") '
                'VALUES (?, ?, ?, ?, ?) ON CONFLICT ("sha256") DO NOTHING',
                [(each.sha256, each.kind, each.body, len(each.body), now) for each in fitting],
            )
            self._make_room(connection, now)
            return _count_present(connection, [each.sha256 for each in fitting])

        return self._database.write(job) == len({each.sha256 for each in objects})

    def pin(self, holder: str, hashes: Iterable[str], *, until: int) -> None:
        """Keep these objects, present or yet to come, until a time; again prolongs it."""
        rows = [(sha256, holder, until) for sha256 in hashes]
        self._database.write(
            lambda connection: connection.executemany(
                'INSERT INTO "pins" ("sha256", "holder", "expires_at") VALUES (?, ?, ?) '
                'ON CONFLICT ("sha256", "holder") '
                'DO UPDATE SET "expires_at" = max("expires_at", excluded."expires_at")',
                rows,
            )
        )

    def unpin(self, holder: str) -> None:
        """Let go of all that a holder has pinned."""
        self._database.write(
            lambda connection: connection.execute(
                'DELETE FROM "pins" WHERE "holder" = ?', (holder,)
            )
        )

    def usage(self) -> CacheUsage:
        """What is held now."""
        size, count = self._database.read(
            lambda connection: connection.execute(
                'SELECT "bytes", "objects" FROM "totals"'
            ).fetchone()
        )
        return CacheUsage(int(size), int(count), self._limit)

    def clear(self) -> None:
        """Forget every object and every pin."""

        def job(connection: sqlite3.Connection) -> None:
            connection.execute('DELETE FROM "objects"')
            connection.execute('DELETE FROM "pins"')

        self._database.write(job)

    def flush(self) -> None:
        """Write down which objects were used lately, as otherwise the next `put` does."""
        with self._gate:
            waiting = bool(self._used)
        if waiting:
            self._database.write(self._write_uses)

    def _note_use(self, sha256: str) -> None:
        """Uses are written down many at a time: reading must not become writing."""
        with self._gate:
            self._used[sha256] = self._clock()
            full = len(self._used) >= _BATCH
        if full:
            self.flush()

    def _write_uses(self, connection: sqlite3.Connection) -> None:
        with self._gate:
            used, self._used = self._used, {}
        connection.executemany(
            'UPDATE "objects" SET "last_used" = max("last_used", ?) WHERE "sha256" = ?',
            [(when, sha256) for sha256, when in used.items()],
        )

    def _make_room(self, connection: sqlite3.Connection, now: int) -> None:
        connection.execute('DELETE FROM "pins" WHERE "expires_at" <= ?', (now,))
        if _bytes_held(connection) <= self._limit:
            return
        unpinned = 'NOT IN (SELECT "sha256" FROM "pins")'
        self._evict(connection, unpinned, self._limit * _EVICT_TO_PERCENT // 100)
        # Pins alone exceed the bound: the bound holds, the newest pinned objects yield.
        self._evict(connection, "IS NOT NULL", self._limit, newest_first=True)

    def _evict(
        self,
        connection: sqlite3.Connection,
        condition: str,
        target: int,
        *,
        newest_first: bool = False,
    ) -> None:
        direction = "DESC" if newest_first else "ASC"
        while (held := _bytes_held(connection)) > target:
            rows = connection.execute(
                f'SELECT "sha256", "size" FROM "objects" WHERE "sha256" {condition} '
                f'ORDER BY "last_used" {direction}, "sha256" LIMIT ?',
                (_BATCH,),
            ).fetchall()
            if not rows:
                return
            for sha256, size in rows:
                if held <= target:
                    break
                connection.execute('DELETE FROM "objects" WHERE "sha256" = ?', (sha256,))
                held -= size


def _bytes_held(connection: sqlite3.Connection) -> int:
    (size,) = connection.execute('SELECT "bytes" FROM "totals"').fetchone()
    return int(size)


def _count_present(connection: sqlite3.Connection, hashes: Sequence[str]) -> int:
    return sum(
        connection.execute('SELECT 1 FROM "objects" WHERE "sha256" = ?', (sha256,)).fetchone()
        is not None
        for sha256 in set(hashes)
    )
