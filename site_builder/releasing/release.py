"""Releasing a built site: objects, pages, and the manifest last.

Up to the moment the manifest is switched, readers see the earlier revision whole; from then on the
new one. A release that is interrupted is finished by releasing again.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from manifest.canonical import sha256_hex
from manifest.errors import ErrorCode, NoteBridgeError
from manifest.manifest_file import Manifest, read_manifest
from manifest.references import MANIFEST_PATH
from site_builder.hosting import hosting_warnings
from site_builder.publication import Progress, no_progress
from site_builder.releasing.built_site import BuiltSite, read_built_site
from site_builder.releasing.folder_target import FolderTarget
from site_builder.releasing.plan import (
    REWRITE_AGE,
    ReleasePlan,
    SiteFile,
    Step,
    TargetState,
    plan_release,
    twins,
    undecided,
)
from site_builder.releasing.reachable import ObjectName, reachable
from site_builder.releasing.record import RECORD_PREFIX, path_mark, read_record, write_record
from site_builder.releasing.retention import NextManifest, next_manifest
from site_builder.releasing.targets import StoredFile, Target

Clock = Callable[[], float]
"""Seconds since the epoch."""


@dataclass(frozen=True, slots=True)
class Volume:
    """How much was written. size: bytes."""

    files: int = 0
    size: int = 0


@dataclass(frozen=True, slots=True)
class ReleaseReport:
    """What a release did, or would do (dry_run).

    replaced: the revision that was live before, empty for a first release. switched: whether the
    manifest was written. returns_to: the sequence under which the revision was released before, 0
    if it is new. written: by class of file. removed: paths of files that are no longer part of the
    site. foreign: files at the target that no release put there, left alone.
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
    warnings: tuple[str, ...] = ()
    dry_run: bool = False


@dataclass(frozen=True, slots=True)
class _Live:
    """What a target serves now. version: of the manifest; record: bodies by path."""

    manifest: Manifest | None
    version: str | None
    body: bytes
    listing: Mapping[str, StoredFile]
    record: Mapping[str, bytes] = field(default_factory=dict)


def release(
    site: Path,
    target: Target,
    *,
    clock: Clock,
    progress: Progress = no_progress,
    dry_run: bool = False,
    force: bool = False,
    thorough: bool = False,
) -> ReleaseReport:
    """Releases the site built in a folder to a target.

    dry_run: find out what would be written, and write nothing. force: even over another knowledge
    base. thorough: compare objects that are there by hash, not by size alone, and mend them.

    Raises `NoteBridgeError`: what `read_built_site`, `next_manifest` and the target raise;
    MANIFEST_INVALID, SCHEMA_UNSUPPORTED or OBJECT_TOO_LARGE for a manifest at the target that is
    not ours to replace; REQUEST_CONFLICT if another release switched the manifest meanwhile;
    INTEGRITY_MISMATCH if the target gives back other bytes than it was given.
    """
    source = FolderTarget(site)
    _require_apart(source, target)
    built = read_built_site(source)
    with contextlib.nullcontext() if dry_run else target.hold():
        live = _read_live(target)
        upcoming = next_manifest(built.manifest, live.manifest, now=clock(), force=force)
        plan = _plan(source, built, target, live, thorough=thorough)
        switched = upcoming.body != live.body
        if not dry_run:
            _carry_out(_Writer(source, target, progress), built, live, plan, upcoming)
    return ReleaseReport(
        sequence=upcoming.manifest.sequence,
        revision=upcoming.manifest.revision,
        replaced=live.manifest.revision if live.manifest else "",
        switched=switched,
        returns_to=upcoming.returns_to,
        written=_volumes(plan),
        removed=plan.stale,
        unchanged=plan.unchanged,
        foreign=plan.foreign,
        warnings=hosting_warnings(file.path for file in built.others),
        dry_run=dry_run,
    )


def _require_apart(source: FolderTarget, target: Target) -> None:
    here, there = source.folder, target.folder
    if there and (here.is_relative_to(there) or there.is_relative_to(here)):
        raise NoteBridgeError(
            ErrorCode.INVALID_ARGUMENT,
            f"The target {there} and the built site {here} are not apart.",
            hint="Release into a folder beside the one you build into.",
        )


def _read_live(target: Target) -> _Live:
    found = target.read(MANIFEST_PATH)
    manifest = _live_manifest(target, found.body) if found else None
    listing = {file.path: file for file in target.files()}
    record = {path: target.read(path) for path in listing if path.startswith(RECORD_PREFIX)}
    return _Live(
        manifest=manifest,
        version=found.version if found else None,
        body=found.body if found else b"",
        listing=listing,
        record={path: stored.body for path, stored in record.items() if stored},
    )


def _live_manifest(target: Target, body: bytes) -> Manifest:
    try:
        return read_manifest(body, name=f"{target.name}/{MANIFEST_PATH}")
    except NoteBridgeError as error:
        newer = error.code is ErrorCode.SCHEMA_UNSUPPORTED
        advice = "Update note-bridge." if newer else "Check the target, or take that file away."
        raise NoteBridgeError(
            error.code, error.message, hint=f"Nothing was released. {advice}", details=error.details
        ) from error


