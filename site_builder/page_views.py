"""How pages look to a template: views of notes and of all else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from site_builder.beside.addresses import encoded_url
from site_builder.categories import CategoryNode, CategoryTree
from site_builder.collection import Collection, Entry
from site_builder.note import CompiledSection
from site_builder.page_facts import GeneratedPage, PageFacts, SiteSettings
from site_builder.page_view import Neighbour, PageView, SiteLink, Tag, TocEntry, Translation

CONTENTS_DEPTH = 3


@dataclass(frozen=True, slots=True)
class Order:
    """The reading order of a site's notes, and the categories they stand in.

    places: docIds in order, by their number. paths: by docId the categories down to it.
    """

    ids: tuple[str, ...]
    places: Mapping[str, int]
    paths: Mapping[str, tuple[CategoryNode, ...]]

    @classmethod
    def of(cls, tree: CategoryTree, first: str | None) -> Order:
        """The order of a category tree, the note `first` (the home page) before all others."""
        walked = list(_walk(tree.root))
        if first in walked:
            walked.remove(first)
            walked.insert(0, first)
        places = {doc_id: number for number, doc_id in enumerate(walked)}
        return cls(tuple(walked), places, tree.root.paths())

    def titles(self, doc_id: str) -> tuple[str, ...]:
        """The titles of a document's categories, outermost first."""
        return tuple(node.title for node in self.paths.get(doc_id, ()))

    def beside(self, doc_id: str, step: int) -> str | None:
        """The docId so many steps on in the order."""
        place = self.places.get(doc_id)
        if place is None or not 0 <= place + step < len(self.ids):
            return None
        return self.ids[place + step]


def _walk(node: CategoryNode) -> Iterable[str]:
    yield from node.documents
    for child in node.children:
        yield from _walk(child)


@dataclass(frozen=True, slots=True)
class Chrome:
    """What pages show beside their own note. All by docId or name; empty where there is nothing.

    titles: those that the navigation gives pages, by source path. translations: other languages
    of a page, by docId.
    """

    order: Order
    titles: Mapping[str, str] = field(default_factory=dict)
    links: tuple[SiteLink, ...] = ()
    tag_urls: Mapping[str, str] = field(default_factory=dict)
    category_urls: Mapping[tuple[str, ...], str] = field(default_factory=dict)
    translations: Mapping[str, tuple[Translation, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PageViews:
    """Makes the views of one build."""

    site: SiteSettings
    collection: Collection
    chrome: Chrome
    documents: Mapping[str, str]
    """The SHA-256 of each document, by docId."""

    def title(self, entry: Entry) -> str:
        """A page's title: the navigation's, else the note's own."""
        return self.chrome.titles.get(entry.card.path, entry.card.title)

    def note(self, entry: Entry, facts: PageFacts) -> PageView:
        """A note's page, without what only its body tells: the contents and the text."""
        card, chrome, doc_id = entry.card, self.chrome, entry.doc_id
        return PageView(
            language=entry.language,
            title=self.title(entry),
            url=entry.url,
            is_home=entry.url == "",
            description=facts.summary,
            canonical=self.canonical(entry.url),
            markdown=f"{entry.url}index.md" if facts.doc else "",
            doc_id=doc_id,
            path=card.path,
            breadcrumbs=self._breadcrumbs(doc_id),
            date=facts.date,
            updated=facts.updated,
            minutes=card.minutes,
            document_sha256=self.documents.get(doc_id, ""),
            tags=tuple(Tag(tag, chrome.tag_urls.get(tag, "")) for tag in card.tags),
            translations=chrome.translations.get(doc_id, ()),
            links=chrome.links,
            previous=self._neighbour(doc_id, -1),
            next=self._neighbour(doc_id, 1),
        )

    def generated(self, page: GeneratedPage) -> PageView:
        """A page that no note stands behind."""
        return PageView(
            language=self.site.language,
            title=page.title,
            template=page.template,
            url=page.url,
            content=page.content,
            is_home=page.url == "",
            description=page.description,
            canonical=self.canonical(page.url),
            links=self.chrome.links,
        )

    def lost(self) -> PageView:
        """The page of addresses that lead nowhere."""
        return PageView(
            language=self.site.language, title="", absolute=True, links=self.chrome.links
        )

    def canonical(self, url: str) -> str:
        """A page's full address; empty for a site that has none."""
        return self.site.url + encoded_url(url) if self.site.url else ""

    def _breadcrumbs(self, doc_id: str) -> tuple[Neighbour, ...]:
        crumbs: list[Neighbour] = []
        titles: tuple[str, ...] = ()
        for node in self.chrome.order.paths.get(doc_id, ()):
            titles = (*titles, node.title)
            own = self.collection.by_id.get(node.doc_id) if node.doc_id != doc_id else None
            url = own.url if own else self.chrome.category_urls.get(titles)
            crumbs.append(Neighbour(node.title, url if node.doc_id != doc_id else None))
        return tuple(crumbs)

    def _neighbour(self, doc_id: str, step: int) -> Neighbour | None:
        other = self.chrome.order.beside(doc_id, step)
        if other is None:
            return None
        entry = self.collection.by_id[other]
        return Neighbour(self.title(entry), entry.url)


def contents(sections: tuple[CompiledSection, ...]) -> tuple[TocEntry, ...]:
    """Levels 2 and 3; level 1 too where it is more than the title at the top."""
    titles = [section for section in sections if section.level == 1]
    title = titles[0] if titles else None
    return tuple(
        TocEntry(section.level, section.anchor, section.title)
        for section in sections
        if 0 < section.level <= CONTENTS_DEPTH and section is not title
    )


def first_level_one(sections: tuple[CompiledSection, ...]) -> bool:
    """Whether a note writes a title of its own at level 1."""
    return any(section.level == 1 for section in sections)
