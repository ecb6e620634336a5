"""The folder of notes as a build finds it: which notes, which other files, and what changed.

Every file is looked at (name, size, time of change, inode), and only those that are new or look
different are read.
"""

from __future__ import annotations

import hashlib
import os
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from site_builder.media import extension
from site_builder.note_store import Stamp
from site_builder.own_files import read_bounded, refusal

NOTE_SUFFIXES = frozenset({"md", "markdown"})
"""How the name of a note ends; a file without a suffix may be anything, a private key included."""

RACY = 2_000_000_000
"""Nanoseconds within which a file may change again without its time of change telling: one that
changed so lately is read again by the next build."""


@dataclass(slots=True)
class FolderListing:
    """Regular files below a folder, by POSIX path: notes, and all others. refused: why a file is
    not read, by path."""

    notes: dict[str, Stamp] = field(default_factory=dict)
    assets: dict[str, Stamp] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)


Excludes = Callable[[str], bool]
"""Whether a path (POSIX; a folder ends in `/`) is left out altogether."""


def list_folder(folder: Path, excludes: Excludes) -> FolderListing:
    """Everything below a folder that a build may read.

    Links, pipes and devices are refused, not followed.
    """
    found = FolderListing()
    pending = [""]
    while pending:
        prefix = pending.pop()
        for entry in _entries(folder / prefix):
            path = f"{prefix}{entry.name}"
            if entry.is_dir(follow_symlinks=False):
                if not excludes(f"{path}/"):
                    pending.append(f"{path}/")
            elif not excludes(path):
                _take(found, folder, path, entry)
    return found


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        yield from sorted(entries, key=lambda entry: entry.name)


def _take(found: FolderListing, folder: Path, path: str, entry: os.DirEntry[str]) -> None:
    status = entry.stat(follow_symlinks=False)
    if not stat.S_ISREG(status.st_mode) or not path.isprintable():
        why = refusal(folder, path)
        if why:
            found.refused[path] = why
            return
    stamp = Stamp(status.st_size, status.st_mtime_ns, status.st_ino)
    (found.notes if extension(path) in NOTE_SUFFIXES else found.assets)[path] = stamp


@dataclass(slots=True)
class FileHashes:
    """The SHA-256 of files by path, from memory where a file looks as it did.

    known: what earlier builds saw. fresh: what this one read, to be known to the next.
    """

    folder: Path
    known: Mapping[str, tuple[Stamp, str]]
    fresh: dict[str, tuple[Stamp, str]] = field(default_factory=dict)
    now: int = field(default_factory=time.time_ns)

    def known_hash(self, path: str, stamp: Stamp) -> str:
        """The hash of a file that looks as it did; empty if it must be read."""
        seen = self.fresh.get(path) or self.known.get(path)
        return seen[1] if seen is not None and seen[0] == stamp else ""

    def read(self, path: str, stamp: Stamp) -> tuple[bytes, str]:
        """The bytes of a note and their hash."""
        data = read_bounded(self.folder, path)
        return data, self._remember(path, stamp, hashlib.sha256(data).hexdigest())

    def of(self, path: str, stamp: Stamp) -> str:
        """The hash of any file, read in pieces if it must be."""
        known = self.known_hash(path, stamp)
        if known:
            return known
        with (self.folder / path).open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        return self._remember(path, stamp, digest)

    def _remember(self, path: str, stamp: Stamp, sha256: str) -> str:
        if self.now - stamp.changed > RACY:
            self.fresh[path] = (stamp, sha256)
        else:
            # A stamp that no file has: the next build reads it again.
            self.fresh[path] = (Stamp(-1, 0, 0), sha256)
        return sha256
