"""What this room needs kept between runs; `storage` keeps it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from manifest.manifest_file import Manifest
from manifest.references import Kind


class ObjectCache(Protocol):
    """Bodies of objects by hash. Only verified ones are put in."""

    async def get(self, sha256: str) -> bytes | None:
        """The body, or None if it is not there or no longer has that hash."""
        ...

    async def put(self, sha256: str, kind: Kind, body: bytes) -> None:
        """Keeps a body, in place of whatever was there."""
        ...


@dataclass(frozen=True, slots=True)
class KnownManifest:
    """The manifest accepted last at an address; its sequence is the highest seen there.

    confirmed_at: when the host last answered with it, milliseconds since 1970 UTC.
    """

    manifest: Manifest
    confirmed_at: int


class KnownManifests(Protocol):
    """The accepted manifest of each address. An address, not a claimed identity, is the key."""

    async def get(self, address: str) -> KnownManifest | None:
        """What was accepted last, or None."""
        ...

    async def put(self, address: str, known: KnownManifest) -> None:
        """Keeps it, unless another process has meanwhile kept a higher sequence."""
        ...

    async def forget(self, address: str) -> None:
        """A user's reset: any sequence is accepted again."""
        ...
