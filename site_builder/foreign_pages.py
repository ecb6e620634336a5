"""Knowledge beside pages that another program makes: MkDocs, under any theme but ours.

`ForeignPages` keeps what MkDocs hands over at different times; the steps are those of every build.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from manifest.manifest_file import write_manifest
from manifest.objects import Asset
from manifest.references import MANIFEST_PATH
from site_builder.build_report import BuildReport
from site_builder.collection import Collection, KeptNote, collect, left_out
from site_builder.compiling import pack_note
from site_builder.dialect import compile_note
from site_builder.dialect.options import DialectOptions
from site_builder.document_writing import DocumentWriter
from site_builder.identity import identify
from site_builder.index_card import NoteTerms
from site_builder.knowledge import KnownDocument, publish_knowledge
from site_builder.note import CompiledNote, Finding, FindingKind, SourceNote
from site_builder.note_card import NoteBody, split_note
from site_builder.note_store import NoteStore, digest
from site_builder.object_sink import FolderSink
from site_builder.page_writing import article
from site_builder.previous import PreviousSite
from site_builder.progress import Progress
from site_builder.rendered_headings import with_rendered_anchors
from site_builder.site_categories import site_categories
from site_builder.site_project import SiteProject
from site_builder.source import read_source


class ForeignPages:
    """One build's notes, by the path that MkDocs knows them under.

    sources: those that are published. urls: where their pages stand, below the site.
    """

    def __init__(self, project: SiteProject, store: NoteStore, progress: Progress) -> None:
        self.project = project
        self.sources: dict[str, SourceNote] = {}
        self.urls: dict[str, str] = {}
        self.collection: Collection
        self.documents: list[KnownDocument] = []
        self._store = store
        self._progress = progress
        self._kept: dict[str, KeptNote] = {}
        self._withheld = 0
        self._assets: frozenset[str] = frozenset()
        self._findings: list[Finding] = []

    def add(self, path: str, data: bytes) -> None:
        """Reads a note; a withheld one is kept apart."""
        note = read_source(path, data)
        if note.withheld:
            self._withheld += 1
            self._findings.extend(note.findings)
        else:
            self.sources[path] = note

    def identify(self, assets: Iterable[str]) -> None:
        """Finds the address that each note's page would have with us; assets: paths of all other
        files."""
        self._assets = frozenset(assets)
        identities, _ = identify(list(self.sources.values()), assets=self._assets)
        self.urls = {
            path: identity.url for path, identity in zip(self.sources, identities, strict=True)
        }

    def compile(self, path: str, markdown: str) -> CompiledNote:
        """Compiles a note from the Markdown that MkDocs' other plugins left of it."""
        note = self.sources[path]
        note = note if markdown == note.body else replace(note, body=markdown, body_lines=())
        language = self.project.languages.of_path(path)
        compiled = compile_note(note, DialectOptions(language, self.project.html))
        self._keep(path, compiled)
        return compiled

    def take(self, path: str, markdown: str, html: str) -> None:
        """Takes a note whose page another renderer made, with the anchors of that page."""
        self._keep(path, with_rendered_anchors(self.compile(path, markdown), html))

    def _keep(self, path: str, compiled: CompiledNote) -> None:
        card, body = split_note(self.sources[path], compiled)
        packed = pack_note(card, body)
        key = digest("foreign", packed.card, packed.body)
        self._kept[path] = KeptNote(key, self._store.put(key, packed))
        self._progress("reading notes", len(self._kept), len(self.sources))

    def link(self, asset: Callable[[str], Asset | None]) -> None:
        """Finds where every link leads, now that every note is compiled. asset: gives a file of
        the site by its path."""
        self.collection = collect(self._kept, self._assets, self.project.languages, urls=self.urls)
        self._sink = FolderSink(self.project.folder)
        writer = DocumentWriter(self._store, self._sink, asset)
        self._writer = writer

    def html(self, path: str, rendered: str) -> str:
        """A page's article with its links; rendered: what other plugins left of the HTML."""
        entry = self.collection.entries[path]
        body = self._store.body(entry.key)
        found = article(
            self.collection, self._store, entry, NoteBody(rendered, body.text, body.sections)
        )
        self._findings.extend(found.findings[len(entry.linked.findings) :])
        return found.html

    def left_out(self, path: str, why: str) -> None:
        """A file that is not read at all."""
        self._findings.append(left_out(path, why))

    def published_elsewhere(self, path: str) -> None:
        """A withheld note whose page another renderer publishes all the same."""
        self._findings.append(
            Finding(
                path,
                0,
                FindingKind.WITHHELD,
                "withheld from the knowledge, but MkDocs publishes its page",
                "name it under `draft_docs` or `exclude_docs` in mkdocs.yml",
            )
        )

    def publish(self, navigation: object, previous: PreviousSite | None) -> BuildReport:
        """Publishes the knowledge, manifest last. navigation: nested lists as `nav:` has them;
        None for none."""
        project = self.project
        written = self._writer.write(self.collection, {}, self._progress)
        documents = [found.known for found in written.values()]
        tree = site_categories(navigation, project.facts.title, self.collection, self._store)
        manifest = publish_knowledge(
            documents,
            tree,
            project.facts,
            self._terms,
            self._sink,
            previous=previous,
            progress=self._progress,
        )
        path = project.folder / MANIFEST_PATH
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(write_manifest(manifest))
        findings = {*self._findings, *self.collection.findings()}
        return BuildReport(
            site=project.folder,
            manifest=manifest,
            documents=len(documents),
            withheld=self._withheld,
            findings=tuple(sorted(findings)),
        )

    def _terms(self, doc_id: str) -> NoteTerms:
        return self._store.terms(self.collection.by_id[doc_id].key)
