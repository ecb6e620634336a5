"""Taking away objects that no retained revision needs.

Pointer first: the manifest stops naming the revisions that are past retention, and only then their
objects go. That same write keeps every release that began before from ending, because it finds
another manifest than it read; a release that begins later is refused until all is done. So nothing
that a release counts on is taken away. What is younger than a day stays in any case: an
interrupted release may be gone on with.
"""

from __future__ import annotations

import contextlib
import re
import secrets
from collections.abc import Callable, Mapping, Sequence, Set
from contextlib import AbstractContextManager
from dataclasses import dataclass

from manifest.canonical import Json, encode
from manifest.errors import ErrorCode, NoteBridgeError
from manifest.manifest_file import Manifest, write_manifest
from manifest.references import MANIFEST_LIMIT, MANIFEST_PATH, OBJECTS_PATH
from site_builder.previous_source import ObjectName
from site_builder.progress import Progress, no_progress
from site_builder.releasing.live import (
    Live,
    manifest_changed,
    objects_at,
    read_live,
)
from site_builder.releasing.reachable import reachable
from site_builder.releasing.retention import Retained, retained, with_previous
from site_builder.releasing.targets import StillAlone, StoredFile, Target

YOUNG = 24 * 3600
"""Seconds below which an object stays, whether anything refers to it or not."""

BATCH = 500
"""Objects taken away between two looks at whether nobody else is at work."""

_OBJECT = re.compile(rf"{re.escape(OBJECTS_PATH)}/[a-z]+/[0-9a-f]{{64}}\.json")


@dataclass(frozen=True, slots=True)
class GarbageReport:
    """What was taken away, or would be (dry_run).

    revisions: how many earlier ones stay; ended: how many the manifest no longer names. kept,
    young and removed: numbers of objects needed, not needed but too young to go, taken away.
    removed_size: bytes. missing: objects that retained earlier revisions lack.
    """

    revision: str
    revisions: int
    ended: int
    kept: int
    young: int
    removed: int
    removed_size: int
    missing: int
    dry_run: bool = False


def collect_garbage(
    target: Target,
    *,
    clock: Callable[[], float],
    progress: Progress = no_progress,
    dry_run: bool = False,
    token: Callable[[], str] = lambda: secrets.token_hex(8),
) -> GarbageReport:
    """Ends the earlier revisions that are past retention, and takes away the objects that nothing
    needs any more.

    clock: seconds since the epoch. token: a word never used before.

    Raises `NoteBridgeError`: MANIFEST_MISSING if the target has no manifest; INTEGRITY_MISMATCH if
    the live revision is not whole; STORAGE_LOCKED while another one is at work; REQUEST_CONFLICT
    if a release switched the manifest meanwhile; what the target raises.
    """
    with alone_in(target, dry_run=dry_run) as still_alone:
        live = read_live(target, sweeping=True)
        manifest = _released(target, live)
        kept = retained(manifest, live.history, clock())
        names, missing = _needed(target, manifest, kept, live.listing)
        unneeded = unneeded_objects(live.listing, {name.path for name in names})
        old = [file for file in unneeded if file.age >= YOUNG]
        ended = len(manifest.previous) - len(kept.previous)
        if (old or ended) and not dry_run:
            still_alone()
            body = swept_manifest(with_previous(manifest, kept.previous), token())
            if not target.replace_if(MANIFEST_PATH, body, live.version):
                raise manifest_changed(target)
            take_away(target, old, still_alone, progress)
    return GarbageReport(
        revision=manifest.revision,
        revisions=len(kept.roots),
        ended=ended,
        kept=len(names) - missing,
        young=len(unneeded) - len(old),
        removed=len(old),
        removed_size=sum(file.size for file in old),
        missing=missing,
        dry_run=dry_run,
    )


def alone_in(target: Target, *, dry_run: bool) -> AbstractContextManager[StillAlone]:
    """The target for oneself, to take objects away; not where nothing is changed."""
    return contextlib.nullcontext(_nobody_asks) if dry_run else target.sweep()


def swept_manifest(manifest: Manifest, token: str) -> bytes:
    """The bytes of a manifest that no release has seen before, so that every release under way
    finds it changed. Readers pass over the field.

    Raises `NoteBridgeError` (MANIFEST_INVALID) past the size limit.
    """
    write_manifest(manifest)
    dumped: dict[str, Json] = manifest.model_dump(mode="json", exclude_none=True)
    body = encode({**dumped, "sweep": token})
    if len(body) > MANIFEST_LIMIT:
        raise NoteBridgeError(
            ErrorCode.MANIFEST_INVALID,
            f"The manifest would have {len(body)} bytes; {MANIFEST_LIMIT} are allowed.",
            hint="Shorten the site's name, address or license, and release again.",
        )
    return body


def unneeded_objects(listing: Mapping[str, StoredFile], needed: Set[str]) -> list[StoredFile]:
    """The objects of a listing that are not needed; files below `ai/objects` that are none stay."""
    return [
        file
        for path, file in sorted(listing.items())
        if _OBJECT.fullmatch(path) and path not in needed
    ]


def take_away(
    target: Target, files: Sequence[StoredFile], still_alone: StillAlone, progress: Progress
) -> None:
    """Takes objects away, and stops as soon as somebody else may be at work."""
    for start in range(0, len(files), BATCH):
        still_alone()
        batch = files[start : start + BATCH]
        target.delete([file.path for file in batch])
        progress("garbage", start + len(batch), len(files))


def _nobody_asks() -> None:
    """Nothing is taken away in a dry run."""


def _released(target: Target, live: Live) -> Manifest:
    if live.manifest is None:
        raise NoteBridgeError(
            ErrorCode.MANIFEST_MISSING,
            f"{target.name} holds no {MANIFEST_PATH}.",
            hint="Check the target: without a manifest nothing says which objects are needed.",
        )
    return live.manifest


def _needed(
    target: Target, manifest: Manifest, kept: Retained, listing: Mapping[str, StoredFile]
) -> tuple[set[ObjectName], int]:
    """The objects of the live revision and of all retained ones; how many of these are missing."""
    read = objects_at(target)
    newest = set(reachable([manifest.root], read))
    for name in newest:
        there = listing.get(name.path)
        if there is None or there.size != name.size:
            raise NoteBridgeError(
                ErrorCode.INTEGRITY_MISMATCH,
                f"The live revision at {target.name} is not whole: {name.path} is missing or cut.",
                hint="Release again, with --thorough; then collect garbage.",
                details={"object": name.path},
            )
    earlier = set(reachable(kept.roots, read, besides=newest))
    missing = sum(name.path not in listing for name in earlier)
    return newest | earlier, missing
