"""Anchors of pages that another renderer made: read from the HTML, matched to our sections.

With the `mkdocs` renderer the page is Python-Markdown's and stays as it is; the sections still
come from one parse of the source. A section whose heading the page shows takes the page's id; one
whose heading cannot be found becomes part of the section before it, so that every published
anchor leads somewhere.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, replace
from html.parser import HTMLParser

from manifest.anchors import TOP
from site_builder.note import CompiledNote, CompiledSection, Finding, FindingKind

_HEADINGS = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})

_NOT_TEXT = frozenset({"headerlink"})
"""Classes of links that a renderer adds to a heading."""

LOOK_AHEAD = 50
"""Headings of the page that may be skipped (from snippets and macros) to find the next of ours."""


@dataclass(frozen=True, slots=True)
class RenderedHeading:
    """A heading of a page: level, id (empty if it has none), text."""

    level: int
    anchor: str
    text: str


def rendered_headings(html: str) -> list[RenderedHeading]:
    """The headings of a page's article, in order."""
    reader = _HeadingReader()
    reader.feed(html)
    reader.close()
    return reader.found


class _HeadingReader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[RenderedHeading] = []
        self._level = 0
        self._anchor = ""
        self._text: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag in _HEADINGS:
            self._level = int(tag[1])
            self._anchor = values.get("id", "")
            self._text = []
        elif self._level and tag == "a" and _NOT_TEXT & set(values.get("class", "").split()):
            self._silent += 1

    def handle_endtag(self, tag: str) -> None:
        if tag in _HEADINGS and self._level:
            text = " ".join("".join(self._text).split())
            self.found.append(RenderedHeading(self._level, self._anchor, text))
            self._level = self._silent = 0
        elif tag == "a" and self._silent:
            self._silent -= 1

    def handle_data(self, data: str) -> None:
        if self._level and not self._silent:
            self._text.append(data)


def with_rendered_anchors(compiled: CompiledNote, html: str) -> CompiledNote:
    """The note with the anchors of its page; what cannot be matched is a finding."""
    headings = rendered_headings(html)
    kept: list[CompiledSection] = []
    findings: list[Finding] = []
    taken: set[str] = set()
    position = 0
    for section in compiled.sections:
        if section.level == 0:
            kept.append(section)
            continue
        match = _find(headings, position, section)
        anchor = headings[match].anchor if match is not None else ""
        if match is not None and anchor and anchor not in taken:
            position = match + 1
            taken.add(anchor)
            kept.append(replace(section, anchor=anchor))
        else:
            findings.append(_unmatched(compiled, section))
            kept = _absorb(kept, section)
    return replace(compiled, sections=tuple(kept), findings=(*compiled.findings, *findings))


def _find(headings: list[RenderedHeading], position: int, section: CompiledSection) -> int | None:
    wanted = _comparable(section.title)
    for index in range(position, min(len(headings), position + LOOK_AHEAD)):
        heading = headings[index]
        if heading.level == section.level and _comparable(heading.text) == wanted:
            return index
    return None


def _comparable(text: str) -> str:
    """Renderers differ in quotes, dashes and spaces; letters and digits are the heading."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).lower()))


def _absorb(kept: list[CompiledSection], section: CompiledSection) -> list[CompiledSection]:
    if kept:
        return [*kept[:-1], replace(kept[-1], end=section.end)]
    return [CompiledSection(TOP, 0, "", (), section.start, section.end)]


def _unmatched(compiled: CompiledNote, section: CompiledSection) -> Finding:
    line = compiled.text.count("\n", 0, section.start) + 1
    return Finding(
        compiled.path,
        0,
        FindingKind.ANCHOR_UNMATCHED,
        f"the page shows no heading for “{section.title}” (line {line} of the text); "
        "its text belongs to the section before it",
        "give the heading plain text, or an id of its own",
    )
