"""Small revisions made of real objects, and their tools."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

from virtual_time import EPOCH

from bridge_reader.passages import PassageCutter
from bridge_reader.revision import ChainLink
from bridge_reader.tools.result import Passage, ToolResult
from bridge_reader.tools.spec import ToolSpec
from manifest.canonical import text_sha256
from manifest.errors import ErrorCode, NoteBridgeError
from manifest.objects import (
    BranchRow,
    Doc,
    Index,
    Leaf,
    LeafDocument,
    PublishedObject,
    Root,
    TocSection,
    reference_to,
    write_object,
)
from manifest.references import Kind

SITE = "https://notes.example/"
NOTES = {
    "cooking/tea": (
        "# Tea\n\nWater for green tea has eighty degrees.\n\n"
        "## Black tea\n\nBlack tea needs **water that boils** and three minutes.\n"
    ),
    "os/死锁": (
        "# 死锁\n\n死锁是指两个进程互相等待对方持有的资源。\n\n## 预防\n\n按照固定的顺序申请锁。\n"
    ),
}


class SmallSite:
    """One revision of a site, made of real objects."""

    def __init__(self, notes: Mapping[str, str]) -> None:
        self.bodies: dict[str, bytes] = {}
        self.docs = {doc_id: _doc(doc_id, text) for doc_id, text in sorted(notes.items())}
        rows = [self._row(doc) for doc in self.docs.values()]
        leaf = self._put(Leaf(prefix="", docs=rows))
        self.chain_to_docs = [leaf.sha256]
        row = BranchRow("", len(rows), leaf.sha256, leaf.size)
        index = self._put(Index(prefix="", leaves=[row]))
        # Of the root, evidence needs the tree alone.
        parts = dict.fromkeys(("overview", "delta", "graph", "clusters"), index)
        root = self._put(Root(schema="1.0", docs=len(rows), tree=index, segments=[], **parts))
        self.revision: str = root.sha256
        self._chain = [(Kind.ROOT, root), (Kind.INDEX, index), (Kind.LEAF, leaf)]
        self._cutter = PassageCutter(self.revision, SITE, lambda: EPOCH)

    def _put(self, value: PublishedObject) -> Any:
        body = write_object(value)
        reference = reference_to(body)
        self.bodies[reference.sha256] = body
        return reference

    def _row(self, doc: Doc) -> LeafDocument:
        reference = self._put(doc)
        return LeafDocument(
            id=doc.id,
            title=doc.title,
            path=f"{doc.id}.md",
            url=doc.url,
            language="en",
            doc=reference,
            toc=reference,
            sections=len(doc.sections),
            chars=len(doc.text),
        )

    def passages(self, doc_id: str) -> list[Passage]:
        doc = self.docs[doc_id]
        sha256 = reference_to(write_object(doc)).sha256
        numbers = range(len(doc.sections))
        return [found for n in numbers for found in self._cutter.section(doc, sha256, n)]

    def find(self, words: str) -> list[Passage]:
        found = (passage for doc_id in self.docs for passage in self.passages(doc_id))
        return [passage for passage in found if words in passage.text]

    def chain(self, doc_id: str) -> list[ChainLink]:
        steps = [*self._chain, (Kind.DOC, reference_to(write_object(self.docs[doc_id])))]
        return [ChainLink(kind, link.sha256, self.bodies[link.sha256]) for kind, link in steps]


def _doc(doc_id: str, text: str) -> Doc:
    starts = [match.start() for match in re.finditer(r"^#", text, re.M)]
    sections: list[TocSection] = []
    path: list[str] = []
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        marks, title = text[start:end].partition("\n")[0].split(" ", 1)
        path = [*path[: len(marks) - 1], title]
        anchor = title.lower().replace(" ", "-")
        slice_ = text[start:end]
        sections.append(
            TocSection(
                id=anchor,
                anchor=anchor,
                level=len(marks),
                title=title,
                path=list(path),
                start=start,
                end=end,
                sha256=text_sha256(slice_),
                tokens=len(slice_),
            )
        )
    return Doc(
        id=doc_id,
        title=sections[0].title,
        language="en",
        url=f"{doc_id}/",
        text=text,
        sections=sections,
    )


TOOLS = {name: f"The tool {name}." for name in ("search_documents", "get_document", "break_down")}


class ScriptedReading:
    """A revision with tools. meanwhile: what happens while a tool runs."""

    def __init__(self, site: SmallSite) -> None:
        self.site = site
        self.calls: list[tuple[str, Mapping[str, object]]] = []
        self.meanwhile: Callable[[str, Mapping[str, object]], Awaitable[None]] | None = None
        self.chain_fault: Exception | None = None
        self.chain_waits = False
        self.chain_asked = asyncio.Event()

    @property
    def revision(self) -> str:
        return self.site.revision

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        return tuple(ToolSpec(name, text, {"type": "object"}) for name, text in TOOLS.items())

    async def call(self, name: str, arguments: Mapping[str, object]) -> ToolResult:
        self.calls.append((name, arguments))
        if self.meanwhile is not None:
            await self.meanwhile(name, arguments)
        if name == "break_down":
            raise RuntimeError("a secret that must not be told")
        if name == "search_documents":
            found = self.site.find(str(arguments["query"]))
            legs = [{"leg": "lexical", "ran": True}]
            return ToolResult(("Found:", *found), {"legs": legs})  # type: ignore[dict-item]
        if name != "get_document":
            raise NoteBridgeError(ErrorCode.INVALID_ARGUMENT, f"There is no tool {name!r}.")
        doc_id = str(arguments.get("docId"))
        if doc_id not in self.site.docs:
            raise NoteBridgeError(ErrorCode.DOC_NOT_FOUND, f"There is no document {doc_id}.")
        return ToolResult(tuple(self.site.passages(doc_id)))

    async def chain(self, doc_id: str) -> Sequence[ChainLink]:
        self.chain_asked.set()
        if self.chain_waits:
            await asyncio.Event().wait()
        if self.chain_fault is not None:
            raise self.chain_fault
        return self.site.chain(doc_id)
