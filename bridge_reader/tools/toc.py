"""The tool `get_toc`."""

from __future__ import annotations

from collections.abc import Mapping

from bridge_reader.site_address import page_url
from bridge_reader.tools.arguments import Arguments
from bridge_reader.tools.library import Library
from bridge_reader.tools.result import ToolResult
from bridge_reader.tools.spec import Tool, ToolSpec
from manifest.objects import LeafDocument, Toc, TocSection

LINES = 300
"""Sections listed as text; the details list all."""

SPEC = ToolSpec(
    "get_toc",
    "Lists the sections of a document: their ids, titles and lengths. Use it to read only the "
    "sections you need.",
    {
        "type": "object",
        "properties": {"docId": {"type": "string", "description": "The document's id."}},
        "required": ["docId"],
        "additionalProperties": False,
    },
)


def get_toc(library: Library) -> Tool:
    """The tool over one revision."""

    async def run(given: Mapping[str, object]) -> ToolResult:
        doc_id = Arguments(given, ("docId",)).required("docId")
        row = await library.document(doc_id)
        toc = await library.revision.toc(doc_id)
        return ToolResult(
            (_text(row, toc),),
            {
                "docId": toc.id,
                "title": toc.title,
                "language": toc.language,
                "url": page_url(library.cutter.site_url, toc.url),
                "chars": row.chars,
                "tags": list(row.tags),
                "sections": [
                    {
                        "id": section.id,
                        "anchor": section.anchor,
                        "level": section.level,
                        "title": section.title,
                        "start": section.start,
                        "end": section.end,
                        "tokens": section.tokens,
                    }
                    for section in toc.sections
                ],
            },
        )

    return Tool(SPEC, run)


def _text(row: LeafDocument, toc: Toc) -> str:
    tags = f", tags: {', '.join(row.tags)}" if row.tags else ""
    dated = f", {row.updated or row.date}" if row.updated or row.date else ""
    head = (
        f"{toc.title} (docId: {toc.id}), {row.chars} characters, {len(toc.sections)} sections, "
        f"language {toc.language}{dated}{tags}"
    )
    lines = [head, *(_line(section) for section in toc.sections[:LINES])]
    if len(toc.sections) > LINES:
        place = toc.sections[LINES].start
        lines.append(
            f"({len(toc.sections) - LINES} more sections, from offset {place} of get_document)"
        )
    return "\n".join(lines)


def _line(section: TocSection) -> str:
    title = section.title or "(before the first heading)"
    indent = "  " * max(0, section.level - 1)
    return f"{indent}- {title} [section: {section.id}, ~{section.tokens} tokens]"
