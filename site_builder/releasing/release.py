"""Releasing a built site: objects, pages, and the manifest last.

Up to the moment the manifest is switched, readers see the earlier revision whole; from then on the
new one. A release that is interrupted is finished by releasing again.
"""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

from site_builder.hosting import hosting_warnings
from site_builder.progress import Progress, no_progress
from site_builder.releasing.built_site import read_built_site, require_purged
from site_builder.releasing.folder_target import FolderTarget
from site_builder.releasing.garbage import alone_in, take_away, unneeded_objects
from site_builder.releasing.live import read_live
from site_builder.releasing.plan import ReleasePlan
from site_builder.releasing.targets import StillAlone, Target
from site_builder.releasing.task import ReleaseOptions, ReleaseTask, require_apart, require_room
from site_builder.volume import NOTHING, Volume

Clock = Callable[[], float]
"""Seconds since the epoch."""


@dataclass(frozen=True, slots=True)
class ReleaseReport:
    """What a release did, or would do (dry_run).

    replaced: the revision that was live before, empty for a first release. switched: whether the
    manifest was written. returns_to: the sequence under which the revision was released before, 0
    if it is new. written: by class of file. removed: paths of files that are no longer part of the
    site. purged: objects taken away at once. foreign: files at the target that no release put
    there, left alone. files: how many there are at the target afterwards, earlier revisions and
    foreign files included.
    """

    sequence: int
    revision: str
    replaced: str
    switched: bool
    returns_to: int
    written: Mapping[str, Volume]
    removed: tuple[str, ...]
    unchanged: int
    foreign: int
    files: int = 0
    purged: Volume = NOTHING
    warnings: tuple[str, ...] = ()
    dry_run: bool = False


def release(
    site: Path,
    target: Target,
    *,
    clock: Clock,
    progress: Progress = no_progress,
    options: ReleaseOptions | None = None,
    token: Callable[[], str] = lambda: secrets.token_hex(8),
) -> ReleaseReport:
    """Releases the site built in a folder to a target.

    token: a word never used before, for what is this release's alone.

    Raises `NoteBridgeError`: what `read_built_site`, `next_manifest` and the target raise;
    MANIFEST_INVALID, SCHEMA_UNSUPPORTED or OBJECT_TOO_LARGE for a manifest at the target that is
    not ours to replace; INVALID_ARGUMENT for files of others in the way, for more files than the
    target takes, and for a purge of a site that builds on an earlier one; REQUEST_CONFLICT if
    another release switched the manifest meanwhile; INTEGRITY_MISMATCH if the target gives back
    other bytes than it was given.
    """
    wishes = options or ReleaseOptions()
    source = FolderTarget(site)
    require_apart(source, target)
    built = read_built_site(source)
    if wishes.purge:
        require_purged(built, source)
    with _held(target, wishes) as still_alone:
        live = read_live(target, sweeping=wishes.purge)
        task = ReleaseTask(source, target, built, live, wishes, progress, token())
        plan, upcoming = task.plan(), task.upcoming(clock())
        doomed = unneeded_objects(live.listing, built.paths) if wishes.purge else []
        files = task.files_after(plan, doomed)
        require_room(target.name, files, wishes.file_limit)
        if not wishes.dry_run:
            task.carry_out(plan, upcoming, still_alone)
            take_away(target, doomed, still_alone, progress)
    return ReleaseReport(
        sequence=upcoming.manifest.sequence,
        revision=upcoming.manifest.revision,
        replaced=live.manifest.revision if live.manifest else "",
        switched=upcoming.body != live.body,
        returns_to=upcoming.returns_to,
        written=volumes(plan),
        removed=plan.stale,
        unchanged=plan.unchanged,
        foreign=plan.foreign,
        files=files,
        purged=Volume(len(doomed), sum(file.size for file in doomed)),
        warnings=hosting_warnings(file.path for file in built.others),
        dry_run=wishes.dry_run,
    )


def _held(target: Target, wishes: ReleaseOptions) -> AbstractContextManager[StillAlone]:
    if wishes.purge or wishes.dry_run:
        return alone_in(target, dry_run=wishes.dry_run)
    return _held_alone(target)


@contextlib.contextmanager
def _held_alone(target: Target) -> Iterator[StillAlone]:
    with target.hold():
        yield lambda: None


def volumes(plan: ReleasePlan) -> dict[str, Volume]:
    """What a plan writes, by class of file."""
    found: dict[str, Volume] = {}
    for step in plan.steps:
        so_far = found.get(step.file_class, NOTHING)
        found[step.file_class.value] = Volume(
            so_far.files + len(step.files), so_far.size + sum(file.size for file in step.files)
        )
    return found
