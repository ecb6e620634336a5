"""The tool `get_knowledge_overview`."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bridge_reader.site_address import page_url
from bridge_reader.tools.arguments import Arguments, invalid
from bridge_reader.tools.library import Library
from bridge_reader.tools.result import ToolResult
from bridge_reader.tools.spec import Tool, ToolSpec
from manifest.canonical import Json
from manifest.manifest_file import Manifest
from manifest.objects import CategoryDocument, CategoryRow, Overview

PAGE = 100
"""Documents on one page; a site with no more has a single page."""

CATEGORIES = 200
"""Categories on the first page; the deepest are left out first."""

SPEC = ToolSpec(
    "get_knowledge_overview",
    "Shows what the notes are about: page 1 is the category tree with counts, the pages behind it "
    "list the documents of each category with their ids.",
    {
        "type": "object",
        "properties": {"page": {"type": "integer", "minimum": 1, "description": "1 if left out."}},
        "additionalProperties": False,
    },
)


def get_knowledge_overview(library: Library) -> Tool:
    """The tool over one revision."""

    async def run(given: Mapping[str, object]) -> ToolResult:
        page = Arguments(given, ("page",)).number("page", default=1, least=1, most=10**6)
        overview = await library.revision.overview()
        shelf = _Shelf(overview.categories, len(overview.pages))
        pages = 1 if shelf.documents <= PAGE else 1 + -(-shelf.documents // PAGE)
        if page > pages:
            raise invalid(f"There is no page {page}.", hint=f"There are {pages} pages.")
        listed: list[CategoryDocument] = []
        if pages == 1 or page > 1:
            start = (page - 2) * PAGE if page > 1 else 0
            listed = await _documents(library, shelf, start)
        details: dict[str, Json] = {
            "page": page,
            "pages": pages,
            "title": library.revision.manifest.title,
            "revision": library.revision.revision,
            "documents": overview.docs,
            "categories": [_category(row) for row in overview.categories] if page == 1 else [],
            "listed": [
                {
                    "docId": row.id,
                    "title": row.title,
                    "url": page_url(library.cutter.site_url, row.url),
                    "category": row.category,
                }
                for row in listed
            ],
        }
        head = _head(library, overview, page, pages)
        tree = _tree(overview.categories) if page == 1 else []
        return ToolResult(("\n".join([*head, *tree, *_list(shelf, listed)]),), details)

    return Tool(SPEC, run)


@dataclass(frozen=True, slots=True)
class _Shelf:
    """The categories, each with the documents that stand in it and not below it, one after the
    other as the pages list them."""

    categories: Sequence[CategoryRow]
    pages: int

    @property
    def spans(self) -> dict[int, range]:
        """By category, the pages that list its documents: up to where the next one's begin."""
        starts = [row.page for row in self.categories]
        ends = [*starts[1:], self.pages - 1]
        return {
            row.id: range(row.page, min(max(end, row.page) + 1, self.pages))
            for row, end in zip(self.categories, ends, strict=True)
        }

    @property
    def own_counts(self) -> dict[int, int]:
        counts = {row.id: row.documents for row in self.categories}
        for row in self.categories:
            if row.parent in counts:
                counts[row.parent] -= row.documents
        return counts

    @property
    def documents(self) -> int:
        return sum(max(0, count) for count in self.own_counts.values())

    def between(self, start: int, stop: int) -> list[tuple[CategoryRow, int, int]]:
        """The categories whose documents stand there, with which of them, from and up to."""
        counts = self.own_counts
        found: list[tuple[CategoryRow, int, int]] = []
        place = 0
        for row in self.categories:
            count = max(0, counts[row.id])
            if place < stop and place + count > start:
                found.append((row, max(0, start - place), min(count, stop - place)))
            place += count
        return found

    def path(self, category: int) -> str:
        """The titles on the way to a category; that of the whole is left out."""
        rows = {row.id: row for row in self.categories}
        titles: list[str] = []
        while category in rows and rows[category].parent >= 0 and len(titles) < len(rows):
            titles.append(rows[category].title)
            category = rows[category].parent
        return " > ".join(reversed(titles)) or "(in no category)"


async def _documents(library: Library, shelf: _Shelf, start: int) -> list[CategoryDocument]:
    places = shelf.between(start, start + PAGE)
    spans = shelf.spans
    numbers = sorted({number for row, _, _ in places for number in spans[row.id]})
    pages = dict(
        zip(
            numbers,
            await asyncio.gather(*map(library.revision.category_page, numbers)),
            strict=True,
        )
    )
    found: list[CategoryDocument] = []
    for row, first, last in places:
        own = [
            document
            for number in spans[row.id]
            for document in pages[number].rows
            if document.category == row.id
        ]
        found.extend(own[first:last])
    return found


def _head(library: Library, overview: Overview, page: int, pages: int) -> list[str]:
    manifest = library.revision.manifest
    lines = [
        f"{manifest.title}: {overview.docs} documents, language {manifest.language}"
        + _release(manifest, library.revision.revision),
    ]
    if manifest.license and page == 1:
        lines.append(f"License: {manifest.license}")
    if pages > 1:
        what = "categories; documents follow on the next pages" if page == 1 else "documents"
        lines.append(f"Page {page} of {pages}: {what}.")
    return lines


def _release(manifest: Manifest, revision: str) -> str:
    if manifest.revision != revision or not manifest.sequence:
        return f", revision {revision[:12]}"
    dated = f" of {manifest.publishedAt[:10]}" if manifest.publishedAt else ""
    return f", revision {revision[:12]}, release {manifest.sequence}{dated}"


def _tree(categories: Sequence[CategoryRow]) -> list[str]:
    depths: dict[int, int] = {}
    for row in categories:
        depths[row.id] = depths.get(row.parent, -1) + 1
    shown = max(depths.values(), default=0)
    while shown > 1 and sum(depth <= shown for depth in depths.values()) > CATEGORIES:
        shown -= 1
    lines = [
        f"{'  ' * (depths[row.id] - 1)}- {row.title} ({row.documents})"
        for row in categories
        if 0 < depths[row.id] <= shown
    ]
    left_out = sum(depth > shown for depth in depths.values()) + max(0, len(lines) - CATEGORIES)
    if left_out:
        lines = [*lines[:CATEGORIES], f"({left_out} more categories)"]
    return lines


def _list(shelf: _Shelf, listed: Sequence[CategoryDocument]) -> list[str]:
    lines: list[str] = []
    category = -1
    for row in listed:
        if row.category != category:
            category = row.category
            lines.append(f"{shelf.path(category)}:")
        lines.append(f"- {row.title} (docId: {row.id})")
    return lines


def _category(row: CategoryRow) -> Json:
    return {
        "id": row.id,
        "parent": row.parent,
        "title": row.title,
        "documents": row.documents,
        "docId": row.doc_id,
    }
