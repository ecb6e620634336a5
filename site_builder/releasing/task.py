"""One release of a built site: what it finds, what it asks, what it does.

The steps are the same for every target; `release` puts them in order.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from manifest.errors import ErrorCode, NoteBridgeError
from manifest.references import MANIFEST_PATH
from site_builder.progress import Progress
from site_builder.releasing.bookkeeping import Bookkeeping
from site_builder.releasing.built_site import BuiltSite
from site_builder.releasing.folder_target import FolderTarget
from site_builder.releasing.garbage import swept_manifest
from site_builder.releasing.live import Live, objects_at
from site_builder.releasing.plan import (
    REWRITE_AGE,
    FileClass,
    ReleasePlan,
    TargetState,
    plan_release,
)
from site_builder.releasing.reachable import reachable
from site_builder.releasing.record import HISTORY_PATH, path_mark, write_history, write_record
from site_builder.releasing.retention import NextManifest, next_manifest, remembered
from site_builder.releasing.targets import SiteFile, StillAlone, StoredFile, Target
from site_builder.releasing.writer import Writer


@dataclass(frozen=True, slots=True)
class ReleaseOptions:
    """What an author may ask of a release.

    dry_run: find out what would be written, and write nothing. force: even over another knowledge
    base. thorough: compare objects that are there by hash, not by size alone, and mend them.
    adopt: write over files that no release put there. purge: end all earlier revisions and take
    their objects away at once. file_limit: files that the target takes at most; 0 for any number.
    """

    dry_run: bool = False
    force: bool = False
    thorough: bool = False
    adopt: bool = False
    purge: bool = False
    file_limit: int = 0


@dataclass(frozen=True, slots=True)
class ReleaseTask:
    """One release of a built site over what is live."""

    source: FolderTarget
    target: Target
    built: BuiltSite
    live: Live
    wishes: ReleaseOptions
    progress: Progress
    token: str

    @property
    def bookkeeping(self) -> Bookkeeping:
        return Bookkeeping(self.target, self.live, self.token)

    @property
    def writer(self) -> Writer:
        return Writer(self.source, self.target, self.live, self.progress)

    def plan(self) -> ReleasePlan:
        """What is to be done.

        Raises `NoteBridgeError` (INVALID_ARGUMENT) if files of others would have to give way.
        """
        files = {file.path: file for file in (*self.built.objects, *self.built.others)}
        listing = self.live.listing
        compared = files.values() if self.wishes.thorough else self.built.others
        pairs = [(file, listing[file.path]) for file in compared if file.path in listing]
        same = self.target.same(pairs, lambda path: self.writer.body(files[path]))
        if not self.wishes.thorough:
            same |= {file.path for file in self.built.objects if _has_size(file, listing)}
        plan = plan_release(
            self.built.objects,
            self.built.others,
            TargetState(
                files=listing,
                same=same,
                marks=self.bookkeeping.marks,
                protected=self._protected(),
                nested=self.target.nested,
            ),
        )
        _require_no_foreign_loss(plan, self.target, adopt=self.wishes.adopt)
        return plan

    def upcoming(self, now: float) -> NextManifest:
        """The manifest to switch to; the live one where it says the same."""
        live, purge = self.live, self.wishes.purge
        found = next_manifest(
            self.built.manifest, live.manifest, now=now, force=self.wishes.force, purge=purge
        )
        if purge:
            return replace(found, body=swept_manifest(found.manifest, self.token))
        return replace(found, body=live.body) if found.manifest == live.manifest else found

    def files_after(self, plan: ReleasePlan, doomed: Sequence[StoredFile]) -> int:
        """How many files the target will hold at most."""
        own = {MANIFEST_PATH, HISTORY_PATH, *write_record(map(path_mark, self.built.paths))}
        gone = {*plan.stale, *(file.path for file in doomed)}
        there = {path for path in self.live.listing if not path.startswith(_NEVER_SERVED)}
        return len((there | self.built.paths | own) - gone)

    def carry_out(self, plan: ReleasePlan, upcoming: NextManifest, still_alone: StillAlone) -> None:
        """Writes, switches, takes away; in this order."""
        books, writer = self.bookkeeping, self.writer
        kept = [file.path for file in self.built.others]
        books.announce(
            file.path
            for step in plan.steps
            if step.file_class is not FileClass.OBJECT
            for file in step.files
        )
        books.remember(self._history(upcoming))
        for step in plan.steps:
            writer.write(step)
        still_alone()
        writer.switch(upcoming)
        if not self.target.exclusive:
            writer.mend(self.built.others)
        spared = writer.remove(plan.leaving, kept)
        books.settle([*kept, *spared])

    def _history(self, upcoming: NextManifest) -> bytes:
        live = self.live.manifest
        if self.wishes.purge:
            return b""
        if live is None or live.revision == upcoming.manifest.revision:
            return self.live.history_body
        return write_history(remembered(live, self.live.history, upcoming.manifest))

    def _protected(self) -> frozenset[str]:
        """The objects of the live revision, which garbage collection never takes. They are looked
        for only where one is old enough for it to matter. Names are hashes, so what both revisions
        hold is read from the built site, near at hand."""
        listing, live = self.live.listing, self.live.manifest
        there = [listing[file.path] for file in self.built.objects if file.path in listing]
        if live is None or not any(file.age >= REWRITE_AGE for file in there):
            return frozenset()
        try:
            names = reachable([live.root], objects_at(self.source, self.target))
            return frozenset(name.path for name in names)
        except NoteBridgeError as error:
            if error.code not in (ErrorCode.OBJECT_INVALID, ErrorCode.SCHEMA_UNSUPPORTED):
                raise
            return frozenset()


_NEVER_SERVED = (".git/",)
"""Where a folder that is deployed may keep what no host takes."""


def require_room(name: str, files: int, limit: int) -> None:
    """Raises `NoteBridgeError` (STORAGE_FULL) if there are more files than a host takes; limit: 0
    for any number."""
    if 0 < limit < files:
        raise NoteBridgeError(
            ErrorCode.STORAGE_FULL,
            f"{name} would hold {files} files; it takes {limit}.",
            hint="Keep fewer earlier revisions (the option `retention`, then gc), publish fewer "
            "files, or raise --file-limit if the host takes more.",
            details={"files": files, "limit": limit},
        )


def _require_no_foreign_loss(plan: ReleasePlan, target: Target, *, adopt: bool) -> None:
    if plan.blocked:
        raise _in_the_way(
            plan.blocked,
            f"{target.name} holds files of no release where the site needs their place",
            "Take them away, or give the notes other names.",
        )
    if plan.overwritten and not adopt:
        raise _in_the_way(
            plan.overwritten,
            f"{target.name} holds other files of no release at paths of the site",
            "Check the target. If the site may take their place, release with --adopt.",
        )


def _in_the_way(paths: Sequence[str], what: str, hint: str) -> NoteBridgeError:
    named = ", ".join(paths[:_NAMED]) + (", ..." if len(paths) > _NAMED else "")
    return NoteBridgeError(
        ErrorCode.INVALID_ARGUMENT,
        f"{what}: {named}.",
        hint=f"Nothing was changed. {hint}",
        details={"paths": list(paths[:100]), "count": len(paths)},
    )


_NAMED = 3
"""Paths that a message names before it says that there are more."""


def _has_size(file: SiteFile, listing: Mapping[str, StoredFile]) -> bool:
    there = listing.get(file.path)
    return there is not None and there.size == file.size


def require_apart(source: FolderTarget, target: Target) -> None:
    """Raises `NoteBridgeError` (INVALID_ARGUMENT) if one of two folders lies within the other."""
    here, there = source.folder, target.folder
    if there and (here.is_relative_to(there) or there.is_relative_to(here)):
        raise NoteBridgeError(
            ErrorCode.INVALID_ARGUMENT,
            f"The target {there} and the built site {here} are not apart.",
            hint="Release into a folder beside the one you build into.",
        )
