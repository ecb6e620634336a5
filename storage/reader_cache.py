"""What a reader keeps between runs, in a database of its own that several processes share.

Calls are synchronous and short; in async code, use `asyncio.to_thread`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from storage.known_manifests import KnownManifests
from storage.limits import OBJECT_CACHE_BYTES
from storage.object_cache import ObjectCache
from storage.reader_database import ReaderDatabase


class ReaderCache:
    """The object cache and the known manifests over one database file, `reader.db`."""

    def __init__(
        self, folder: Path, *, clock: Callable[[], int], limit: int = OBJECT_CACHE_BYTES
    ) -> None:
        """Open or create it. clock: milliseconds since 1970 UTC. limit: bytes of objects.

        Raises INVALID_ARGUMENT on a network file system, STORAGE_TOO_NEW, STORAGE_LOCKED.
        """
        self._database = ReaderDatabase(folder, clock=clock)
        self.objects = ObjectCache(self._database, clock=clock, limit=limit)
        self.manifests = KnownManifests(self._database)

    @property
    def damaged_files(self) -> tuple[Path, ...]:
        """Databases found damaged and set aside under these names; a new one was begun.

        With them went what was known of manifests: say so, rollbacks are not seen until the
        sites have been read again.
        """
        return self._database.damaged_files

    def close(self) -> None:
        """Write down what was used and close. Twice is fine."""
        if self._database.is_open:
            self.objects.flush()
        self._database.close()

    def __enter__(self) -> ReaderCache:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.close()
