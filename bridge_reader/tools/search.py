"""The tool `search_documents`."""

from __future__ import annotations

from collections.abc import Mapping

from bridge_reader.passages import Passage
from bridge_reader.search.filters import Filters
from bridge_reader.search.report import Hit, SearchReport
from bridge_reader.search.searcher import HITS_LIMIT
from bridge_reader.tools.arguments import Arguments
from bridge_reader.tools.library import Library
from bridge_reader.tools.result import ToolResult
from bridge_reader.tools.spec import Tool, ToolSpec
from manifest.canonical import Json

DEFAULT_LIMIT = 5

SPEC = ToolSpec(
    "search_documents",
    "Searches the notes and returns the best documents with the passages that answer best. Ask "
    "with the words the notes would use, in their language. The filters narrow the search.",
    {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "A question or key words."},
            "limit": {
                "type": "integer",
                "minimum": 1,
                "maximum": HITS_LIMIT,
                "description": f"Documents to return; {DEFAULT_LIMIT} if left out.",
            },
            "docId": {"type": "string", "description": "Search within this document only."},
            "folder": {
                "type": "string",
                "description": "Only documents below this path, such as `guides/setup`.",
            },
            "tag": {"type": "string", "description": "Only documents with this tag."},
            "language": {"type": "string", "description": "Only documents in it, such as `zh`."},
            "since": {"type": "string", "description": "Only notes dated YYYY-MM-DD or later."},
            "until": {"type": "string", "description": "Only notes dated YYYY-MM-DD or earlier."},
        },
        "required": ["query"],
        "additionalProperties": False,
    },
)

_NAMES = ("query", "limit", "docId", "folder", "tag", "language", "since", "until")


def search_documents(library: Library) -> Tool:
    """The tool over one revision."""

    async def run(given: Mapping[str, object]) -> ToolResult:
        arguments = Arguments(given, _NAMES)
        query = arguments.required("query")
        limit = arguments.number("limit", default=DEFAULT_LIMIT, least=1, most=HITS_LIMIT)
        filters = Filters(
            language=arguments.line("language"),
            folder=arguments.line("folder").strip("/"),
            tag=arguments.line("tag").lstrip("#").strip("/").lower(),
            doc_id=arguments.text("docId"),
            since=arguments.day("since"),
            until=arguments.day("until"),
        )
        if filters.doc_id:
            await library.document(filters.doc_id)
        report = await library.searcher.search(query, filters, limit)
        return ToolResult(tuple(_parts(report)), _details(query, report))

    return Tool(SPEC, run)


def _parts(report: SearchReport) -> list[str | Passage]:
    parts: list[str | Passage] = [_summary(report)]
    for number, hit in enumerate(report.hits, 1):
        section = f", section: {hit.section.id}" if hit.section else ""
        parts.append(f"{number}. {hit.title} (docId: {hit.doc_id}{section})")
        parts.extend(hit.passages)
    parts.extend(f"The text of {doc_id} could not be read: {why}" for doc_id, why in report.unread)
    return parts


def _summary(report: SearchReport) -> str:
    lines: list[str] = []
    if report.degraded:
        lines.append(f"The search index could not be used. {report.degraded}")
    lines.extend(
        f"No note has {correction.typed!r}; {correction.used!r} was searched for instead."
        for correction in report.corrections
    )
    if report.hits:
        best = len(report.hits)
        lines.append(f"Documents that match: {report.matched}. The best {best}:")
    elif report.terms_used:
        where = "title" if report.degraded else "document"
        lines.append(f"No {where} has any of: {', '.join(report.terms_used)}.")
    else:
        lines.append("The query has no words to search for.")
    return "\n".join(lines)


def _details(query: str, report: SearchReport) -> dict[str, Json]:
    return {
        "query": query,
        "matched": report.matched,
        "hits": [_hit(hit) for hit in report.hits],
        "terms": list(report.terms_used),
        "legs": [
            {"leg": leg.leg, "ran": leg.ran, **({"reason": leg.reason} if leg.reason else {})}
            for leg in report.legs
        ],
        "degraded": report.degraded,
        "corrections": [{"typed": each.typed, "used": each.used} for each in report.corrections],
        "unread": [{"docId": doc_id, "reason": why} for doc_id, why in report.unread],
    }


def _hit(hit: Hit) -> Json:
    return {
        "docId": hit.doc_id,
        "title": hit.title,
        "language": hit.language,
        "score": hit.score,
        "section": hit.section.id if hit.section else "",
        "headingPath": list(hit.section.path) if hit.section else [],
        "passages": len(hit.passages),
    }
