"""Publishing knowledge: documents in, objects and a manifest out.

The order is that of the references: documents, the tree over them, the search base over all, the
overview, graph and clusters, the root over these, and the manifest last.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from manifest.manifest_file import Manifest, Retention, new_manifest
from manifest.objects import SCHEMA, Root
from site_builder.categories import CategoryTree, Listed, publish_overview
from site_builder.documents import Document, PublishedDocument, publish_document
from site_builder.index_card import IndexCard, NoteTerms
from site_builder.object_sink import ObjectSink, put_object
from site_builder.search.publishing import SearchPart, publish_search
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
            segments=search.segments,
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
    docs = {found.document.doc.id: found.document.doc for found in published}
    cards = [_card(found) for found in published]
    return publish_search(cards, lambda doc_id: NoteTerms.of(docs[doc_id]), None, sink, progress)


def _card(found: PublishedDocument) -> IndexCard:
    doc = found.document.doc
    targets = (link.to for link in doc.links if link.kind in ("doc", "embed"))
    links = tuple(dict.fromkeys(target for target in targets if target != doc.id))
    return IndexCard(doc.id, doc.title, doc.language, doc.url, found.reference, links)
