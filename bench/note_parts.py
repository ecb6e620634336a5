"""Notes taken apart at their headings, and moved: what the grower makes new notes of. Pure."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from dataclasses import dataclass

from site_builder.source import read_source

DEEPEST = 3
"""Headings below this level stay inside their part."""

_HEADING = re.compile(r"(#{1,6})[ \t]+(.*?)[ \t#]*$")
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_LINK = re.compile(r"(!?\[[^\[\]\n]*\])\((<[^<>\n]*>|[^()<>\s]+)((?:\s+\"[^\"\n]*\")?)\)")
_ELSEWHERE = re.compile(r"/|[A-Za-z][A-Za-z0-9+.-]*:")
_ENCODED = str.maketrans({" ": "%20", "(": "%28", ")": "%29", "<": "%3C", ">": "%3E"})


@dataclass(frozen=True, slots=True)
class Part:
    """A heading with what stands below it, up to the next one.

    level: 1 to 6, 0 for text before the first heading. text: without the heading's own line.
    """

    level: int
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class SourceNote:
    """A note to take parts from. path: POSIX, below the folder of notes."""

    path: str
    tags: tuple[str, ...]
    parts: tuple[Part, ...]

    @property
    def name(self) -> str:
        """The file's name without its suffix: what a wikilink calls it."""
        return posixpath.splitext(posixpath.basename(self.path))[0]


def source_note(path: str, data: bytes) -> SourceNote | None:
    """A note's parts; None for a draft, which no new note may quote."""
    note = read_source(path, data)
    if note.withheld:
        return None
    tags = note.meta.get("tags", [])
    words = tags if isinstance(tags, list) else [tags]
    return SourceNote(
        path, tuple(tag for tag in words if isinstance(tag, str)), tuple(_parts(note.body))
    )


def _parts(body: str) -> Iterator[Part]:
    level, title = 0, ""
    lines: list[str] = []
    for line, is_code in coded_lines(body):
        heading = None if is_code else _HEADING.match(line)
        if heading is None or len(heading[1]) > DEEPEST:
            lines.append(line)
            continue
        yield Part(level, title, "\n".join(lines).strip("\n"))
        level, title, lines = len(heading[1]), heading[2], []
    yield Part(level, title, "\n".join(lines).strip("\n"))


def coded_lines(body: str) -> Iterator[tuple[str, bool]]:
    """Every line, and whether it belongs to a fenced block."""
    fence = ""
    for line in body.split("\n"):
        mark = _FENCE.match(line)
        if not fence and mark:
            fence = mark[1]
            yield line, True
        elif fence:
            yield line, True
            if mark and mark[1].startswith(fence):
                fence = ""
        else:
            yield line, False


def moved(text: str, source: str, target: str) -> str:
    """A part of the note at `source` as it must read in the note at `target`: relative links lead
    where they led, and links to a heading of the same note lead to that note's."""

    def replace(match: re.Match[str]) -> str:
        address = _moved_address(match[2].strip("<>"), source, target)
        return f"{match[1]}({address.translate(_ENCODED)}{match[3]})"

    return "\n".join(
        line if is_code else _LINK.sub(replace, line) for line, is_code in coded_lines(text)
    )


def relative_link(source: str, target: str) -> str:
    """The address of the note at `target` in a link of the note at `source`."""
    path = posixpath.relpath(target, posixpath.dirname(source) or ".")
    return path.translate(_ENCODED)


def _moved_address(address: str, source: str, target: str) -> str:
    if _ELSEWHERE.match(address):
        return address
    path, mark, fragment = address.partition("#")
    place = posixpath.join(posixpath.dirname(source), path) if path else source
    return posixpath.relpath(place, posixpath.dirname(target) or ".") + mark + fragment
