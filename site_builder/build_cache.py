"""Where builds keep what the next one need not make again."""

from __future__ import annotations

import hashlib
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from site_builder.note_store import NoteStore


@contextmanager
def open_store(cache: Path | None, notes: Path) -> Iterator[NoteStore]:
    """The store of a folder of notes.

    cache: the folder that stores are kept in; None for one that ends with the build.
    A store that cannot be used, since another build holds it or the disk is full, is done without.
    """
    if cache is None:
        with _passing_store() as store:
            yield store
        return
    name = hashlib.sha256(str(notes.resolve()).encode("utf-8", "surrogateescape")).hexdigest()[:24]
    try:
        store = NoteStore(cache / f"{name}.db")
    except (sqlite3.Error, OSError):
        with _passing_store() as store:
            yield store
        return
    try:
        yield store
    finally:
        store.close()


@contextmanager
def _passing_store() -> Iterator[NoteStore]:
    with tempfile.TemporaryDirectory(prefix="note-bridge-") as folder:
        store = NoteStore(Path(folder) / "notes.db")
        try:
            yield store
        finally:
            store.close()
