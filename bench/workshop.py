"""What several benchmarks share and nobody wants to make twice: the grown collection, and its site
as the first build of a machine made it."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from bench.corpus import Corpus, grown_corpus
from bench.data import Datasets
from bench.processes import Measured, run_measured

SITE_URL = "https://notes.example.org/"
NAME = "Notes"

Say = Callable[[str], None]
"""Tells a person what is being done."""


@dataclass(frozen=True, slots=True)
class Settings:
    """What was asked for. notes: of the grown collection. edits: successive edits that are built.
    questions: asked of a reader that knows nothing; queries: of one that has everything at hand.
    steps: commits of either kind. full: also what takes very long. seed: of all that is made up."""

    notes: int = 3000
    edits: int = 1
    questions: int = 200
    queries: int = 500
    steps: int = 1000
    full: bool = False
    seed: int = 0


@dataclass(frozen=True, slots=True)
class BuiltCorpus:
    """A collection, its site, and what the cold build took."""

    corpus: Corpus
    site: Path
    cold: Measured


class Workshop:
    """work: a folder that is thrown away afterwards."""

    def __init__(self, data: Datasets, work: Path, settings: Settings) -> None:
        self.data = data
        self.work = work
        self.settings = settings
        self._started = time.monotonic()

    @cached_property
    def grown(self) -> BuiltCorpus:
        """The grown collection, built once. Raises DataMissing, CommandFailed."""
        folder = self.folder("grown")
        self.say(f"growing {self.settings.notes} notes")
        corpus = grown_corpus(self.data, folder, self.settings.notes, self.settings.seed)
        self.say(f"building {corpus.notes} notes")
        site = folder / "site"
        return BuiltCorpus(corpus, site, build(corpus.folder, site, folder))

    def folder(self, name: str) -> Path:
        """A new empty folder."""
        made = self.work / name
        shutil.rmtree(made, ignore_errors=True)
        made.mkdir(parents=True)
        return made

    def say(self, what: str) -> None:
        """Progress, on stderr."""
        print(f"[{time.monotonic() - self._started:6.1f} s] {what}", file=sys.stderr, flush=True)


def build(notes: Path, site: Path, work: Path, previous: Path | None = None) -> Measured:
    """`note-bridge build` in a fresh process. work: what that process takes for its user's home, so
    where it may keep what it knows of the notes. previous: the site that it goes on from.

    Raises CommandFailed.
    """
    command = [sys.executable, "-m", "note_bridge", "build", str(notes), "--out", str(site)]
    command += ["--json", "--site-url", SITE_URL, "--name", NAME, "--language", "zh"]
    if previous is not None:
        command += ["--previous", str(previous)]
    return run_measured(command, work)
