"""One site, built and built again: the notes of a folder become pages and knowledge.

Read (what changed) -> collect (who is who) -> documents -> tree, search base, root -> pages and
lists -> manifest. What every step needs of earlier builds is in the store or in memory, and is only
ever a shorter way to what a first build would make.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from manifest.manifest_file import Manifest, write_manifest
from manifest.objects import Asset
from site_builder.beside.redirect_files import HOST_RULES
from site_builder.beside.redirects import RULES_PATH, kept_ids, read_rules
from site_builder.browser_files import browser_files
from site_builder.build_report import BuildReport
from site_builder.categories import CategoryTree
from site_builder.collection import Collection, collect, left_out
from site_builder.document_writing import DocumentWriter, Written
from site_builder.index_card import NoteTerms
from site_builder.knowledge import KnownDocument, publish_knowledge
from site_builder.legacy_site import legacy_files
from site_builder.note import Finding
from site_builder.note_reading import NoteReader, ReadingOptions
from site_builder.note_store import NoteStore, code_version, digest
from site_builder.own_files import read_bounded
from site_builder.packing import SITE_SHEET, SITE_SHEETS, packed, site_sheet
from site_builder.page_facts import PageFacts
from site_builder.page_rendering import PageRenderer
from site_builder.previous import PreviousSite
from site_builder.progress import Progress, no_progress
from site_builder.site_categories import site_categories
from site_builder.site_folder import SiteFolder
from site_builder.site_pages import SitePages
from site_builder.site_project import HOST_FILES, SiteProject
from site_builder.source_folder import FileHashes, FolderListing, list_folder


class SiteBuild:
    """One project's site. Each `run` builds it once, from what the folder holds then."""

    def __init__(self, project: SiteProject, store: NoteStore, executor: str = "") -> None:
        self._project = project
        self._store = store
        self._reader = NoteReader(ReadingOptions(project.languages, project.html, executor), store)
        self._renderer = PageRenderer(browser_files() / "theme", project.site)
        # The renderer reads each template once: what it made is told by what it read.
        self._theme = _theme_version()
        self._seen = store.seen()
        self._collection: Collection | None = None
        self._written: dict[str, Written] = {}

    @property
    def folder(self) -> Path:
        """Where the site goes."""
        return self._project.folder

    def run(
        self,
        previous: PreviousSite | None = None,
        progress: Progress = no_progress,
        *,
        beside: bool = False,
    ) -> BuildReport:
        """Builds the site.

        previous: the published state to go on from. beside: whether what else stands in the
        folder stays.
        """
        project = self._project
        listing = list_folder(project.notes, project.excludes)
        hashes = FileHashes(project.notes, self._seen)
        notes = self._reader.read(listing, hashes, progress)
        collection = collect(
            notes,
            frozenset(listing.assets),
            project.languages,
            kept_ids=self._kept_ids(listing),
            earlier=self._collection,
        )
        collection.unplaced.extend(left_out(*found) for found in listing.refused.items())
        folder = SiteFolder(project.folder, self._store, beside=beside)
        run = _Run(
            project,
            self._store,
            collection,
            listing,
            hashes,
            folder,
            progress,
            self._theme,
            self._written,
        )
        manifest = run.build(previous, self._renderer)
        self._seen = self._seen | hashes.fresh
        self._store.saw(hashes.fresh)
        self._store.prune({entry.key for entry in collection.entries.values()}, run.derived)
        self._store.commit()
        self._collection, self._written = collection, run.written
        return BuildReport(
            site=project.folder,
            manifest=manifest,
            documents=len(run.documents),
            withheld=collection.withheld,
            findings=tuple(sorted(set(run.findings))),
            changed=folder.changed,
            removed=folder.removed,
        )

    def _kept_ids(self, listing: FolderListing) -> dict[str, str]:
        """The docIds that notes keep which the author's file of redirects says have moved."""
        if RULES_PATH not in listing.assets:
            return {}
        text = read_bounded(self._project.notes, RULES_PATH).decode("utf-8", "replace")
        return kept_ids(read_rules(text)[0])


