"""What a build keeps for the next one: compiled notes by content hash, and what it wrote.

Losing it costs time and nothing else: every entry is a pure function of its key, and the file is
set aside the moment it does not read as it should.
"""

from __future__ import annotations

import contextlib
import hashlib
import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from site_builder.compiling import PackedNote
from site_builder.index_card import NoteTerms
from site_builder.note_card import NoteBody, NoteCard

COMMIT_EVERY = 256
"""Notes after which what was put is committed: a build that is killed goes on from there."""

SPARE_NOTES = 2000
"""Compiled notes kept beyond twice those of the last build: other branches, undone edits."""

_LIBRARIES = (
    "markdown-it-py",
    "math-core",
    "mdit-py-plugins",
    "mermaid-render",
    "nh3",
    "Pygments",
    "PyYAML",
    "quickjs-ng",
)
"""Libraries whose version may change what a note compiles to."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS code (version TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS seen (
  path TEXT PRIMARY KEY, size INTEGER, changed INTEGER, inode INTEGER, sha256 TEXT) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS cards (key TEXT PRIMARY KEY, card BLOB) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS bodies (key TEXT PRIMARY KEY, body BLOB, terms BLOB);
CREATE TABLE IF NOT EXISTS derived (key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS written (
  site TEXT, path TEXT, key TEXT, size INTEGER, changed INTEGER, PRIMARY KEY (site, path)
  ) WITHOUT ROWID;
"""

Value = TypeVar("Value")


class Stamp(NamedTuple):
    """What tells a file's content without reading it: size, time of change (ns), inode."""

    size: int
    changed: int
    inode: int


class Written(NamedTuple):
    """A file of a site as a build left it. key: what it was made from."""

    key: str
    size: int
    changed: int


@dataclass(frozen=True, slots=True)
class _Codec:
    cards: msgspec.msgpack.Decoder[NoteCard]
    bodies: msgspec.msgpack.Decoder[NoteBody]


@cache
def _codec() -> _Codec:
    return _Codec(msgspec.msgpack.Decoder(NoteCard), msgspec.msgpack.Decoder(NoteBody))


