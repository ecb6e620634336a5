"""Where a release goes: bytes by path below a site, at a folder, a bucket or another host."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file as a target lists it. size: bytes. age: seconds since it was last written, by the
    target's own clock, so that a publisher's wrong clock cannot make a file look old."""

    path: str
    size: int
    age: float


@dataclass(frozen=True, slots=True)
class StoredBody:
    """A file as a target gives it back. version: opaque, another one whenever the bytes differ."""

    body: bytes
    version: str


class Target(Protocol):
    """A place that serves a site. Paths are relative to it, POSIX, without `.` and `..`.

    A reader never sees half a file: `write` and `replace_if` take effect whole or not at all.
    All methods raise `NoteBridgeError`: INVALID_ARGUMENT for a path that is none or would leave the
    target, STORAGE_FULL, SITE_UNREACHABLE where the target refuses or does not answer.
    """

    @property
    def name(self) -> str:
        """The target in messages."""
        ...

    @property
    def folder(self) -> Path | None:
        """Where it is on this machine; None if it is elsewhere."""
        ...

    @property
    def parallel(self) -> int:
        """How many writes it takes at once."""
        ...

    def hold(self) -> AbstractContextManager[None]:
        """Keeps other releases out for as long as it lasts, where the target can do that, and
        clears away what a killed release left half written.

        Raises `NoteBridgeError` (STORAGE_LOCKED) while another release holds the target.
        """
        ...

    def files(self, prefix: str = "") -> Iterator[StoredFile]:
        """Every file whose path begins with the prefix, in no particular order."""
        ...

    def hashes(self, paths: Iterable[str]) -> Mapping[str, str]:
        """The SHA-256 of files as far as the target can tell without sending them; a file it says
        nothing of counts as different."""
        ...

    def read(self, path: str) -> StoredBody | None:
        """A file with its version; None if there is none."""
        ...

    def write(self, path: str, body: bytes) -> None:
        """Puts a file there, or puts it in place of the one that is there."""
        ...

    def replace_if(self, path: str, body: bytes, expected: str | None) -> bool:
        """Writes a file only if its version is still the expected one (None: only if there is no
        such file), and only after everything written before it is there to stay.

        False, and nothing written, if it is not.
        """
        ...

    def delete(self, path: str) -> None:
        """Takes a file away; one that is not there is fine."""
        ...
