"""Where builds keep what the next one need not make again.

One build at a time has the store of a folder of notes; another beside it does without. A store
that turns out to be damaged goes, and the next build begins it anew.
"""

from __future__ import annotations

import hashlib
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import msgspec

from manifest.errors import ErrorCode, NoteBridgeError
from site_builder.folder_lock import folder_lock
from site_builder.index_card import TermsBroken
from site_builder.note_store import NoteStore


@contextmanager
def open_store(cache: Path | None, notes: Path) -> Iterator[NoteStore]:
    """The store of a folder of notes.

    cache: the folder that stores are kept in; None for one that ends with the build, as where
    another build holds the store or it cannot be opened.
    Raises `NoteBridgeError`: STORAGE_DAMAGED for a store that does not read as it should, which is
    removed, STORAGE_FULL where the disk takes no more.
    """
    with ExitStack() as held:
        store, path = _kept_store(cache, notes, held) if cache is not None else (None, None)
        if store is None:
            yield held.enter_context(_passing_store())
            return
        try:
            yield store
        except (sqlite3.Error, msgspec.DecodeError, TermsBroken) as error:
            raise _unusable(path, error) from error
        finally:
            store.close()


def _kept_store(
    cache: Path, notes: Path, held: ExitStack
) -> tuple[NoteStore, Path] | tuple[None, None]:
    """The kept store and its file, its lock held; neither where it cannot be had."""
    name = hashlib.sha256(str(notes.resolve()).encode("utf-8", "surrogateescape")).hexdigest()[:24]
    folder = cache / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        held.enter_context(folder_lock(folder))
        return NoteStore(folder / "notes.db"), folder / "notes.db"
    except (sqlite3.Error, OSError, NoteBridgeError):
        return None, None


def _unusable(path: Path | None, error: Exception) -> NoteBridgeError:
    if isinstance(error, sqlite3.OperationalError) and "full" in str(error):
        return NoteBridgeError(
            ErrorCode.STORAGE_FULL,
            "The disk is full: compiled notes cannot be kept.",
            hint="Make room, or build with --no-cache.",
        )
    if path is not None:
        path.unlink(missing_ok=True)
    return NoteBridgeError(
        ErrorCode.STORAGE_DAMAGED,
        f"The cache of compiled notes was damaged and is removed ({error}).",
        hint="Build again.",
    )


@contextmanager
def _passing_store() -> Iterator[NoteStore]:
    with tempfile.TemporaryDirectory(prefix="note-bridge-") as folder:
        store = NoteStore(Path(folder) / "notes.db")
        try:
            yield store
        finally:
            store.close()
