"""The tool `get_knowledge_network`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bridge_reader.search.search_base import IndexedDocument, SearchBase
from bridge_reader.search.texts import UNREADABLE
from bridge_reader.tools.arguments import Arguments, invalid
from bridge_reader.tools.library import Library
from bridge_reader.tools.result import ToolResult
from bridge_reader.tools.spec import Tool, ToolSpec
from manifest.canonical import Json
from manifest.errors import ErrorCode, NoteBridgeError
from manifest.objects import Doc, DocLink

CLUSTERS = 40
LINKING_DOCUMENTS = 40
"""Clusters on page 1, and documents with their links on each page behind it."""

SHOWN_LINKS = 50
"""Links of one document in each direction; the details list all that were read."""

ROW_PAGES = 24
"""Pages of document rows that one answer may read to name documents."""

SPEC = ToolSpec(
    "get_knowledge_network",
    "Shows how notes are linked. With docId: what the document links to, and what links to it. "
    "Without: page 1 shows the clusters of notes that belong together, the pages behind it all "
    "links.",
    {
        "type": "object",
        "properties": {
            "docId": {"type": "string", "description": "The document in the middle."},
            "page": {
                "type": "integer",
                "minimum": 1,
                "description": "Of the whole network; 1 if left out.",
            },
        },
        "additionalProperties": False,
    },
)


def get_knowledge_network(library: Library) -> Tool:
    """The tool over one revision."""

    async def run(given: Mapping[str, object]) -> ToolResult:
        arguments = Arguments(given, ("docId", "page"))
        doc_id = arguments.text("docId")
        page = arguments.number("page", default=1, least=1, most=10**6)
        if doc_id and arguments.has("page"):
            raise invalid("docId and page cannot both be given.")
        if doc_id:
            return await _around(library, doc_id)
        return await _clusters(library) if page == 1 else await _links(library, page)

    return Tool(SPEC, run)


async def _around(library: Library, doc_id: str) -> ToolResult:
    row = await library.document(doc_id)
    doc = await library.revision.doc_at(doc_id, row.doc)
    outgoing = _outgoing(doc)
    lines = [f"{doc.title} (docId: {doc.id}) links to {len(outgoing)} documents:"]
    lines += [f"- {link.to}{_said(link)}" for link in outgoing[:SHOWN_LINKS]]
    missing = sum(link.kind == "missing" for link in doc.links)
    external = sum(link.kind == "external" for link in doc.links)
    if external or missing:
        lines.append(f"({external} links lead elsewhere, {missing} lead to no published note)")
    incoming: list[IndexedDocument] = []
    unknown = ""
    try:
        base = await library.searcher.base()
        ordinals = sorted(await base.ordinals(f"link:{doc_id}"))
        incoming = list((await base.documents(ordinals, ROW_PAGES)).values())
        lines.append(f"{len(ordinals)} documents link to it:")
        lines += [f"- {other.id} ({other.title})" for other in incoming[:SHOWN_LINKS]]
    except NoteBridgeError as error:
        if error.code not in UNREADABLE | {ErrorCode.SEARCH_UNAVAILABLE}:
            raise
        unknown = f"{error.code}: {error.message}"
        lines.append(f"What links to it cannot be said: {error.message}")
    details: dict[str, Json] = {
        "docId": doc.id,
        "title": doc.title,
        "outgoing": [
            {
                "docId": link.to,
                "kind": link.kind,
                "text": link.text or "",
                "anchor": link.anchor or "",
                "section": doc.sections[link.section].id
                if link.section < len(doc.sections)
                else "",
            }
            for link in outgoing
        ],
        "incoming": [{"docId": other.id, "title": other.title} for other in incoming],
        "external": external,
        "missing": missing,
        "incomingUnknown": unknown,
    }
    return ToolResult(("\n".join(lines),), details)


def _outgoing(doc: Doc) -> list[DocLink]:
    """Links to other documents, the first to each."""
    found: dict[str, DocLink] = {}
    for link in doc.links:
        if link.kind in ("doc", "embed") and link.to != doc.id:
            found.setdefault(link.to, link)
    return list(found.values())


def _said(link: DocLink) -> str:
    return f" (“{link.text}”)" if link.text and link.text != link.to else ""


async def _clusters(library: Library) -> ToolResult:
    clusters = (await library.revision.clusters()).clusters
    graph = await library.revision.graph()
    newer = len((await library.revision.delta()).docs)
    linked = bool(graph.pages or newer)
    lines = [f"{len(clusters)} clusters of notes that belong together:"]
    lines += [
        f"- {cluster.label} ({len(cluster.ordinals)} documents): {', '.join(cluster.terms)}"
        for cluster in clusters[:CLUSTERS]
    ]
    if len(clusters) > CLUSTERS:
        lines.append(f"({len(clusters) - CLUSTERS} smaller ones)")
    if linked:
        lines.append("Page 2 and those behind it list the links between documents.")
    if newer:
        lines.append(f"({newer} documents are newer than the clusters; ask for them by docId.)")
    details: dict[str, Json] = {
        "page": 1,
        "more": linked,
        "clusters": [
            {
                "id": cluster.id,
                "label": cluster.label,
                "terms": list(cluster.terms),
                "documents": len(cluster.ordinals),
            }
            for cluster in clusters
        ],
    }
    return ToolResult(("\n".join(lines),), details)


@dataclass(frozen=True, slots=True)
class _Linking:
    """A document that links to others. ordinal and targets: where the index has it, else -1;
    doc: where it is newer than the graph."""

    ordinal: int
    targets: tuple[int, ...] = ()
    doc: Doc | None = None


async def _links(library: Library, page: int) -> ToolResult:
    first = (page - 2) * LINKING_DOCUMENTS
    base = await library.searcher.base()
    rows = await _linking(library, base, first + LINKING_DOCUMENTS + 1)
    if first >= len(rows):
        last = 1 + -(-len(rows) // LINKING_DOCUMENTS)
        raise invalid(f"There is no page {page}.", hint=f"There are {last} pages.")
    shown = rows[first : first + LINKING_DOCUMENTS]
    names = await base.documents(_named(shown), ROW_PAGES)
    more = len(rows) > first + LINKING_DOCUMENTS
    listed = [found for row in shown if (found := _listed(row, names)) is not None]
    lines = [f"Links between documents, page {page}:", *map(_line, listed)]
    if more:
        lines.append(f"More on page {page + 1}.")
    details: dict[str, Json] = {
        "page": page,
        "more": more,
        "documents": [{"docId": each.doc_id, "links": list(each.links)} for each in listed],
    }
    return ToolResult(("\n".join(lines),), details)


async def _linking(library: Library, base: SearchBase, count: int) -> list[_Linking]:
    """The first `count` documents that link to others: those of the graph that are still so, then
    those that are newer."""
    rows: list[_Linking] = []
    for number in range(len((await library.revision.graph()).pages)):
        page = await library.revision.graph_page(number)
        rows += (
            _Linking(row.ordinal, tuple(row.targets))
            for row in page.rows
            if base.counts(row.ordinal)
        )
        if len(rows) >= count:
            return rows
    return [*rows, *(_Linking(-1, doc=doc) for doc in base.newer if _outgoing(doc))]


def _named(rows: Sequence[_Linking]) -> list[int]:
    """Ordinals to name: those that link first, since without them a row says nothing."""
    linking = [row.ordinal for row in rows if row.doc is None]
    return linking + [target for row in rows for target in row.targets]


@dataclass(frozen=True, slots=True)
class _Listed:
    """A document and what it links to; unnamed: how many more it links to."""

    doc_id: str
    links: tuple[str, ...]
    unnamed: int = 0


def _listed(row: _Linking, names: Mapping[int, IndexedDocument]) -> _Listed | None:
    if row.doc is not None:
        return _Listed(row.doc.id, tuple(link.to for link in _outgoing(row.doc)))
    if row.ordinal not in names:
        return None
    links = dict.fromkeys(names[target].id for target in row.targets if target in names)
    unnamed = sum(target not in names for target in row.targets)
    return _Listed(names[row.ordinal].id, tuple(links), unnamed)


def _line(listed: _Listed) -> str:
    more = [f"{listed.unnamed} more"] if listed.unnamed else []
    return f"- {listed.doc_id} -> {', '.join([*listed.links, *more])}"
