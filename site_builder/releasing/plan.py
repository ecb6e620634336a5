"""What a release has to do, and in which order: a pure function of what is here and what is there.

Objects come first, because nothing refers to them until the manifest does; then what pages load;
then pages, new ones before those that link to them; then the manifest; and only when nobody can be
sent to them any more, what is no longer part of the site goes. Objects are never taken away here:
earlier revisions need them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from enum import StrEnum

from manifest.references import MANIFEST_PATH, OBJECTS_PATH
from site_builder.releasing.record import RECORD_PREFIX, path_mark
from site_builder.releasing.targets import StoredFile

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
class SiteFile:
    """A file of a built site. size: bytes."""

    path: str
    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Step:
    """Files of one class that may be written in any order, once all earlier steps are done."""

    file_class: FileClass
    files: tuple[SiteFile, ...]


@dataclass(frozen=True, slots=True)
class ReleasePlan:
    """steps: what to write before the manifest, in order. stale: paths to take away after it.

    unchanged: how many files are there already. foreign: how many files at the target are of no
    release, which leaves them alone.
    """

    steps: tuple[Step, ...]
    stale: tuple[str, ...]
    unchanged: int
    foreign: int


@dataclass(frozen=True, slots=True)
class TargetState:
    """What is known of a target.

    files: its listing, by path. hashes: of the files in it whose SHA-256 is known; one of the same
    size as the site's whose hash is not known counts as different, unless it is an object, which
    is named by its hash. marks: of the paths that releases put there. protected: the paths of the
    objects of the live revision.
    """

    files: Mapping[str, StoredFile]
    hashes: Mapping[str, str]
    marks: Set[str]
    protected: Set[str]


def plan_release(
    objects: Iterable[SiteFile], others: Iterable[SiteFile], target: TargetState
) -> ReleasePlan:
    """The plan for a site of these objects and these other files (the manifest not among them)."""
    all_objects, all_others = list(objects), list(others)
    missing = [file for file in all_objects if _needs_object(file, target)]
    differing = [file for file in all_others if _differs(file, target)]
    assets = [file for file in differing if not is_page(file.path)]
    pages = [file for file in differing if is_page(file.path)]
    steps = (
        Step(FileClass.OBJECT, _ordered(missing)),
        *_new_first(FileClass.ASSET, assets, target),
        *_new_first(FileClass.PAGE, pages, target),
    )
    kept = {file.path for file in all_others}
    leftover = [path for path in target.files if path not in kept and not is_knowledge(path)]
    stale = tuple(sorted(path for path in leftover if path_mark(path) in target.marks))
    return ReleasePlan(
        steps=tuple(step for step in steps if step.files),
        stale=stale,
        unchanged=len(all_objects) + len(all_others) - len(missing) - len(differing),
        foreign=len(leftover) - len(stale),
    )


def is_page(path: str) -> bool:
    """Whether a file is one that visitors are sent to."""
    return path.endswith((".html", ".htm"))


def is_knowledge(path: str) -> bool:
    """Whether a path is one of the knowledge or of the releases' own record, never of a page."""
    return path.startswith((f"{OBJECTS_PATH}/", RECORD_PREFIX)) or path == MANIFEST_PATH


def undecided(files: Iterable[SiteFile], listing: Mapping[str, StoredFile]) -> list[str]:
    """The paths at the target that only a hash can tell from the site's."""
    return [
        file.path for file in files if file.path in listing and listing[file.path].size == file.size
    ]


def twins(paths: Iterable[str], kept: Iterable[str]) -> dict[str, str]:
    """Which of the paths may be the same file as a kept one, where a file system ignores case or
    Unicode normalisation: path -> the kept one."""
    folded = {_folded(path): path for path in kept}
    return {path: folded[_folded(path)] for path in paths if _folded(path) in folded}


def _needs_object(file: SiteFile, target: TargetState) -> bool:
    there = target.files.get(file.path)
    if there is None or there.size != file.size:
        return True
    if target.hashes.get(file.path, file.sha256) != file.sha256:
        return True
    return there.age >= REWRITE_AGE and file.path not in target.protected


def _differs(file: SiteFile, target: TargetState) -> bool:
    there = target.files.get(file.path)
    return there is None or there.size != file.size or target.hashes.get(file.path) != file.sha256


def _new_first(
    file_class: FileClass, files: Iterable[SiteFile], target: TargetState
) -> tuple[Step, Step]:
    new = [file for file in files if file.path not in target.files]
    changed = [file for file in files if file.path in target.files]
    return Step(file_class, _ordered(new)), Step(file_class, _ordered(changed))


def _ordered(files: Iterable[SiteFile]) -> tuple[SiteFile, ...]:
    return tuple(sorted(files, key=lambda file: file.path))


def _folded(path: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())
