"""`release` and `gc`: a built site goes live, and what nobody needs any more goes."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from contextlib import closing, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import click
from rich.console import Console

from manifest.errors import ErrorCode, NoteBridgeError
from note_bridge.console import Exit, Output, ProgressCallback, output
from note_bridge.group import cli
from site_builder.previous_source import open_source
from site_builder.releasing.folder_target import FolderTarget
from site_builder.releasing.garbage import GarbageReport, collect_garbage
from site_builder.releasing.release import ReleaseReport
from site_builder.releasing.release import release as release_site
from site_builder.releasing.targets import Target
from site_builder.releasing.task import ReleaseOptions
from site_builder.releasing.whole_folder import WholeFolderReport, release_whole_folder
from site_builder.volume import Volume

BUCKET = "s3://"

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Reach:
    """How a bucket is reached, as far as the command line says; the environment says the rest."""

    endpoint: str
    region: str
    profile: str


def bucket_options(command: Command) -> Command:
    """The options that say how a bucket is reached."""
    for option in (
        click.option("--profile", default="", help="Profile of the S3 credentials."),
        click.option("--region", default="", help="Region of the bucket."),
        click.option("--endpoint", default="", help="Address of an S3-compatible store."),
    ):
        command = option(command)
    return command


def open_target(address: str, reach: Reach) -> Target:
    """The folder or bucket that an address means.

    Raises `NoteBridgeError` (INVALID_ARGUMENT) for an address or credentials that are none.
    """
    if not address.startswith(BUCKET):
        return FolderTarget(Path(address))
    # The client of buckets is loaded only where there is one.
    from site_builder.releasing.bucket_access import bucket_access, parse_bucket_address
    from site_builder.releasing.bucket_target import BucketTarget

    access = bucket_access(
        os.environ,
        Path.home(),
        endpoint=reach.endpoint,
        region=reach.region,
        profile=reach.profile,
    )
    return BucketTarget(parse_bucket_address(address), access)


@cli.command()
@click.argument("site", type=click.Path(path_type=Path), default="build/site")
@click.option("--to", "target", default="", help="Folder or bucket (s3://...) to release into.")
@click.option(
    "--whole-folder", "out", type=click.Path(path_type=Path), help="Folder to deploy whole."
)
@click.option("--previous", default="", help="With --whole-folder: the live site, URL or folder.")
@click.option("--first", is_flag=True, help="With --whole-folder: nothing is published yet.")
@click.option("--dry-run", is_flag=True, help="Say what would be written; write nothing.")
@click.option("--force", is_flag=True, help="Release even over another knowledge base.")
@click.option("--adopt", is_flag=True, help="Write over files that no release put there.")
@click.option("--thorough", is_flag=True, help="Compare what the target holds by hash.")
@click.option("--purge", is_flag=True, help="End earlier revisions and take their objects away.")
@click.option("--file-limit", type=click.IntRange(0), default=0, help="Files the target takes.")
@bucket_options
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def release(
    site: Path,
    target: str,
    out: Path | None,
    previous: str,
    first: bool,
    dry_run: bool,
    force: bool,
    adopt: bool,
    thorough: bool,
    purge: bool,
    file_limit: int,
    endpoint: str,
    region: str,
    profile: str,
    as_json: bool,
) -> int:
    """Release a built SITE: objects, then pages, then the manifest."""
    said = output(as_json=as_json)
    options = ReleaseOptions(
        dry_run=dry_run,
        force=force,
        thorough=thorough,
        adopt=adopt,
        purge=purge,
        file_limit=file_limit,
    )
    _require_one_place(target, out, previous, first=first)
    if out is not None:
        with said.progress("Releasing") as progress:
            whole = _whole_folder(site, out, previous, options, progress)
        said.result(
            {**release_document(whole.release), **_carried_document(whole)},
            lambda console: _show_whole_folder(console, said, whole, str(out)),
        )
        return Exit.DONE
    place = open_target(target, Reach(endpoint, region, profile))
    with said.progress("Releasing") as progress:
        report = release_site(site, place, clock=time.time, progress=progress, options=options)
    said.result(
        release_document(report), lambda console: _show_release(console, said, report, target)
    )
    return Exit.DONE


def _require_one_place(target: str, out: Path | None, previous: str, *, first: bool) -> None:
    hint = "Write --to TARGET, or --whole-folder FOLDER with --previous URL (or --first)."
    if (out is None) == (not target):
        raise NoteBridgeError(ErrorCode.INVALID_ARGUMENT, "A release goes to one place.", hint=hint)
    if out is None and (previous or first):
        raise NoteBridgeError(
            ErrorCode.INVALID_ARGUMENT,
            "--previous and --first belong to --whole-folder: a target knows what is live.",
            hint=hint,
        )
    if out is not None and bool(previous) == first:
        raise NoteBridgeError(
            ErrorCode.INVALID_ARGUMENT,
            "A folder that is deployed whole needs the site as it is live, to go on from it.",
            hint="Write --previous URL; for the very first release, --first.",
        )


def _whole_folder(
    site: Path, out: Path, previous: str, options: ReleaseOptions, progress: ProgressCallback
) -> WholeFolderReport:
    with closing(open_source(previous)) if previous else nullcontext() as source:
        return release_whole_folder(
            site, out, source, clock=time.time, progress=progress, options=options
        )


def release_document(report: ReleaseReport) -> dict[str, object]:
    """A release for a program."""
    return {
        "sequence": report.sequence,
        "revision": report.revision,
        "replaced": report.replaced,
        "switched": report.switched,
        "returnsTo": report.returns_to,
        "dryRun": report.dry_run,
        "written": {name: _volume_document(volume) for name, volume in report.written.items()},
        "removed": list(report.removed),
        "purged": _volume_document(report.purged),
        "unchanged": report.unchanged,
        "foreign": report.foreign,
        "files": report.files,
        "warnings": list(report.warnings),
    }


def _carried_document(report: WholeFolderReport) -> dict[str, object]:
    return {
        "revisions": report.revisions,
        "carried": _volume_document(report.carried),
        "fetched": report.fetched,
        "lost": list(report.lost),
    }


def _volume_document(volume: Volume) -> dict[str, int]:
    return {"files": volume.files, "bytes": volume.size}


def _show_release(console: Console, said: Output, report: ReleaseReport, target: str) -> None:
    for warning in report.warnings:
        said.warning(warning)
    verb = "Would write" if report.dry_run else "Wrote"
    for name, volume in report.written.items():
        console.print(f"{verb} {volume.files} {name}, {volume.size} bytes")
    if report.purged.files:
        verb = "Would take away" if report.dry_run else "Took away"
        console.print(f"{verb} {report.purged.files} objects of earlier revisions")
    if report.returns_to:
        said.warning(f"this revision was released before, as sequence {report.returns_to}")
    switched = "" if report.switched else " (unchanged)"
    console.print(f"{target}: sequence {report.sequence}, revision {report.revision}{switched}")


def _show_whole_folder(console: Console, said: Output, report: WholeFolderReport, out: str) -> None:
    for revision in report.lost:
        said.warning(f"revision {revision[:12]} is no longer whole at the live site: it ends")
    console.print(
        f"Carried over {report.carried.files} objects of {report.revisions} earlier revisions, "
        f"{report.fetched} of them from the live site"
    )
    _show_release(console, said, report.release, out)
    console.print(f"{report.release.files} files to deploy")


@cli.command()
@click.argument("target")
@click.option("--dry-run", is_flag=True, help="Say what would go; take nothing away.")
@bucket_options
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def gc(target: str, dry_run: bool, endpoint: str, region: str, profile: str, as_json: bool) -> int:
    """Take away objects at TARGET that no retained revision needs."""
    said = output(as_json=as_json)
    place = open_target(target, Reach(endpoint, region, profile))
    with said.progress("Looking") as progress:
        report = collect_garbage(place, clock=time.time, progress=progress, dry_run=dry_run)
    said.result(
        {
            "revision": report.revision,
            "revisions": report.revisions,
            "ended": report.ended,
            "kept": report.kept,
            "young": report.young,
            "removed": {"files": report.removed, "bytes": report.removed_size},
            "missing": report.missing,
            "dryRun": report.dry_run,
        },
        lambda console: _show_garbage(console, said, report),
    )
    return Exit.DONE


def _show_garbage(console: Console, said: Output, report: GarbageReport) -> None:
    if report.missing:
        said.warning(f"earlier revisions lack {report.missing} objects that retention promises")
    verb = "Would take away" if report.dry_run else "Took away"
    console.print(f"{verb} {report.removed} objects, {report.removed_size} bytes")
    console.print(
        f"Kept {report.kept} objects of {report.revisions + 1} revisions, "
        f"and {report.young} younger than a day; {report.ended} revisions ended"
    )
