"""Where a release goes: bytes by path below a site, at a folder, a bucket or another host."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True, slots=True)
class SiteFile:
    """A file of a built site. size: bytes."""

    path: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file as a target lists it. size: bytes. age: seconds since it was last written, by the
    target's own clock as far as it is known. tag: what the target says of its bytes, if anything.
    """

    path: str
    size: int
    age: float
    tag: str = ""


@dataclass(frozen=True, slots=True)
class StoredBody:
    """A file as a target gives it back. version: opaque, another one whenever the bytes differ."""

    body: bytes
    version: str


ReadFile = Callable[[str], bytes]
"""The bytes of a file of the built site, by path."""

StillAlone = Callable[[], None]
"""Raises `NoteBridgeError` (REQUEST_CONFLICT) once somebody else may be at work on a target."""


def is_path(path: str) -> bool:
    """Whether a path leads to a file below a site, on any system."""
    parts = path.split("/")
    return "\0" not in path and not any(part in ("", ".", "..") for part in parts)


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
        """How many reads or writes it takes at once."""
        ...

    @property
    def nested(self) -> bool:
        """Whether a file cannot stand where others have their folder."""
        ...

    @property
    def exclusive(self) -> bool:
        """Whether `hold` keeps everybody else out."""
        ...

    def hold(self) -> AbstractContextManager[None]:
        """Keeps other releases out for as long as it lasts, where the target can do that, and
        clears away what a killed release left half written.

        Raises `NoteBridgeError` (STORAGE_LOCKED) while another release holds the target.
        """
        ...

    def sweep(self) -> AbstractContextManager[StillAlone]:
        """Keeps others out while objects are taken away: releases that begin now, and everybody
        else who sweeps. A release that began before is kept from ending by changing the manifest.

        Raises `NoteBridgeError` (STORAGE_LOCKED) while another one holds the target.
        """
        ...

    def refuse_while_swept(self) -> None:
        """Raises `NoteBridgeError` (STORAGE_LOCKED) while somebody sweeps. A release asks after it
        has read the manifest: a sweep that begins later will change that manifest."""
        ...

    def files(self, prefix: str = "") -> Iterator[StoredFile]:
        """Every file whose path begins with the prefix, in no particular order."""
        ...

    def stored(self, paths: Iterable[str]) -> Iterator[StoredFile]:
        """Those of the paths that are there now."""
        ...

    def same(self, pairs: Iterable[tuple[SiteFile, StoredFile]], read: ReadFile) -> set[str]:
        """The paths of those that the target has with the very bytes of the site, as far as it can
        tell without sending them all; one that it cannot tell counts as different."""
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

    def delete(self, paths: Iterable[str]) -> None:
        """Takes files away; one that is not there is fine."""
        ...
