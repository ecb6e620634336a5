"""MkDocs as it comes, the peer that builds are measured against, on the same notes."""

from __future__ import annotations

import math
import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import yaml

from bench.author import edited_text
from bench.processes import Measured, run_measured
from bench.site_change import SiteChange, change, snapshot
from bench.workshop import Workshop, build

SAMPLES = (300, 600)
"""Notes of the samples on which MkDocs runs beside: its time grows faster than the notes do, and
3,000 take it minutes."""


def beside_mkdocs(workshop: Workshop) -> dict[str, object]:
    """MkDocs with its own theme and search on the same notes, in the same run."""
    corpus = workshop.grown.corpus
    sizes = [size for size in SAMPLES if size < corpus.notes]
    if workshop.settings.full or not sizes:
        sizes.append(corpus.notes)
    rows = [_pair(workshop, corpus.folder, size) for size in sizes]
    document: dict[str, object] = {
        "notice": "MkDocs 1.6 with its theme `mkdocs` and the plugin `search`; samples of the "
        "grown notes, without pictures",
        "samples": [row.facts() for row in rows],
    }
    if len(rows) > 1:
        document["growth"] = {
            "meaning": "time grows as notes to this power, between the smallest and the largest "
            "sample; nothing is measured beyond",
            "mkdocs": _power(rows[0], rows[-1], lambda row: row.mkdocs.cpu),
            "noteBridge": _power(rows[0], rows[-1], lambda row: row.ours.cpu),
        }
    return document


@dataclass(frozen=True, slots=True)
class _Pair:
    """Both builders on the same notes; edit: what one edit changed of MkDocs' site."""

    notes: int
    ours: Measured
    mkdocs: Measured
    edit: SiteChange

    def facts(self) -> dict[str, object]:
        return {
            "notes": self.notes,
            "noteBridge": self.ours.facts(),
            "mkdocs": self.mkdocs.facts(),
            "wallRatio": round(self.ours.wall / self.mkdocs.wall, 3),
            "cpuRatio": round(self.ours.cpu / self.mkdocs.cpu, 3),
            "mkdocsEdit": {"files": self.edit.files, "bytes": self.edit.size},
        }


def _pair(workshop: Workshop, source: Path, count: int) -> _Pair:
    work = workshop.folder("beside")
    notes = work / "notes"
    paths = sample_notes(source, notes, count)
    workshop.say(f"building {count} notes, without and with MkDocs")
    ours = build(notes, work / "site", work)
    mkdocs = build_plain(notes, work / "plain", work)
    before = snapshot(work / "plain")
    file = notes / paths[len(paths) // 2]
    file.write_text(edited_text(file.read_text(encoding="utf-8"), "Quellvart."), encoding="utf-8")
    build_plain(notes, work / "plain", work)
    pair = _Pair(count, ours, mkdocs, change(before, snapshot(work / "plain")))
    shutil.rmtree(work)
    return pair


def sample_notes(source: Path, out: Path, count: int) -> list[str]:
    """Copies `count` notes, evenly spread over the sorted paths of all, and returns their paths."""
    paths = sorted(file.relative_to(source).as_posix() for file in source.rglob("*.md"))
    chosen = [paths[number * len(paths) // count] for number in range(count)]
    for path in chosen:
        (out / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(source / path, out / path)
    return chosen


def _power(small: _Pair, large: _Pair, of: Callable[[_Pair], float]) -> float:
    return round(math.log(of(large) / of(small)) / math.log(large.notes / small.notes), 2)


def build_plain(notes: Path, site: Path, work: Path) -> Measured:
    """`mkdocs build` with MkDocs' own theme and default plugins. Raises CommandFailed."""
    config = work / "plain.yml"
    settings = {
        "site_name": "Notes",
        "site_url": "https://notes.example.org/",
        "docs_dir": str(notes),
        "site_dir": str(site),
        "theme": "mkdocs",
    }
    config.write_text(yaml.safe_dump(settings, allow_unicode=True), encoding="utf-8")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--config-file", str(config)]
    return run_measured(command, work)