class NoteStore:
    """One file (or memory, for a path of None). Used by one build at a time, on one thread."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._connection = _opened(path)
        self._put = 0

    def close(self) -> None:
        """Commits and lets go."""
        with contextlib.suppress(sqlite3.Error):
            self._connection.commit()
        self._connection.close()

    def commit(self) -> None:
        """Keeps what was put so far."""
        self._connection.commit()

    # Source files

    def seen(self) -> dict[str, tuple[Stamp, str]]:
        """The files read before, by path: their stamps and the SHA-256 of their bytes."""
        rows = self._connection.execute("SELECT path, size, changed, inode, sha256 FROM seen")
        return {path: (Stamp(*stamp), sha256) for path, *stamp, sha256 in rows}

    def saw(self, files: Mapping[str, tuple[Stamp, str]]) -> None:
        """Replaces stamps of files."""
        self._connection.executemany(
            "INSERT OR REPLACE INTO seen VALUES (?, ?, ?, ?, ?)",
            ((path, *stamp, sha256) for path, (stamp, sha256) in files.items()),
        )

    # Compiled notes

    def cards(self, keys: Iterable[str]) -> dict[str, NoteCard]:
        """Those of the cards that are kept."""
        decode = _codec().cards.decode
        found: dict[str, NoteCard] = {}
        for part in _parts(list(keys)):
            marks = ",".join("?" * len(part))
            rows = self._connection.execute(
                f"SELECT key, card FROM cards WHERE key IN ({marks})",
                part,
            )
            found.update((key, decode(card)) for key, card in rows)
        return found

    def put(self, key: str, note: PackedNote) -> NoteCard:
        """Keeps a compiled note and returns its card."""
        self._connection.execute(
            "INSERT OR REPLACE INTO bodies VALUES (?, ?, ?)", (key, note.body, note.terms)
        )
        self._connection.execute("INSERT OR REPLACE INTO cards VALUES (?, ?)", (key, note.card))
        self._put += 1
        if self._put % COMMIT_EVERY == 0:
            self._connection.commit()
        return _codec().cards.decode(note.card)

    def body(self, key: str) -> NoteBody:
        """The body of a note whose card is kept."""
        row = self._connection.execute("SELECT body FROM bodies WHERE key = ?", (key,)).fetchone()
        return _codec().bodies.decode(row[0])

    def terms(self, key: str) -> NoteTerms:
        """The terms of a note whose card is kept."""
        row = self._connection.execute("SELECT terms FROM bodies WHERE key = ?", (key,)).fetchone()
        return NoteTerms.from_bytes(row[0])

    # What follows from compiled notes

    def derived(self, keys: Iterable[str], kind: type[Value]) -> dict[str, Value]:
        """Values that follow from their keys, those that are kept."""
        decode = msgspec.msgpack.Decoder(kind).decode
        found: dict[str, Value] = {}
        for part in _parts(list(keys)):
            marks = ",".join("?" * len(part))
            rows = self._connection.execute(
                f"SELECT key, value FROM derived WHERE key IN ({marks})",
                part,
            )
            found.update((key, decode(value)) for key, value in rows)
        return found

    def derive(self, values: Mapping[str, object]) -> None:
        """Keeps values that follow from their keys."""
        encode = msgspec.msgpack.encode
        self._connection.executemany(
            "INSERT OR REPLACE INTO derived VALUES (?, ?)",
            ((key, encode(value)) for key, value in values.items()),
        )

    # Files of a site

    def written(self, site: str) -> dict[str, Written]:
        """The files that the last build left in a site's folder, by path below it."""
        rows = self._connection.execute(
            "SELECT path, key, size, changed FROM written WHERE site = ?", (site,)
        )
        return {path: Written(*row) for path, *row in rows}

    def wrote(self, site: str, files: Mapping[str, Written], gone: Iterable[str]) -> None:
        """Notes files that were written, and forgets those that were removed."""
        self._connection.executemany(
            "DELETE FROM written WHERE site = ? AND path = ?", ((site, path) for path in gone)
        )
        self._connection.executemany(
            "INSERT OR REPLACE INTO written VALUES (?, ?, ?, ?, ?)",
            ((site, path, *row) for path, row in files.items()),
        )

    def prune(self, used: set[str], derived: set[str]) -> None:
        """Forgets notes and what follows from them once those out of use are many, and what was
        written into folders that are no more."""
        for (site,) in self._connection.execute("SELECT DISTINCT site FROM written").fetchall():
            if not Path(site).is_dir():
                self._connection.execute("DELETE FROM written WHERE site = ?", (site,))
        for table, keep in (("cards", used), ("derived", derived)):
            kept = {key for (key,) in self._connection.execute(f"SELECT key FROM {table}")}
            if len(kept) <= 2 * len(keep) + SPARE_NOTES:
                continue
            gone = [(key,) for key in kept - keep]
            self._connection.executemany(f"DELETE FROM {table} WHERE key = ?", gone)
            if table == "cards":
                self._connection.executemany("DELETE FROM bodies WHERE key = ?", gone)


def digest(*parts: object) -> str:
    """A key that follows from values: the SHA-256 of their MessagePack."""
    return hashlib.sha256(msgspec.msgpack.encode(parts)).hexdigest()


def _parts(keys: list[str]) -> Iterator[list[str]]:
    for start in range(0, len(keys), 500):
        yield keys[start : start + 500]


def _opened(path: Path | None) -> sqlite3.Connection:
    if path is None:
        return _prepared(sqlite3.connect(":memory:"))
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        return _prepared(sqlite3.connect(path))
    except sqlite3.DatabaseError:
        for name in (path, path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
            name.unlink(missing_ok=True)
        return _prepared(sqlite3.connect(path))


def _prepared(connection: sqlite3.Connection) -> sqlite3.Connection:
    """The tables, empty if other code filled them."""
    connection.execute("PRAGMA journal_mode = WAL")
    # A power cut may lose the last builds, or the file: both cost only time.
    connection.execute("PRAGMA synchronous = OFF")
    connection.executescript(_SCHEMA)
    version = code_version()
    if connection.execute("SELECT version FROM code").fetchall() != [(version,)]:
        for table in ("code", "seen", "cards", "bodies", "derived", "written"):
            connection.execute(f"DELETE FROM {table}")
        connection.execute("INSERT INTO code VALUES (?)", (version,))
        connection.commit()
    return connection


@cache
def code_version() -> str:
    """Changes with the code that compiles notes and makes pages, and with its libraries."""
    digest = hashlib.sha256()
    here = Path(__file__).parent
    for folder in (here.parent / "manifest", here):
        for file in sorted(folder.rglob("*.py")):
            digest.update(file.read_bytes())
    for name in _LIBRARIES:
        with contextlib.suppress(metadata.PackageNotFoundError):
            digest.update(f"{name}={metadata.version(name)}".encode())
    return digest.hexdigest()
