"""A compiled note in two parts: a card that a build keeps in memory, and a body that it does not.

Thousands of notes are compiled in other processes and kept by content hash. Whatever has to look
at all notes at once (names, links, lists) reads their cards.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import cast

from manifest.anchors import slug
from manifest.objects import Doc
from manifest.search_text import document_tags, meta_list
from site_builder.documents import published_sections
from site_builder.front_matter import aliases, text_value
from site_builder.index_card import NoteTerms
from site_builder.language_tags import note_language
from site_builder.note import (
    CompiledNote,
    CompiledSection,
    Finding,
    LinkUse,
    Meta,
    SourceNote,
)
from site_builder.note_index import IndexedNote
from site_builder.page_view import reading_minutes
from site_builder.summary import summary


@dataclass(frozen=True, slots=True)
class NoteCard:
    """What is known of a note without its text.

    path, withheld, knowledge: as of `SourceNote`. meta: its front matter. title, links, ids and
    findings: as of `CompiledNote`; of a withheld note only the findings of reading it. anchors:
    of its sections. headings: the anchor that a section's words ask for and the one it has, where
    they differ. language: the one it states, as a tag; empty if none. tags: of front matter and
    text. chars: code points of the text.
    """

    path: str
    meta: dict[str, object]
    withheld: str = ""
    knowledge: bool = True
    findings: tuple[Finding, ...] = ()
    title: str = ""
    anchors: tuple[str, ...] = ()
    headings: tuple[tuple[str, str], ...] = ()
    ids: tuple[str, ...] = ()
    links: tuple[LinkUse, ...] = ()
    language: str = ""
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    summary: str = ""
    chars: int = 0
    minutes: int = 0

    @property
    def front_matter(self) -> Mapping[str, Meta]:
        """The front matter, typed as the reading of it types it."""
        return cast("Mapping[str, Meta]", self.meta)

    def indexed(self, doc_id: str, url: str) -> IndexedNote:
        """What links need to know of the note, where it is `doc_id` and stands at `url`."""
        return IndexedNote(
            doc_id, self.path, url, self.title, self.aliases, self.anchors, self.ids, self.headings
        )

    def outline(self) -> CompiledNote:
        """The compiled note as far as the card goes, for steps that look at links alone."""
        return CompiledNote(self.path, "", "", self.title, (), self.links, self.findings, self.ids)


@dataclass(frozen=True, slots=True)
class NoteBody:
    """What pages and documents are made of: a note's HTML with the places of its links, its
    Markdown as published, and its sections."""

    html: str
    text: str
    sections: tuple[CompiledSection, ...]


def split_note(source: SourceNote, compiled: CompiledNote) -> tuple[NoteCard, NoteBody]:
    """The card and the body of a compiled note."""
    headings = (
        (slug(section.title), section.anchor) for section in compiled.sections if section.level
    )
    stated = text_value(source.meta, "language") or text_value(source.meta, "lang")
    language, finding = note_language(source.path, stated)
    card = NoteCard(
        path=source.path,
        meta=dict(source.meta),
        knowledge=source.knowledge,
        findings=(*compiled.findings, *([finding] if finding else [])),
        title=compiled.title,
        anchors=tuple(section.anchor for section in compiled.sections),
        headings=tuple(pair for pair in headings if pair[0] != pair[1]),
        ids=compiled.ids,
        links=compiled.links,
        language=language,
        tags=tuple(document_tags(meta_list(source.meta.get("tags")), compiled.text)),
        aliases=tuple(aliases(source.meta)),
        summary=summary(source, compiled.text),
        chars=len(compiled.text),
        minutes=reading_minutes(compiled.text),
    )
    return card, NoteBody(compiled.html, compiled.text, compiled.sections)


def withheld_card(source: SourceNote) -> NoteCard:
    """The card of a note that must not be published: nothing but who it is and why."""
    return NoteCard(path=source.path, meta={}, withheld=source.withheld, findings=source.findings)


def join_note(card: NoteCard, body: NoteBody) -> CompiledNote:
    """The compiled note whole."""
    return CompiledNote(
        card.path,
        body.text,
        body.html,
        card.title,
        body.sections,
        card.links,
        card.findings,
        card.ids,
    )


def note_terms(card: NoteCard, body: NoteBody) -> NoteTerms:
    """The note's terms; its address and links, known later, are no part of them."""
    doc = Doc(
        id=card.path,
        title=card.title,
        language="",
        url="",
        meta=dict(card.front_matter),
        text=body.text,
        sections=published_sections(join_note(card, body)),
    )
    return NoteTerms.of(doc)
