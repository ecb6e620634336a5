"""The tool `get_related_documents`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bridge_reader.search.search_base import IndexedDocument
from bridge_reader.tools.arguments import Arguments
from bridge_reader.tools.library import Library
from bridge_reader.tools.result import ToolResult
from bridge_reader.tools.spec import Tool, ToolSpec
from manifest.canonical import Json
from manifest.objects import LeafDocument

RELATED = 8

SPEC = ToolSpec(
    "get_related_documents",
    "Names the documents that are most like a document, best first.",
    {
        "type": "object",
        "properties": {"docId": {"type": "string", "description": "The document's id."}},
        "required": ["docId"],
        "additionalProperties": False,
    },
)


@dataclass(frozen=True, slots=True)
class _Related:
    doc_id: str
    title: str
    likeness: int
    """From 1 to 1000; 0 where it was not measured."""


def get_related_documents(library: Library) -> Tool:
    """The tool over one revision."""

    async def run(given: Mapping[str, object]) -> ToolResult:
        doc_id = Arguments(given, ("docId",)).required("docId")
        row = await library.document(doc_id)
        base = await library.searcher.base()
        indexed = await base.indexed(row)
        if indexed is None or indexed.newer:
            # Newer than the index: its likeness to others was not measured yet.
            return _result(row, await _by_title(library, row), "search")
        found = {like.ordinal: like.score for like in indexed.related}
        documents = await base.documents(found, RELATED)
        return _result(row, _measured(doc_id, documents, found), "index")

    return Tool(SPEC, run)


def _measured(
    doc_id: str, documents: Mapping[int, IndexedDocument], found: Mapping[int, int]
) -> list[_Related]:
    """The present documents that were found alike, each once."""
    related: dict[str, _Related] = {}
    for ordinal, score in found.items():
        document = documents.get(ordinal)
        if document is not None and document.id != doc_id:
            related.setdefault(document.id, _Related(document.id, document.title, score))
    return list(related.values())


async def _by_title(library: Library, row: LeafDocument) -> list[_Related]:
    """What a search for its title and aliases finds beside it."""
    report = await library.searcher.search(" ".join([row.title, *row.aliases]), limit=RELATED + 1)
    others = [hit for hit in report.hits if hit.doc_id != row.id]
    return [_Related(hit.doc_id, hit.title, 0) for hit in others[:RELATED]]


def _result(row: LeafDocument, related: list[_Related], source: str) -> ToolResult:
    if related:
        how = " (found by its title)" if source == "search" else ""
        lines = [f"Most like {row.title} (docId: {row.id}){how}:"]
        lines += [f"- {each.title} (docId: {each.doc_id})" for each in related]
    else:
        lines = [f"No document is like {row.title} (docId: {row.id})."]
    details: dict[str, Json] = {
        "docId": row.id,
        "title": row.title,
        "source": source,
        "related": [
            {"docId": each.doc_id, "title": each.title, "likeness": each.likeness}
            for each in related
        ],
    }
    return ToolResult(("\n".join(lines),), details)
