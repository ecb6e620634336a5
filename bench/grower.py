"""Grows a folder of notes: many notes out of few, as different from each other as notes are.

    python -m bench.grower SOURCE OUT N [--seed S]

The given notes stay as they are, at their own paths, so that questions over them keep their
answers. New notes recombine their sections, under titles, folders, tags and dates of their own,
link to notes written before them (the older, the more often), and bring new words. Equal source,
number and seed give equal folders; more notes only add to fewer.
"""

from __future__ import annotations

import argparse
import posixpath
import random
import re
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.lexicon import Lexicon, skewed
from bench.note_parts import Part, SourceNote, moved, relative_link, source_note

MEDIAN_BYTES = 3300
SPREAD = 0.7
SMALLEST, LARGEST = 600, 30_000
"""Sizes of new notes, log-normal: a mean of 5.3 kB, as in large collections of real notes."""

RUN_BYTES = 1200
RUN_PARTS = 6
"""Neighbouring sections that a new note takes over from one source."""

NEW_WORDS = 3
FOLDER_SHARE = 0.04
"""How often a new note opens a new folder."""

FRONT_MATTER_SHARE = 0.6
LINKS = (0, 1, 2, 2, 3, 3, 4, 6, 10)
"""Links that a new note has besides those of the sections it took over; each as likely."""

_UNSAFE = re.compile(r"[^\w\-. ]+")
_MARKUP = re.compile(r"[`*_~\[\](){}<>|\\#$!:&\"']+")
_SPACELESS = re.compile("[\u4e00-\u9fff]")
_HAN_SHARE = 0.1


@dataclass(frozen=True, slots=True)
class GrownNote:
    """A new note. path: POSIX, below the folder of notes. text: the whole file."""

    path: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class GrownFolder:
    """What was written: notes in all, those that were given, and bytes of all notes."""

    notes: int
    originals: int
    size: int


@dataclass(frozen=True, slots=True)
class _Target:
    """A note that can be linked to. wiki: what a wikilink calls it. heading: one of it, or ''."""

    path: str
    title: str
    wiki: str
    heading: str


class Growth:
    """New notes one after another, out of the given ones."""

    def __init__(self, source: Iterable[SourceNote], seed: int = 0) -> None:
        """Raises ValueError if no note has any text."""
        self._rng = random.Random(seed)
        notes = sorted(source, key=lambda note: note.path)
        self._sources = [note for note in notes if any(part.text for part in note.parts)]
        if not self._sources:
            raise ValueError("there are no notes to grow from")
        self._lexicon = Lexicon(self._rng, _common_characters(self._sources))
        self._targets = list(_targets(notes))
        self._rng.shuffle(self._targets)
        self._taken = {note.name.casefold() for note in notes}
        self._folders = sorted({posixpath.dirname(note.path) for note in notes})

    def __iter__(self) -> Iterator[GrownNote]:
        """Without end."""
        while True:
            yield self.next_note()

    def next_note(self) -> GrownNote:
        """One more note."""
        rng = self._rng
        first = self._sources[skewed_source(rng, self._sources)]
        title = self._title(first)
        folder = self._folder(first)
        name = _UNSAFE.sub(" ", title).strip(" .")
        path = posixpath.join(folder, f"{name}.md")
        words = [self._lexicon.coin() for _ in range(NEW_WORDS)]
        used, sections = self._sections(first, path, words)
        links = [self._link(path) for _ in range(rng.choice(LINKS))]
        text = "".join(
            (
                self._front_matter(used),
                f"# {title}\n\n",
                _with_links(rng, sections, links),
            )
        )
        heading = _plain(sections[0].split("\n", 1)[0].lstrip("# "))
        self._targets.append(_Target(path, title, name, heading))
        return GrownNote(path, title, text)

    def sentence(self) -> str:
        """A sentence such as an author adds: words of some note, and one that is new."""
        note = self._rng.choice(self._sources)
        words = " ".join(part.text for part in note.parts)[:4000]
        clauses = [plain for line in words.split("\n") if 10 < len(plain := _plain(line)) < 120]
        said = self._rng.choice(clauses) if clauses else note.name
        return f"{said} ({self._lexicon.coin()})."

    def _title(self, source: SourceNote) -> str:
        headings = [plain for part in source.parts if (plain := _plain(part.title))]
        subject = self._rng.choice(headings)[:24].strip() if headings else source.name
        while (title := f"{subject} {self._lexicon.coin()}").casefold() in self._taken:
            continue
        self._taken.add(title.casefold())
        return title

    def _folder(self, source: SourceNote) -> str:
        if self._rng.random() < FOLDER_SHARE:
            parent = self._folders[skewed(self._rng, len(self._folders))]
            depth = parent.count("/") + 1 if parent else 0
            folder = posixpath.join(parent if depth < 4 else "", self._lexicon.recall())
            if folder not in self._folders:
                self._folders.append(folder)
            return folder
        if self._rng.random() < 0.5:
            return posixpath.dirname(source.path)
        return self._rng.choice(self._folders)

    def _sections(
        self, first: SourceNote, path: str, words: list[str]
    ) -> tuple[list[SourceNote], list[str]]:
        """Sections until the note is as long as it shall be, and whose they were."""
        wanted = min(LARGEST, max(SMALLEST, self._rng.lognormvariate(0, SPREAD) * MEDIAN_BYTES))
        used: list[SourceNote] = []
        sections: list[str] = []
        size = 0
        while not sections or size + RUN_BYTES / 2 < wanted:
            note = first if not used else self._rng.choice(self._sources)
            section = self._section(note, path, words)
            used.append(note)
            sections.append(section)
            size += len(section.encode("utf-8"))
        return used, sections

    def _section(self, note: SourceNote, path: str, words: list[str]) -> str:
        """Some neighbouring parts of a note, as one section, with words of the new note's own."""
        start = self._rng.randrange(len(note.parts))
        run: list[Part] = []
        size = 0
        for part in note.parts[start : start + RUN_PARTS]:
            run.append(part)
            size += len(part.text.encode("utf-8"))
            if size >= RUN_BYTES:
                break
        top = run[0].level
        own = f"{self._rng.choice(words)} {self._lexicon.recall()}"
        blocks = [f"## {run[0].title or note.name}", moved(run[0].text, note.path, path)]
        for part in run[1:]:
            level = min(6, max(3, 2 + part.level - top))
            blocks += [f"{'#' * level} {part.title}", moved(part.text, note.path, path)]
        blocks.append(f"{_plain(run[0].title) or note.name}: {own}.")
        return "\n\n".join(block for block in blocks if block)

    def _link(self, path: str) -> str:
        target = self._targets[skewed(self._rng, len(self._targets))]
        style = self._rng.random()
        if style < 0.5:
            return f"[{target.title}]({relative_link(path, target.path)})"
        if style < 0.75 or not target.heading:
            return f"[[{target.wiki}]]"
        return f"[[{target.wiki}#{target.heading}|{target.title}]]"

    def _front_matter(self, used: list[SourceNote]) -> str:
        rng = self._rng
        if rng.random() >= FRONT_MATTER_SHARE:
            return ""
        lines: list[str] = []
        tags = list(dict.fromkeys(tag for note in used for tag in note.tags))[:4]
        tags += [self._lexicon.recall()] if rng.random() < 0.3 else []
        if tags:
            lines.append("tags: [" + ", ".join(f'"{tag}"' for tag in tags) + "]")
        if rng.random() < 0.7:
            day = f"20{rng.randrange(12, 27)}-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02}"
            lines.append(f"date: {day}")
        return "---\n" + "\n".join(lines) + "\n---\n\n" if lines else ""


