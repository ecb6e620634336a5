"""What a release has to do, and in which order: a pure function of what is here and what is there.

Objects come first, because nothing refers to them until the manifest does; then files that nobody
can be sent to yet: new assets, then new pages. Then what visitors see is replaced, assets before
the pages that load them, as close to the manifest as can be: between a changed picture and the
manifest, the live revision states a hash that the picture no longer has. Last of all come files
whose place others must leave first. Then the manifest; and only when nobody can be sent to them
any more, what is no longer part of the site goes. Objects are never taken away here: earlier
revisions need them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from enum import StrEnum

from manifest.references import MANIFEST_PATH, OBJECTS_PATH
from site_builder.releasing.record import RECORD_PREFIX, path_mark
from site_builder.releasing.targets import SiteFile, StoredFile

REWRITE_AGE = 12 * 3600
"""Seconds after which an object that is there, but that the live revision does not protect, is
written again: garbage collection takes unreferenced objects older than a day, and may be at work
at this moment."""


class FileClass(StrEnum):
    """What kind of file a release writes."""

    OBJECT = "objects"
    ASSET = "assets"
    PAGE = "pages"


@dataclass(frozen=True, slots=True)
class Step:
    """Files of one class that may be written in any order, once all earlier steps are done.

    obstacles: paths to take away right before, because they stand where these files belong.
    """

    file_class: FileClass
    files: tuple[SiteFile, ...]
    obstacles: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReleasePlan:
    """steps: what to write before the manifest, in order. stale: paths to take away after it.

    unchanged: how many files are there already. foreign: how many files at the target are of no
    release, which leaves them alone. overwritten: files of no release in whose place the site has
    another file. blocked: files of no release that stand where the site needs a folder, or below
    a path where it has a file.
    """

    steps: tuple[Step, ...]
    stale: tuple[str, ...]
    unchanged: int
    foreign: int
    overwritten: tuple[str, ...] = ()
    blocked: tuple[str, ...] = ()

    @property
    def leaving(self) -> list[str]:
        """What to take away after the manifest: stale files that did not have to go before."""
        gone = {path for step in self.steps for path in step.obstacles}
        return [path for path in self.stale if path not in gone]


@dataclass(frozen=True, slots=True)
class TargetState:
    """What is known of a target.

    files: its listing, by path. same: the paths at which it has the very bytes of the site; one
    that is not among them is written. marks: of the paths that releases put there. protected: the
    paths of the objects of the live revision. nested: whether a file cannot stand where others
    have their folder.
    """

    files: Mapping[str, StoredFile]
    same: Set[str]
    marks: Set[str]
    protected: Set[str]
    nested: bool = True


def plan_release(
    objects: Iterable[SiteFile], others: Iterable[SiteFile], target: TargetState
) -> ReleasePlan:
    """The plan for a site of these objects and these other files (the manifest not among them)."""
    all_objects, all_others = list(objects), list(others)
    missing = [file for file in all_objects if _needs_object(file, target)]
    differing = [file for file in all_others if file.path not in target.same]
    kept = {file.path for file in all_others}
    leftover = [path for path in target.files if path not in kept and not is_knowledge(path)]
    in_the_way = _obstacles(differing, leftover) if target.nested else {}
    obstacles = {path for paths in in_the_way.values() for path in paths}
    return ReleasePlan(
        steps=tuple(_steps(missing, differing, in_the_way, target)),
        stale=tuple(sorted(path for path in leftover if _is_ours(path, target))),
        unchanged=len(all_objects) + len(all_others) - len(missing) - len(differing),
        foreign=sum(not _is_ours(path, target) for path in leftover),
        overwritten=tuple(
            sorted(
                file.path
                for file in differing
                if file.path in target.files and not _is_ours(file.path, target)
            )
        ),
        blocked=tuple(sorted(path for path in obstacles if not _is_ours(path, target))),
    )


def is_page(path: str) -> bool:
    """Whether a file is one that visitors are sent to."""
    return path.endswith((".html", ".htm"))


def is_object(path: str) -> bool:
    """Whether a path is that of an object."""
    return path.startswith(f"{OBJECTS_PATH}/")


def is_knowledge(path: str) -> bool:
    """Whether a path is one of the knowledge or of the releases' own record, never of a page."""
    return is_object(path) or path.startswith(RECORD_PREFIX) or path == MANIFEST_PATH


def twins(paths: Iterable[str], kept: Iterable[str]) -> dict[str, str]:
    """Which of the paths may be the same file as a kept one, where a file system ignores case or
    Unicode normalisation: path -> the kept one."""
    folded = {_folded(path): path for path in kept}
    return {path: folded[_folded(path)] for path in paths if _folded(path) in folded}


def _is_ours(path: str, target: TargetState) -> bool:
    return path_mark(path) in target.marks


def _needs_object(file: SiteFile, target: TargetState) -> bool:
    there = target.files.get(file.path)
    if there is None or file.path not in target.same:
        return True
    return there.age >= REWRITE_AGE and file.path not in target.protected


def _obstacles(files: Iterable[SiteFile], leftover: Iterable[str]) -> dict[str, list[str]]:
    """What stands in the way of a file: a file where it needs a folder, files where its own name
    was a folder's. By the file's path; files that nothing hinders are not in it."""
    standing = set(leftover)
    below: dict[str, list[str]] = {}
    for path in standing:
        for folder in _folders(path):
            below.setdefault(folder, []).append(path)
    found = {
        file.path: [
            *(folder for folder in _folders(file.path) if folder in standing),
            *below.get(file.path, ()),
        ]
        for file in files
    }
    return {path: paths for path, paths in found.items() if paths}


def _folders(path: str) -> Iterator[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path


def _steps(
    missing: list[SiteFile],
    differing: list[SiteFile],
    in_the_way: Mapping[str, list[str]],
    target: TargetState,
) -> Iterator[Step]:
    if missing:
        yield Step(FileClass.OBJECT, _ordered(missing))
    hindered = [file for file in differing if file.path in in_the_way]
    free = [file for file in differing if file.path not in in_the_way]
    new = [file for file in free if file.path not in target.files]
    changed = [file for file in free if file.path in target.files]
    standing = {path for paths in in_the_way.values() for path in paths}
    for files in (new, changed, hindered):
        for file_class in (FileClass.ASSET, FileClass.PAGE):
            pages = file_class is FileClass.PAGE
            chosen = [file for file in files if is_page(file.path) == pages]
            if chosen:
                leaving = {path for file in chosen for path in in_the_way.get(file.path, ())}
                yield Step(file_class, _ordered(chosen), tuple(sorted(leaving & standing)))
                standing -= leaving


def _ordered(files: Iterable[SiteFile]) -> tuple[SiteFile, ...]:
    return tuple(sorted(files, key=lambda file: file.path))


def _folded(path: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())
