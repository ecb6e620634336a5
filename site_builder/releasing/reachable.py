"""Which objects revisions consist of: everything that their roots lead to.

Rows of documents (`docs`) are not followed: they may name objects of dropped documents, and every
live document has its place in the tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from manifest.objects import Graph, Index, Leaf, Overview, Root, Signatures, Vectors, read_object
from manifest.references import HashRow, Kind, Reference
from manifest.search_objects import Delta, Segment, Terms
from site_builder.previous_source import ObjectName
from site_builder.search.shards import continuations

ReadObjects = Callable[[Sequence[ObjectName]], Iterable[bytes | None]]
"""The bodies of objects, in their order; None leaves out whatever only that object leads to."""

BATCH = 64
"""Objects asked for at once, so that memory does not grow with the revision."""


def reachable(
    roots: Iterable[Reference], read: ReadObjects, *, besides: Iterable[ObjectName] = ()
) -> Iterator[ObjectName]:
    """Every object of the revisions that begin at these roots, each once.

    besides: objects that are known already, with all that they lead to, and left out. Only objects
    that lead to others are read. Raises `NoteBridgeError` (OBJECT_INVALID, SCHEMA_UNSUPPORTED) for
    one that is none, and whatever `read` raises.
    """
    level = [ObjectName(Kind.ROOT, root.sha256, root.size) for root in roots]
    seen = {(name.kind, name.sha256) for name in besides}
    while level:
        fresh = list({(name.kind, name.sha256): name for name in level}.values())
        fresh = [name for name in fresh if (name.kind, name.sha256) not in seen]
        seen.update((name.kind, name.sha256) for name in fresh)
        yield from fresh
        level = list(_below_all([name for name in fresh if name.kind in _BELOW], read))


def _below_all(names: Sequence[ObjectName], read: ReadObjects) -> Iterator[ObjectName]:
    for start in range(0, len(names), BATCH):
        batch = names[start : start + BATCH]
        for name, body in zip(batch, read(batch), strict=True):
            if body is not None:
                yield from _BELOW[name.kind](body, name.path)


def _referred(kind: Kind, *references: Reference) -> Iterator[ObjectName]:
    return (ObjectName(kind, reference.sha256, reference.size) for reference in references)


def _listed(kind: Kind, rows: Iterable[HashRow]) -> Iterator[ObjectName]:
    return (ObjectName(kind, row.sha256, row.size) for row in rows)


def _below_root(body: bytes, name: str) -> Iterator[ObjectName]:
    root = read_object(Root, body, name=name)
    yield from _referred(Kind.INDEX, root.tree)
    yield from _referred(Kind.OVERVIEW, root.overview)
    yield from _referred(Kind.SEGMENT, *root.segments)
    yield from _referred(Kind.DELTA, root.delta)
    yield from _referred(Kind.GRAPH, root.graph)
    yield from _referred(Kind.CLUSTERS, root.clusters)
    if root.vectors is not None:
        yield from _referred(Kind.VECTORS, root.vectors)


def _below_index(body: bytes, name: str) -> Iterator[ObjectName]:
    index = read_object(Index, body, name=name)
    for row in index.leaves:
        yield ObjectName(Kind.LEAF, row.sha256, row.size)
    for row in index.children or ():
        yield ObjectName(Kind.INDEX, row.sha256, row.size)


def _below_leaf(body: bytes, name: str) -> Iterator[ObjectName]:
    for row in read_object(Leaf, body, name=name).docs:
        yield from _referred(Kind.DOC, row.doc)
        yield from _referred(Kind.TOC, row.toc)


def _below_overview(body: bytes, name: str) -> Iterator[ObjectName]:
    return _listed(Kind.CATEGORY, read_object(Overview, body, name=name).pages)


def _below_graph(body: bytes, name: str) -> Iterator[ObjectName]:
    return _listed(Kind.EDGES, read_object(Graph, body, name=name).pages)


def _below_segment(body: bytes, name: str) -> Iterator[ObjectName]:
    segment = read_object(Segment, body, name=name)
    for row in segment.pages:
        yield ObjectName(Kind.TERMS, row.sha256, row.size)
    for row in segment.shards or ():
        yield ObjectName(Kind.SHARD, row.sha256, row.size)
    yield from _listed(Kind.DOCS, segment.docPages)


def _below_terms(body: bytes, name: str) -> Iterator[ObjectName]:
    for row in read_object(Terms, body, name=name).shards:
        yield ObjectName(Kind.SHARD, row.sha256, row.size)


def _below_shard(body: bytes, name: str) -> Iterator[ObjectName]:
    return _listed(Kind.POSTINGS, continuations(body, name))


def _below_delta(body: bytes, name: str) -> Iterator[ObjectName]:
    for row in read_object(Delta, body, name=name).docs:
        yield ObjectName(Kind.DOC, row.sha256, row.size)


def _below_vectors(body: bytes, name: str) -> Iterator[ObjectName]:
    for row in read_object(Vectors, body, name=name).leaves:
        yield ObjectName(Kind.SIGNATURES, row.sha256, row.size)


def _below_signatures(body: bytes, name: str) -> Iterator[ObjectName]:
    for row in read_object(Signatures, body, name=name).rows:
        yield ObjectName(Kind.VECTOR, row.sha256, row.size)


_BELOW: dict[Kind, Callable[[bytes, str], Iterator[ObjectName]]] = {
    Kind.ROOT: _below_root,
    Kind.INDEX: _below_index,
    Kind.LEAF: _below_leaf,
    Kind.OVERVIEW: _below_overview,
    Kind.GRAPH: _below_graph,
    Kind.SEGMENT: _below_segment,
    Kind.TERMS: _below_terms,
    Kind.SHARD: _below_shard,
    Kind.DELTA: _below_delta,
    Kind.VECTORS: _below_vectors,
    Kind.SIGNATURES: _below_signatures,
}
"""How to find what lies below an object, for the kinds below which there is anything."""
