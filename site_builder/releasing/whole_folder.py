"""A release for hosts that deploy a whole folder and forget what was there before.

The folder holds the new site and, carried over from the site as it is live, the objects of the
earlier revisions that retention keeps: so a reader that began with one of them can go on. What the
folder holds beside is left alone, as at any target.
"""

from __future__ import annotations

import contextlib
import secrets
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from manifest.errors import ErrorCode, NoteBridgeError
from manifest.manifest_file import Manifest, write_manifest
from manifest.references import Reference
from site_builder.folder_lock import LOCK_NAME
from site_builder.hosting import SMALLEST_FILE_LIMIT, hosting_warnings
from site_builder.previous_source import ObjectName, SiteSource
from site_builder.progress import Progress, no_progress
from site_builder.releasing.bookkeeping import Bookkeeping
from site_builder.releasing.built_site import BuiltSite, read_built_site, require_purged
from site_builder.releasing.carrying import Carrier, LiveSite, Pause, Revision
from site_builder.releasing.folder_target import FolderTarget
from site_builder.releasing.garbage import unneeded_objects
from site_builder.releasing.live import read_live
from site_builder.releasing.record import ReplacedRevision, write_history
from site_builder.releasing.release import Clock, ReleaseReport, volumes
from site_builder.releasing.retention import (
    NextManifest,
    next_manifest,
    remembered,
    retained,
    with_previous,
)
from site_builder.releasing.task import ReleaseOptions, ReleaseTask, require_apart, require_room
from site_builder.releasing.writer import Writer
from site_builder.volume import Volume

FILE_LIMIT = 20_000
"""Files in one deployment on the free plan of Cloudflare Pages, the lowest limit of known hosts."""


@dataclass(frozen=True, slots=True)
class WholeFolderReport:
    """release: as at any target. revisions: earlier ones that are in the folder. carried: objects
    that only these need. fetched: how many of them came from the live site. lost: earlier revisions
    that retention would keep, but that are no longer whole where the site is live."""

    release: ReleaseReport
    revisions: int
    carried: Volume
    fetched: int
    lost: tuple[str, ...]


def release_whole_folder(
    site: Path,
    out: Path,
    previous: SiteSource | None,
    *,
    clock: Clock,
    progress: Progress = no_progress,
    options: ReleaseOptions | None = None,
    token: Callable[[], str] = lambda: secrets.token_hex(8),
    pause: Pause = time.sleep,
) -> WholeFolderReport:
    """Makes the folder `out` that a host is to deploy whole.

    previous: the site as it is live; None only for a first release. options.file_limit: 0 for that
    of `FILE_LIMIT`. pause: waits so many seconds before a host that failed is asked again.

    Raises `NoteBridgeError`: what `release` raises; MANIFEST_MISSING if nothing is live at
    `previous`; SITE_UNREACHABLE if it cannot be read: without it the history would begin anew, and
    readers would refuse the site; STORAGE_FULL past the limit of files.
    """
    wishes = options or ReleaseOptions()
    source, target = FolderTarget(site), FolderTarget(out)
    require_apart(source, target)
    built = read_built_site(source)
    if wishes.purge:
        require_purged(built, source)
    live_site = LiveSite(previous, pause) if previous else None
    before = _before(live_site)
    task = _Task(source, target, built, before, wishes, progress, token)
    carrier = None
    if live_site is not None:
        carrier = Carrier(live_site, source, target, published=built.paths, keep=not wishes.dry_run)
    if wishes.dry_run:
        return task.run(carrier, clock())
    with target.hold():
        report = task.run(carrier, clock())
        # The folder is deployed as it is, and nobody else waits for it. Where an open file cannot
        # be deleted, one empty file more is no harm.
        with contextlib.suppress(OSError):
            (target.folder / LOCK_NAME).unlink()
        return report


@dataclass(frozen=True, slots=True)
class _Before:
    """What is live. manifest: None before a first release."""

    manifest: Manifest | None = None
    history: Sequence[ReplacedRevision] = ()


def _before(live: LiveSite | None) -> _Before:
    if live is None:
        return _Before()
    manifest = live.manifest()
    if manifest is None:
        raise NoteBridgeError(
            ErrorCode.MANIFEST_MISSING,
            f"Nothing is published at {live.address}.",
            hint="Check the address with --previous; for a first release give --first instead.",
        )
    return _Before(manifest, live.history())


