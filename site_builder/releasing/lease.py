"""A lease on a target that has no lock: one at a time takes objects away.

Whoever holds it writes its name there and writes again before each batch. A name that was not
written again for a while counts as that of one who was killed. The target's own clock decides.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from manifest.errors import ErrorCode, NoteBridgeError
from site_builder.releasing.record import SWEEP_PATH
from site_builder.releasing.targets import StillAlone, StoredFile, Target

LEASE = 180
"""Seconds for which a name holds once it is written. A batch must be over long before."""


def refuse_held(target: Target) -> None:
    """Raises `NoteBridgeError` (STORAGE_LOCKED) while somebody holds the lease."""
    for there in target.stored([SWEEP_PATH]):
        if there.age < LEASE:
            raise _held(target, there)


@contextmanager
def lease(target: Target, token: str) -> Iterator[StillAlone]:
    """Holds the lease of a target. token: a word never used before.

    Raises `NoteBridgeError` (STORAGE_LOCKED) while somebody else holds it. What it gives is to be
    called before each batch, and raises REQUEST_CONFLICT once the lease is lost.
    """
    held = _Lease(target, token)
    held.take()
    try:
        yield held.renew
    finally:
        held.give_back()


class _Lease:
    def __init__(self, target: Target, token: str) -> None:
        self._target = target
        self._token = token
        self._times = 0
        self._version: str | None = None

    def take(self) -> None:
        found = self._target.read(SWEEP_PATH)
        if found is not None:
            refuse_held(self._target)
        self._version = found.version if found else None
        if not self._write():
            raise _held(self._target)

    def renew(self) -> None:
        if not self._write():
            raise NoteBridgeError(
                ErrorCode.REQUEST_CONFLICT,
                f"Somebody else took over at {self._target.name}.",
                hint="Nothing is lost. Run it again.",
            )

    def give_back(self) -> None:
        found = self._target.read(SWEEP_PATH)
        if found is not None and found.version == self._version:
            self._target.delete([SWEEP_PATH])

    def _write(self) -> bool:
        self._times += 1
        body = f"{self._token} {self._times}\n".encode()
        if not self._target.replace_if(SWEEP_PATH, body, self._version):
            return False
        found = self._target.read(SWEEP_PATH)
        if found is None or found.body != body:
            return False
        self._version = found.version
        return True


def _held(target: Target, there: StoredFile | None = None) -> NoteBridgeError:
    wait = f"in {round(LEASE - there.age)} s" if there else "in a few minutes"
    return NoteBridgeError(
        ErrorCode.STORAGE_LOCKED,
        f"Objects are being taken away from {target.name} at this moment.",
        hint=f"Try again when that has finished, or {wait} if it was stopped.",
    )
