"""All pages of a site and what stands beside them, from notes that know each other."""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from manifest.tree import tree_shape
from site_builder.beside.redirect_files import HOST_RULES
from site_builder.beside.redirects import RULES_PATH
from site_builder.beside.site_beside import BesideInput, EarlierState, SiteBeside, site_beside
from site_builder.categories import CategoryTree
from site_builder.collection import Collection
from site_builder.documents import PUBLISHED_DATES, UPDATED_DATES, first_scalar
from site_builder.earlier_site import earlier_state
from site_builder.hosting import headers_file
from site_builder.knowledge import KnownDocument
from site_builder.listing.site_lists import SiteLists, site_lists
from site_builder.navigation import navigation_titles
from site_builder.note import Finding
from site_builder.note_store import NoteStore, code_version, digest
from site_builder.page_facts import PageFacts, SiteSettings
from site_builder.page_rendering import PageRenderer
from site_builder.page_views import Chrome, Order, PageViews
from site_builder.page_writing import PageWriter
from site_builder.previous import PreviousSite
from site_builder.progress import Progress
from site_builder.site_folder import SiteFolder
from site_builder.site_project import SiteProject
from site_builder.tree_objects import leaves


@dataclass(slots=True)
class SitePages:
    """Writes the pages of one build.

    theme: changes with the templates. files: the author's own files at the top of the notes, by
    name, as far as a build reads them. findings: what writing found. images: files that
    front matter alone names. facts: of every page, by address.
    """

    project: SiteProject
    store: NoteStore
    collection: Collection
    documents: Sequence[KnownDocument]
    categories: CategoryTree
    files: Mapping[str, bytes]
    theme: str
    findings: list[Finding] = field(default_factory=list)
    images: frozenset[str] = frozenset()
    facts: tuple[PageFacts, ...] = ()

    def write(
        self,
        folder: SiteFolder,
        renderer: PageRenderer,
        previous: PreviousSite | None,
        progress: Progress,
    ) -> None:
        """Writes every page, its twin, the lists, and the files beside them."""
        site = renderer.site = self._settings()
        home = next((e.doc_id for e in self.collection.entries.values() if not e.url), None)
        order = Order.of(self.categories, home)
        shapes = list(leaves(tree_shape(known.card.id for known in self.documents)))
        by_leaf = {leaf.prefix: leaf.doc_ids for leaf in shapes}
        earlier = earlier_state(previous, by_leaf, folder.made) if previous else None
        beside = self._beside(site, self._facts(order, by_leaf), earlier)
        self.findings.extend(beside.findings)
        self.images = frozenset(image for image in beside.images.values() if "://" not in image)
        self.facts = beside.facts
        lists = self._lists(site, beside)
        views = self._views(site, order, beside, lists)
        writer = PageWriter(
            self.collection, views, beside, self.store, renderer, self._shared(site), self.findings
        )
        for number, found in enumerate(beside.facts, 1):
            writer.write(self.collection.by_id[found.doc_id], found, folder)
            progress("writing pages", number, len(beside.facts))
        generated = list(lists.pages())
        for page in generated:
            view = replace(views.generated(page), head=beside.plain_head(page.url, page.title))
            path = f"{page.url}index.html"
            # Any value may be a page's content, so the bytes of its pickle stand for it.
            key = digest(writer.shared, pickle.dumps(view))
            if not folder.is_current(path, key):
                folder.write(path, renderer.render(view), key)
        folder.write("404.html", renderer.render(views.lost(), "404.html"))
        folder.write("_headers", headers_file().encode())
        for file in beside.files([page.url for page in generated], self.files.get(HOST_RULES)):
            if file.path not in self.collection.assets or file.path == HOST_RULES:
                folder.write(file.path, file.body)

    def _settings(self) -> SiteSettings:
        """The site's settings, with the languages of its notes."""
        own = self.project.site.language
        found = {entry.language for entry in self.collection.entries.values()} - {own}
        return replace(self.project.site, languages=(own, *sorted(found)))

    def _facts(self, order: Order, by_leaf: Mapping[str, tuple[str, ...]]) -> list[PageFacts]:
        docs = {known.card.id: known.card.doc for known in self.documents}
        leaf_of = {doc_id: prefix for prefix, ids in by_leaf.items() for doc_id in ids}
        return [
            PageFacts(
                doc_id=entry.doc_id,
                path=entry.card.path,
                url=entry.url,
                title=entry.card.title,
                language=entry.language,
                tags=entry.card.tags,
                aliases=entry.card.aliases,
                category=order.titles(entry.doc_id),
                date=first_scalar(entry.card.front_matter, PUBLISHED_DATES),
                updated=first_scalar(entry.card.front_matter, UPDATED_DATES),
                summary=entry.card.summary,
                chars=entry.card.chars,
                leaf=leaf_of.get(entry.doc_id, ""),
                doc=docs.get(entry.doc_id),
            )
            for entry in self.collection.entries.values()
        ]

    def _beside(
        self, site: SiteSettings, facts: Sequence[PageFacts], earlier: EarlierState | None
    ) -> SiteBeside:
        collection = self.collection

        def text_of(doc_id: str) -> str:
            return self.store.body(collection.by_id[doc_id].key).text

        return site_beside(
            BesideInput(
                site=site,
                knowledge_base_id=self.project.facts.knowledge_base_id,
                facts=facts,
                meta={e.doc_id: e.card.front_matter for e in collection.entries.values()},
                index=collection.index,
                folders=self.project.languages.folders,
                rules=self.files.get(RULES_PATH, b"").decode("utf-8", "replace"),
                taken=collection.used_assets(),
                earlier=earlier,
                text_of=text_of,
            )
        )

    def _lists(self, site: SiteSettings, beside: SiteBeside) -> SiteLists:
        former = [url for facts in beside.facts for url in facts.former]
        graph = len(self.documents) > 1
        return site_lists(site, beside.facts, self.categories.root, graph=graph, taken=former)

    def _views(
        self, site: SiteSettings, order: Order, beside: SiteBeside, lists: SiteLists
    ) -> PageViews:
        chrome = Chrome(
            order=order,
            titles=dict(navigation_titles(self.project.nav)),
            links=lists.links,
            tag_urls=lists.tag_urls,
            category_urls=lists.category_urls,
            translations={facts.doc_id: beside.translations(facts) for facts in beside.facts},
        )
        hashes = {known.card.id: known.card.doc.sha256 for known in self.documents}
        return PageViews(site, self.collection, chrome, hashes)

    def _shared(self, site: SiteSettings) -> str:
        """Changes with whatever all pages share."""
        return digest(code_version(), self.theme, site)
