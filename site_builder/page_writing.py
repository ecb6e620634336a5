"""Notes' pages into a site's folder: a page is made again only when something it shows changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from site_builder.beside.site_beside import SiteBeside
from site_builder.beside.twin_links import TwinLinks
from site_builder.beside.twins import twin_file
from site_builder.collection import Collection, Entry, missing_title
from site_builder.embeds import with_embeds
from site_builder.linking import link_note
from site_builder.note import Finding, LinkedNote, LinkKind
from site_builder.note_card import NoteBody, join_note
from site_builder.note_store import NoteStore, digest
from site_builder.page_facts import PageFacts
from site_builder.page_rendering import PageRenderer, html
from site_builder.page_view import PageView
from site_builder.page_views import PageViews, contents, first_level_one
from site_builder.site_folder import SiteFolder


@dataclass(slots=True)
class PageWriter:
    """Writes the pages of one build's notes.

    shared: changes with whatever all pages share. findings: what putting embeds in found.
    """

    collection: Collection
    views: PageViews
    beside: SiteBeside
    store: NoteStore
    renderer: PageRenderer
    shared: str
    findings: list[Finding] = field(default_factory=list)

    def write(self, entry: Entry, facts: PageFacts, folder: SiteFolder) -> None:
        """Writes a note's page and its twin, where they are not there as they should be."""
        view = self.views.note(entry, facts)
        embeds = any(link.kind is LinkKind.EMBED for link in entry.linked.links)
        key = self._key(entry, view, facts)
        paths = [f"{entry.url}index.html", *([view.markdown] if view.markdown else [])]
        current = all(folder.is_current(path, key) for path in paths)
        if current and (not embeds or self._known_findings(key)):
            return
        body = self.store.body(entry.key)
        shown = article(self.collection, self.store, entry, body)
        if embeds:
            found = shown.findings[len(entry.linked.findings) :]
            self.findings.extend(found)
            self.store.derive({f"embeds {key}": found})
        whole = replace(
            view,
            content=html(shown.html),
            toc=contents(body.sections),
            show_title=not first_level_one(body.sections),
            head=self.beside.head(facts, view.breadcrumbs),
        )
        folder.write(paths[0], self.renderer.render(whole), key)
        if view.markdown:
            links = TwinLinks.of(
                view.markdown, entry.card.links, entry.linked.links, self.beside.twins
            )
            twin = twin_file(self.views.site, facts, body.text, links)
            folder.write(twin.path, twin.body, key)

    def _known_findings(self, key: str) -> bool:
        known = self.store.derived([f"embeds {key}"], tuple[Finding, ...])
        for found in known.values():
            self.findings.extend(found)
        return bool(known)

    def _key(self, entry: Entry, view: PageView, facts: PageFacts) -> str:
        pages = [
            (other.key, self._links(other))
            for other in (entry, *self._embedded(entry, {entry.doc_id}))
        ]
        return digest(
            self.shared,
            pages,
            view,
            (facts.tags, facts.category, facts.aliases),
            self.beside.images.get(entry.doc_id, ""),
            self.beside.feeds_of(facts),
        )

    def _links(self, entry: Entry) -> list[object]:
        by_id, twins = self.collection.by_id, self.beside.twins
        return [
            (link.kind, link.to, link.anchor, by_id[link.to].url, twins.get(link.to, ""))
            if link.to in by_id
            else (link.kind, link.to)
            for link in entry.linked.links
        ]

    def _embedded(self, entry: Entry, seen: set[str]) -> Iterator[Entry]:
        """All notes that a note's page may show, however deep they are embedded, each once."""
        for link in entry.linked.links:
            if link.kind is LinkKind.EMBED and link.to not in seen:
                seen.add(link.to)
                other = self.collection.by_id[link.to]
                yield other
                yield from self._embedded(other, seen)


def article(collection: Collection, store: NoteStore, entry: Entry, body: NoteBody) -> LinkedNote:
    """A note with its HTML: links lead somewhere, embeds are in their places."""
    title = missing_title(entry.language)
    note = join_note(entry.card, body)
    linked = link_note(collection.index, note, entry.doc_id, missing_title=title)
    return with_embeds(linked, collection.index, _Bodies(collection, store), missing_title=title)


@dataclass(frozen=True, slots=True)
class _Bodies(Mapping[str, LinkedNote]):
    """Notes by docId with their HTML, read from the store when an embed asks for one."""

    collection: Collection
    store: NoteStore

    def __getitem__(self, doc_id: str) -> LinkedNote:
        entry = self.collection.by_id[doc_id]
        compiled = join_note(entry.card, self.store.body(entry.key))
        return replace(entry.linked, compiled=compiled)

    def __iter__(self) -> Iterator[str]:
        return iter(self.collection.by_id)

    def __len__(self) -> int:
        return len(self.collection.by_id)
