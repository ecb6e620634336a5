"""Findings that need all notes at once and stop no build."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from site_builder.checking.likeness import Sketch, alike
from site_builder.identity import without_suffix
from site_builder.note import Finding, FindingKind

ALIKE_PERCENT = 80
"""Windows in common from which two notes say almost the same."""

LINES_WITHOUT_TITLE = 1

_INDEXES = frozenset({"index", "readme", "summary"})


@dataclass(frozen=True, slots=True)
class CheckedNote:
    """A note as these checks see it. links: docIds that it links or embeds. sketch: of its text."""

    path: str
    doc_id: str
    url: str
    title: str
    language: str
    links: tuple[str, ...]
    sketch: Sketch


def check_notes(
    notes: Sequence[CheckedNote],
    navigation: Collection[str] = (),
    line_of: Callable[[str], int] = lambda path: LINES_WITHOUT_TITLE,
) -> tuple[Finding, ...]:
    """Orphans, equal titles and near-duplicates, by place.

    navigation: paths of notes that a navigation names. line_of: the line of a note's title, by its
    path; asked for notes with a finding only.
    """
    ordered = sorted(notes, key=lambda note: note.path)
    found = [
        *_orphans(ordered, navigation),
        *_equal_titles(ordered),
        *_near_duplicates(ordered),
    ]
    lines = {path: line_of(path) for path in {finding.path for finding in found}}
    return tuple(
        sorted(Finding(one.path, lines[one.path], one.kind, one.message, one.hint) for one in found)
    )


def _orphans(notes: Sequence[CheckedNote], navigation: Collection[str]) -> Iterator[Finding]:
    linked = {to for note in notes for to in note.links if to != note.doc_id}
    for note in notes:
        stem = without_suffix(note.path).rpartition("/")[2].lower()
        if note.doc_id in linked or note.path in navigation or stem in _INDEXES or not note.url:
            continue
        yield _finding(
            note,
            FindingKind.ORPHAN,
            "no other note leads here",
            "link it from a note it belongs to, or name it in the navigation",
        )


def _equal_titles(notes: Sequence[CheckedNote]) -> Iterator[Finding]:
    first: dict[tuple[str, str], CheckedNote] = {}
    for note in notes:
        title = unicodedata.normalize("NFKC", note.title).casefold().strip()
        other = first.setdefault((note.language, title), note)
        if other is not note:
            yield _finding(
                note,
                FindingKind.DUPLICATE_TITLE,
                f"has the title of {other.path}: {note.title}",
                "say in the title what sets it apart",
            )


def _near_duplicates(notes: Sequence[CheckedNote]) -> Iterator[Finding]:
    """One finding for each note that is like one before it: the likest, then the first."""
    best: dict[int, tuple[int, int]] = {}
    for one, other, percent in alike([note.sketch for note in notes], ALIKE_PERCENT):
        known = best.get(other)
        if known is None or percent > known[0]:
            best[other] = (percent, one)
    for number in sorted(best):
        percent, one = best[number]
        yield _finding(
            notes[number],
            FindingKind.NEAR_DUPLICATE,
            f"says almost the same as {notes[one].path} ({percent} % alike)",
            "keep one, or embed what both need",
        )


def _finding(note: CheckedNote, kind: FindingKind, message: str, hint: str) -> Finding:
    return Finding(note.path, 0, kind, message, hint)
