"""The index: the tree of categories, and a page for each with its notes, so that every note is
reached by links alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from site_builder.categories import CategoryNode
from site_builder.listing.addresses import address, level
from site_builder.listing.paging import beside, cut, numbered, on_first
from site_builder.listing.rows import NoteRow, Page, Tree, note_row, tree
from site_builder.listing.words import list_title
from site_builder.page_facts import GeneratedPage, PageFacts, SiteSettings
from site_builder.page_view import Tag

INDEX_TEMPLATE: Final = "partials/list.html"

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CategoryContent:
    """A page of the index, or of a category in it.

    is_index: its tree is that of all categories, else of those right below. trail: categories
    above, the index first. own: the note that stands for the category. notes: those directly in
    it, in the author's order. count: on the first page, of the notes in it and below it.
    """

    is_index: bool
    trail: tuple[Tag, ...]
    own: NoteRow | None
    tree: Tree
    notes: tuple[NoteRow, ...]
    count: int
    pages: tuple[Page, ...] = ()


@dataclass(frozen=True, slots=True)
class Category:
    """A category with its place. depth: 0 at the top. names: titles from the top down to it."""

    node: CategoryNode
    names: Path
    levels: Path
    url: str
    count: int

    @property
    def depth(self) -> int:
        return len(self.names) - 1


class CategoryLists:
    """The categories of a site, parents first, with an address for each."""

    def __init__(
        self, root: CategoryNode, notes: Sequence[PageFacts], room: str, language: str
    ) -> None:
        self._room = room
        self._language = language
        self._facts: Mapping[str, PageFacts] = {facts.doc_id: facts for facts in notes}
        self._root = root
        self.categories = tuple(_walk(root, (), (), room))
        filed = {doc_id for node in root.walk() for doc_id in node.documents}
        self._unfiled = tuple(facts.doc_id for facts in notes if facts.doc_id not in filed)

    def urls(self) -> dict[Path, str]:
        """The address of each category's page, by its titles from the top down."""
        found: dict[Path, str] = {}
        for category in self.categories:
            found.setdefault(category.names, category.url)
        return found

    def facts(self, doc_ids: Sequence[str]) -> list[PageFacts]:
        """The notes of some docIds, in that order, as far as they have a page."""
        return [self._facts[doc_id] for doc_id in doc_ids if doc_id in self._facts]

    def loose(self) -> list[PageFacts]:
        """Notes that are in no category."""
        return self.facts([*self._root.documents, *self._unfiled])

    def pages(self) -> Iterator[GeneratedPage]:
        """The index, then each category."""
        yield from self._index()
        children: dict[Path, list[Category]] = {}
        for category in self.categories:
            children.setdefault(category.levels[:-1], []).append(category)
        by_levels = {category.levels: category for category in self.categories}
        for category in self.categories:
            above = [by_levels[category.levels[:n]] for n in range(1, len(category.levels))]
            yield from self._category(category, above, children.get(category.levels, []))

    def _index(self) -> Iterator[GeneratedPage]:
        title = list_title("index", self._language)
        notes = self.loose()
        both = beside(
            cut(self.categories, [c.url for c in self.categories]),
            cut(notes, [facts.doc_id for facts in notes]),
        )
        total = len(self._facts)
        for (categories, some), url, links in numbered(both, self._room):
            rows = [(c.depth, c.node.title, c.url, c.count) for c in categories]
            content = CategoryContent(
                is_index=True,
                trail=(),
                own=None,
                tree=tree(rows),
                notes=self._rows(some),
                count=on_first(links, total, 0),
                pages=links,
            )
            yield GeneratedPage(url, title, INDEX_TEMPLATE, content)

    def _category(
        self, category: Category, above: Sequence[Category], below: Sequence[Category]
    ) -> Iterator[GeneratedPage]:
        notes = self.facts(category.node.documents)
        own = self._facts.get(category.node.doc_id)
        index = Tag(list_title("index", self._language), self._room)
        trail = (index, *(Tag(c.node.title, c.url) for c in above))
        both = beside(
            cut(below, [c.url for c in below]),
            cut(notes, [facts.doc_id for facts in notes]),
        )
        for (children, some), url, links in numbered(both, category.url):
            content = CategoryContent(
                is_index=False,
                trail=trail,
                own=note_row(own, self._language) if own else None,
                tree=tree([(0, c.node.title, c.url, c.count) for c in children]),
                notes=self._rows(some),
                count=on_first(links, category.count, 0),
                pages=links,
            )
            yield GeneratedPage(url, category.node.title, INDEX_TEMPLATE, content)

    def _rows(self, notes: Sequence[PageFacts]) -> tuple[NoteRow, ...]:
        return tuple(note_row(facts, self._language)._replace(trail=()) for facts in notes)


def category_lists(
    settings: SiteSettings, notes: Sequence[PageFacts], root: CategoryNode, room: str
) -> CategoryLists:
    """The index of a site; room: the address below which its pages stand."""
    return CategoryLists(root, notes, room, settings.language)


def _walk(node: CategoryNode, names: Path, levels: Path, room: str) -> Iterator[Category]:
    used: set[str] = set()
    for child in node.children:
        own = level(child.title)
        number = 2
        while own in used:
            own = f"{level(child.title)}-{number}"
            number += 1
        used.add(own)
        below = list(_walk(child, (*names, child.title), (*levels, own), room))
        count = len(child.documents) + sum(
            c.count for c in below if len(c.levels) == len(levels) + 2
        )
        url = address(room, (*levels, own))
        yield Category(child, (*names, child.title), (*levels, own), url, count)
        yield from below
