"""One revision of a site, and nothing else.

Whatever is read here is reached from the revision's root by hashes, so nothing of another revision
can slip in: not from the cache, not from a host that publishes meanwhile.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import TypeVar

from bridge_reader.objects import ObjectReader
from bridge_reader.recent import Recent
from manifest.errors import ErrorCode, NoteBridgeError
from manifest.manifest_file import Manifest
from manifest.objects import (
    BranchRow,
    Category,
    Clusters,
    Doc,
    Graph,
    GraphPage,
    Index,
    Leaf,
    LeafDocument,
    Overview,
    PublishedObject,
    Root,
    Toc,
)
from manifest.references import HashRow, Kind, Reference, object_path
from manifest.search_objects import Delta, Segment
from manifest.tree import branches, next_branch, tree_digits

AnyObject = TypeVar("AnyObject", bound=PublishedObject)

MET_LIMIT = 2000
"""Documents whose references are remembered."""


@dataclass(frozen=True, slots=True)
class ChainLink:
    """An object on the way from a root to a document, with its exact body."""

    kind: Kind
    sha256: str
    body: bytes


@dataclass(frozen=True, slots=True)
class _Way:
    """How a document was found: the indexes and the leaf, and its row there."""

    indexes: tuple[Reference, ...]
    leaf: Reference
    row: LeafDocument


class BoundRevision:
    """The objects of one revision, by what they say.

    manifest names the site; its own revision may be a newer one. All methods raise what
    `ObjectReader.read` raises.
    """

    def __init__(self, manifest: Manifest, root: Reference, objects: ObjectReader) -> None:
        self.manifest = manifest
        self._root = root
        self._objects = objects
        self._met: Recent[Reference] = Recent(MET_LIMIT)

    @property
    def revision(self) -> str:
        """The hash of the root."""
        return self._root.sha256

    async def read(self, model: type[AnyObject], reference: Reference | HashRow) -> AnyObject:
        """An object that another object of this revision refers to."""
        if isinstance(reference, tuple):
            reference = Reference(sha256=reference.sha256, size=reference.size)
        return await self._objects.read(model, reference)

    async def root(self) -> Root:
        """Where the revision begins."""
        return await self._objects.read(Root, self._root)

    async def leaf_document(self, doc_id: str) -> LeafDocument:
        """The facts of one document. Raises `NoteBridgeError` (DOC_NOT_FOUND)."""
        return (await self._find(doc_id)).row

    async def doc(self, doc_id: str) -> Doc:
        """A document whole. Raises `NoteBridgeError` (DOC_NOT_FOUND)."""
        return await self.doc_at(doc_id, await self.reference(doc_id))

    async def reference(self, doc_id: str) -> Reference:
        """What a document is known by: from the search base, if it was met there (that is a way
        down from the root too, and the leaf of the tree need not be fetched), else from the tree.

        Raises `NoteBridgeError` (DOC_NOT_FOUND).
        """
        return self._met.get(doc_id) or (await self._find(doc_id)).row.doc

    async def doc_at(self, doc_id: str, reference: Reference) -> Doc:
        """A document whose reference another object of this revision gave."""
        doc = await self._objects.read(Doc, reference)
        _require_same(Kind.DOC, reference, doc.id, doc_id)
        self._met.put(doc_id, reference, 1)
        return doc

    async def toc(self, doc_id: str) -> Toc:
        """A document's sections without the text. Raises `NoteBridgeError` (DOC_NOT_FOUND)."""
        reference = (await self._find(doc_id)).row.toc
        toc = await self._objects.read(Toc, reference)
        _require_same(Kind.TOC, reference, toc.id, doc_id)
        return toc

    async def chain(self, doc_id: str) -> list[ChainLink]:
        """The objects that prove a document to be of this revision: root, indexes, leaf, doc.

        Raises `NoteBridgeError` (DOC_NOT_FOUND).
        """
        way = await self._find(doc_id)
        steps: list[tuple[type[PublishedObject], Reference]] = [
            (Root, self._root),
            *((Index, reference) for reference in way.indexes),
            (Leaf, way.leaf),
            (Doc, way.row.doc),
        ]
        return [
            ChainLink(model.KIND, found.sha256, (await self._objects.load(model, found)).body)
            for model, found in steps
        ]

    async def leaves(self) -> AsyncIterator[Leaf]:
        """All leaves of the tree, one after another, in order of their prefixes."""
        pending = [BranchRow("", 0, (tree := (await self.root()).tree).sha256, tree.size)]
        kinds = {"": False}
        while pending:
            row = pending.pop()
            reference = Reference(sha256=row.sha256, size=row.size)
            if kinds.pop(row.prefix):
                yield await self._leaf(reference, row.prefix)
                continue
            index = await self._index(reference, row.prefix)
            below = sorted(branches(index), key=lambda branch: branch.row.prefix, reverse=True)
            pending.extend(branch.row for branch in below)
            kinds.update((branch.row.prefix, branch.is_leaf) for branch in below)

    async def overview(self) -> Overview:
        """The category tree."""
        return await self._objects.read(Overview, (await self.root()).overview)

    async def category_page(self, number: int) -> Category:
        """A page of the overview, from 0. Raises `NoteBridgeError` (INVALID_ARGUMENT)."""
        return await self.read(Category, _numbered((await self.overview()).pages, number))

    async def segments(self) -> list[Segment]:
        """The search base: one segment, and younger ones that overlay it."""
        root = await self.root()
        return [await self._objects.read(Segment, reference) for reference in root.segments]

    async def delta(self) -> Delta:
        """What changed since the segments."""
        return await self._objects.read(Delta, (await self.root()).delta)

    async def graph(self) -> Graph:
        """The list of the link graph's pages."""
        return await self._objects.read(Graph, (await self.root()).graph)

    async def graph_page(self, number: int) -> GraphPage:
        """A page of the link graph, from 0. Raises `NoteBridgeError` (INVALID_ARGUMENT)."""
        return await self.read(GraphPage, _numbered((await self.graph()).pages, number))

    async def clusters(self) -> Clusters:
        """All clusters."""
        return await self._objects.read(Clusters, (await self.root()).clusters)

    async def _find(self, doc_id: str) -> _Way:
        digits = tree_digits(doc_id)
        reference = (await self.root()).tree
        prefix = ""
        indexes: list[Reference] = []
        while True:
            index = await self._index(reference, prefix)
            indexes.append(reference)
            branch = next_branch(index, digits)
            if branch is None:
                raise doc_not_found(doc_id)
            reference = Reference(sha256=branch.row.sha256, size=branch.row.size)
            prefix = branch.row.prefix
            if branch.is_leaf:
                break
        for row in (await self._leaf(reference, prefix)).docs:
            if row.id == doc_id:
                return _Way(tuple(indexes), reference, row)
        raise doc_not_found(doc_id)

    async def _index(self, reference: Reference, prefix: str) -> Index:
        index = await self._objects.read(Index, reference)
        _require_same(Kind.INDEX, reference, index.prefix, prefix)
        # Ever longer prefixes: so every way down ends.
        for branch in branches(index):
            deeper = len(branch.row.prefix) > len(prefix) or branch.is_leaf
            if not (deeper and branch.row.prefix.startswith(prefix)):
                raise misplaced(Kind.INDEX, reference, f"it lists the branch {branch.row.prefix!r}")
        return index

    async def _leaf(self, reference: Reference, prefix: str) -> Leaf:
        leaf = await self._objects.read(Leaf, reference)
        _require_same(Kind.LEAF, reference, leaf.prefix, prefix)
        return leaf


