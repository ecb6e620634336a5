"""Documents into a site: a note's `doc` and `toc` are made again only where they say more."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Protocol

from manifest.objects import Asset
from manifest.references import Kind, Reference
from site_builder.collection import Collection, Entry
from site_builder.documents import NoteFacts, PublishedDocument, document, publish_document
from site_builder.index_card import IndexCard
from site_builder.knowledge import KnownDocument
from site_builder.note import LinkedNote, LinkKind
from site_builder.note_card import join_note
from site_builder.note_store import NoteStore, digest
from site_builder.object_sink import ObjectSink
from site_builder.progress import Progress


class KeepingSink(ObjectSink, Protocol):
    """A sink that knows what it holds."""

    def holds(self, kind: Kind, sha256: str) -> bool:
        """Whether an object is there already; if so, it stays."""
        ...


@dataclass(frozen=True, slots=True)
class Written:
    """A document of a build. entry: the note it was made from. key: what it follows from."""

    entry: Entry
    key: str
    known: KnownDocument


@dataclass(slots=True)
class DocumentWriter:
    """Publishes the documents of one build.

    asset: gives a file of the site by its path. derived: the keys of what was kept or found kept.
    """

    store: NoteStore
    sink: KeepingSink
    asset: Callable[[str], Asset | None]
    derived: set[str] = field(default_factory=set)

    def write(
        self, collection: Collection, earlier: Mapping[str, Written], progress: Progress
    ) -> dict[str, Written]:
        """Every document of a collection, by docId. earlier: those of the last build."""
        found: dict[str, Written] = {}
        fresh: dict[str, PublishedDocument] = {}
        entries = collection.documents()
        changed: list[Entry] = []
        for entry in entries:
            written = earlier.get(entry.doc_id)
            same = written is not None and written.entry is entry and not entry.linked.assets
            if written is not None and same and self._holds(written.known.published):
                found[entry.doc_id] = written
            else:
                changed.append(entry)
        linked = {entry.doc_id: collection.within_knowledge(entry) for entry in changed}
        keys = {entry.doc_id: self._key(entry, linked[entry.doc_id]) for entry in changed}
        kept = self.store.derived(keys.values(), PublishedDocument)
        for number, entry in enumerate(changed, 1):
            key, links = keys[entry.doc_id], linked[entry.doc_id]
            published = kept.get(key)
            if published is None or not self._holds(published):
                published = fresh[key] = self._published(entry, links)
            known = KnownDocument(_card(entry, links, published), published)
            found[entry.doc_id] = Written(entry, key, known)
            progress("documents", number, len(changed))
        self.store.derive(fresh)
        self.derived.update(written.key for written in found.values())
        return {entry.doc_id: found[entry.doc_id] for entry in entries}

    def _published(self, entry: Entry, linked: LinkedNote) -> PublishedDocument:
        facts = NoteFacts(
            doc_id=entry.doc_id,
            path=entry.card.path,
            url=entry.url,
            language=entry.language,
            meta=entry.card.front_matter,
            tags=entry.card.tags,
        )
        whole = replace(linked, compiled=join_note(entry.card, self.store.body(entry.key)))
        return publish_document(document(facts, whole, self.asset), facts, self.sink)

    def _holds(self, published: PublishedDocument) -> bool:
        doc = self.sink.holds(Kind.DOC, published.doc.sha256)
        return self.sink.holds(Kind.TOC, published.toc.sha256) and doc

    def _key(self, entry: Entry, linked: LinkedNote) -> str:
        assets = [self.asset(path) for path in linked.assets]
        return digest(
            entry.key,
            entry.doc_id,
            entry.url,
            entry.language,
            linked.links,
            [(found.path, found.sha256) for found in assets if found],
        )


def _card(entry: Entry, linked: LinkedNote, published: PublishedDocument) -> IndexCard:
    targets = (link.to for link in linked.links if link.kind in (LinkKind.DOC, LinkKind.EMBED))
    links = tuple(dict.fromkeys(to for to in targets if to != entry.doc_id))
    reference = Reference(sha256=published.doc.sha256, size=published.doc.size)
    return IndexCard(entry.doc_id, entry.card.title, entry.language, entry.url, reference, links)
