"""Anchors of pages that another renderer made: read from the HTML, matched to our sections.

With the `mkdocs` renderer the page is Python-Markdown's and stays as it is; the sections still
come from one parse of the source. A section whose heading the page shows takes the page's id; one
whose heading cannot be found becomes part of the section before it, so that every published
anchor leads somewhere. Links may name whatever else has an id on the page.
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

_OF_OUR_PAGE = frozenset({FindingKind.HTML, FindingKind.SYNTAX, FindingKind.DRAWING})
"""Findings about the page that our parser would have made."""

_GENERATED = "__"
"""How Markdown extensions begin the ids of lines of code and of buttons."""

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
    return _read(html).found


def _read(html: str) -> _PageReader:
    reader = _PageReader()
    reader.feed(html)
    reader.close()
    return reader


class _PageReader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[RenderedHeading] = []
        self.ids: dict[str, None] = {}
        self._level = 0
        self._anchor = ""
        self._text: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        name = values.get("id") or (values.get("name", "") if tag == "a" else "")
        if name and not name.startswith(_GENERATED):
            self.ids[name] = None
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
    """The note with the anchors and ids of its page; what cannot be matched is a finding.

    What our parser would have left out of the page is none: the page is another renderer's.
    """
    page = _read(html)
    headings, titles = page.found, {_comparable(section.title) for section in compiled.sections}
    kept: list[CompiledSection] = []
    findings = [found for found in compiled.findings if found.kind not in _OF_OUR_PAGE]
    taken: set[str] = set()
    position = 0
    for section in compiled.sections:
        if section.level == 0:
            kept.append(section)
            continue
        match = _find(headings, position, section, titles)
        anchor = headings[match].anchor if match is not None else ""
        if match is not None and anchor and anchor not in taken:
            position = match + 1
            taken.add(anchor)
            kept.append(replace(section, anchor=anchor))
        else:
            findings.append(_unmatched(compiled, section))
            kept = _absorb(kept, section)
    ids = tuple(name for name in page.ids if name not in taken)
    return replace(compiled, sections=tuple(kept), findings=tuple(findings), ids=ids)


def _find(
    headings: list[RenderedHeading], position: int, section: CompiledSection, titles: set[str]
) -> int | None:
    """The section's heading: of its words, else with words that an extension put beside them."""
    wanted, longer = _comparable(section.title), None
    for index in range(position, min(len(headings), position + LOOK_AHEAD)):
        heading = headings[index]
        text = _comparable(heading.text)
        if heading.level != section.level:
            continue
        if text == wanted:
            return index
        if longer is None and text not in titles and wanted and _surrounds(text, wanted):
            longer = index
    return longer


def _surrounds(text: str, words: str) -> bool:
    return text.startswith(words) or text.endswith(words)


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
