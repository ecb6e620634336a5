"""`search`, `read` and `verify`: a published site from the terminal."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import click
from rich.console import Console

from bridge_reader.passages import Passage
from bridge_reader.site import Site, SiteState, open_transport
from bridge_reader.site_address import parse_site_address
from bridge_reader.tools.result import ToolResult
from bridge_reader.verification.report import VerifyReport
from bridge_reader.verification.verify import verify_site
from note_bridge.console import Exit, Output, output
from note_bridge.group import cli
from note_bridge.reading_room import bind_reading, now_ms, passage_document, with_site

JSON = click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
REVISION = click.option("--revision", default="", help="An earlier revision (64 digits).")


def call_tool(
    address: str, revision: str, tool: str, arguments: Mapping[str, object]
) -> tuple[SiteState, str, ToolResult]:
    """Calls one tool over a site; its state, the revision read, and the result."""

    async def work(site: Site) -> tuple[SiteState, str, ToolResult]:
        state = await site.refresh()
        reading = await bind_reading(site, revision)
        return state, reading.revision, await reading.call(tool, arguments)

    return with_site(address, work)


def tell_state(said: Output, state: SiteState) -> None:
    """Says what a reader should know of where its answer comes from."""
    for warning in state.warnings:
        said.warning(f"{warning.code}: {warning.message}")
    if state.offline:
        said.warning(f"Offline: known {state.age // 1000} s ago, revision {state.revision[:8]}.")


def show_parts(console: Console, result: ToolResult) -> None:
    """Prints a tool's result for a person."""
    for part in result.parts:
        if isinstance(part, Passage):
            console.print(part.url or part.doc_id, style="dim", markup=False, highlight=False)
            console.print(part.text.strip("\n"), markup=False, highlight=False)
            console.print()
        else:
            console.print(part, style="bold", markup=False, highlight=False)


def _run(
    address: str, revision: str, tool: str, arguments: Mapping[str, object], as_json: bool
) -> ToolResult:
    said = output(as_json=as_json)
    state, bound, result = call_tool(address, revision, tool, arguments)
    tell_state(said, state)
    said.result(
        {
            "revision": bound,
            "offline": state.offline,
            **result.details,
            "passages": [passage_document(passage) for passage in result.passages],
        },
        lambda console: show_parts(console, result),
    )
    return result


@cli.command()
@click.argument("site")
@click.argument("query")
@click.option("--limit", type=click.IntRange(1, 10), default=5, show_default=True)
@click.option("--language", default="", help="Only documents in this language.")
@click.option("--folder", default="", help="Only documents below this folder.")
@click.option("--tag", default="", help="Only documents with this tag.")
@REVISION
@JSON
def search(
    site: str,
    query: str,
    limit: int,
    language: str,
    folder: str,
    tag: str,
    revision: str,
    as_json: bool,
) -> int:
    """Find passages in SITE (an address or a folder) by the words of QUERY."""
    arguments: dict[str, object] = {"query": query, "limit": limit}
    given = {"language": language, "folder": folder, "tag": tag}
    arguments |= {name: value for name, value in given.items() if value}
    result = _run(site, revision, "search_documents", arguments, as_json)
    return Exit.DONE if result.details.get("hits") else Exit.NO


@cli.group()
def read() -> None:
    """Read a published site: overview, contents, documents, links."""


@read.command()
@click.argument("site")
@click.option("--page", type=click.IntRange(1), default=1, show_default=True)
@REVISION
@JSON
def overview(site: str, page: int, revision: str, as_json: bool) -> int:
    """The categories of SITE and what is in them."""
    _run(site, revision, "get_knowledge_overview", {"page": page}, as_json)
    return Exit.DONE


@read.command()
@click.argument("site")
@click.argument("doc_id")
@REVISION
@JSON
def toc(site: str, doc_id: str, revision: str, as_json: bool) -> int:
    """The sections of document DOC_ID."""
    _run(site, revision, "get_toc", {"docId": doc_id}, as_json)
    return Exit.DONE


