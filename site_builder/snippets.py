"""Snippets: `--8<-- "file.md"` puts another file's lines into a note, before it is compiled.

Files are asked for by their path below the folder of notes; a path that leads out of it, an address
on the web and a withheld note are never read. What is put in may put in more, within limits.
"""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from site_builder.front_matter import read_front_matter, withheld_reason
from site_builder.media import NOTES, extension
from site_builder.note import Finding, FindingKind, SourceNote

Reader: TypeAlias = "Callable[[str], str | None]"
"""The text of a file by its path below the folder of notes; None where there is none. Newlines are
`\\n`. Its caller keeps to files that may be published."""

DEPTH_LIMIT: Final = 8
COUNT_LIMIT: Final = 300
SIZE_LIMIT: Final = 2_000_000
"""Snippets within snippets, snippets and characters that one note takes in."""

_MARK = re.compile(
    r"(?P<indent>[ \t>]*+)(?P<escape>;?)-++8<-++"
    r"(?:[ \t]++(?:\"(?P<one>[^\"\n]{1,500})\"|'(?P<two>[^'\n]{1,500})'))?[ \t]*+"
)
_SECTION = re.compile(r"-+8<-+[ \t]+\[[ \t]*(start|end)[ \t]*:[ \t]*([A-Za-z][\w-]*)[ \t]*\]")
_PART = re.compile(
    r"(?P<path>.*?)(?::(?P<section>[A-Za-z][\w-]*)|:(?P<lines>\d*(?::\d*)?(?:,\d*(?::\d*)?)*))?"
)
_NO_TEXT = re.compile("[\x00\ud800-\udfff]")
_WEB = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


@dataclass(frozen=True, slots=True)
class Expanded:
    """A note with its snippets in it.

    files: every path that was asked for, in order, also those that are not there. The note is a
    function of the source note and of what these paths hold.
    """

    note: SourceNote
    files: tuple[str, ...] = ()


def with_snippets(note: SourceNote, read: Reader) -> Expanded:
    """Puts in all snippets; the note itself where it has none. What is wrong is a finding."""
    if "8<-" not in note.body:
        return Expanded(note)
    expansion = _Expansion(note, read)
    numbered = enumerate(note.body.split("\n"), note.body_line)
    lines = list(expansion.lines(numbered, (note.path,)))
    if not expansion.changed:
        return Expanded(note)
    expanded = replace(
        note,
        body="\n".join(text for _, text in lines),
        body_lines=tuple(number for number, _ in lines),
        findings=(*note.findings, *dict.fromkeys(expansion.findings)),
    )
    return Expanded(expanded, tuple(expansion.files))


class _Expansion:
    """One note being expanded; numbers of lines are the author's."""

    def __init__(self, note: SourceNote, read: Reader) -> None:
        self.findings: list[Finding] = []
        self.files: dict[str, str | None] = {}
        self.changed = False
        self._note, self._read = note, read
        self._count = self._size = 0

    def lines(
        self, numbered: Iterable[tuple[int, str]], above: tuple[str, ...]
    ) -> Iterator[tuple[int, str]]:
        """The lines with what they put in. above: the files they stand in, outermost first."""
        inside, indent = False, ""
        for number, line in numbered:
            mark = _MARK.fullmatch(line) if "8<-" in line or inside else None
            wanted = mark and (mark["one"] or mark["two"])
            if inside and not (mark and not mark["escape"]):
                if line.strip() and not line.lstrip().startswith(";"):
                    yield from self._snippet(line.strip()[:500], indent, number, above)
            elif mark is None:
                yield number, line
            elif mark["escape"]:
                self.changed = True
                yield number, line.replace(";", "", 1)
            elif wanted:
                yield from self._snippet(wanted, mark["indent"], number, above)
            else:
                self.changed = True
                inside, indent = not inside, mark["indent"]

    def _snippet(
        self, wanted: str, indent: str, number: int, above: tuple[str, ...]
    ) -> Iterator[tuple[int, str]]:
        self.changed = True
        self._count += 1
        part = _PART.fullmatch(wanted)
        path = part["path"].strip() if part else wanted
        if len(above) > DEPTH_LIMIT or self._count > COUNT_LIMIT or self._size > SIZE_LIMIT:
            self._report(number, FindingKind.LIMIT, "too many snippets: left out", "put in fewer")
            return
        found = self._find(path, number, above)
        if found is None:
            return
        name, text = found
        chosen = _chosen(text.split("\n"), part)
        if chosen is None:
            message = f"no section `{part['section'] if part else ''}` in {name}"
            self._report(number, FindingKind.MISSING_FILE, message, "mark it in the file")
            return
        self._size += sum(map(len, chosen)) + len(chosen) * (len(indent) + 1)
        kept = ((number, line) for line in chosen if not _SECTION.search(line))
        for _, line in self.lines(kept, (*above, name)):
            yield number, indent + line if line else indent.rstrip()

    def _find(self, path: str, number: int, above: tuple[str, ...]) -> tuple[str, str] | None:
        """The file that a path means, from the top of the notes or from this note's folder."""
        if _WEB.match(path):
            self._report(
                number, FindingKind.FILE, "a snippet from the web is left out", "copy the file"
            )
            return None
        folder = posixpath.dirname(self._note.path)
        for base in dict.fromkeys(("", folder)):
            name = _within(base, path)
            text = None if name is None else self._text(name)
            if name is None or text is None:
                continue
            if name in above:
                self._report(number, FindingKind.EMBED, f"puts in itself: {name}", "take it out")
                return None
            return name, text
        self._report(
            number,
            FindingKind.MISSING_FILE,
            f"missing snippet: {path}",
            "put the file into the folder of notes",
        )
        return None

    def _text(self, name: str) -> str | None:
        if name not in self.files:
            text = self._read(name)
            if text is not None:
                text = _NO_TEXT.sub("\ufffd", text) if len(text) <= SIZE_LIMIT else None
            if text is not None and extension(name) in NOTES:
                front = read_front_matter(text)
                text = None if withheld_reason(front) else text[front.length :]
            self.files[name] = None if text is None else text.removesuffix("\n")
        return self.files[name]

    def _report(self, line: int, kind: FindingKind, message: str, hint: str) -> None:
        self.findings.append(Finding(self._note.path, line, kind, message, hint))


def _within(base: str, path: str) -> str | None:
    """The path below the folder of notes; None for one that leads out of it or names nothing."""
    path = unicodedata.normalize("NFC", path)
    if not path or path.startswith("/") or any(char in "\\:" or char < " " for char in path):
        return None
    name = posixpath.normpath(posixpath.join(base, path))
    return None if name == "." or name.split("/")[0] == ".." else name


def _chosen(lines: list[str], part: re.Match[str] | None) -> list[str] | None:
    """The lines of the named section or of the ranges of lines; None where there is none."""
    if part is None or not (part["section"] or part["lines"]):
        return lines
    if part["lines"]:
        return [line for span in part["lines"].split(",") for line in _span(lines, span)]
    start = -1
    for number, line in enumerate(lines):
        found = _SECTION.search(line)
        if found and found[2] == part["section"]:
            if found[1] == "start":
                start = number + 1
            elif start >= 0:
                return lines[start:number]
    return None if start < 0 else lines[start:]


def _span(lines: list[str], span: str) -> list[str]:
    """From a line to another, both from 1 and both in; without the second, to the end."""
    first, _, last = span.partition(":")
    start, end = int(first or 1), int(last or len(lines))
    return lines[max(start - 1, 0) : end]
