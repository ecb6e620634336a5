"""Publishing knowledge: documents in, objects and a manifest out.

The order is that of the references: the tree over the documents, the search base over all, the
overview, the root over these, and the manifest, which the caller writes last.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from manifest.manifest_file import Manifest, Retention, new_manifest
from manifest.objects import SCHEMA, Root
from site_builder.categories import CategoryTree, Listed, publish_overview
from site_builder.documents import PublishedDocument
from site_builder.index_card import IndexCard, NoteTerms
from site_builder.object_sink import ObjectSink, put_object
from site_builder.previous import PreviousSite
from site_builder.progress import Progress, no_progress
from site_builder.search.publishing import publish_search
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
class KnownDocument:
    """A document whose own objects are kept, as the objects over all documents need it."""

    card: IndexCard
    published: PublishedDocument


def publish_knowledge(
    documents: Sequence[KnownDocument],
    categories: CategoryTree,
    facts: SiteFacts,
    terms_of: Callable[[str], NoteTerms],
    sink: ObjectSink,
    *,
    previous: PreviousSite | None = None,
    progress: Progress = no_progress,
) -> Manifest:
    """Keeps the objects over all documents and returns the manifest.

    documents: in any order. terms_of: the terms of a document, by docId; asked only for those
    that enter the search base. previous: the search base published before, to build upon.
    """
    ordered = sorted(documents, key=lambda known: known.card.id)
    rows: Mapping[str, bytes] = {known.card.id: known.published.row for known in ordered}
    tree = publish_tree(rows, sink)
    search = publish_search([known.card for known in ordered], terms_of, previous, sink, progress)
    listed = {known.card.id: Listed(known.card.title, known.card.url) for known in ordered}
    overview = publish_overview(categories, listed, sink)
    root = put_object(
        sink,
        Root(
            schema=SCHEMA,
            docs=len(ordered),
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
