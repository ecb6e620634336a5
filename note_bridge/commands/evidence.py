"""`evidence`: what answers rest on, shown, exported and verified, with the site up or gone."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeVar

import click
from rich.console import Console

from agent.bundle import BundleReport
from agent.bundle_proof import verify_bundle
from agent.exporting import export_run
from bridge_reader.site import Site
from manifest.errors import ErrorCode, NoteBridgeError
from note_bridge.commands.reading import JSON
from note_bridge.console import Exit, output
from note_bridge.group import cli
from note_bridge.places import home
from note_bridge.reading_room import with_site
from storage.app_storage import AppStorage
from storage.backend import ReadTx
from storage.stores.evidence import Evidence
from storage.stores.runs import Run

T = TypeVar("T")


def with_storage(work: Callable[[AppStorage], Awaitable[T]]) -> T:
    """Runs a piece of reading over what is stored here, whoever owns it."""

    async def run() -> T:
        try:
            storage = await AppStorage.read_only(home())
        except NoteBridgeError as error:
            if error.code is not ErrorCode.INVALID_ARGUMENT:
                raise
            raise _nothing_stored("Nothing is stored here yet.") from error
        async with storage:
            return await work(storage)

    return asyncio.run(run())


@cli.group()
def evidence() -> None:
    """Show, export and verify what answers rest on."""


@evidence.command(name="list")
@click.option("--limit", type=click.IntRange(1, 500), default=20, show_default=True)
@click.option("--document", "doc_id", default="", help="Only evidence from this document.")
@JSON
def list_evidence(limit: int, doc_id: str, as_json: bool) -> int:
    """The newest evidence of all sessions."""

    async def work(storage: AppStorage) -> list[Evidence]:
        page = await storage.read(
            lambda tx: storage.evidence.list(tx, limit=limit, doc_id=doc_id or None)
        )
        return list(page.items)

    found = with_storage(work)

    def show(console: Console) -> None:
        for each in found:
            _line(console, each)

    output(as_json=as_json).result({"evidence": [_document(each) for each in found]}, show)
    return Exit.DONE if found else Exit.NO


def _line(console: Console, each: Evidence) -> None:
    when = datetime.fromtimestamp(each.retrieved_at / 1000, UTC).strftime("%Y-%m-%d %H:%M")
    words = " ".join(each.text.split())[:60]
    console.print(
        f"{each.id}  {when}  {each.label}  {each.title}: {words}",
        markup=False,
        highlight=False,
    )


def _document(each: Evidence) -> dict[str, object]:
    return {
        "id": each.id,
        "label": each.label,
        "sessionId": each.session_id,
        "revision": each.revision,
        "docId": each.doc_id,
        "sectionId": each.section_id,
        "title": each.title,
        "headingPath": list(each.heading_path),
        "url": each.url,
        "docSha256": each.doc_sha256,
        "sectionSha256": each.section_sha256,
        "start": each.start,
        "end": each.end,
        "text": each.text,
        "retrievedAt": each.retrieved_at,
        "origin": each.origin.value,
    }


@evidence.command()
@click.argument("evidence_id")
@JSON
def show(evidence_id: str, as_json: bool) -> int:
    """One piece of evidence, whole; EVIDENCE_ID as `evidence list` prints it."""

    async def work(storage: AppStorage) -> Evidence:
        return await storage.read(lambda tx: storage.evidence.get(tx, evidence_id))

    found = with_storage(work)

    def shown(console: Console) -> None:
        console.print(" > ".join(found.heading_path), style="bold", markup=False, highlight=False)
        for text in (found.url, f"revision {found.revision}", f"document {found.doc_sha256}"):
            console.print(text, style="dim", markup=False, highlight=False)
        console.print(found.text, markup=False, highlight=False)

    output(as_json=as_json).result(_document(found), shown)
    return Exit.DONE


@evidence.command()
@click.argument("run_id", default="")
@click.option("--out", type=click.Path(path_type=Path), required=True, help="File to write.")
@JSON
def export(run_id: str, out: Path, as_json: bool) -> int:
    """The citations of run RUN_ID (the newest answered one if left out) as one file."""

    async def work(storage: AppStorage) -> tuple[str, bytes]:
        chosen = run_id or await storage.read(lambda tx: _newest_run(storage, tx).id)
        return chosen, await export_run(storage, chosen)

    chosen, body = with_storage(work)
    try:
        out.write_bytes(body)
    except OSError as error:
        raise NoteBridgeError(
            ErrorCode.INVALID_ARGUMENT, f"{out} cannot be written: {error.strerror}."
        ) from error
    output(as_json=as_json).result(
        {"file": str(out), "bytes": len(body), "runId": chosen},
        lambda console: console.print(
            f"{out}: {len(body)} bytes, run {chosen}", markup=False, highlight=False
        ),
    )
    return Exit.DONE


def _newest_run(storage: AppStorage, tx: ReadTx) -> Run:
    """The newest run that cites something."""
    for session in storage.sessions.list(tx, limit=50, archived=None).items:
        for run in storage.runs.of_session(tx, session.id).items:
            if storage.citations.of_run(tx, run.id):
                return run
    raise _nothing_stored("No answer with citations is stored here.")


def _nothing_stored(message: str) -> NoteBridgeError:
    return NoteBridgeError(
        ErrorCode.EVIDENCE_NOT_FOUND,
        message,
        hint="Ask something first: note-bridge ask SITE QUESTION",
    )


@evidence.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--site", default="", help="Ask this site which revisions it published.")
@click.option("--revision", default="", help="A revision you trust (64 digits).")
@JSON
def verify(file: Path, site: str, revision: str, as_json: bool) -> int:
    """Check an exported FILE from its own bytes; with --site or --revision, whose it is."""
    try:
        body = file.read_bytes()
    except OSError as error:
        raise NoteBridgeError(
            ErrorCode.INVALID_ARGUMENT, f"{file} cannot be read: {error.strerror}."
        ) from error
    report = verify_bundle(body, trusted_revision=revision or None)
    published = report.published
    if site:
        published = report.revision in with_site(site, _published_revisions)
    holds = report.consistent and published is not False
    output(as_json=as_json).result(
        {
            "file": str(file),
            "revision": report.revision,
            "consistent": report.consistent,
            "published": published,
            "citations": [
                {
                    "n": check.n,
                    "docId": check.doc_id,
                    "holds": check.holds,
                    "problem": check.problem,
                }
                for check in report.citations
            ],
            "problems": list(report.problems),
        },
        lambda console: _show_report(console, report, published),
    )
    return Exit.DONE if holds else Exit.NO


async def _published_revisions(site: Site) -> set[str]:
    """What the site says now that it publishes and has published.

    Raises SITE_UNREACHABLE where it cannot be asked: what is remembered of it is no proof.
    """
    state = await site.refresh(fresh=True)
    if state.offline:
        raise NoteBridgeError(
            ErrorCode.SITE_UNREACHABLE,
            "The site cannot be asked now which revisions it publishes.",
            hint="Try again later, or give a revision you trust with --revision.",
        )
    manifest = state.manifest
    return {manifest.revision, *(earlier.revision for earlier in manifest.previous)}


def _show_report(console: Console, report: BundleReport, published: bool | None) -> None:
    def say(text: str, style: str = "") -> None:
        console.print(text, style=style, markup=False, highlight=False)

    for problem in report.problems:
        say(problem, "red")
    for check in report.citations:
        say(
            f"[{check.n}] {check.doc_id}: {check.problem or 'holds'}",
            "red" if check.problem else "",
        )
    if report.consistent:
        say(f"Consistent with revision {report.revision}.")
    else:
        say("Not consistent with the revision it names.", "red")
    say("Page addresses are the exporter's word; documents and quotations are proved.", "dim")
    if published is None:
        say("Who published that revision is not shown: give --site or --revision.", "dim")
    elif published:
        say("The revision is one that you named or that the site published.")
    else:
        say("The revision is none that you named or that the site knows.", "red")