@read.command()
@click.argument("site")
@click.argument("doc_id")
@click.option("--section", default="", help="Begin at this section's anchor.")
@click.option("--offset", type=click.IntRange(0), help="Begin at this passage.")
@click.option("--limit", type=click.IntRange(1), help="How many passages.")
@REVISION
@JSON
def doc(
    site: str,
    doc_id: str,
    section: str,
    offset: int | None,
    limit: int | None,
    revision: str,
    as_json: bool,
) -> int:
    """The text of document DOC_ID, in passages."""
    arguments: dict[str, object] = {"docId": doc_id}
    if section:
        arguments["section"] = section
    if offset is not None:
        arguments["offset"] = offset
    if limit is not None:
        arguments["limit"] = limit
    _run(site, revision, "get_document", arguments, as_json)
    return Exit.DONE


@read.command()
@click.argument("site")
@click.argument("doc_id", default="")
@click.option("--page", type=click.IntRange(1), default=1, show_default=True)
@REVISION
@JSON
def network(site: str, doc_id: str, page: int, revision: str, as_json: bool) -> int:
    """The links of SITE, or those around DOC_ID."""
    arguments: dict[str, object] = {"docId": doc_id} if doc_id else {"page": page}
    _run(site, revision, "get_knowledge_network", arguments, as_json)
    return Exit.DONE


@read.command()
@click.argument("site")
@click.argument("doc_id")
@REVISION
@JSON
def related(site: str, doc_id: str, revision: str, as_json: bool) -> int:
    """Documents related to DOC_ID."""
    _run(site, revision, "get_related_documents", {"docId": doc_id}, as_json)
    return Exit.DONE


@cli.command()
@click.argument("site")
@JSON
def forget(site: str, as_json: bool) -> int:
    """Forget which releases of SITE were seen: whatever it serves next is accepted again."""

    async def work(found: Site) -> str:
        await found.forget()
        return found.address.manifest_address

    address = with_site(site, work)
    output(as_json=as_json).result(
        {"forgotten": address},
        lambda console: console.print(f"Forgotten: {address}", markup=False, highlight=False),
    )
    return Exit.DONE


@cli.command()
@click.argument("site")
@JSON
def verify(site: str, as_json: bool) -> int:
    """Re-hash every object of SITE (an address or a folder) and follow every reference."""
    said = output(as_json=as_json)

    async def run() -> VerifyReport:
        transport = open_transport(parse_site_address(site))
        try:
            with said.progress("Verifying") as progress:
                return await verify_site(transport, progress, clock=now_ms)
        finally:
            await transport.close()

    report = asyncio.run(run())
    said.result(_report_document(report), lambda console: _show_report(console, said, report))
    return Exit.DONE if report.ok else Exit.NO


def _report_document(report: VerifyReport) -> dict[str, object]:
    return {
        "site": report.address,
        "revision": report.revision,
        "sequence": report.sequence,
        "objects": report.objects,
        "bytes": report.bytes,
        "ok": report.ok,
        "problemCount": report.problem_count,
        "problems": [
            {"code": str(each.code), "object": each.name, "message": each.message}
            for each in report.problems
        ],
        "retained": [
            {
                "revision": each.revision,
                "sequence": each.sequence,
                "kept": each.kept,
                "whole": each.whole,
                "problem": each.problem,
            }
            for each in report.retained
        ],
        "unreferenced": None if report.unreferenced is None else list(report.unreferenced),
    }


def _show_report(console: Console, said: Output, report: VerifyReport) -> None:
    for problem in report.problems:
        said.warning(f"{problem.code}: {problem.name}: {problem.message}")
    if report.problem_count > len(report.problems):
        said.warning(f"{report.problem_count - len(report.problems)} more problems")
    for earlier in report.retained:
        state = "whole" if earlier.whole else earlier.problem
        said.remark(
            f"earlier revision {earlier.revision[:8]}, sequence {earlier.sequence}: {state}"
        )
    if report.unreferenced:
        said.remark(f"{len(report.unreferenced)} files among the objects belong to no revision")
    verdict = "whole" if report.ok else f"{report.problem_count} problems"
    console.print(
        f"{report.objects} objects, {report.bytes} bytes verified: {verdict}",
        markup=False,
        highlight=False,
    )
    console.print(
        f"sequence {report.sequence}, revision {report.revision}", markup=False, highlight=False
    )
