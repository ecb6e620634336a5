"""Publishing knowledge: documents in, objects and a manifest out.

The order is that of the references: documents, the tree over them, the search base over all, the
overview, graph and clusters, the root over these, and the manifest last.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from manifest.manifest_file import Manifest, Retention, new_manifest
from manifest.objects import SCHEMA, Doc, Root
from manifest.references import Reference
from manifest.search_objects import Delta, DocRow, Related
from manifest.unit_terms import document_terms, unit_terms
from site_builder.categories import CategoryTree, Listed, publish_overview
from site_builder.clustering import LINK_WEIGHT, groups
from site_builder.documents import Document, PublishedDocument, publish_document
from site_builder.groupings import publish_clusters, publish_graph
from site_builder.object_sink import ObjectSink, put_object
from site_builder.postings import PostingLists
from site_builder.search_base import publish_search_base
from site_builder.similarity import related, vectors
from site_builder.tree_objects import publish_tree

CAPABILITIES = (
    "overview",
    "docs",
    "toc",
    "graph",
    "related",
    "clusters",
    "search.lexical",
)

Progress = Callable[[str, int, int], None]
"""Told what is being done, how many of it are done, and how many there are."""


def no_progress(_what: str, _done: int, _of: int) -> None:
    """For callers who do not watch."""


@dataclass(frozen=True, slots=True)
class SiteFacts:
    """What the manifest says of a site beside its content. site_url may be empty."""

    knowledge_base_id: str
    title: str
    site_url: str
    language: str
    retention: Retention
    license_text: str = ""


@dataclass(frozen=True, slots=True)
class SearchPart:
    """What depends on all notes together."""

    segment: Reference
    delta: Reference
    graph: Reference
    clusters: Reference


def publish_knowledge(
    documents: Sequence[Document],
    categories: CategoryTree,
    facts: SiteFacts,
    sink: ObjectSink,
    progress: Progress = no_progress,
) -> Manifest:
    """Keeps all objects of a site and returns its manifest, which the caller writes last."""
    ordered = sorted(documents, key=lambda document: document.doc.id)
    published: list[PublishedDocument] = []
    for number, document in enumerate(ordered):
        published.append(publish_document(document, sink))
        progress("documents", number + 1, len(ordered))
    tree = publish_tree({found.row.id: found.row for found in published}, sink)
    search = _publish_search(published, sink, progress)
    overview = publish_overview(
        categories,
        {found.row.id: Listed(found.row.title, found.row.url) for found in published},
        sink,
    )
    root = put_object(
        sink,
        Root(
            schema=SCHEMA,
            docs=len(published),
            tree=tree,
            overview=overview,
            segments=[search.segment],
            delta=search.delta,
            graph=search.graph,
            clusters=search.clusters,
        ),
    )
    return new_manifest(
        knowledge_base_id=facts.knowledge_base_id,
        title=facts.title,
        site_url=facts.site_url,
        language=facts.language,
        content=tree.sha256,
        root=root,
        retention=facts.retention,
        capabilities=list(CAPABILITIES),
        license_text=facts.license_text,
    )


def _publish_search(
    published: Sequence[PublishedDocument], sink: ObjectSink, progress: Progress
) -> SearchPart:
    docs = [found.document.doc for found in published]
    lists = PostingLists()
    unit_counts: list[int] = []
    for number, doc in enumerate(docs):
        units = unit_terms(doc)
        lists.add(units, document_terms(doc))
        unit_counts.append(len(units))
        progress("search index", number + 1, len(docs))
    likeness = related(vectors(lists))
    links = _linked_ordinals(docs)
    clusters = groups(links, likeness)
    cluster_of = {ordinal: number for number, members in enumerate(clusters) for ordinal in members}
    rows = [
        DocRow(
            id=doc.id,
            title=doc.title,
            language=doc.language,
            sha256=found.reference.sha256,
            size=found.reference.size,
            units=unit_counts[ordinal],
            links=links[ordinal],
            related=likeness[ordinal],
            cluster=cluster_of.get(ordinal, -1),
        )
        for ordinal, (doc, found) in enumerate(zip(docs, published, strict=True))
    ]
    base = publish_search_base(lists, rows, sink)
    return SearchPart(
        segment=base.reference,
        delta=put_object(sink, Delta(base=base.reference.sha256, drop=[], docs=[])),
        graph=publish_graph(links, sink),
        clusters=publish_clusters(clusters, docs, _degrees(links, likeness), sink),
    )


def _linked_ordinals(docs: Sequence[Doc]) -> list[list[int]]:
    ordinal_of = {doc.id: ordinal for ordinal, doc in enumerate(docs)}
    return [
        sorted(
            {
                ordinal_of[link.to]
                for link in doc.links
                if link.kind in ("doc", "embed") and link.to in ordinal_of and link.to != doc.id
            }
        )
        for doc in docs
    ]


def _degrees(links: Sequence[Sequence[int]], likeness: Sequence[Sequence[Related]]) -> list[int]:
    """How strongly each document is pointed at, by links and by likeness."""
    degrees = [0] * len(links)
    for ordinal, targets in enumerate(links):
        for target in targets:
            degrees[target] += LINK_WEIGHT
        for other in likeness[ordinal]:
            degrees[other.ordinal] += other.score
    return degrees