def doc_not_found(doc_id: str) -> NoteBridgeError:
    """The error for an id that the revision does not have."""
    return NoteBridgeError(
        ErrorCode.DOC_NOT_FOUND,
        f"There is no document {doc_id[:200]!r} in this revision.",
        hint="Search for it, or look at the overview.",
        details={"docId": doc_id[:200]},
    )


def misplaced(kind: Kind, reference: Reference, why: str) -> NoteBridgeError:
    """The error for an object that is whole, but not the one that belongs there."""
    path = object_path(kind, reference.sha256)
    return NoteBridgeError(
        ErrorCode.OBJECT_INVALID,
        f"{path} does not belong where it is referred to: {why}.",
        hint="Publish the site again with an unmodified note-bridge.",
        details={"object": path},
    )


def _require_same(kind: Kind, reference: Reference, found: str, wanted: str) -> None:
    if found != wanted:
        raise misplaced(kind, reference, f"it is of {found[:200]!r}, not {wanted[:200]!r}")


def _numbered(pages: list[HashRow], number: int) -> HashRow:
    if not 0 <= number < len(pages):
        raise NoteBridgeError(
            ErrorCode.INVALID_ARGUMENT,
            f"There is no page {number + 1}; there are {len(pages)}.",
            details={"pages": len(pages)},
        )
    return pages[number]
