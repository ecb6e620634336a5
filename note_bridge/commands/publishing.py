"""`build` and `preview`: what an author does before a release."""

from __future__ import annotations

import time
from collections import Counter
from pathlib import Path
from typing import Any

import click
from rich.console import Console

from manifest.errors import ErrorCode, NoteBridgeError
from note_bridge import places
from note_bridge.console import Exit, Output, output
from note_bridge.group import cli
from note_bridge.live_preview import opened_preview, watch_site
from site_builder.build import build_site
from site_builder.build_report import BuildReport
from site_builder.language_tags import required_tag
from site_builder.note import Finding
from site_builder.project import BuildRequest

SHOWN_FINDINGS = 20
"""Findings printed to a person before the rest is counted; `--all` and `--json` give all."""

SOURCE = click.argument("source", type=click.Path(path_type=Path), default=".")


@cli.command()
@SOURCE
@click.option("--out", type=click.Path(path_type=Path), help="Folder for the site [build/site].")
@click.option("--site-url", default="", help="Address the site will have, ending in a slash.")
@click.option("--name", default="", help="The site's name.")
@click.option("--language", default="", help="Language of notes that do not say (BCP 47).")
@click.option("--previous", default="", help="Address or folder of the site as it is published.")
@click.option("--executor", default="", help="here, processes[:N] or dask:ADDRESS [by size].")
@click.option("--no-cache", is_flag=True, help="Compile every note anew, and keep nothing.")
@click.option("--watch", is_flag=True, help="Build again at every change, and show the site.")
@click.option("--port", default=8000, help="Port of --watch; 0 takes a free one [8000].")
@click.option("--strict", is_flag=True, help="Leave with exit code 1 if there are warnings.")
@click.option("--all", "show_all", is_flag=True, help="Print every warning.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def build(
    source: Path,
    out: Path | None,
    site_url: str,
    name: str,
    language: str,
    previous: str,
    executor: str,
    no_cache: bool,
    watch: bool,
    port: int,
    strict: bool,
    show_all: bool,
    as_json: bool,
) -> int:
    """Build pages and knowledge from SOURCE: a folder of notes, or an mkdocs.yml."""
    said = output(as_json=as_json)
    request = BuildRequest(
        source=source,
        out=out,
        site_url=site_url,
        name=name,
        language=required_tag(language, "--language") if language else "",
        previous=previous,
        executor=executor,
        cache=None if no_cache else places.build_cache(),
    )
    if watch:
        if as_json:
            raise NoteBridgeError(
                ErrorCode.INVALID_ARGUMENT,
                "--watch goes on, and --json is one document.",
                hint="Leave one of them out.",
            )
        return watch_site(said, request, port)
    started = time.monotonic()
    with said.progress("Building") as progress:
        report = build_site(request, progress)
    seconds = time.monotonic() - started
    said.result(
        {
            "site": str(report.site),
            "documents": report.documents,
            "withheld": report.withheld,
            "revision": report.manifest.revision,
            "content": report.manifest.content,
            "milliseconds": round(seconds * 1000),
            "changed": {"files": report.changed.files, "bytes": report.changed.size},
            "removed": {"files": report.removed.files, "bytes": report.removed.size},
            "findings": [finding_document(finding) for finding in report.findings],
            "remarks": list(report.remarks),
        },
        lambda console: _show_build(console, said, report, seconds, show_all=show_all),
    )
    return Exit.NO if strict and (report.findings or report.remarks) else Exit.DONE


def finding_document(finding: Finding) -> dict[str, Any]:
    """A finding for a program."""
    return {
        "path": finding.path,
        "line": finding.line,
        "kind": str(finding.kind),
        "message": finding.message,
        "hint": finding.hint,
    }


def _show_build(
    console: Console, said: Output, report: BuildReport, seconds: float, *, show_all: bool
) -> None:
    show_findings(said, report.findings, show_all=show_all)
    for remark in report.remarks:
        said.warning(remark)
    withheld = f", {report.withheld} withheld" if report.withheld else ""
    console.print(
        f"Built {report.documents} documents{withheld} in {seconds:.1f} s: {report.site}",
        markup=False,
        highlight=False,
    )
    console.print(f"revision {report.manifest.revision}", markup=False, highlight=False)


def show_findings(said: Output, findings: tuple[Finding, ...], *, show_all: bool) -> None:
    """Prints warnings for a person: the first ones whole, the rest as counts by kind."""
    shown = findings if show_all else findings[:SHOWN_FINDINGS]
    for finding in shown:
        said.warning(str(finding))
    if rest := findings[len(shown) :]:
        kinds = Counter(str(finding.kind) for finding in rest)
        counts = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
        said.warning(f"{len(rest)} more ({counts}); --all prints them")


@cli.command()
@click.argument("site", type=click.Path(path_type=Path), default="build/site")
@click.option("--port", type=click.IntRange(0, 65535), default=8000, show_default=True)
def preview(site: Path, port: int) -> int:
    """Serve a built SITE on this machine alone, with the headers a real host would send."""
    said = output(as_json=False)
    if not (site / "index.html").is_file():
        raise NoteBridgeError(
            ErrorCode.INVALID_ARGUMENT,
            f"{site} holds no built site.",
            hint="Build one first: note-bridge build NOTES",
        )
    server = opened_preview(site, port)
    said.out.print(f"http://127.0.0.1:{server.server_port}/", markup=False, highlight=False)
    said.remark("Ctrl+C stops.")
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        said.remark("Stopped.")
    finally:
        server.server_close()
    return Exit.DONE