def skewed_source(rng: random.Random, sources: list[SourceNote]) -> int:
    """Which note a new one takes its subject from: any, some often."""
    return skewed(rng, len(sources)) if rng.random() < 0.3 else rng.randrange(len(sources))


def read_notes(folder: Path) -> list[SourceNote]:
    """The notes of a folder, drafts left out."""
    found = (
        source_note(file.relative_to(folder).as_posix(), file.read_bytes())
        for file in sorted(folder.rglob("*.md"))
    )
    return [note for note in found if note is not None]


def grow_folder(source: Path, out: Path, count: int, seed: int = 0) -> GrownFolder:
    """Copies `source` to `out`, which must not exist, and adds notes until there are `count`.

    Raises ValueError if there are more notes than that already, or none.
    """
    originals = sum(1 for _ in source.rglob("*.md"))
    if count < originals:
        raise ValueError(f"{source} has {originals} notes already, more than {count}")
    growth = Growth(read_notes(source), seed)
    shutil.copytree(source, out, copy_function=shutil.copyfile)
    for note, _ in zip(growth, range(count - originals), strict=False):
        write_note(out, note)
    sizes = [file.stat().st_size for file in out.rglob("*.md")]
    return GrownFolder(len(sizes), originals, sum(sizes))


def write_note(folder: Path, note: GrownNote) -> Path:
    """Writes a new note into a folder of notes."""
    file = folder / note.path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(note.text, encoding="utf-8")
    return file


def _with_links(rng: random.Random, sections: list[str], links: list[str]) -> str:
    """The sections, links spread over them as sentences, the rest as a list at the end."""
    listed: list[str] = []
    for link in links:
        if rng.random() < 0.6:
            place = rng.randrange(len(sections))
            sections[place] += f"\n\n→ {link}"
        else:
            listed.append(f"- {link}")
    return "\n\n".join([*sections, *(["\n".join(listed)] if listed else [])]) + "\n"


def _targets(notes: list[SourceNote]) -> Iterator[_Target]:
    """The given notes as targets. Where two share a name, a wikilink needs the whole path."""
    names: dict[str, int] = {}
    for note in notes:
        names[note.name.casefold()] = names.get(note.name.casefold(), 0) + 1
    for note in notes:
        whole = posixpath.splitext(note.path)[0]
        wiki = note.name if names[note.name.casefold()] == 1 else whole
        if _plain(wiki.replace("/", "")) == wiki.replace("/", ""):
            yield _Target(note.path, note.name, wiki, "")


def _plain(title: str) -> str:
    """A heading that is plain text, or ''."""
    return "" if _MARKUP.search(title) else title.strip()


def _common_characters(sources: list[SourceNote]) -> str:
    """Characters of a script without spaces, each once; none where such text is rare."""
    text = "".join(part.text for note in sources for part in note.parts)
    found = _SPACELESS.findall(text)
    return "".join(sorted(set(found))) if len(found) > _HAN_SHARE * len(text) else ""


def main() -> None:
    """`python -m bench.grower`."""
    parser = argparse.ArgumentParser(prog="python -m bench.grower", description=__doc__)
    parser.add_argument("source", type=Path, help="folder of notes")
    parser.add_argument("out", type=Path, help="folder to make")
    parser.add_argument("count", type=int, help="how many notes it shall hold")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    grown = grow_folder(given.source, given.out, given.count, given.seed)
    print(f"{grown.notes} notes ({grown.originals} of them given), {grown.size} bytes: {given.out}")


if __name__ == "__main__":
    main()
