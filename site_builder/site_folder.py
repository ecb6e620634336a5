"""A site's folder while it is built: only what changed is written, what is left over goes.

The manifest is written when everything else is in place, and what no page and no object needs any
more is removed after it: a reader of the folder always finds one whole revision.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from manifest.canonical import sha256_hex
from manifest.objects import reference_to
from manifest.references import MANIFEST_PATH, OBJECTS_PATH, Kind, Reference, object_path
from site_builder.folder_lock import LOCK_NAME
from site_builder.note_store import NoteStore, Written
from site_builder.search.shards import continuations
from site_builder.volume import Volume

_PART = ".nb-part"
"""The end of a name under which a file is written before it is whole."""


class SiteFolder:
    """Writes one build into a folder. changed and removed: what the build did to it.

    beside: whether what stands there already stays, made or not. Also an `ObjectSink`: objects
    are files that never change.
    """

    def __init__(self, folder: Path, store: NoteStore, *, beside: bool = False) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.changed = Volume()
        self.removed = Volume()
        self._store = store
        self._site = str(folder)
        self._known = store.written(self._site)
        self._present = set(_files(folder))
        self._kept: set[str] = set(self._present) if beside else set()
        self._written: dict[str, Written] = {}
        self._folders: set[str] = set()
        self._rests: dict[str, tuple[str, ...]] | None = None
        self._fresh_rests: dict[str, tuple[str, ...]] = {}

    # Objects

    def put(self, kind: Kind, body: bytes) -> Reference:
        """Keeps an object and returns the reference to it."""
        reference = reference_to(body)
        path = object_path(kind, reference.sha256)
        if path not in self._present:
            self._write(path, body)
        self._kept.add(path)
        return reference

    def holds(self, kind: Kind, sha256: str) -> bool:
        """Whether an object is there already, with what it alone refers to; if so, both stay."""
        path = object_path(kind, sha256)
        if path not in self._present:
            return False
        rests = self._continuations(sha256, path) if kind is Kind.SHARD else ()
        if not self._present.issuperset(rests):
            return False
        self._kept.add(path)
        self._kept.update(rests)
        return True

    def _continuations(self, sha256: str, path: str) -> tuple[str, ...]:
        """The paths of a shard's continuations. They follow from its hash, so the store knows
        those of all shards that were looked at once."""
        if self._rests is None:
            shards = f"{OBJECTS_PATH}/{Kind.SHARD}/"
            present = (
                found.removeprefix(shards).removesuffix(".json")
                for found in self._present
                if found.startswith(shards)
            )
            keys = (_rests_of(found) for found in present)
            self._rests = self._store.derived(keys, tuple[str, ...])
        key = _rests_of(sha256)
        if key not in self._rests:
            body = (self.folder / path).read_bytes()
            self._rests[key] = self._fresh_rests[key] = tuple(
                object_path(Kind.POSTINGS, rest.sha256) for rest in continuations(body, path)
            )
        return self._rests[key]

    def made(self, kind: Kind, sha256: str) -> bool:
        """Whether an object is of this build."""
        return object_path(kind, sha256) in self._kept

    # Files

    def is_current(self, path: str, key: str) -> bool:
        """Whether a file stands as it was made from `key`; if so, it stays."""
        known = self._known.get(path)
        if known is None or known.key != key or path not in self._present:
            return False
        try:
            status = os.stat(f"{self._site}/{path}")
        except OSError:
            return False
        if (status.st_size, status.st_mtime_ns) != (known.size, known.changed):
            return False
        self._kept.add(path)
        return True

    def write(self, path: str, body: bytes, key: str = "") -> None:
        """Puts a file into the site, unless the same bytes stand there.

        key: what it was made from; its own hash if left out.
        """
        file = self.folder / path
        if path not in self._present or _bytes_of(file) != body:
            self._write(path, body)
        self._kept.add(path)
        status = os.stat(file)
        self._written[path] = Written(key or sha256_hex(body), status.st_size, status.st_mtime_ns)

    def finish(self, manifest: bytes) -> None:
        """Switches to the new manifest, then removes what is left over."""
        self.write(MANIFEST_PATH, manifest)
        extra = self._present - self._kept - {LOCK_NAME}
        for path in sorted(extra):
            file = self.folder / path
            with contextlib.suppress(FileNotFoundError):
                self.removed = self.removed.plus(file.stat().st_size)
                file.unlink()
        _remove_empty(self.folder, extra)
        self._store.derive(self._fresh_rests)
        self._store.wrote(
            self._site, self._written, (path for path in extra if path in self._known)
        )

    def _write(self, path: str, body: bytes) -> None:
        file = self.folder / path
        parent = path.rpartition("/")[0]
        if parent not in self._folders:
            self._make_room(parent)
        part = file.with_name(f"{sha256_hex(file.name.encode())[:16]}{_PART}")
        part.write_bytes(body)
        if file.is_dir() and not file.is_symlink():
            self._clear(path)
        part.replace(file)
        self._present.add(path)
        self.changed = self.changed.plus(len(body))

    def _make_room(self, parent: str) -> None:
        """The folder of a file, also where a file of an earlier build has its name."""
        names = parent.split("/") if parent else []
        for depth in range(1, len(names) + 1):
            above = "/".join(names[:depth])
            if above in self._present:
                (self.folder / above).unlink()
                self._present.discard(above)
        (self.folder / parent).mkdir(parents=True, exist_ok=True)
        self._folders.add(parent)

    def _clear(self, path: str) -> None:
        """Empties a folder of an earlier build whose name a file has now."""
        below = [found for found in self._present if found.startswith(f"{path}/")]
        for found in below:
            (self.folder / found).unlink()
            self._present.discard(found)
        _remove_empty(self.folder, set(below))


def _rests_of(sha256: str) -> str:
    return f"rests {sha256}"


def _files(folder: Path) -> Iterator[str]:
    """Every file below a folder, by POSIX path; links are files, whatever they lead to."""
    pending = [""]
    while pending:
        prefix = pending.pop()
        with os.scandir(folder / prefix) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    pending.append(f"{prefix}{entry.name}/")
                else:
                    yield f"{prefix}{entry.name}"


def _bytes_of(file: Path) -> bytes | None:
    try:
        return None if file.is_symlink() else file.read_bytes()
    except OSError:
        return None


def _remove_empty(folder: Path, gone: set[str]) -> None:
    """Removes folders that hold nothing any more, of those that files went from."""
    parents = {path.rpartition("/")[0] for path in gone}
    for parent in sorted(parents, key=len, reverse=True):
        while parent and parent != OBJECTS_PATH:
            try:
                (folder / parent).rmdir()
            except OSError:
                break
            parent = parent.rpartition("/")[0]
