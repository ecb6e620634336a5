"""What a build takes, and what an edit and a new note change of the site."""

from __future__ import annotations

import shutil
import subprocess
import sys

from bench.author import Author
from bench.beside_mkdocs import beside_mkdocs
from bench.workshop import Workshop, build


def measure_building(workshop: Workshop) -> dict[str, object]:
    """Raises DataMissing, CommandFailed."""
    continues = _has_option("--previous")
    note_zh = workshop.folder("note-zh")
    notes = note_zh / "notes"
    shutil.copytree(workshop.data.note_zh, notes, copy_function=shutil.copyfile)
    workshop.say("building note-zh")
    cold = build(notes, note_zh / "site", note_zh)
    author = Author(workshop, notes, note_zh / "site", note_zh, continues=continues)
    document: dict[str, object] = {
        "continuesFromPrevious": continues,
        "noteZh": {"notes": author.count, "cold": cold.facts(), **author.report()},
    }
    grown = workshop.grown
    copy = workshop.folder("edited")
    shutil.copytree(grown.corpus.folder, copy / "notes", copy_function=shutil.copyfile)
    # What the cold build learnt of the notes lies in its user's folders.
    shutil.copytree(grown.site.parent / "home", copy / "home")
    author = Author(workshop, copy / "notes", grown.site, copy, continues=continues)
    document["grown"] = {
        **grown.corpus.facts(),
        "cold": grown.cold.facts(),
        **author.report(),
    }
    shutil.rmtree(copy)
    document["besideMkDocs"] = beside_mkdocs(workshop)
    document["watch"] = {"skipped": "a running build --watch is not measured yet"}
    return document


def _has_option(name: str) -> bool:
    """Whether `note-bridge build` has an option."""
    told = subprocess.run(
        [sys.executable, "-m", "note_bridge", "build", "--help"],
        capture_output=True,
        text=True,
        check=True,
    )
    return name in told.stdout
