"""The figures that the project promises, as data, and what was measured beside them.

They hold for a machine with two cores. A promise for more notes than were measured is marked: met
at fewer notes says little about being met at its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

Bound: TypeAlias = Literal["at most", "at least"]
_NOTES = ("building", "grown", "notes")


@dataclass(frozen=True, slots=True)
class Target:
    """One promise.

    place: the keys under which the document of a run has the measured figure; empty for what is
    measured elsewhere, as `elsewhere` says. size: notes (or successive edits) that it is promised
    for, 0 where that does not matter; size_place: the keys under which the measured number stands.
    scaled: the work grows as the size does, so that a smaller one has a smaller limit.
    """

    name: str
    bound: Bound
    limit: float
    unit: str
    place: tuple[str, ...] = ()
    size: int = 0
    size_place: tuple[str, ...] = _NOTES
    scaled: bool = False
    elsewhere: str = ""


_COLD = ("building", "grown", "cold")
_EDIT = ("building", "grown", "edit")
_NEW = ("building", "grown", "newNote")
_FIRST = ("reading", "firstQuestion")
_READ = ("reading", "notes")

TARGETS = (
    Target("cold build, wall", "at most", 20, "s", (*_COLD, "wallSeconds"), 6000, scaled=True),
    Target("cold build, CPU", "at most", 13.7, "s", (*_COLD, "cpuSeconds"), 6000, scaled=True),
    Target("cold build, peak memory", "at most", 500_000_000, "bytes", (*_COLD, "peakBytes"), 6000),
    Target("one edit, fresh process", "at most", 3, "s", (*_EDIT, "wallSeconds"), 6000),
    Target(
        "one edit, running build --watch", "at most", 1, "s", ("building", "watch", "p50"), 6000
    ),
    Target("one edit, files changed, median", "at most", 25, "files", (*_EDIT, "files", "p50")),
    Target(
        "one edit, bytes changed, median", "at most", 150_000, "bytes", (*_EDIT, "bytes", "p50")
    ),
    Target(
        "successive edits, bytes changed, mean",
        "at most",
        500_000,
        "bytes",
        (*_EDIT, "bytes", "mean"),
        300,
        ("settings", "edits"),
    ),
    Target("one new note, files changed, median", "at most", 40, "files", (*_NEW, "files", "p50")),
    Target(
        "one new note, bytes changed, median", "at most", 200_000, "bytes", (*_NEW, "bytes", "p50")
    ),
    Target(
        "first question, search, bytes, p90",
        "at most",
        200_000,
        "bytes",
        (*_FIRST, "search", "bytes", "p90"),
        10_000,
        _READ,
    ),
    Target(
        "first question, search, requests, p90",
        "at most",
        40,
        "requests",
        (*_FIRST, "search", "requests", "p90"),
        10_000,
        _READ,
    ),
    Target(
        "first question, whole answer, bytes, p90",
        "at most",
        200_000,
        "bytes",
        (*_FIRST, "ask", "bytes", "p90"),
        10_000,
        _READ,
    ),
    Target(
        "first question, whole answer, requests, p90",
        "at most",
        40,
        "requests",
        (*_FIRST, "ask", "requests", "p90"),
        10_000,
        _READ,
    ),
    Target(
        "search, warm, p95",
        "at most",
        10,
        "ms",
        ("reading", "warm", "milliseconds", "p95"),
        10_000,
        _READ,
    ),
    Target(
        "CMRC2018 dev, recall at 1",
        "at least",
        0.962,
        "share",
        ("retrieval", "cmrc2018", "recallAt1"),
    ),
    Target(
        "CMRC2018 dev, recall at 5",
        "at least",
        0.997,
        "share",
        ("retrieval", "cmrc2018", "recallAt5"),
    ),
    Target(
        "chunking_evaluation, recall of gold spans",
        "at least",
        0.93,
        "share",
        ("retrieval", "chunkingEvaluation", "recall"),
    ),
    Target(
        "commit of a step, synced, beside raw SQLite",
        "at most",
        1.5,
        "ratio",
        ("steps", "synced", "ratio"),
    ),
    Target(
        "commit of a step, unsynced, beside raw SQLite",
        "at most",
        1.5,
        "ratio",
        ("steps", "unsynced", "ratio"),
    ),
    Target(
        "runs recovered after kills at random points",
        "at least",
        500,
        "of 500",
        elsewhere="tests/faults",
    ),
)


def compared(document: Mapping[str, object]) -> list[dict[str, object]]:
    """Every target with what the document of a run has measured for it.

    `met` is null where nothing was measured. `promisedAt` and `measuredAt` are numbers of notes (of
    edits, for successive edits); `limitHere` is the limit for as many as were measured.
    """
    return [_compared(target, document) for target in TARGETS]


def _compared(target: Target, document: Mapping[str, object]) -> dict[str, object]:
    row: dict[str, object] = {
        "name": target.name,
        "target": f"{target.bound} {target.limit:,} {target.unit}",
    }
    measured = _number(document, target.place)
    if measured is None:
        return {**row, "measured": None, "met": None, "why": target.elsewhere or "not measured"}
    limit = target.limit
    if target.size:
        size = _number(document, target.size_place) or 0
        row |= {"promisedAt": target.size, "measuredAt": size}
        if target.scaled:
            limit = target.limit * size / target.size
            row["limitHere"] = round(limit, 2)
    met = measured <= limit if target.bound == "at most" else measured >= limit
    return {**row, "measured": measured, "met": met}


def _number(document: Mapping[str, object], place: tuple[str, ...]) -> float | None:
    found: object = document if place else None
    for key in place:
        found = found.get(key) if isinstance(found, Mapping) else None
    return found if isinstance(found, int | float) else None
