"""How pages look to a template: views of notes, of the generated home page, of all else."""

from __future__ import annotations

from urllib.parse import unquote

from mkdocs.structure.pages import Page

from manifest.search_text import document_tags, meta_list
from site_builder.categories import CategoryTree
from site_builder.documents import UPDATED_DATES
from site_builder.front_matter import text_value
from site_builder.note import CompiledNote
from site_builder.notebook import Entry, Notebook
from site_builder.page_rendering import html
from site_builder.page_view import HomeEntry, Neighbour, PageView, Tag, TocEntry, reading_minutes

CONTENTS_DEPTH = 3


class CategoryPaths:
    """Where documents stand in the category tree, looked up once for a whole build."""

    def __init__(self, notebook: Notebook, tree: CategoryTree) -> None:
        self.tree = tree
        self._paths = tree.root.paths()
        self._urls = {
            entry.identity.doc_id: entry.identity.url for entry in notebook.entries.values()
        }

    def breadcrumbs(self, doc_id: str) -> tuple[Neighbour, ...]:
        """The categories down to a document, linked where a note stands for the category."""
        return tuple(
            Neighbour(node.title, self._urls.get(node.doc_id) if node.doc_id != doc_id else None)
            for node in self._paths.get(doc_id, ())
        )

    def home_entries(self) -> tuple[HomeEntry, ...]:
        """The top categories, each leading to its note, else to its first document."""
        entries = []
        for node in self.tree.root.children:
            documents = [doc_id for below in node.walk() for doc_id in below.documents]
            first = node.doc_id or next(iter(documents), "")
            entries.append(HomeEntry(node.title, self._urls.get(first), len(documents)))
        return tuple(entries)


def note_view(entry: Entry, page: Page, paths: CategoryPaths) -> PageView:
    """A note's page."""
    compiled = entry.compiled
    assert compiled is not None
    meta = entry.note.meta
    return PageView(
        language=entry.language,
        title=str(page.title or compiled.title),
        url=entry.identity.url,
        content=html(page.content or ""),
        is_home=entry.identity.url == "",
        canonical=page.canonical_url or "",
        description=text_value(meta, "description"),
        doc_id=entry.identity.doc_id,
        path=entry.note.path,
        breadcrumbs=paths.breadcrumbs(entry.identity.doc_id),
        toc=_contents(compiled),
        updated=next((text_value(meta, key) for key in UPDATED_DATES if text_value(meta, key)), ""),
        minutes=reading_minutes(compiled.text),
        document_sha256=entry.document_sha256,
        tags=tuple(Tag(tag) for tag in document_tags(meta_list(meta.get("tags")), compiled.text)),
        previous=_neighbour(page.previous_page),
        next=_neighbour(page.next_page),
        show_title=all(section.level != 1 for section in compiled.sections),
    )


def home_view(notebook: Notebook, paths: CategoryPaths) -> PageView:
    """The home page of a site without one: its categories, then notes that are in none."""
    titles = {
        entry.identity.doc_id: (entry.compiled.title, entry.identity.url)
        for entry in notebook.entries.values()
        if entry.compiled is not None
    }
    loose = tuple(HomeEntry(*titles[doc_id], 0) for doc_id in paths.tree.root.documents)
    return PageView(
        language=notebook.settings.facts.language,
        title=notebook.settings.facts.title,
        template="partials/home.html",
        is_home=True,
        content=paths.home_entries() + loose,
    )


def plain_view(notebook: Notebook, title: str) -> PageView:
    """A page that is no note."""
    return PageView(language=notebook.settings.facts.language, title=title, absolute=True)


def _contents(compiled: CompiledNote) -> tuple[TocEntry, ...]:
    """Levels 2 and 3; level 1 too where it is more than the title at the top."""
    titles = [section for section in compiled.sections if section.level == 1]
    title = titles[0] if titles else None
    return tuple(
        TocEntry(section.level, section.anchor, section.title)
        for section in compiled.sections
        if 0 < section.level <= CONTENTS_DEPTH and section is not title
    )


def _neighbour(page: Page | None) -> Neighbour | None:
    if page is None:
        return None
    return Neighbour(str(page.title or ""), unquote(page.url) or ".")
