"""Random edits of a folder of notes, of every kind; the same seed, the same edits."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

_HEADING = re.compile(r"^(#{1,4}) +(.+?) *$", re.M)
_PROSE = re.compile(r"^[^\W\d_][^\n]{20,}$", re.M)
_WORDS = [
    "lock",
    "queue",
    "kernel",
    "page",
    "cache",
    "shard",
    "token",
    "index",
    "graph",
    "thread",
    "死锁",
    "队列",
    "内存",
    "索引",
    "分片",
    "调度",
    "缓存",
    "线程",
    "网络",
    "协议",
    "revision",
    "evidence",
    "bridge",
    "reader",
    "manifest",
    "section",
]

KINDS = ("words", "heading", "link", "tag", "rename", "deletion", "addition")


@dataclass(frozen=True, slots=True)
class Edit:
    """What was done. path: of the note as it is now, or was before its deletion."""

    kind: str
    path: str


class Editor:
    """Edits the Markdown files of a folder, one at a time."""

    def __init__(self, folder: Path, seed: int) -> None:
        self._folder = folder
        self._random = random.Random(seed)
        self._added = 0
        self._acts: dict[str, Callable[[Path], Path]] = {
            "words": self._words,
            "heading": self._heading,
            "link": self._link,
            "tag": self._tag,
            "rename": self._rename,
            "deletion": self._delete,
            "addition": self._add,
        }

    def edit(self, kind: str = "") -> Edit:
        """One more edit, of a kind or of any."""
        kind = kind or self._random.choice(KINDS)
        path = self._acts[kind](self._random.choice(self._notes()))
        return Edit(kind, path.relative_to(self._folder).as_posix())

    def _notes(self) -> list[Path]:
        return sorted(self._folder.rglob("*.md"))

    def _sentence(self) -> str:
        words = self._random.choices(_WORDS, k=self._random.randint(6, 14))
        return " ".join(words).capitalize() + f" {self._random.randint(0, 10**9)}."

    def _words(self, note: Path) -> Path:
        text = _text(note)
        lines = list(_PROSE.finditer(text))
        place = self._random.choice(lines).end() if lines else len(text)
        _write(note, f"{text[:place]} {self._sentence()}{text[place:]}")
        return note

    def _heading(self, note: Path) -> Path:
        text = _text(note)
        found = list(_HEADING.finditer(text))
        if not found:
            _write(note, f"{text}\n\n## {self._sentence()}\n\n{self._sentence()}\n")
            return note
        heading = self._random.choice(found)
        title = f"{heading[1]} {heading[2]} {self._random.choice(_WORDS)}"
        _write(note, text[: heading.start()] + title + text[heading.end() :])
        return note

    def _link(self, note: Path) -> Path:
        other = self._random.choice(self._notes())
        target = other.relative_to(self._folder).as_posix().removesuffix(".md")
        _write(note, f"{_text(note)}\n\nSee [[{target}]]: {self._sentence()}\n")
        return note

    def _tag(self, note: Path) -> Path:
        _write(
            note, f"{_text(note)}\n\n#{self._random.choice(_WORDS)}/{self._random.randint(0, 9)}\n"
        )
        return note

    def _rename(self, note: Path) -> Path:
        self._added += 1
        renamed = note.with_name(f"{note.stem[:40]} renamed {self._added}.md")
        note.rename(renamed)
        return renamed

    def _delete(self, note: Path) -> Path:
        note.unlink()
        return note

    def _add(self, near: Path) -> Path:
        self._added += 1
        note = near.with_name(f"added {self._added}.md")
        sections = "\n\n".join(
            f"## {self._sentence()}\n\n" + "\n\n".join(self._sentence() for _ in range(6))
            for _ in range(4)
        )
        head = f"---\ndate: 2026-11-{self._added % 28 + 1:02}\n---\n# New {self._added}"
        _write(note, f"{head}\n\n{sections}\n")
        return note


def _text(note: Path) -> str:
    return note.read_bytes().decode("utf-8", "surrogateescape")


def _write(note: Path, text: str) -> None:
    note.write_bytes(text.encode("utf-8", "surrogateescape"))
