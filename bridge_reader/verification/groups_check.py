"""Checking what groups documents: overview, graph, clusters; and that vectors are there."""

from __future__ import annotations

from collections.abc import Collection

from bridge_reader.verification.inspection import Inspection
from manifest.objects import (
    Category,
    Clusters,
    Graph,
    GraphPage,
    Overview,
    Root,
    Signatures,
    Vector,
    Vectors,
)
from manifest.references import HashRow, Kind, object_path


async def check_overview(inspection: Inspection, root: Root, doc_ids: Collection[str]) -> None:
    """The category tree and its pages."""
    overview = await inspection.read(Overview, root.overview)
    if overview is None:
        return
    name = object_path(Kind.OVERVIEW, root.overview.sha256)
    expect = inspection.expect
    expect(overview.docs == root.docs, name, f"it counts {overview.docs} documents")
    known: set[int] = set()
    for row in overview.categories:
        expect(row.id not in known, name, f"it has the category {row.id} twice")
        parented = row.parent in known or (row.parent == -1 and not known)
        expect(parented, name, f"the category {row.id} has no parent before it")
        paged = row.page < len(overview.pages)
        expect(paged, name, f"the category {row.id} is on a page that is not there")
        named = not row.doc_id or row.doc_id in doc_ids
        expect(named, name, f"no document {row.doc_id!r} can stand for a category")
        known.add(row.id)
    for reference in overview.pages:
        page = await inspection.read(Category, reference)
        if page is not None:
            path = object_path(Kind.CATEGORY, reference.sha256)
            for document in page.rows:
                expect(document.id in doc_ids, path, f"there is no document {document.id!r}")
                expect(document.category in known, path, f"{document.id!r} is in no category")


async def check_groups(
    inspection: Inspection, root: Root, capacity: int, named: Collection[int]
) -> None:
    """The link graph, the clusters and the vectors; capacity: ordinals that there are, of which
    rows name documents in `named`."""
    expect = inspection.expect
    graph = await inspection.read(Graph, root.graph)
    last = -1
    for reference in graph.pages if graph else ():
        page = await inspection.read(GraphPage, reference)
        for row in page.rows if page else ():
            name = object_path(Kind.EDGES, reference.sha256)
            expect(last < row.ordinal < capacity, name, f"the row of {row.ordinal} is out of order")
            targets = row.targets
            ordered = targets == sorted(set(targets)) and all(t < capacity for t in targets)
            expect(ordered, name, f"the links of {row.ordinal} are not in order")
            expect(row.ordinal in named, name, f"it has links of {row.ordinal}, which is gone")
            last = row.ordinal
    clusters = await inspection.read(Clusters, root.clusters)
    for cluster in clusters.clusters if clusters else ():
        name = object_path(Kind.CLUSTERS, root.clusters.sha256)
        there = all(ordinal in named for ordinal in cluster.ordinals)
        expect(there, name, f"the cluster {cluster.id} names documents that are not there")
    if root.vectors is not None:
        await _check_vectors(inspection, await inspection.read(Vectors, root.vectors))


async def _check_vectors(inspection: Inspection, vectors: Vectors | None) -> None:
    for leaf in vectors.leaves if vectors else ():
        signatures = await inspection.read(Signatures, HashRow(leaf.sha256, leaf.size))
        for row in signatures.rows if signatures else ():
            vector = await inspection.read(Vector, HashRow(row.sha256, row.size))
            if vector is not None:
                name = object_path(Kind.VECTOR, row.sha256)
                inspection.expect(vector.id == row.id, name, f"it is of {vector.id!r}")
