"""MkDocs' navigation as the nested lists of a `nav:` setting, whoever made it."""

from __future__ import annotations

from typing import Any

from mkdocs.structure.nav import Navigation


def navigation_lists(nav: Navigation) -> list[object]:
    """Source paths and sections, in order; links elsewhere are left out."""
    return _lists(nav.items)


def _lists(items: list[Any]) -> list[object]:
    found: list[object] = []
    for item in items:
        if item.is_section:
            found.append({str(item.title): _lists(item.children)})
        elif item.is_page:
            found.append(item.file.src_uri)
    return found
