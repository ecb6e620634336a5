"""MkDocs' navigation as the nested lists of a `nav:` setting, whoever made it."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

from mkdocs.structure.nav import Navigation


def navigation_lists(nav: Navigation, known: Container[str]) -> list[object]:
    """Source paths and sections, in order. Links elsewhere and pages of plugins, which are not
    among the known paths, are left out, and sections that hold nothing else."""
    return _lists(nav.items, known)


def _lists(items: list[Any], known: Container[str]) -> list[object]:
    found: list[object] = []
    for item in items:
        if item.is_section:
            below = _lists(item.children, known)
            if below:
                found.append({str(item.title): below})
        elif item.is_page and item.file.src_uri in known:
            found.append(item.file.src_uri)
    return found
