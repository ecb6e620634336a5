"""From the folder of notes to compiled notes: what is known is taken from the store, what is not is
compiled, wherever there are hands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from site_builder.collection import KeptNote, Languages
from site_builder.compiling import SourceFile, compile_all, workers
from site_builder.html_policy import STRICT, RawHtmlPolicy
from site_builder.note_card import NoteCard
from site_builder.note_store import NoteStore, Stamp, digest
from site_builder.progress import Progress
from site_builder.snippets import with_snippets
from site_builder.source import read_source
from site_builder.source_folder import FileHashes, FolderListing

_SNIPPET = b"8<-"

LOOKED_UP = 64
"""Notes that were read and are looked up in the store at one time."""


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """What decides, beside a note itself, what it compiles to; and where that is done."""

    languages: Languages
    html: RawHtmlPolicy = STRICT
    executor: str = ""


@dataclass(slots=True)
class NoteReader:
    """Reads the notes of one folder, build after build. known: the cards of the last build."""

    options: ReadingOptions
    store: NoteStore
    known: dict[str, KeptNote] = field(default_factory=dict)

    def read(
        self, listing: FolderListing, hashes: FileHashes, progress: Progress
    ) -> dict[str, KeptNote]:
        """All notes of a listing, compiled, by path in order."""
        keys = _Keys(self.options, self.store, listing, hashes)
        wanted = keys.known()
        cards = self._cards(wanted)
        missing = [path for path in sorted(listing.notes) if wanted.get(path) not in cards]
        size = sum(listing.notes[path].size for path in missing)
        done = 0
        if missing:
            with workers(self.options.executor, size) as hands:
                files = self._unknown(keys.files(missing), keys, wanted, cards)
                for file, note in compile_all(files, self.options.html, hands):
                    key = wanted[file.path]
                    cards[key] = self.store.put(key, note)
                    done += 1
                    progress("reading notes", done, len(missing))
        self.store.commit()
        self.known = {
            path: KeptNote(wanted[path], cards[wanted[path]]) for path in sorted(listing.notes)
        }
        return self.known

    def _unknown(
        self,
        files: Iterator[SourceFile],
        keys: _Keys,
        wanted: dict[str, str],
        cards: dict[str, NoteCard],
    ) -> Iterator[SourceFile]:
        """Those of the notes that were read of which nothing is kept: a fresh checkout's files
        look new, whatever they hold. Fills in the keys of all and the cards of the others."""
        while batch := list(islice(files, LOOKED_UP)):
            of_batch = {file.path: keys.of_file(file) for file in batch}
            wanted.update(of_batch)
            cards.update(self.store.cards(of_batch.values()))
            yield from (file for file in batch if of_batch[file.path] not in cards)

    def _cards(self, wanted: Mapping[str, str]) -> dict[str, NoteCard]:
        """The cards at hand, from the last build or from the store."""
        at_hand = {note.key: note.card for note in self.known.values()}
        cards = {key: at_hand[key] for key in wanted.values() if key in at_hand}
        return cards | self.store.cards(key for key in wanted.values() if key not in cards)


class _Keys:
    """The keys of one listing's notes.

    A note that puts in other files is keyed by their bytes too; which files, is kept under the key
    that it would have without.
    """

    def __init__(
        self,
        options: ReadingOptions,
        store: NoteStore,
        listing: FolderListing,
        hashes: FileHashes,
    ) -> None:
        self._options, self._store = options, store
        self._listing, self._hashes = listing, hashes
        self._policy = digest(
            sorted(options.html.tags),
            sorted(options.html.attributes),
            sorted(options.html.frames),
            options.html.unsafe,
        )
        self._made: dict[str, str] = {}

    def known(self) -> dict[str, str]:
        """The keys of notes that look as they did, by path; others must be read first."""
        plain: dict[str, str] = {}
        for path, stamp in self._listing.notes.items():
            sha256 = self._hashes.known_hash(path, stamp)
            if sha256:
                plain[path] = self._plain(path, sha256)
        putting_in = self._store.derived(
            (_snippets_of(key) for key in plain.values()), tuple[str, ...]
        )
        if not putting_in:
            return plain
        return {
            path: self._with_files(key, putting_in.get(_snippets_of(key), ()))
            for path, key in plain.items()
        }

    def files(self, paths: list[str]) -> Iterator[SourceFile]:
        """The notes to compile, read one after the other as they are asked for."""
        for path in paths:
            data, sha256 = self._hashes.read(path, self._listing.notes[path])
            language = self._options.languages.of_path(path)
            self._made[path] = self._plain(path, sha256)
            if _SNIPPET not in data:
                yield SourceFile(path, data, language)
                continue
            expanded = with_snippets(read_source(path, data), self._text)
            if expanded.files:
                self._store.derive({_snippets_of(self._made[path]): expanded.files})
                self._made[path] = self._with_files(self._made[path], expanded.files)
            yield SourceFile(path, data, language, expanded.note)

    def of_file(self, file: SourceFile) -> str:
        """The key of a note that `files` gave."""
        return self._made[file.path]

    def _plain(self, path: str, sha256: str) -> str:
        return digest(path, sha256, self._options.languages.of_path(path), self._policy)

    def _with_files(self, key: str, files: tuple[str, ...]) -> str:
        return digest(key, [self._hash(path) for path in files]) if files else key

    def _hash(self, path: str) -> str:
        found = self._snippet_file(path)
        return self._hashes.of(*found) if found else ""

    def _snippet_file(self, path: str) -> tuple[str, Stamp] | None:
        """The file that a snippet names: below the notes, or, as MkDocs projects write it, below
        the folder that holds them (`docs/code.py`)."""
        own = f"{self._hashes.folder.name}/"
        for name in (path, path.removeprefix(own)):
            stamp = self._listing.notes.get(name) or self._listing.assets.get(name)
            if stamp is not None:
                return name, stamp
        return None

    def _text(self, path: str) -> str | None:
        found = self._snippet_file(path)
        if found is None:
            return None
        data, _ = self._hashes.read(*found)
        return data.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")


def _snippets_of(key: str) -> str:
    return f"snippets {key}"
