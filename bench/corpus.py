"""The collections that are built and searched: the real Chinese notes, and large ones grown out of
them together with English texts, so that both kinds of script are met in one index."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bench.data import DataMissing, Datasets
from bench.grower import GrownFolder, grow_folder
from manifest.units import cut

ENGLISH = ("wikitexts", "state_of_the_union", "pubmed")
ENGLISH_NOTE = 5000
ENGLISH_SECTION = 1200
"""Code points of an English note and of its sections, both cut at the ends of paragraphs."""

_WORD = re.compile(r"[A-Za-z][A-Za-z'-]*")


@dataclass(frozen=True, slots=True)
class Corpus:
    """A folder of notes. english: whether English texts are among them."""

    folder: Path
    notes: int
    size: int
    english: bool

    def facts(self) -> dict[str, object]:
        """What a report says of it."""
        return {"notes": self.notes, "bytes": self.size, "english": self.english}


def grown_corpus(data: Datasets, work: Path, notes: int, seed: int = 0) -> Corpus:
    """A collection of `notes` notes in `work`, of real notes and new ones made from them.

    Raises DataMissing without the Chinese notes, ValueError for fewer notes than those.
    """
    source = work / "source"
    shutil.copytree(data.note_zh, source, copy_function=shutil.copyfile)
    english = _add_english(data, source)
    grown: GrownFolder = grow_folder(source, work / "notes", notes, seed)
    shutil.rmtree(source)
    return Corpus(work / "notes", grown.notes, grown.size, english)


def _add_english(data: Datasets, folder: Path) -> bool:
    try:
        texts = data.chunking_evaluation
    except DataMissing:
        return False
    for name in ENGLISH:
        text = (texts / f"{name}.md").read_text(encoding="utf-8")
        for number, note in enumerate(_english_notes(text), start=1):
            file = folder / "english" / name.replace("_", "-") / f"{name}-{number:03}.md"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(note, encoding="utf-8")
    return True


def _english_notes(text: str) -> Iterator[str]:
    """The text as notes of some sections; headings are the first words below them."""
    for span in cut(text, 0, len(text), ENGLISH_NOTE):
        sections = [
            text[piece.start : piece.end].strip()
            for piece in cut(text, span.start, span.end, ENGLISH_SECTION)
        ]
        blocks = [f"## {_first_words(section, 5)}\n\n{section}" for section in sections if section]
        if blocks:
            yield f"# {_first_words(sections[0], 8)}\n\n" + "\n\n".join(blocks) + "\n"


def _first_words(text: str, count: int) -> str:
    return " ".join(_WORD.findall(text)[:count]) or "Figures"
