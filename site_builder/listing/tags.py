"""Pages of tags: all of them as a tree, and one for each with its notes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from site_builder.listing.addresses import address, level
from site_builder.listing.paging import cut, numbered, on_first
from site_builder.listing.rows import Branch, NoteRow, Page, Tree, newest_first, note_row, tree
from site_builder.listing.words import list_title
from site_builder.page_facts import GeneratedPage, PageFacts, SiteSettings
from site_builder.page_view import Tag

TAGS_TEMPLATE: Final = "partials/tags.html"
TAG_TEMPLATE: Final = "partials/tag.html"

DEEPEST = 6
"""Levels of a tag that make lists of their own; what is below counts as one level."""

BRANCHES = 100
"""Tags below a tag that its own page names; the list of all tags has the rest."""


@dataclass(frozen=True, slots=True)
class TagsContent:
    """A page of the list of all tags; tags: on the first page, how many there are in all."""

    tree: Tree
    tags: int
    pages: tuple[Page, ...] = ()


@dataclass(frozen=True, slots=True)
class TagContent:
    """A page of one tag. trail: the tags above it. notes: those that have it or a tag below it.

    On the first page alone: the tags right below it, how many of these are left out, and the number
    of notes on all pages.
    """

    name: str
    all_url: str
    trail: tuple[Tag, ...]
    below: tuple[Branch, ...]
    more_below: int
    notes: tuple[NoteRow, ...]
    count: int
    pages: tuple[Page, ...] = ()


@dataclass(slots=True)
class _Node:
    """A tag: how its last level is written, by how often, and its notes."""

    spellings: Counter[str] = field(default_factory=Counter)
    notes: dict[str, PageFacts] = field(default_factory=dict)
    below: list[tuple[str, ...]] = field(default_factory=list)

    @property
    def name(self) -> str:
        return min(self.spellings, key=lambda spelling: (-self.spellings[spelling], spelling))


class TagLists:
    """The tags of a site. Tags that differ in case or in white space only are one tag."""

    def __init__(self, notes: Sequence[PageFacts], room: str, language: str) -> None:
        self._room = room
        self._language = language
        self._nodes: dict[tuple[str, ...], _Node] = {}
        for facts in notes:
            for tag in facts.tags:
                self._add(facts, tag)
        for key in sorted(self._nodes):
            if len(key) > 1:
                self._nodes[key[:-1]].below.append(key)

    def __bool__(self) -> bool:
        return bool(self._nodes)

    def urls(self) -> dict[str, str]:
        """The address of each tag's page, by the tag as a note writes it."""
        written = {
            tag for node in self._nodes.values() for n in node.notes.values() for tag in n.tags
        }
        return {tag: self._url(key) for tag in sorted(written) if (key := _key(tag))}

    def pages(self) -> Iterator[GeneratedPage]:
        """All pages, none if there is no tag."""
        if self._nodes:
            yield from self._list()
        for key, node in self._nodes.items():
            yield from self._tag(key, node)

    def _add(self, facts: PageFacts, tag: str) -> None:
        names, key = _levels(tag), _key(tag)
        for depth in range(1, len(key) + 1):
            node = self._nodes.setdefault(key[:depth], _Node())
            if facts.url not in node.notes:
                node.spellings[names[depth - 1]] += 1
            node.notes[facts.url] = facts

    def _list(self) -> Iterator[GeneratedPage]:
        keys = sorted(self._nodes)
        title = list_title("tags", self._language)
        for page, url, links in numbered(cut(keys, ["/".join(key) for key in keys]), self._room):
            content = TagsContent(self._tree(page), on_first(links, len(keys), 0), links)
            yield GeneratedPage(url, title, TAGS_TEMPLATE, content)

    def _tree(self, keys: Iterable[tuple[str, ...]]) -> Tree:
        return tree(
            [
                (len(key) - 1, self._nodes[key].name, self._url(key), len(self._nodes[key].notes))
                for key in keys
            ]
        )

    def _tag(self, key: tuple[str, ...], node: _Node) -> Iterator[GeneratedPage]:
        notes = newest_first(node.notes.values())
        trail = tuple(self._named(key[:depth]) for depth in range(1, len(key)))
        below = self._tree(node.below[:BRANCHES]).branches
        full = "/".join(self._nodes[key[:depth]].name for depth in range(1, len(key) + 1))
        for page, url, links in numbered(cut(notes, [n.doc_id for n in notes]), self._url(key)):
            content = TagContent(
                name=node.name,
                all_url=self._room,
                trail=trail,
                below=on_first(links, below, ()),
                more_below=on_first(links, len(node.below) - len(below), 0),
                notes=tuple(note_row(facts, self._language) for facts in page),
                count=on_first(links, len(notes), 0),
                pages=links,
            )
            yield GeneratedPage(url, f"#{full}", TAG_TEMPLATE, content)

    def _named(self, key: tuple[str, ...]) -> Tag:
        return Tag(self._nodes[key].name, self._url(key))

    def _url(self, key: Sequence[str]) -> str:
        return address(self._room, key)


def tag_lists(settings: SiteSettings, notes: Sequence[PageFacts], room: str) -> TagLists:
    """The tags of a site; room: the address below which their pages stand."""
    return TagLists(notes, room, settings.language)


def _levels(tag: str) -> list[str]:
    parts = [part.strip() for part in tag.split("/") if part.strip()]
    return [*parts[: DEEPEST - 1], *filter(None, ["/".join(parts[DEEPEST - 1 :])])]


def _key(tag: str) -> tuple[str, ...]:
    return tuple(level(part) for part in _levels(tag))