@dataclass(slots=True)
class _Run:
    """One build on its way.

    theme: changes with the templates. written: the documents of the last build, then its own.
    documents, findings and derived: what it made, as it goes.
    """

    project: SiteProject
    store: NoteStore
    collection: Collection
    listing: FolderListing
    hashes: FileHashes
    folder: SiteFolder
    progress: Progress
    theme: str
    written: dict[str, Written] = field(default_factory=dict)
    documents: list[KnownDocument] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)
    derived: set[str] = field(default_factory=set)

    def build(self, previous: PreviousSite | None, renderer: PageRenderer) -> Manifest:
        """Writes everything, the manifest last."""
        writer = DocumentWriter(self.store, self.folder, self._asset, self.derived)
        self.written = writer.write(self.collection, self.written, self.progress)
        self.documents = [found.known for found in self.written.values()]
        facts = self.project.facts
        categories = site_categories(self.project.nav, facts.title, self.collection, self.store)
        manifest = publish_knowledge(
            self.documents,
            categories,
            facts,
            self._terms,
            self.folder,
            previous=previous,
            progress=self.progress,
        )
        pages = SitePages(
            self.project,
            self.store,
            self.collection,
            self.documents,
            categories,
            self._author_files(),
            self.theme,
            self.findings,
        )
        pages.write(self.folder, renderer, previous, self.progress)
        self._copy_files(pages.images)
        self._copy_theme()
        if self.project.legacy:
            self._write_legacy(manifest, pages.facts, categories)
        self.findings.extend(self.collection.findings())
        self.folder.finish(write_manifest(manifest))
        return manifest

    def _terms(self, doc_id: str) -> NoteTerms:
        return self.store.terms(self.collection.by_id[doc_id].key)

    def _asset(self, path: str) -> Asset | None:
        stamp = self.listing.assets.get(path)
        if stamp is None:
            return None
        return Asset(path=path, sha256=self.hashes.of(path, stamp), size=stamp.size)

    def _write_legacy(
        self, manifest: Manifest, facts: Sequence[PageFacts], categories: CategoryTree
    ) -> None:
        folder = self.folder.folder
        for file in legacy_files(folder, manifest, self.collection, self.store, facts, categories):
            self.folder.write(file.path, file.body)

    def _author_files(self) -> dict[str, bytes]:
        """Files at the top of the notes that a build reads."""
        found = (name for name in (HOST_RULES, RULES_PATH) if name in self.listing.assets)
        return {name: read_bounded(self.project.notes, name) for name in found}

    def _copy_files(self, images: frozenset[str]) -> None:
        """Those of the author's files that published notes use, that the settings name, or that
        hosts look for: a folder of notes may hold private things."""
        site = self.project.site
        named = {*site.extra_css, *(script.path for script in site.extra_javascript), *HOST_FILES}
        named.discard(HOST_RULES)
        wanted = self.collection.used_assets() | named | images
        for path in sorted(wanted & self.listing.assets.keys()):
            key = self.hashes.of(path, self.listing.assets[path])
            if not self.folder.is_current(path, key):
                self.folder.write(path, (self.project.notes / path).read_bytes(), key)

    def _copy_theme(self) -> None:
        """The theme's files and the client, packed; styles that every page needs are one file."""
        shared = browser_files()
        assets, client = shared / "theme" / "assets", shared / "client"
        sheets = assets / "css"
        joined = {sheets / f"{name}.css" for name in (*SITE_SHEETS, "print")}
        for below, prefix in ((assets, "assets"), (client, "assets/client")):
            for file in _files(below):
                if file not in joined:
                    self._copy(file, f"{prefix}/{file.relative_to(below).as_posix()}")
        self.folder.write(SITE_SHEET, site_sheet(sheets))

    def _copy(self, file: Path, path: str) -> None:
        status = file.stat()
        key = digest(code_version(), status.st_size, status.st_mtime_ns)
        if not self.folder.is_current(path, key):
            self.folder.write(path, packed(file.name, file.read_bytes()), key)


def _files(folder: Path) -> Iterable[Path]:
    return (file for file in sorted(folder.rglob("*")) if file.is_file())


def _theme_version() -> str:
    """Changes with the templates."""
    files = _files(browser_files() / "theme")
    return digest([file.read_bytes() for file in files if file.suffix == ".html"])
