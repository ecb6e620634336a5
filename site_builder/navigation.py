"""A `nav:` setting as categories, and the titles it gives pages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from site_builder.categories import CategoryNode, CategoryTree

Resolve = Callable[[str], str | None]
"""The docId of a note by its source path; None where there is none."""


def navigation_titles(nav: object) -> Iterator[tuple[str, str]]:
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


def navigation_tree(
    nav: object, title: str, resolve: Resolve, all_ids: Iterable[str]
) -> CategoryTree:
    """The navigation as categories; documents it does not name follow at the top."""
    root = CategoryNode(title)
    placed: set[str] = set()
    _fill(root, nav, resolve, placed)
    root.documents.extend(sorted(set(all_ids) - placed))
    return CategoryTree("navigation", root)


def navigation_paths(nav: object) -> Iterator[str]:
    """The source paths that a `nav:` setting names, at any depth, in reading order."""
    if isinstance(nav, str):
        yield nav
    elif isinstance(nav, list):
        for item in nav:
            yield from navigation_paths(item)
    elif isinstance(nav, dict):
        for value in nav.values():
            yield from navigation_paths(value)


def _fill(node: CategoryNode, items: object, resolve: Resolve, placed: set[str]) -> None:
    for item in items if isinstance(items, list) else [items]:
        if isinstance(item, str):
            _place(node, item, resolve, placed)
        elif isinstance(item, dict):
            for title, value in item.items():
                if isinstance(value, str):
                    _place(node, value, resolve, placed)
                else:
                    child = CategoryNode(str(title))
                    _fill(child, value, resolve, placed)
                    node.children.append(child)


def _place(node: CategoryNode, path: str, resolve: Resolve, placed: set[str]) -> None:
    doc_id = resolve(path)
    if doc_id is not None and doc_id not in placed:
        node.documents.append(doc_id)
        placed.add(doc_id)
