"""Locks of the operating system on files: they end with the process, however it ends."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from manifest.errors import ErrorCode, NoteBridgeError

_PAUSE_SECONDS = 0.001
_LOCKED_BYTE = 1 << 30
"""Windows locks byte ranges against reading, too: lock one far behind any text."""


@contextlib.contextmanager
def held(path: Path, *, seconds: float = 10.0) -> Iterator[None]:
    """Hold the lock on a file, which is created if need be and never deleted.

    For acts of an instant. Raises STORAGE_LOCKED where it cannot be had within `seconds`.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        end = time.monotonic() + seconds
        while not try_lock(descriptor):
            if time.monotonic() > end:
                raise NoteBridgeError(
                    ErrorCode.STORAGE_LOCKED,
                    f"{path} is held by another process.",
                    hint="Try again.",
                )
            time.sleep(_PAUSE_SECONDS)
        try:
            yield
        finally:
            unlock(descriptor)
    finally:
        os.close(descriptor)


if sys.platform == "win32":
    import msvcrt

    def try_lock(descriptor: int) -> bool:
        """Take the lock on an open file if nobody has it; whether it was taken."""
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def unlock(descriptor: int) -> None:
        """Let go of a lock that is held."""
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def try_lock(descriptor: int) -> bool:
        """Take the lock on an open file if nobody has it; whether it was taken."""
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def unlock(descriptor: int) -> None:
        """Let go of a lock that is held."""
        fcntl.flock(descriptor, fcntl.LOCK_UN)
