"""What this room needs kept between runs; `storage.reader_cache` keeps it.

Calls are short, synchronous and safe from any thread, so they are made on one.
"""

from __future__ import annotations

from typing import Protocol

from storage.known_manifests import KnownManifest
from storage.object_cache import CachedObject


class ObjectCache(Protocol):
    """Bodies of objects by hash. Only verified ones are put in."""

    def get(self, sha256: str) -> CachedObject | None:
        """The object, or None if it is not there or no longer has that hash."""
        ...

    def put(self, sha256: str, kind: str, body: bytes) -> bool:
        """Keeps a body; whether there was room."""
        ...


class KnownManifests(Protocol):
    """The manifest accepted last at each address; what a manifest says of itself is no key."""

    def get(self, address: str) -> KnownManifest | None:
        """What was accepted last, or None."""
        ...

    def save(self, seen: KnownManifest) -> KnownManifest:
        """Keeps it, unless another process has meanwhile kept a later one; what is kept then."""
        ...

    def reset(self, address: str) -> bool:
        """A user's reset: whatever comes next is accepted."""
        ...
