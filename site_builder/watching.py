"""Waiting for an author to write: changes below folders, gathered until he pauses."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

QUIET = 0.05
"""Seconds without a change after which an editor is taken to have finished writing."""

_CHANGES = frozenset({"created", "modified", "moved", "deleted"})


class FolderChanges(FileSystemEventHandler):
    """Whether anything changed below some folders since it was last asked."""

    def __init__(self) -> None:
        self._changed = threading.Event()

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Called on the observer's thread."""
        if event.event_type in _CHANGES:
            self._changed.set()

    def wait(self, timeout: float | None = None) -> bool:
        """Waits for a change and then for quiet; False if there is none within so many seconds."""
        if not self._changed.wait(timeout):
            return False
        while True:
            self._changed.clear()
            if not self._changed.wait(QUIET):
                return True


@contextmanager
def watched(folders: Sequence[Path]) -> Iterator[FolderChanges]:
    """Watches folders with all that is below them, while this lasts."""
    changes = FolderChanges()
    observer = Observer()
    for folder in folders:
        observer.schedule(changes, str(folder), recursive=True)
    observer.start()
    try:
        yield changes
    finally:
        observer.stop()
        observer.join()
