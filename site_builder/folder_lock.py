"""One build or release at a time in a folder, by a lock of the operating system.

The system lets go when the process ends, however it ends. The file stays, because deleting it
would let two processes hold "the" lock: one on the old file, one on the new.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from manifest.errors import ErrorCode, NoteBridgeError

LOCK_NAME = ".note-bridge.lock"


@contextlib.contextmanager
def folder_lock(folder: Path) -> Iterator[None]:
    """Holds a folder's lock.

    Raises `NoteBridgeError`: STORAGE_LOCKED while someone else holds it, SITE_UNREACHABLE where
    the folder takes no lock.
    """
    path = folder / LOCK_NAME
    try:
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        descriptor = os.open(path, flags, 0o666)
    except OSError as error:
        raise _no_lock(path, error) from error
    try:
        try:
            free = _lock(descriptor)
        except OSError as error:
            raise _no_lock(path, error) from error
        if not free:
            raise NoteBridgeError(
                ErrorCode.STORAGE_LOCKED,
                f"Another build or release into {folder} is under way.",
                hint="Try again when it has finished.",
            )
        yield
    finally:
        os.close(descriptor)


def _no_lock(path: Path, error: OSError) -> NoteBridgeError:
    return NoteBridgeError(
        ErrorCode.SITE_UNREACHABLE,
        f"{path} cannot be locked: {error.strerror or error}.",
        hint="Choose a folder that you may write to.",
    )


if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> bool:
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True

else:
    import fcntl

    def _lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