@dataclass(frozen=True, slots=True)
class _Task:
    source: FolderTarget
    target: FolderTarget
    built: BuiltSite
    before: _Before
    wishes: ReleaseOptions
    progress: Progress
    token: Callable[[], str]

    def run(self, carrier: Carrier | None, now: float) -> WholeFolderReport:
        upcoming = next_manifest(
            self.built.manifest,
            self.before.manifest,
            now=now,
            force=self.wishes.force,
            purge=self.wishes.purge,
        )
        kept = retained(upcoming.manifest, self._history(upcoming), now)
        surveyed, lost = self._survey(carrier, () if self.wishes.purge else kept.roots)
        self._require_room(surveyed)
        if carrier is not None and not self.wishes.dry_run:
            surveyed, more = self._bring(carrier, surveyed)
            lost += more
        whole = {revision.root.sha256 for revision in surveyed}
        final = with_previous(
            upcoming.manifest, [entry for entry in kept.previous if entry.revision in whole]
        )
        history = [each for each in self._history(upcoming) if each.root.sha256 in whole]
        names = _all_names(surveyed)
        report = self._release(
            replace(upcoming, manifest=final, body=write_manifest(final)), history, names
        )
        extra = [name for name in names if name.path not in self.built.paths]
        return WholeFolderReport(
            release=report,
            revisions=len(surveyed),
            carried=Volume(len(extra), sum(name.size for name in extra)),
            fetched=len(carrier.fetched) if carrier else 0,
            lost=tuple(root.sha256 for root in lost),
        )

    def _history(self, upcoming: NextManifest) -> list[ReplacedRevision]:
        live = self.before.manifest
        if live is None or self.wishes.purge:
            return []
        if live.revision == upcoming.manifest.revision:
            return list(self.before.history)
        return remembered(live, self.before.history, upcoming.manifest)

    def _survey(
        self, carrier: Carrier | None, roots: Iterable[Reference]
    ) -> tuple[list[Revision], list[Reference]]:
        surveyed: list[Revision] = []
        lost: list[Reference] = []
        for root in roots:
            found = carrier.survey(root) if carrier else None
            if found is None:
                lost.append(root)
            else:
                surveyed.append(found)
        return surveyed, lost

    def _bring(
        self, carrier: Carrier, surveyed: Iterable[Revision]
    ) -> tuple[list[Revision], list[Reference]]:
        whole: list[Revision] = []
        lost: list[Reference] = []
        for revision in surveyed:
            if carrier.bring(revision.names - _all_names(whole), self.progress):
                whole.append(revision)
            else:
                lost.append(revision.root)
        return whole, lost

    def _require_room(self, surveyed: Iterable[Revision]) -> None:
        paths = self.built.paths | {name.path for name in _all_names(surveyed)}
        limit = self.wishes.file_limit or FILE_LIMIT
        require_room(self.target.name, len(paths) + 1, limit)

    def _release(
        self,
        upcoming: NextManifest,
        history: Sequence[ReplacedRevision],
        names: frozenset[ObjectName],
    ) -> ReleaseReport:
        there = read_live(self.target)
        task = ReleaseTask(
            self.source, self.target, self.built, there, self.wishes, self.progress, self.token()
        )
        plan = task.plan()
        needed = self.built.paths | {name.path for name in names}
        doomed = unneeded_objects(there.listing, needed)
        files = task.files_after(plan, doomed)
        require_room(self.target.name, files, self.wishes.file_limit or FILE_LIMIT)
        if not self.wishes.dry_run:
            kept = [file.path for file in self.built.others]
            books = Bookkeeping(self.target, there, self.token())
            writer = Writer(self.source, self.target, there, self.progress)
            books.announce(kept)
            books.remember(write_history(history))
            for step in plan.steps:
                writer.write(step)
            writer.switch(upcoming)
            spared = writer.remove(plan.leaving, kept)
            self.target.delete([file.path for file in doomed])
            books.settle([*kept, *spared])
        live = self.before.manifest
        return ReleaseReport(
            sequence=upcoming.manifest.sequence,
            revision=upcoming.manifest.revision,
            replaced=live.revision if live else "",
            switched=live is None or live != upcoming.manifest,
            returns_to=upcoming.returns_to,
            written=volumes(plan),
            removed=plan.stale,
            unchanged=plan.unchanged,
            foreign=plan.foreign,
            files=files,
            purged=Volume(len(doomed), sum(file.size for file in doomed)),
            warnings=(*hosting_warnings(file.path for file in self.built.others), *self._large()),
            dry_run=self.wishes.dry_run,
        )

    def _large(self) -> Iterable[str]:
        for file in self.built.others:
            if file.size > SMALLEST_FILE_LIMIT:
                yield f"{file.path} has {file.size} bytes; some hosts take files up to 25 MiB."


def _all_names(revisions: Iterable[Revision]) -> frozenset[ObjectName]:
    return frozenset(name for revision in revisions for name in revision.names)
