"""`check`: what is wrong with a folder of notes, before anyone else finds out."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import click
from rich.console import Console

from note_bridge import places
from note_bridge.commands.publishing import SOURCE, finding_document
from note_bridge.console import Exit, output
from note_bridge.group import cli
from site_builder.build import build_site
from site_builder.build_report import BuildReport
from site_builder.checking.check_site import check_site
from site_builder.note import Finding, FindingKind
from site_builder.project import BuildRequest

BROKEN: Final = (FindingKind.MISSING_NOTE, FindingKind.MISSING_ANCHOR, FindingKind.MISSING_FILE)
"""What a visitor would meet as a broken link."""

GROUPS: Final = (
    ("Links that lead nowhere", BROKEN),
    ("Front matter and files", (FindingKind.FRONT_MATTER, FindingKind.ENCODING, FindingKind.FILE)),
    ("Notes nobody leads to", (FindingKind.ORPHAN,)),
    ("One title, several notes", (FindingKind.DUPLICATE_TITLE,)),
    ("Notes that say almost the same", (FindingKind.NEAR_DUPLICATE,)),
)
"""Headings of the report, and the kinds below each; what is in none comes last."""

SHOWN = 10
"""Findings of a group that a person is shown before the rest is counted."""


@cli.command()
@SOURCE
@click.option("--strict", is_flag=True, help="Leave with exit code 1 for any finding.")
@click.option("--all", "show_all", is_flag=True, help="Print every finding.")
@click.option("--json", "as_json", is_flag=True, help="One JSON document on stdout.")
def check(source: Path, strict: bool, show_all: bool, as_json: bool) -> int:
    """Look for what is wrong in SOURCE: broken links and anchors, missing pictures, orphan notes,
    equal titles, near-duplicates, front matter."""
    said = output(as_json=as_json)
    with tempfile.TemporaryDirectory() as folder, said.progress("Checking") as progress:
        request = BuildRequest(source=source, out=Path(folder) / "site", cache=places.build_cache())
        report = build_site(request, progress)
        findings = tuple(sorted({*report.findings, *check_site(request, report.site)}))
    broken = sum(finding.kind in BROKEN for finding in findings)
    counts = Counter(str(finding.kind) for finding in findings)
    said.result(
        {
            "documents": report.documents,
            "withheld": report.withheld,
            "broken": broken,
            "counts": dict(sorted(counts.items())),
            "findings": [finding_document(finding) for finding in findings],
        },
        lambda console: _show(console, report, findings, show_all=show_all),
    )
    return Exit.NO if broken or (strict and findings) else Exit.DONE


def _show(
    console: Console, report: BuildReport, findings: Sequence[Finding], *, show_all: bool
) -> None:
    """Prints the findings by what they mean for a visitor, the worst first."""
    for title, group in _grouped(findings):
        console.print(f"{title} ({len(group)})", style="bold")
        shown = group if show_all else group[:SHOWN]
        hints = {finding.hint for finding in group}
        if len(group) > 1 and len(hints) == 1:
            console.print(f"  {hints.pop()}:", style="dim")
            shown = [replace(finding, hint="") for finding in shown]
        for finding in shown:
            console.print(f"  {finding}")
        if rest := len(group) - len(shown):
            console.print(f"  and {rest} more; --all prints them", style="dim")
        console.print()
    withheld = f", {report.withheld} withheld" if report.withheld else ""
    broken = sum(finding.kind in BROKEN for finding in findings)
    console.print(
        f"{report.documents} documents{withheld}, {_counted(broken, 'broken link')}, "
        f"{_counted(len(findings), 'finding')}"
    )


def _counted(count: int, what: str) -> str:
    return f"{count or 'no'} {what}{'' if count == 1 else 's'}"


def _grouped(findings: Sequence[Finding]) -> Iterator[tuple[str, list[Finding]]]:
    named = {kind for _, kinds in GROUPS for kind in kinds}
    others = tuple(kind for kind in FindingKind if kind not in named)
    for title, kinds in (*GROUPS, ("Other findings", others)):
        group = [finding for finding in findings if finding.kind in kinds]
        if group:
            yield title, group
