"""The lock of the one owner: held for life on `app.lock`, which is never deleted.

Deleting a lock file lets two processes hold "the" lock: one on the old file, one on the new.
The operating system lets go when the process ends, however it ends, so there is nothing to
clean up. What the file says (process id, socket) is only for messages and for finding the
owner; whether it holds is known from the lock alone.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
import weakref
from dataclasses import dataclass
from pathlib import Path

from manifest.errors import ErrorCode, NoteBridgeError
from storage.file_lock import try_lock, unlock

LOCK_NAME = "app.lock"

_ATTEMPTS = 10
_PAUSE_SECONDS = 0.02


@dataclass(frozen=True, slots=True)
class Owner:
    """Who owns a storage, and the address of its socket (empty: it does not listen)."""

    pid: int
    socket: str


class OwnerLock:
    """The held lock."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self._path = path
        self._descriptor: int | None = descriptor
        _held.add(self)

    @classmethod
    def acquire(cls, folder: Path) -> OwnerLock:
        """Take the lock of a folder, or raise STORAGE_LOCKED naming the process that has it."""
        path = folder / LOCK_NAME
        try:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise NoteBridgeError(
                ErrorCode.STORAGE_LOCKED, f"{path} cannot be opened: {error.strerror}."
            ) from error
        # A process that only asks who the owner is holds the lock for an instant: try again.
        for _ in range(_ATTEMPTS):
            if try_lock(descriptor):
                lock = cls(path, descriptor)
                lock.announce("")
                return lock
            time.sleep(_PAUSE_SECONDS)
        owner = _read(path)
        os.close(descriptor)
        raise NoteBridgeError(
            ErrorCode.STORAGE_LOCKED,
            f"{folder} is in use by process {owner.pid if owner else 'unknown'}.",
            hint="Stop that process, or work through it.",
            details={"pid": owner.pid, "socket": owner.socket} if owner else {},
        )

    def announce(self, socket: str) -> None:
        """Write into the lock who owns it and where it listens. Nothing after `release`."""
        if self._descriptor is None:
            return
        text = json.dumps({"pid": os.getpid(), "socket": socket}).encode() + b"\n"
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        os.ftruncate(self._descriptor, 0)
        os.write(self._descriptor, text)

    def release(self) -> None:
        """Let go; the file stays. Twice is fine."""
        if self._descriptor is None:
            return
        descriptor, self._descriptor = self._descriptor, None
        os.ftruncate(descriptor, 0)
        unlock(descriptor)
        os.close(descriptor)

    def _drop_in_fork(self) -> None:
        """A fork shares the lock until it closes its copy; it must not outlive the owner."""
        if self._descriptor is not None:
            descriptor, self._descriptor = self._descriptor, None
            with contextlib.suppress(OSError):
                os.close(descriptor)


def read_owner(folder: Path) -> Owner | None:
    """Who owns the storage in this folder now, or None if nobody does."""
    path = folder / LOCK_NAME
    try:
        descriptor = os.open(path, os.O_RDWR)
    except OSError:
        return None
    try:
        if try_lock(descriptor):
            unlock(descriptor)
            return None
        return _read(path)
    finally:
        os.close(descriptor)


def _read(path: Path) -> Owner | None:
    try:
        value = json.loads(path.read_bytes())
        return Owner(int(value["pid"]), str(value["socket"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


_held: weakref.WeakSet[OwnerLock] = weakref.WeakSet()


def _drop_all_in_fork() -> None:
    for lock in list(_held):
        lock._drop_in_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_drop_all_in_fork)
