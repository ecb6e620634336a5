"""A folder as the target of a release: atomic files, durable before the manifest, one at a time.

Every file is written beside its place under a temporary name, synced, and renamed: readers see the
old file or the new one, and a power cut leaves no empty file that looks finished. Folders are
synced once, before the manifest is switched. What a killed release leaves behind is temporaries,
known by their names and taken away by the next one.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import secrets
import stat
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock

from manifest.canonical import sha256_hex
from manifest.errors import ErrorCode, NoteBridgeError
from site_builder.folder_lock import LOCK_NAME, folder_lock
from site_builder.releasing.targets import (
    ReadFile,
    SiteFile,
    StillAlone,
    StoredBody,
    StoredFile,
    is_path,
)

_TEMPORARY = re.compile(r"\.note-bridge-[0-9a-f]{16}\.tmp")
_PARALLEL = 8
"""Writes at once: syncing a file is waiting, and file systems sync many in one go."""
_CHUNK = 1 << 20
_FULL = (errno.ENOSPC, getattr(errno, "EDQUOT", errno.ENOSPC))


class FolderTarget:
    """A folder on this machine. It is made by the first write if it is not there.

    clock: seconds, the one that file times are measured by; injected for tests of ages.
    """

    parallel = _PARALLEL
    nested = True
    exclusive = True

    def __init__(self, folder: Path, *, clock: Callable[[], float] = time.time) -> None:
        self._root = Path(os.path.realpath(folder))
        self._clock = clock
        self._held = False
        self._inside: set[str] = set()
        self._unsynced: set[Path] = set()
        self._guard = Lock()

    @property
    def name(self) -> str:
        return str(self._root)

    @property
    def folder(self) -> Path:
        """The folder itself, symbolic links resolved."""
        return self._root

    @contextlib.contextmanager
    def hold(self) -> Iterator[None]:
        with self._lock():
            self._held = True
            self._inside.clear()
            try:
                self._clear_temporaries()
                yield
                self._sync_folders()
            finally:
                self._held = False

    @contextlib.contextmanager
    def sweep(self) -> Iterator[StillAlone]:
        with self.hold():
            yield _alone

    def refuse_while_swept(self) -> None:
        """Whoever sweeps holds the lock."""

    def files(self, prefix: str = "") -> Iterator[StoredFile]:
        now = self._clock()
        for path, entry in self._entries(prefix):
            if path.startswith(prefix) and not _TEMPORARY.fullmatch(entry.name):
                with self._translated(path):
                    try:
                        found = entry.stat(follow_symlinks=False)
                    except FileNotFoundError:
                        continue
                yield StoredFile(path, found.st_size, now - found.st_mtime)

    def stored(self, paths: Iterable[str]) -> Iterator[StoredFile]:
        now = self._clock()
        for path in paths:
            place = self._place(path)
            with self._translated(path):
                try:
                    found = place.lstat()
                except (FileNotFoundError, NotADirectoryError):
                    continue
            if not stat.S_ISDIR(found.st_mode):
                yield StoredFile(path, found.st_size, now - found.st_mtime)

    def same(self, pairs: Iterable[tuple[SiteFile, StoredFile]], read: ReadFile) -> set[str]:
        wanted = {file.path: file.sha256 for file, there in pairs if file.size == there.size}
        return {path for path, sha256 in self.hashes(wanted).items() if sha256 == wanted[path]}

    def hashes(self, paths: Iterable[str]) -> dict[str, str]:
        """The SHA-256 of those of the paths that are regular files."""
        wanted = list(paths)
        # A task for each of many small files would cost more than hashing them.
        shares = [wanted[start::_PARALLEL] for start in range(_PARALLEL)]
        with ThreadPoolExecutor(_PARALLEL) as pool:
            found = pool.map(lambda share: [(path, self._hash(path)) for path in share], shares)
            return {path: digest for share in found for path, digest in share if digest}

    def read(self, path: str) -> StoredBody | None:
        place = self._place(path)
        with self._translated(path):
            if place.is_symlink():
                raise _refused(path, "is a symbolic link, which a release does not follow")
            try:
                body = place.read_bytes()
            except (FileNotFoundError, NotADirectoryError):
                return None
        return StoredBody(body, sha256_hex(body))

    def write(self, path: str, body: bytes) -> None:
        place = self._place(path)
        with self._translated(path):
            self._make_folder(place.parent)
            temporary = place.with_name(f".note-bridge-{secrets.token_hex(8)}.tmp")
            try:
                _write_synced(temporary, body)
                os.replace(temporary, place)
            except BaseException:
                with contextlib.suppress(OSError):
                    temporary.unlink()
                raise
        self._note_unsynced(place.parent)

    def replace_if(self, path: str, body: bytes, expected: str | None) -> bool:
        with contextlib.nullcontext() if self._held else self._lock():
            found = self.read(path)
            if (found.version if found else None) != expected:
                return False
            self._sync_folders()
            self.write(path, body)
            self._sync_folders()
            return True

    def delete(self, paths: Iterable[str]) -> None:
        for path in paths:
            self._delete(path)

    def _delete(self, path: str) -> None:
        place = self._place(path)
        with self._translated(path):
            try:
                place.unlink()
            except (FileNotFoundError, NotADirectoryError):
                return
            self._note_unsynced(self._drop_empty(place.parent))

    @contextlib.contextmanager
    def _lock(self) -> Iterator[None]:
        with self._translated("The folder"):
            self._make_folder(self._root)
        with folder_lock(self._root):
            yield

    def _place(self, path: str) -> Path:
        """Where a path stands; refuses what is no path, and folders that lead outside."""
        parts = path.split("/")
        if not is_path(path) or (os.altsep and ("\\" in path or ":" in path)):
            raise _refused(path, "is no path below the site")
        if parts[-1] == LOCK_NAME or _TEMPORARY.fullmatch(parts[-1]):
            raise _refused(path, "is a name that releases keep for themselves")
        folder = "/".join(parts[:-1])
        if folder not in self._inside:
            if not Path(os.path.realpath(self._root / folder)).is_relative_to(self._root):
                raise _refused(path, "leads out of the site through a symbolic link")
            self._inside.add(folder)
        return self._root.joinpath(*parts)

    def _entries(self, prefix: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
        """Everything that is no folder, symbolic links included but not followed."""
        start = prefix.rpartition("/")[0]
        pending = [start]
        while pending:
            folder = pending.pop()
            with self._translated(folder or "."):
                try:
                    found = list(os.scandir(self._root / folder))
                except (FileNotFoundError, NotADirectoryError):
                    continue
            for entry in found:
                path = f"{folder}/{entry.name}" if folder else entry.name
                if entry.is_dir(follow_symlinks=False):
                    pending.append(path)
                elif entry.name != LOCK_NAME:
                    yield path, entry

    def _clear_temporaries(self) -> None:
        """Whoever holds the folder alone may take every temporary for a leftover."""
        for path, entry in self._entries(""):
            if _TEMPORARY.fullmatch(entry.name):
                with self._translated(path), contextlib.suppress(FileNotFoundError):
                    os.unlink(entry.path)

    def _hash(self, path: str) -> str:
        """The SHA-256 of a regular file; empty for anything else."""
        place = self._place(path)
        digest = hashlib.sha256()
        with self._translated(path):
            try:
                if not stat.S_ISREG(place.lstat().st_mode):
                    return ""
                with place.open("rb", buffering=0) as file:
                    while chunk := file.read(_CHUNK):
                        digest.update(chunk)
            except (FileNotFoundError, NotADirectoryError):
                return ""
        return digest.hexdigest()

    def _make_folder(self, folder: Path) -> None:
        if folder.is_dir():
            return
        self._make_folder(folder.parent)
        folder.mkdir(exist_ok=True)
        self._note_unsynced(folder.parent)

    def _drop_empty(self, folder: Path) -> Path:
        """Takes away folders that hold nothing any more; the nearest that is left."""
        while folder != self._root:
            try:
                folder.rmdir()
            except OSError:
                break
            folder = folder.parent
        return folder

    def _note_unsynced(self, folder: Path) -> None:
        with self._guard:
            self._unsynced.add(folder)

    def _sync_folders(self) -> None:
        """Makes renames and removals outlive a power cut."""
        with self._guard:
            folders, self._unsynced = self._unsynced, set()
        for folder in folders:
            with self._translated(str(folder)):
                _sync_folder(folder)

    @contextlib.contextmanager
    def _translated(self, path: str) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            full = error.errno in _FULL
            raise NoteBridgeError(
                ErrorCode.STORAGE_FULL if full else ErrorCode.SITE_UNREACHABLE,
                f"{path} in {self._root}: {error.strerror or error}.",
                hint="Make room and release again." if full else "Check the folder's permissions.",
                details={"path": path},
            ) from error


def _alone() -> None:
    """A lock of the system is not lost while the process lives."""


def _write_synced(path: Path, body: bytes) -> None:
    # Not tempfile: its files are for their owner alone, and a web server must read these.
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o666)
    with os.fdopen(descriptor, "wb", buffering=0) as file:
        view = memoryview(body)
        while view:
            view = view[file.write(view) or 0 :]
        os.fsync(file.fileno())


_BINARY = getattr(os, "O_BINARY", 0)


def _sync_folder(folder: Path) -> None:
    if os.name == "nt":
        return  # Windows cannot sync a folder; it writes its journal itself.
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except FileNotFoundError:
        return
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _refused(path: str, why: str) -> NoteBridgeError:
    return NoteBridgeError(ErrorCode.INVALID_ARGUMENT, f"{path!r} {why}.", details={"path": path})
