"""All notes of a site by the names an author may call them: path, end of a path, alias, title."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from manifest.anchors import PREFIX, slug
from site_builder.identity import without_suffix
from site_builder.media import NOTES, extension
from site_builder.note import CompiledNote

_INDEXES: Final = ("index", "README")


@dataclass(frozen=True, slots=True)
class IndexedNote:
    """What links need to know of a note.

    url: as `identity` gives it. anchors: those of its sections. ids: what else on its page can be
    linked to, as `CompiledNote.ids` says. headings: the anchor that each section's words ask for,
    and the one it has, which an explicit `{#id}` makes another.
    """

    doc_id: str
    path: str
    url: str
    title: str
    aliases: tuple[str, ...] = ()
    anchors: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    headings: tuple[tuple[str, str], ...] = ()

    @classmethod
    def of(
        cls, compiled: CompiledNote, doc_id: str, url: str, aliases: Iterable[str] = ()
    ) -> IndexedNote:
        """The entry of a compiled note."""
        anchors = tuple(section.anchor for section in compiled.sections)
        ids = compiled.ids
        headings = tuple(
            (slug(section.title), section.anchor) for section in compiled.sections if section.level
        )
        return cls(
            doc_id, compiled.path, url, compiled.title, tuple(aliases), anchors, ids, headings
        )

    def anchor(self, fragment: str) -> str | None:
        """The id on the page that a fragment means: an anchor as it is, else a heading's text, or
        after `^` the name of a block."""
        if fragment.startswith("^"):
            block = f"{PREFIX}{fragment.lower()}"
            return block if block in self.ids else None
        wanted = slug(fragment)
        if fragment in self.anchors:
            return fragment
        if wanted in self.anchors:
            return wanted
        for heading, anchor in self.headings:
            if heading == wanted:
                return anchor
        candidates = (fragment, PREFIX + fragment, PREFIX + wanted)
        return next((name for name in candidates if name in self.ids), None)


class Found(NamedTuple):
    """Where a target leads: a note, or the path of a file, or nowhere (both empty).

    others: paths of notes that the same words could as well have meant.
    """

    note: IndexedNote | None = None
    asset: str = ""
    others: tuple[str, ...] = ()


class _Names:
    """Things under names, each found as written or without regard to case."""

    def __init__(self) -> None:
        self._exact: dict[str, list[int]] = {}
        self._folded: dict[str, list[int]] = {}

    def add(self, name: str, number: int) -> None:
        self._exact.setdefault(name, []).append(number)
        self._folded.setdefault(name.casefold(), []).append(number)

    def get(self, name: str, *, fold: bool = False) -> list[int]:
        table = self._folded if fold else self._exact
        return table.get(name.casefold() if fold else name, [])


class NoteIndex:
    """The notes and files that links can lead to. Built once; asking changes nothing."""

    def __init__(self, notes: Sequence[IndexedNote], assets: Sequence[str]) -> None:
        self.notes = tuple(notes)
        self.by_id = {note.doc_id: note for note in notes}
        self._assets = tuple(assets)
        self._paths, self._stems, self._folders = _Names(), _Names(), _Names()
        self._aliases, self._titles = _Names(), _Names()
        self._asset_paths, self._asset_names = _Names(), _Names()
        self._urls = {note.url.rstrip("/"): number for number, note in enumerate(notes)}
        for number, note in enumerate(notes):
            self._add(number, note)
        for number, path in enumerate(assets):
            self._asset_paths.add(path, number)
            self._asset_names.add(path.rpartition("/")[2], number)

    @classmethod
    def build(cls, notes: Iterable[IndexedNote], assets: Iterable[str] = ()) -> NoteIndex:
        """The index of all published notes, and of the paths of all files beside them."""
        return cls(sorted(notes, key=lambda note: note.path), sorted(assets))

    def _add(self, number: int, note: IndexedNote) -> None:
        path = without_suffix(note.path)
        folder, _, stem = path.rpartition("/")
        self._paths.add(path, number)
        self._stems.add(stem, number)
        if stem in _INDEXES:
            self._folders.add(folder.rpartition("/")[2], number)
        self._titles.add(note.title, number)
        for alias in note.aliases:
            self._aliases.add(alias, number)

    def by_name(self, target: str, source: str) -> Found:
        """What `[[target]]` means in the note at path `source`.

        A path, the end of a path, an alias, a title, in this order; case matters where it decides.
        Of several, the one in the nearest folder, then the first by path.
        """
        folder = source.rpartition("/")[0]
        if target.startswith("."):
            target = posixpath.normpath(posixpath.join(folder, target))
        target = target.strip("/")
        name = _without_note_suffix(target)
        for fold in (False, True):
            found = self._paths.get(name, fold=fold) or self._ending(name, fold=fold)
            if found:
                return self._nearest(found, folder)
            if asset := self._asset(target, folder, fold=fold):
                return Found(asset=asset)
        for names in (self._aliases, self._titles):
            for fold in (False, True):
                if found := names.get(target, fold=fold):
                    return self._nearest(found, folder)
        return Found()

    def by_path(self, target: str, source: str) -> Found:
        """What `[text](target)` means in the note at path `source`: a path from there, or from the
        folder of all notes if it begins with `/`; of a note, a folder with an index, or a file."""
        folder = "" if target.startswith("/") else source.rpartition("/")[0]
        path = posixpath.normpath(posixpath.join(folder, target.lstrip("/").replace("\\", "/")))
        if path == ".":
            path = ""
        name = _without_note_suffix(path)
        for fold in (False, True):
            if assets := self._asset_paths.get(path, fold=fold):
                return Found(asset=self._assets[assets[0]])
            indexes = [f"{path}/{index}".lstrip("/") for index in _INDEXES]
            for candidate in (name, *indexes):
                if found := self._paths.get(candidate, fold=fold):
                    return Found(self.notes[found[0]])
        number = self._urls.get(path.removesuffix("/index.html"))
        return Found() if number is None else Found(self.notes[number])

    def suggestion(self, target: str) -> str:
        """The path of the one note whose name ends like a target that was not found."""
        stem = _without_note_suffix(target.rstrip("/").rpartition("/")[2])
        found = self._stems.get(stem, fold=True)
        return self.notes[found[0]].path if len(found) == 1 else ""

    def _ending(self, name: str, *, fold: bool) -> list[int]:
        """The notes whose path ends in `name`, else the folders with an index that do."""
        stem = name.rpartition("/")[2]
        stems, folders = self._stems.get(stem, fold=fold), self._folders.get(stem, fold=fold)
        if name == stem:
            return stems or folders
        wanted = f"/{name.casefold() if fold else name}"

        def ends(path: str) -> bool:
            return f"/{path.casefold() if fold else path}".endswith(wanted)

        found = [number for number in stems if ends(without_suffix(self.notes[number].path))]
        return found or [
            number for number in folders if ends(self.notes[number].path.rpartition("/")[0])
        ]

    def _nearest(self, numbers: Sequence[int], folder: str) -> Found:
        notes = [self.notes[number] for number in dict.fromkeys(numbers)]
        if len(notes) == 1:
            return Found(notes[0])
        notes.sort(key=lambda note: (_distance(note.path, folder), note.path))
        return Found(notes[0], others=tuple(note.path for note in notes[1:]))

    def _asset(self, target: str, folder: str, *, fold: bool) -> str:
        for path in (target, posixpath.normpath(posixpath.join(folder, target))):
            if found := self._asset_paths.get(path, fold=fold):
                return self._assets[found[0]]
        wanted = f"/{target.casefold() if fold else target}"
        found = [
            number
            for number in self._asset_names.get(target.rpartition("/")[2], fold=fold)
            if f"/{self._assets[number].casefold() if fold else self._assets[number]}".endswith(
                wanted
            )
        ]
        if not found:
            return ""
        paths = [self._assets[number] for number in found]
        return min(paths, key=lambda path: (_distance(path, folder), path))


def _without_note_suffix(target: str) -> str:
    ending = extension(target)
    return target[: -len(ending) - 1] if ending and ending in NOTES else target


def _distance(path: str, folder: str) -> int:
    """Steps through folders from `folder` to the folder of `path`."""
    here = folder.split("/") if folder else []
    there = path.split("/")[:-1]
    common = 0
    for one, other in zip(here, there, strict=False):
        if one != other:
            break
        common += 1
    return len(here) + len(there) - 2 * common
