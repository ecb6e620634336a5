"""The tool `get_document`."""

from __future__ import annotations

import difflib
from collections.abc import Mapping

from bridge_reader.passages import Passage
from bridge_reader.tools.arguments import Arguments
from bridge_reader.tools.library import Library
from bridge_reader.tools.result import ToolResult
from bridge_reader.tools.spec import Tool, ToolSpec
from manifest.canonical import Json
from manifest.errors import ErrorCode, NoteBridgeError
from manifest.objects import Doc

DEFAULT_LIMIT = 6000
MOST = 20_000
"""Code points of one answer."""

SPEC = ToolSpec(
    "get_document",
    "Reads the text of a document, or of one section with all below it, as passages that can be "
    "cited. Long texts come in parts: go on from the offset that the answer names.",
    {
        "type": "object",
        "properties": {
            "docId": {"type": "string", "description": "The document's id."},
            "section": {
                "type": "string",
                "description": "The id of a section, from get_toc or a search; left out: all.",
            },
            "offset": {
                "type": "integer",
                "minimum": 0,
                "description": "Characters of the document to skip.",
            },
            "limit": {
                "type": "integer",
                "minimum": 1,
                "maximum": MOST,
                "description": f"Characters to return, about; {DEFAULT_LIMIT} if left out.",
            },
        },
        "required": ["docId"],
        "additionalProperties": False,
    },
)


def get_document(library: Library) -> Tool:
    """The tool over one revision."""

    async def run(given: Mapping[str, object]) -> ToolResult:
        arguments = Arguments(given, ("docId", "section", "offset", "limit"))
        doc_id = arguments.required("docId")
        offset = arguments.number("offset", default=0, least=0, most=2**31)
        limit = arguments.number("limit", default=DEFAULT_LIMIT, least=1, most=MOST)
        reference = await library.reference(doc_id)
        doc = await library.revision.doc_at(doc_id, reference)
        numbers = _numbers(doc, arguments.text("section"))
        start = max(offset, doc.sections[numbers.start].start if numbers else 0)
        chosen: list[Passage] = []
        length = 0
        for number in numbers:
            if doc.sections[number].end <= start:
                continue
            for passage in library.cutter.section(doc, reference.sha256, number):
                if passage.end > start and (not chosen or length + len(passage.text) <= limit):
                    chosen.append(passage)
                    length += len(passage.text)
                elif chosen:
                    return _result(doc, numbers, chosen, passage.start)
        return _result(doc, numbers, chosen, -1)

    return Tool(SPEC, run)


def _numbers(doc: Doc, section_id: str) -> range:
    """The sections to read: all, or one with all below it.

    Raises `NoteBridgeError` (SECTION_NOT_FOUND) with ids that may have been meant.
    """
    if not section_id:
        return range(len(doc.sections))
    for number, section in enumerate(doc.sections):
        if section.id == section_id:
            end = number + 1
            while end < len(doc.sections) and 0 < section.level < doc.sections[end].level:
                end += 1
            return range(number, end)
    near = _near(doc, section_id)
    raise NoteBridgeError(
        ErrorCode.SECTION_NOT_FOUND,
        f"{doc.id[:200]!r} has no section {section_id[:200]!r}.",
        hint=f"Perhaps: {', '.join(near)}." if near else "get_toc lists the sections.",
        details={"docId": doc.id, "section": section_id[:200], "near": near},
    )


def _near(doc: Doc, section_id: str) -> list[str]:
    wanted = section_id.lower().lstrip("#").strip()
    by_title = [section.id for section in doc.sections if section.title.lower() == wanted]
    ids = [section.id for section in doc.sections[:1000]]
    return list(dict.fromkeys([*by_title, *difflib.get_close_matches(wanted, ids, n=3)]))[:3]


def _result(doc: Doc, numbers: range, chosen: list[Passage], following: int) -> ToolResult:
    """following: where the next part begins; -1 if this was the last."""
    head = f"{doc.title} (docId: {doc.id})"
    if not chosen:
        parts: tuple[str | Passage, ...] = (f"{head}: there is no text from there on.",)
        return ToolResult(parts, _details(doc, numbers, 0, 0, following))
    start, end = chosen[0].start, chosen[-1].end
    more = f" Go on with offset {following}." if following >= 0 else " This is the end."
    intro = f"{head}, characters {start} to {end} of {len(doc.text)}.{more}"
    return ToolResult((intro, *chosen), _details(doc, numbers, start, end, following))


def _details(doc: Doc, numbers: range, start: int, end: int, following: int) -> dict[str, Json]:
    last = doc.sections[numbers[-1]].end if numbers else 0
    return {
        "docId": doc.id,
        "title": doc.title,
        "language": doc.language,
        "chars": len(doc.text),
        "start": start,
        "end": end,
        "sectionEnd": last,
        "more": following >= 0,
        "nextOffset": max(following, 0),
    }
