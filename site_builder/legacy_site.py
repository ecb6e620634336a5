"""The endpoints of older readers for one build, where the author asks for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from manifest.manifest_file import Manifest
from site_builder.beside.legacy_endpoints import legacy_document, legacy_lists
from site_builder.beside.twins import has_twin
from site_builder.categories import CategoryTree
from site_builder.collection import Collection
from site_builder.note_store import NoteStore
from site_builder.page_facts import PageFacts, SiteFile
from site_builder.previous import PreviousSite
from site_builder.previous_source import FolderSource


def legacy_files(
    folder: Path,
    manifest: Manifest,
    collection: Collection,
    store: NoteStore,
    facts: Sequence[PageFacts],
    categories: CategoryTree,
) -> Iterator[SiteFile]:
    """All of them. folder: holds the objects of `manifest`, which groups are read from."""
    for page in filter(has_twin, facts):
        entry = collection.by_id[page.doc_id]
        yield legacy_document(page, store.body(entry.key).text, entry.card.front_matter)
    entries = collection.documents()
    links = {entry.doc_id: collection.within_knowledge(entry).links for entry in entries}
    with PreviousSite(FolderSource(folder), manifest) as built:
        yield from legacy_lists(facts, categories.root, links, _groups(built))


def _groups(site: PreviousSite) -> list[tuple[str, list[str]]]:
    """The clusters as labels and docIds."""
    ids = {
        segment.first + ordinal: row.id
        for segment in site.segments
        for ordinal, row in enumerate(segment.rows)
    }
    return [
        (cluster.label, [ids[ordinal] for ordinal in cluster.ordinals if ids.get(ordinal)])
        for cluster in site.clusters.clusters
    ]
