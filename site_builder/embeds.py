"""Embedded notes are put into the pages that show them: `![[Note]]` and `![[Note#Heading]]`.

A heading brings its whole subtree. What is embedded embeds in turn, as long as nothing embeds
itself; there, and where a page would grow without bound, a link takes the place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from html import escape, unescape
from typing import Final
from urllib.parse import quote, unquote

from manifest.anchors import PREFIX
from site_builder.excerpts import balanced, element
from site_builder.linking import MISSING_TITLE, link_note, relative_url
from site_builder.note import CompiledNote, Finding, FindingKind, Link, LinkedNote
from site_builder.note_index import NoteIndex

DEPTH_LIMIT: Final = 8
COUNT_LIMIT: Final = 300
SIZE_LIMIT: Final = 1_000_000
"""Embeds within embeds, embeds and characters of HTML that one page takes from other notes: what
embeds embed can double at each level."""

_PLACE = re.compile(r"<nb-embed data-n=\"(\d+)\"></nb-embed>")
_HEADING = re.compile(r"<h[1-6] id=\"([^\"]*)\"")
_FOOTNOTES: Final = '<section class="notes"'
_ID = re.compile(r"(<[a-z][a-z0-9-]*(?: [\w:-]+(?:=\"[^\"]*\")?)*?) id=\"([^\"]*)\"")
_OWN_LINK = re.compile(r"(<a(?: [\w:-]+(?:=\"[^\"]*\")?)*?) href=\"#([^\"]*)\"")
_RADIO = re.compile(rf" name=\"{PREFIX}(tabs-\d+)\"")
_SECTION_MARK = re.compile(r"<a class=\"sec\"[^>]*>[^<]*</a>")

_Part = tuple[str, str]
"""A document and the anchor of the part of it that is shown; empty for the whole."""


def with_embeds(
    note: LinkedNote,
    index: NoteIndex,
    linked: Mapping[str, LinkedNote],
    *,
    missing_title: str = MISSING_TITLE,
) -> LinkedNote:
    """`note` with all that it embeds in its HTML; the note itself where it embeds nothing.

    linked: all notes by docId. missing_title: as for `link_note`. Where an embed had to stop is a
    finding of this note.
    """
    if not _PLACE.search(note.html):
        return note
    return _Host(index, linked, note, missing_title).filled()


@dataclass(slots=True)
class _Host:
    """A page that takes in others."""

    index: NoteIndex
    linked: Mapping[str, LinkedNote]
    note: LinkedNote
    missing_title: str
    findings: list[Finding] = field(default_factory=list)
    _size: int = 0
    _count: int = 0

    @property
    def page(self) -> str:
        return self.index.by_id[self.note.doc_id].url

    def filled(self) -> LinkedNote:
        """The note with all its embeds."""
        note = self.note
        html = _PLACE.sub(self._filler(note, ((note.doc_id, ""),)), note.html)
        findings = (*note.findings, *dict.fromkeys(self.findings))
        return LinkedNote(note.doc_id, note.compiled, html, note.links, note.assets, findings)

    def _filler(self, note: LinkedNote, above: tuple[_Part, ...]) -> Callable[[re.Match[str]], str]:
        """Fills the places of `note`. above: the parts it stands in, outermost first."""

        def fill(place: re.Match[str]) -> str:
            number = int(place[1])
            link = note.links[number]
            part = (link.to, link.anchor)
            if part in above:
                return self._stopped(note, number, "embeds itself")
            if self._full(len(above)):
                return self._stopped(note, number, "embeds too much")
            return self._embedded(link, (*above, part))

        return fill

    def _full(self, depth: int) -> bool:
        return depth > DEPTH_LIMIT or self._count >= COUNT_LIMIT or self._size > SIZE_LIMIT

    def _embedded(self, link: Link, above: tuple[_Part, ...]) -> str:
        """A note, or a part of one, as this page shows it."""
        self._count += 1
        prefix = f"{PREFIX}embed{self._count}-"
        source = self.linked[link.to]
        seen_here = link_note(
            self.index,
            source.compiled,
            link.to,
            missing_title=self.missing_title,
            page=self.page,
        )
        html = _slice(seen_here.html, source.compiled, link.anchor)
        html = _renamed(html, prefix, relative_url(self.page, self.index.by_id[link.to].url))
        self._size += len(html)
        html = _PLACE.sub(self._filler(seen_here, above), html)
        label = escape(link.text)
        return (
            f'<section class="embed" aria-label="{label}">\n<p class="cap">{self._to(link)}</p>\n'
            f"{html}</section>"
        )

    def _to(self, link: Link) -> str:
        address = relative_url(self.page, self.index.by_id[link.to].url)
        fragment = f"#{quote(link.anchor)}" if link.anchor else ""
        return f'<a href="{escape(address + fragment)}">{escape(link.text, quote=False)}</a>'

    def _stopped(self, note: LinkedNote, number: int, what: str) -> str:
        use, link = note.compiled.links[number], note.links[number]
        self.findings.append(
            Finding(
                note.compiled.path,
                use.line,
                FindingKind.EMBED,
                f"{what}: {use.target or note.compiled.path}",
                "a link takes its place",
            )
        )
        return f"<p>{self._to(link)}</p>"


def _slice(html: str, compiled: CompiledNote, anchor: str) -> str:
    """The part of a page from a heading to the next one that is not below it, or a block."""
    if not anchor:
        return html
    levels = {section.anchor: section.level for section in compiled.sections}
    if anchor not in levels:
        return element(html, anchor) or html
    start, end = -1, len(html)
    for heading in _HEADING.finditer(html):
        found = unescape(heading[1])
        if found == anchor:
            start = heading.start()
        elif start >= 0 and levels.get(found, 7) <= levels[anchor]:
            end = heading.start()
            break
    if start < 0:
        return html
    notes = html.find(_FOOTNOTES, start, end)
    return balanced(html[start : notes if notes >= 0 else end])


def _renamed(html: str, prefix: str, source: str) -> str:
    """Ids in a name space of their own; links to what is not shown here lead to its own page."""
    html = _SECTION_MARK.sub("", html)
    names = {unescape(found[2]) for found in _ID.finditer(html)}

    def own_link(found: re.Match[str]) -> str:
        name = unquote(unescape(found[2]))
        target = f"#{prefix}{name}" if name in names else f"{source}#{name}"
        return f'{found[1]} href="{escape(target)}"'

    html = _OWN_LINK.sub(own_link, html)
    html = _RADIO.sub(lambda found: f' name="{prefix}{found[1]}"', html)
    return _ID.sub(lambda found: f'{found[1]} id="{prefix}{found[2]}"', html)
