"""Keeps the record of a release at its target: announced before it writes, settled after."""

from __future__ import annotations

from collections.abc import Iterable

from manifest.errors import ErrorCode, NoteBridgeError
from site_builder.releasing.live import Live
from site_builder.releasing.record import (
    HISTORY_PATH,
    is_pending,
    path_mark,
    pending_path,
    read_record,
    write_record,
)
from site_builder.releasing.targets import Target

PENDING_AGE = 24 * 3600
"""Seconds after which marks of a release that never ended are folded into the record."""


class Bookkeeping:
    """The record as one release finds it and leaves it. token: a word never used before."""

    def __init__(self, target: Target, live: Live, token: str) -> None:
        self._target = target
        self._live = live
        self._pending = pending_path(token)
        self._announced = False
        self.marks = read_record(stored.body for stored in live.record.values())

    def announce(self, paths: Iterable[str]) -> None:
        """Marks what is about to be written: what a killed release wrote is known to the next."""
        marks = {path_mark(path) for path in paths}
        if marks - self.marks or (marks and not self._target.exclusive):
            body = "".join(f"{mark}\n" for mark in sorted(marks)).encode()
            self.write(self._pending, body)
            self._announced = True

    def remember(self, history: bytes) -> None:
        """Writes down which revisions were live before."""
        if history != self._live.history_body:
            self.write(HISTORY_PATH, history)

    def settle(self, paths: Iterable[str]) -> None:
        """Leaves marks of these paths alone, and takes away those of ended releases. Where another
        release has settled meanwhile, all marks stay, and the next one settles."""
        wanted = write_record(path_mark(path) for path in paths)
        for path, body in wanted.items():
            there = self._live.record.get(path)
            if there is not None and there.body == body:
                continue
            if not self._target.replace_if(path, body, there.version if there else None):
                return
        done = [path for path in self._live.record if path not in wanted and self._has_ended(path)]
        self._target.delete([*done, *([self._pending] if self._announced else ())])

    def write(self, path: str, body: bytes) -> None:
        """Writes a file that is not of the site.

        Raises `NoteBridgeError` (INTEGRITY_MISMATCH) if the target gives back another one.
        """
        self._target.write(path, body)
        found = self._target.read(path)
        if found is None or found.body != body:
            raise not_as_written(self._target, path)

    def _has_ended(self, path: str) -> bool:
        if not is_pending(path) or self._target.exclusive:
            return True
        return self._live.listing[path].age >= PENDING_AGE


def not_as_written(target: Target, path: str) -> NoteBridgeError:
    """The error of a target that does not keep what it was given."""
    return NoteBridgeError(
        ErrorCode.INTEGRITY_MISMATCH,
        f"{target.name} gives back {path} other than it was written.",
        hint="Check the target's disk or host, and release again.",
        details={"path": path},
    )
