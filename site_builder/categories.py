"""The category tree: from the navigation, else from SUMMARY.md, else from folders."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from manifest.canonical import encode_checked, text_sha256
from manifest.objects import Category, CategoryDocument, CategoryRow, Overview
from manifest.references import HashRow, Reference
from site_builder.object_sink import ObjectSink, put_object

CategorySource = Literal["navigation", "summary", "folders"]

PAGE_FLOOR = 4 * 1024
PAGE_CEILING = 16 * 1024
PAGE_BOUNDARY = 32
"""A page of at least 4 kB ends behind a document whose id's hash is 0 modulo this, and at 16 kB in
any case: cut by content, a note that comes or goes changes one page, whatever its category holds.
"""


@dataclass(slots=True)
class CategoryNode:
    """A category: its title, the note that stands for it (if any), its own documents in order, and
    the categories below it."""

    title: str
    doc_id: str = ""
    documents: list[str] = field(default_factory=list)
    children: list[CategoryNode] = field(default_factory=list)

    def paths(self) -> dict[str, tuple[CategoryNode, ...]]:
        """The categories from the top (left out) down to each document, by docId."""
        found: dict[str, tuple[CategoryNode, ...]] = dict.fromkeys(self.documents, ())
        for child in self.children:
            found |= {doc_id: (child, *path) for doc_id, path in child.paths().items()}
        return found

    def walk(self) -> Iterator[CategoryNode]:
        """This category and all below it, parents first."""
        yield self
        for child in self.children:
            yield from child.walk()


@dataclass(frozen=True, slots=True)
class CategoryTree:
    """The tree with where it came from."""

    source: CategorySource
    root: CategoryNode


@dataclass(frozen=True, slots=True)
class Listed:
    """What a category says of a document."""

    title: str
    url: str


def folder_tree(
    title: str, folders: Mapping[str, Sequence[str]], urls: Mapping[str, str] | None = None
) -> CategoryTree:
    """Categories by folder; folders: the folder names of each docId, outermost first.

    A note whose URL is a folder's own stands for that category.
    """
    own = {url: doc_id for doc_id, url in (urls or {}).items()}
    root = CategoryNode(title)
    known: dict[tuple[str, ...], CategoryNode] = {(): root}
    for doc_id in sorted(folders, key=lambda key: (tuple(folders[key]), key)):
        path = tuple(folders[doc_id])
        for depth in range(1, len(path) + 1):
            if path[:depth] not in known:
                folder_url = "".join(f"{part}/" for part in path[:depth])
                known[path[:depth]] = CategoryNode(path[depth - 1], own.get(folder_url, ""))
                known[path[: depth - 1]].children.append(known[path[:depth]])
        known[path].documents.append(doc_id)
    return CategoryTree("folders", root)


_ITEM = re.compile(r"^(?P<indent>[ \t]*)[-*+][ \t]+(?P<text>.+?)[ \t]*$")
_LINKED = re.compile(r"^\[(?P<title>.*)\]\((?P<target>[^()]*(?:\([^()]*\)[^()]*)*)\)$")


def summary_tree(
    title: str, summary: str, resolve: Callable[[str], str | None], all_ids: Iterable[str]
) -> CategoryTree:
    """Categories from the nested list of a SUMMARY.md; resolve gives the docId of a link's target.

    An item with items below it is a category, and if it is a link, its note stands for it and
    comes first in it. Documents that the list does not name follow at the top.
    """
    root = CategoryNode(title)
    open_items: list[tuple[int, CategoryNode]] = [(-1, root)]
    items = list(_items(summary))
    placed: set[str] = set()
    for number, (indent, text) in enumerate(items):
        while open_items[-1][0] >= indent:
            open_items.pop()
        parent = open_items[-1][1]
        linked = _LINKED.match(text)
        doc_id = resolve(linked["target"]) if linked else None
        if doc_id in placed:
            doc_id = None
        placed.add(doc_id or "")
        if number + 1 < len(items) and items[number + 1][0] > indent:
            node = CategoryNode(linked["title"] if linked else text, doc_id or "")
            node.documents.extend([doc_id] if doc_id else [])
            parent.children.append(node)
            open_items.append((indent, node))
        elif doc_id:
            parent.documents.append(doc_id)
    root.documents.extend(sorted(set(all_ids) - placed))
    return CategoryTree("summary", root)


def _items(summary: str) -> Iterator[tuple[int, str]]:
    for line in summary.splitlines():
        if match := _ITEM.match(line):
            yield len(match["indent"].expandtabs(4)), match["text"]


def publish_overview(
    tree: CategoryTree, listed: Mapping[str, Listed], sink: ObjectSink
) -> Reference:
    """Keeps the overview and its pages; listed: what to say of each docId."""
    nodes = list(tree.root.walk())
    identifiers = {id(node): number for number, node in enumerate(nodes)}
    parents = {id(child): identifiers[id(node)] for node in nodes for child in node.children}
    pages: list[list[CategoryDocument]] = [[]]
    page_of: list[int] = []
    size = 0
    full = False
    for number, node in enumerate(nodes):
        page_of.append(len(pages) - 1 + full)
        for doc_id in node.documents:
            if full:
                pages.append([])
                size = 0
            row = CategoryDocument(number, doc_id, listed[doc_id].title, listed[doc_id].url)
            pages[-1].append(row)
            size += len(encode_checked(list(row)))
            full = size >= PAGE_CEILING or (size >= PAGE_FLOOR and _ends_page(doc_id))
    references = [put_object(sink, Category(rows=rows)) for rows in pages]
    return put_object(
        sink,
        Overview(
            docs=len(listed),
            source=tree.source,
            categories=[
                CategoryRow(
                    number,
                    parents.get(id(node), -1),
                    # The site's name is the manifest's to state: renaming it is no new revision.
                    node.title if number else "",
                    sum(len(below.documents) for below in node.walk()),
                    min(page_of[number], len(pages) - 1),
                    node.doc_id,
                )
                for number, node in enumerate(nodes)
            ],
            pages=[HashRow(reference.sha256, reference.size) for reference in references],
        ),
    )


def _ends_page(doc_id: str) -> bool:
    return int(text_sha256(doc_id)[:8], 16) % PAGE_BOUNDARY == 0
