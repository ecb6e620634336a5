"""The newest manifest ever seen at each address: what a rollback is measured against."""

from __future__ import annotations

from dataclasses import dataclass

from storage.driver import sqlite3
from storage.reader_database import ReaderDatabase

_COLUMNS = '"address", "sequence", "revision", "body", "fetched_at"'


@dataclass(frozen=True, slots=True)
class KnownManifest:
    """A manifest as it was fetched. sequence: 0 where the site was never released.

    body: its exact bytes. fetched_at: milliseconds since 1970 UTC.
    """

    address: str
    sequence: int
    revision: str
    body: bytes
    fetched_at: int


class KnownManifests:
    """Manifests by address (never by what a manifest says of itself).

    What is kept for an address never goes back, whichever process writes last: a higher
    sequence replaces a lower one, the same sequence only refreshes the same revision, save 0,
    which any other 0 may replace.
    """

    def __init__(self, database: ReaderDatabase) -> None:
        self._database = database

    def get(self, address: str) -> KnownManifest | None:
        """What is known of an address, or None."""
        return self._database.read(lambda connection: _find(connection, address))

    def save(self, seen: KnownManifest) -> KnownManifest:
        """Keep a manifest if it does not go back; what is known from now on.

        The caller compares: another revision than the one seen means that it was not kept.
        """

        def job(connection: sqlite3.Connection) -> KnownManifest | None:
            connection.execute(
                f'INSERT INTO "known_manifests" ({_COLUMNS}) VALUES (?, ?, ?, ?, ?) '
                'ON CONFLICT ("address") DO UPDATE SET "sequence" = excluded."sequence", '
                '"revision" = excluded."revision", "body" = excluded."body", '
                '"fetched_at" = excluded."fetched_at" '
                'WHERE excluded."sequence" > "sequence" OR ('
                'excluded."sequence" = "sequence" AND excluded."fetched_at" >= "fetched_at" '
                'AND (excluded."sequence" = 0 OR excluded."revision" = "revision"))',
                (seen.address, seen.sequence, seen.revision, seen.body, seen.fetched_at),
            )
            return _find(connection, seen.address)

        return self._database.write(job, durable=True) or seen

    def reset(self, address: str) -> bool:
        """Forget an address, so that the next manifest there is taken as it is."""
        return self._database.write(
            lambda connection: (
                connection.execute(
                    'DELETE FROM "known_manifests" WHERE "address" = ?', (address,)
                ).rowcount
                > 0
            )
        )

    def all(self) -> tuple[KnownManifest, ...]:
        """Everything known, by address."""
        rows = self._database.read(
            lambda connection: connection.execute(
                f'SELECT {_COLUMNS} FROM "known_manifests" ORDER BY "address"'
            ).fetchall()
        )
        return tuple(KnownManifest(*row) for row in rows)


def _find(connection: sqlite3.Connection, address: str) -> KnownManifest | None:
    row = connection.execute(
        f'SELECT {_COLUMNS} FROM "known_manifests" WHERE "address" = ?', (address,)
    ).fetchone()
    return None if row is None else KnownManifest(*row)
