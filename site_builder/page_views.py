"""How pages look to a template: views of notes, of the generated home page, of all else."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

from mkdocs.structure.pages import Page

from manifest.search_text import document_tags, meta_list
from site_builder.categories import CategoryTree
from site_builder.documents import UPDATED_DATES
from site_builder.front_matter import text_value
from site_builder.notebook import Entry, Notebook
from site_builder.page_view import HomeEntry, Neighbour, PageView, TocEntry, reading_minutes

CONTENTS_LEVELS = (2, 3)


def note_view(notebook: Notebook, entry: Entry, page: Page) -> PageView:
    """A note's page."""
    compiled = entry.compiled
    assert compiled is not None
    meta = entry.note.meta
    return PageView(
        language=entry.language,
        title=str(page.title or compiled.title),
        doc_id=entry.identity.doc_id,
        path=entry.note.path,
        breadcrumbs=_breadcrumbs(notebook, entry),
        toc=tuple(
            TocEntry(section.level, section.anchor, section.title)
            for section in compiled.sections
            if section.level in CONTENTS_LEVELS
        ),
        updated=next((text_value(meta, key) for key in UPDATED_DATES if text_value(meta, key)), ""),
        minutes=reading_minutes(compiled.text),
        document_sha256=entry.document_sha256,
        tags=tuple(document_tags(meta_list(meta.get("tags")), compiled.text)),
        previous=_neighbour(page.previous_page),
        next=_neighbour(page.next_page),
        show_title=all(section.level != 1 for section in compiled.sections),
    )


def home_view(notebook: Notebook, categories: CategoryTree) -> PageView:
    """The home page of a site without one: its categories."""
    titles = {entry.identity.doc_id: entry.identity.url for entry in notebook.entries.values()}
    entries = [
        HomeEntry(
            child.title,
            titles.get(child.doc_id or next(iter(_documents(child)), "")),
            len(_documents(child)),
        )
        for child in categories.root.children
    ]
    named = {
        entry.identity.doc_id: entry.compiled.title
        for entry in notebook.entries.values()
        if entry.compiled is not None
    }
    entries.extend(
        HomeEntry(named[doc_id], titles[doc_id], 1) for doc_id in categories.root.documents
    )
    return PageView(
        language=notebook.settings.facts.language,
        title=notebook.settings.facts.title,
        generated_home=tuple(entries),
    )


def plain_view(notebook: Notebook, title: str) -> PageView:
    """A page that is no note."""
    return PageView(language=notebook.settings.facts.language, title=title)


def _documents(node: Any) -> list[str]:
    return [doc_id for below in node.walk() for doc_id in below.documents]


def _breadcrumbs(notebook: Notebook, entry: Entry) -> tuple[Neighbour, ...]:
    """The folders down to a note, linked where the folder has a page of its own."""
    urls = {other.identity.url for other in notebook.entries.values()}
    parts = entry.note.path.split("/")[:-1]
    crumbs = []
    for depth, part in enumerate(parts, 1):
        url = "".join(f"{name}/" for name in parts[:depth])
        crumbs.append(Neighbour(part, url if url in urls and url != entry.identity.url else None))
    return tuple(crumbs)


def _neighbour(page: Page | None) -> Neighbour | None:
    if page is None:
        return None
    return Neighbour(str(page.title or ""), unquote(page.url) or ".")