def _plan(
    source: FolderTarget, built: BuiltSite, target: Target, live: _Live, *, thorough: bool
) -> ReleasePlan:
    compared = (*built.objects, *built.others) if thorough else built.others
    old = any(
        live.listing[file.path].age >= REWRITE_AGE
        for file in built.objects
        if file.path in live.listing
    )
    return plan_release(
        built.objects,
        built.others,
        TargetState(
            files=live.listing,
            hashes=target.hashes(undecided(compared, live.listing)),
            marks=read_record(live.record.values()),
            protected=_protected(source, target, live) if old else frozenset(),
        ),
    )


def _protected(source: FolderTarget, target: Target, live: _Live) -> frozenset[str]:
    """The objects of the live revision, which garbage collection never takes. Names are hashes, so
    what both revisions hold is read from the built site, near at hand."""

    def read(name: ObjectName) -> bytes | None:
        for place in (source, target):
            found = place.read(name.path)
            if found and sha256_hex(found.body) == name.sha256:
                return found.body
        return None

    if live.manifest is None:
        return frozenset()
    try:
        return frozenset(name.path for name in reachable(live.manifest.root, read))
    except NoteBridgeError as error:
        if error.code not in (ErrorCode.OBJECT_INVALID, ErrorCode.SCHEMA_UNSUPPORTED):
            raise
        return frozenset()


def _carry_out(
    writer: _Writer, built: BuiltSite, live: _Live, plan: ReleasePlan, upcoming: NextManifest
) -> None:
    kept = [file.path for file in built.others]
    marks = {path_mark(path) for path in kept}
    # Recorded before it is written: what a killed release wrote is known to the next one.
    record = writer.write_record(live.record, marks | read_record(live.record.values()))
    for step in plan.steps:
        writer.write(step)
    writer.switch(live, upcoming)
    spared = writer.remove(plan.stale, kept)
    writer.write_record(record, marks | {path_mark(path) for path in spared}, tidy=True)


class _Writer:
    """Does to a target what a plan says, each file read back as soon as it is written."""

    def __init__(self, source: FolderTarget, target: Target, progress: Progress) -> None:
        self._source = source
        self._target = target
        self._progress = progress

    def write(self, step: Step) -> None:
        with ThreadPoolExecutor(self._target.parallel) as pool:
            for done, _ in enumerate(pool.map(self._write_file, step.files), start=1):
                self._progress(step.file_class, done, len(step.files))

    def write_record(
        self, there: Mapping[str, bytes], marks: Iterable[str], *, tidy: bool = False
    ) -> Mapping[str, bytes]:
        """Brings the record from what is there to these marks; the files it then consists of.

        tidy: take away files of the record that these marks do not need.
        """
        wanted = write_record(marks)
        for path, body in wanted.items():
            if there.get(path) != body:
                self._write_checked(path, body)
        if not tidy:
            return {**there, **wanted}
        for path in there.keys() - wanted.keys():
            self._target.delete(path)
        return wanted

    def switch(self, live: _Live, upcoming: NextManifest) -> None:
        """From here on, readers see the new revision."""
        if upcoming.body == live.body:
            still = self._target.read(MANIFEST_PATH)
            switched = still is not None and still.version == live.version
        else:
            switched = self._target.replace_if(MANIFEST_PATH, upcoming.body, live.version)
        if not switched:
            raise NoteBridgeError(
                ErrorCode.REQUEST_CONFLICT,
                f"Another release switched the manifest of {self._target.name} meanwhile.",
                hint="Release again.",
            )

    def remove(self, stale: Iterable[str], kept: Iterable[str]) -> list[str]:
        """Takes stale files away, save those that turn out to be a kept file under another
        spelling (file systems that ignore case); these."""
        doubtful = twins(stale, kept)
        listed = {file.path for file in self._target.files()} if doubtful else set()
        spared = [path for path, twin in doubtful.items() if not {path, twin} <= listed]
        for path in stale:
            if path not in spared:
                self._target.delete(path)
        return spared

    def _write_file(self, file: SiteFile) -> None:
        found = self._source.read(file.path)
        if found is None or sha256_hex(found.body) != file.sha256:
            raise NoteBridgeError(
                ErrorCode.INTEGRITY_MISMATCH,
                f"{file.path} changed while the site was being released.",
                hint="Release again when the build has finished.",
                details={"path": file.path},
            )
        self._write_checked(file.path, found.body)

    def _write_checked(self, path: str, body: bytes) -> None:
        self._target.write(path, body)
        found = self._target.read(path)
        if found is None or sha256_hex(found.body) != sha256_hex(body):
            raise NoteBridgeError(
                ErrorCode.INTEGRITY_MISMATCH,
                f"{self._target.name} gives back {path} other than it was written.",
                hint="Check the target's disk or host, and release again.",
                details={"path": path},
            )


def _volumes(plan: ReleasePlan) -> dict[str, Volume]:
    volumes: dict[str, Volume] = {}
    for step in plan.steps:
        so_far = volumes.get(step.file_class, Volume())
        volumes[step.file_class.value] = Volume(
            so_far.files + len(step.files), so_far.size + sum(file.size for file in step.files)
        )
    return volumes
