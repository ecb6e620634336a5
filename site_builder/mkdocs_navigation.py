"""MkDocs' navigation as categories, and the titles it gives pages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from mkdocs.structure.nav import Navigation

from site_builder.categories import CategoryNode, CategoryTree
from site_builder.notebook import Notebook


def navigation_titles(nav: Any) -> Iterator[tuple[str, str]]:
    """The (path, title) pairs of a `nav:` setting, at any depth."""
    if isinstance(nav, list):
        for item in nav:
            yield from navigation_titles(item)
    elif isinstance(nav, dict):
        for title, value in nav.items():
            if isinstance(value, str):
                yield value, str(title)
            else:
                yield from navigation_titles(value)


def navigation_tree(nav: Navigation, notebook: Notebook) -> CategoryTree:
    """The navigation as categories; documents it does not name follow at the top."""
    root = CategoryNode(notebook.settings.facts.title)
    placed: set[str] = set()
    _fill(root, nav.items, notebook, placed)
    every = {found.doc.id for found in notebook.documents()}
    root.documents.extend(sorted(every - placed))
    return CategoryTree("navigation", root)


def _fill(node: CategoryNode, items: list[Any], notebook: Notebook, placed: set[str]) -> None:
    for item in items:
        if item.is_section:
            child = CategoryNode(str(item.title))
            _fill(child, item.children, notebook, placed)
            node.children.append(child)
        elif item.is_page:
            entry = notebook.entries.get(item.file.src_uri)
            doc_id = entry.identity.doc_id if entry and entry.document else ""
            if doc_id and doc_id not in placed:
                node.documents.append(doc_id)
                placed.add(doc_id)
