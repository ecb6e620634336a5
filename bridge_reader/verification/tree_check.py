"""Checking the document tree: its shape, and of each document that what is said of it is so."""

from __future__ import annotations

from dataclasses import dataclass

from bridge_reader.verification.inspection import Inspection, each
from manifest.canonical import text_sha256
from manifest.objects import BranchRow, Doc, Index, Leaf, LeafDocument, Root, Toc
from manifest.references import HashRow, Kind, Reference, object_path
from manifest.tree import IndexShape, tree_digits, tree_shape
from manifest.units import section_units


@dataclass(frozen=True, slots=True)
class CheckedDocument:
    """What the search base must agree with: the reference to `doc`, and how many units it has."""

    doc: Reference
    units: int


async def check_tree(
    inspection: Inspection, root: Root, reference: Reference
) -> dict[str, CheckedDocument]:
    """Reads and checks the whole tree; the documents found, by id."""
    walk = _TreeWalk(inspection, root.docs)
    await walk.index(root.tree, "", None)
    name = object_path(Kind.ROOT, reference.sha256)
    inspection.expect(
        root.docs == len(walk.ids), name, f"it counts {root.docs} documents, {len(walk.ids)} hang"
    )
    # Missing branches have been reported: then the shape says nothing more.
    if len(walk.ids) == root.docs:
        path = object_path(Kind.INDEX, root.tree.sha256)
        shape = _prefixes(tree_shape(walk.ids))
        inspection.expect(
            shape == walk.prefixes, path, "the tree has another shape than its documents give it"
        )
    return walk.documents


class _TreeWalk:
    def __init__(self, inspection: Inspection, expected: int) -> None:
        self._inspection = inspection
        self._expected = expected
        self.ids: set[str] = set()
        self.prefixes: set[tuple[Kind, str]] = set()
        self.documents: dict[str, CheckedDocument] = {}

    async def index(self, reference: Reference | HashRow, prefix: str, docs: int | None) -> None:
        index = await self._inspection.read(Index, reference)
        if index is None:
            return
        name = object_path(Kind.INDEX, reference.sha256)
        expect = self._inspection.expect
        rows = [*index.leaves, *(index.children or ())]
        expect(index.prefix == prefix, name, f"it has the prefix {index.prefix!r}, not {prefix!r}")
        total = sum(row.docs for row in rows)
        expect(docs is None or total == docs, name, f"it has {total} documents, not {docs}")
        for listed in (index.leaves, index.children or []):
            prefixes = [row.prefix for row in listed]
            expect(prefixes == sorted(set(prefixes)), name, "its rows are not in order")
        self.prefixes.add((Kind.INDEX, prefix))
        for row in index.leaves:
            await self._leaf(row)
        for row in index.children or ():
            if row.prefix.startswith(prefix) and len(row.prefix) > len(prefix):
                await self.index(HashRow(row.sha256, row.size), row.prefix, row.docs)
            else:
                expect(False, name, f"its child {row.prefix!r} does not lie below it")

    async def _leaf(self, row: BranchRow) -> None:
        leaf = await self._inspection.read(Leaf, HashRow(row.sha256, row.size))
        if leaf is None:
            return
        name = object_path(Kind.LEAF, row.sha256)
        expect = self._inspection.expect
        expect(leaf.prefix == row.prefix, name, f"it has the prefix {leaf.prefix!r}")
        expect(len(leaf.docs) == row.docs, name, f"it has {len(leaf.docs)} documents")
        ids = [document.id for document in leaf.docs]
        expect(ids == sorted(set(ids)), name, "its documents are not in order")
        for doc_id in ids:
            here = tree_digits(doc_id).startswith(leaf.prefix)
            expect(here, name, f"{doc_id!r} does not belong here")
        self.prefixes.add((Kind.LEAF, row.prefix))
        self.ids.update(ids)
        await each(lambda document: self._document(document, name), leaf.docs)
        self._inspection.progress("documents", len(self.ids), self._expected)

    async def _document(self, row: LeafDocument, leaf: str) -> None:
        doc = await self._inspection.read(Doc, row.doc)
        toc = await self._inspection.read(Toc, row.toc)
        if doc is None:
            return
        self._check_doc(doc, object_path(Kind.DOC, row.doc.sha256))
        if toc is not None:
            same = (toc.id, toc.title, toc.language, toc.url, toc.sections) == (
                doc.id,
                doc.title,
                doc.language,
                doc.url,
                doc.sections,
            )
            name = object_path(Kind.TOC, row.toc.sha256)
            self._inspection.expect(same, name, f"it differs from the document {doc.id!r}")
        facts = (doc.id, doc.title, doc.url, doc.language, len(doc.sections), len(doc.text))
        said = (row.id, row.title, row.url, row.language, row.sections, row.chars)
        self._inspection.expect(facts == said, leaf, f"what it says of {row.id!r} is not so")
        units = len(section_units(doc.text, list(doc.sections)))
        self.documents[row.id] = CheckedDocument(row.doc, units)

    def _check_doc(self, doc: Doc, name: str) -> None:
        reached = 0
        for section in doc.sections:
            covers = section.start == reached
            self._inspection.expect(covers, name, f"a gap or overlap before {section.id!r}")
            slice_ = doc.text[section.start : section.end]
            right = text_sha256(slice_) == section.sha256
            self._inspection.expect(right, name, f"the section {section.id!r} has another hash")
            reached = section.end
        covers = reached == len(doc.text)
        self._inspection.expect(covers, name, "its sections do not cover its text")
        ids = {section.id for section in doc.sections}
        self._inspection.expect(len(ids) == len(doc.sections), name, "two sections share an id")
        linked = all(link.section < max(1, len(doc.sections)) for link in doc.links)
        self._inspection.expect(linked, name, "a link stands in a section it does not have")


def _prefixes(shape: IndexShape) -> set[tuple[Kind, str]]:
    found = {(Kind.INDEX, shape.prefix)}
    found.update((Kind.LEAF, leaf.prefix) for leaf in shape.leaves)
    for child in shape.children:
        found |= _prefixes(child)
    return found
