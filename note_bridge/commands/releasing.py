"""`release` and `gc`: a built site goes live, and what nobody needs any more goes."""

from __future__ import annotations

import time
from pathlib import Path

import click
from rich.console import Console

from note_bridge.console import Exit, Output, output
from note_bridge.group import cli
from site_builder.releasing.folder_target import FolderTarget
from site_builder.releasing.garbage import GarbageReport, collect_garbage
from site_builder.releasing.release import ReleaseOptions, ReleaseReport, Volume
from site_builder.releasing.release import release as release_site

JSON = click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")


@cli.command()
@click.argument("site", type=click.Path(path_type=Path), default="build/site")
@click.option("--to", "target", required=True, help="Folder to release into.")
@click.option("--dry-run", is_flag=True, help="Say what would be written; write nothing.")
@click.option("--force", is_flag=True, help="Release even over another knowledge base.")
@click.option("--adopt", is_flag=True, help="Write over files that no release put there.")
@click.option("--thorough", is_flag=True, help="Re-hash what the target holds already.")
@click.option("--purge", is_flag=True, help="End earlier revisions, take their objects away.")
@click.option("--file-limit", type=click.IntRange(0), default=0, help="Files the target takes.")
@JSON
def release(
    site: Path,
    target: str,
    dry_run: bool,
    force: bool,
    adopt: bool,
    thorough: bool,
    purge: bool,
    file_limit: int,
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
    with said.progress("Releasing") as progress:
        report = release_site(
            site, FolderTarget(Path(target)), clock=time.time, progress=progress, options=options
        )
    said.result(
        release_document(report), lambda console: _show_release(console, said, report, target)
    )
    return Exit.DONE


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


@cli.command()
@click.argument("target")
@click.option("--dry-run", is_flag=True, help="Say what would go; take nothing away.")
@JSON
def gc(target: str, dry_run: bool, as_json: bool) -> int:
    """Take away objects at TARGET that no retained revision needs."""
    said = output(as_json=as_json)
    with said.progress("Looking") as progress:
        report = collect_garbage(
            FolderTarget(Path(target)), clock=time.time, progress=progress, dry_run=dry_run
        )
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
