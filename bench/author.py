"""An author at work: notes change step by step, and every step is built."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from bench.figures import percentile, spread
from bench.grower import Growth, read_notes, write_note
from bench.note_parts import coded_lines
from bench.processes import Measured
from bench.site_change import SiteChange, change, snapshot
from bench.workshop import Workshop, build


@dataclass(frozen=True, slots=True)
class Step:
    """One change of the notes, built: what the build took and what it changed."""

    took: Measured
    changed: SiteChange


class Author:
    """Changes a collection step by step and builds after each; sites alternate between folders, as
    a build goes on from the one before."""

    def __init__(
        self, workshop: Workshop, notes: Path, site: Path, work: Path, *, continues: bool
    ) -> None:
        self._workshop = workshop
        self._notes = notes
        self._work = work
        self._site = site
        self._continues = continues
        self._state = snapshot(site)
        self._built = 0
        found = read_notes(notes)
        self.count = len(found)
        self._growth = Growth(found, seed=workshop.settings.seed + 1)
        by_size = sorted(
            (note.path for note in found), key=lambda path: len((notes / path).read_bytes())
        )
        # Around the median: what is edited is neither a stub nor a book.
        middle = by_size[len(by_size) * 2 // 5 : len(by_size) * 3 // 5] or by_size
        self._edited = middle[:: max(1, len(middle) // max(1, workshop.settings.edits))]

    def report(self) -> dict[str, object]:
        """Warm, then the edits, then as many new notes, a quarter of them at most ten."""
        edits = self._workshop.settings.edits
        warm = self._step("building again", lambda: None)
        edited = [
            self._step(f"edit {n + 1} of {edits}", partial(self._edit, n)) for n in range(edits)
        ]
        added = [self._step("a new note", self._add) for _ in range(max(1, min(10, edits // 4)))]
        return {
            "warm": {**warm.took.facts(), "changed": warm.changed.facts()},
            "edit": _summary(edited),
            "newNote": _summary(added),
        }

    def _edit(self, number: int) -> None:
        file = self._notes / self._edited[number % len(self._edited)]
        text = file.read_bytes().decode("utf-8", "surrogateescape")
        new = edited_text(text, self._growth.sentence())
        file.write_bytes(new.encode("utf-8", "surrogateescape"))

    def _add(self) -> None:
        write_note(self._notes, self._growth.next_note())

    def _step(self, what: str, act: Callable[[], None]) -> Step:
        act()
        self._workshop.say(what)
        site = self._work / f"site-{self._built % 2}"
        took = build(
            self._notes, site, self._work, previous=self._site if self._continues else None
        )
        state = snapshot(site)
        step = Step(took, change(self._state, state))
        self._site, self._state, self._built = site, state, self._built + 1
        return step


def edited_text(text: str, sentence: str) -> str:
    """The note with a sentence more in a paragraph around its middle, else at its end."""
    lines = list(coded_lines(text))
    middle = len(lines) // 2
    prose = [
        number
        for number, (line, is_code) in enumerate(lines)
        if number > len(lines) // 4 and not is_code and line[:1].isalpha()
    ]
    if not prose:
        return f"{text.rstrip()}\n\n{sentence}\n"
    place = min(prose, key=lambda number: (abs(number - middle), number))
    return "\n".join(
        f"{line} {sentence}" if number == place else line for number, (line, _) in enumerate(lines)
    )


def _summary(steps: Sequence[Step]) -> dict[str, object]:
    """Medians over steps, the spread of what they changed, and the first step's files by kind."""
    return {
        "builds": len(steps),
        "wallSeconds": round(percentile([step.took.wall for step in steps], 0.5), 2),
        "cpuSeconds": round(percentile([step.took.cpu for step in steps], 0.5), 2),
        "peakBytes": max(step.took.memory for step in steps),
        "files": spread([step.changed.files for step in steps]),
        "bytes": spread([step.changed.size for step in steps]),
        "first": steps[0].changed.facts(),
    }
