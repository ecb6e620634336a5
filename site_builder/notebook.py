"""One build's notes, step by step: read, identified, compiled, linked, published.

`Notebook` keeps the values between the steps, since MkDocs calls for them at different times; the
steps themselves are the pure functions of `source`, `identity`, `dialect` and `linking`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from manifest.canonical import sha256_hex
from manifest.manifest_file import Manifest
from manifest.objects import Asset, write_object
from site_builder.categories import CategoryTree, folder_tree, summary_tree
from site_builder.dialect import compile_note
from site_builder.documents import Document, NoteFacts, document
from site_builder.embeds import with_embeds
from site_builder.front_matter import aliases, text_value
from site_builder.identity import Identity, identify
from site_builder.linking import MISSING_TITLE, IndexedNote, NoteIndex, link_note
from site_builder.note import CompiledNote, Finding, FindingKind, LinkedNote, LinkKind, SourceNote
from site_builder.object_sink import ObjectSink
from site_builder.publication import Progress, SiteFacts, publish_knowledge
from site_builder.source import read_source

SUMMARY_PATH = "SUMMARY.md"

MISSING_TITLES = {"zh": "还没有写"}
"""What a reader is told of a link that leads nowhere, by primary language; English otherwise."""


@dataclass(frozen=True, slots=True)
class NotebookSettings:
    """What a build is told. languages maps folders to languages; the deepest folder wins."""

    facts: SiteFacts
    languages: Mapping[str, str] = field(default_factory=dict)


@dataclass(slots=True)
class Entry:
    """A note on its way; later steps fill what earlier ones leave open."""

    note: SourceNote
    identity: Identity
    language: str
    compiled: CompiledNote | None = None
    linked: LinkedNote | None = None
    document: Document | None = None
    document_sha256: str = ""


class Notebook:
    """The notes of one build, by the path that MkDocs knows them under."""

    def __init__(self, settings: NotebookSettings) -> None:
        self.settings = settings
        self.entries: dict[str, Entry] = {}
        self.withheld: dict[str, SourceNote] = {}
        self._sources: dict[str, SourceNote] = {}
        self._assets: frozenset[str] = frozenset()
        self._index = NoteIndex.build(())
        self._findings: list[Finding] = []

    def add(self, path: str, data: bytes) -> None:
        """Reads a note; a withheld one is kept apart."""
        note = read_source(path, data)
        if note.withheld:
            self.withheld[path] = note
            self._findings.extend(note.findings)
        else:
            self._sources[path] = note

    def identify(self, assets: Iterable[str]) -> None:
        """Gives every note its docId and address; assets: paths of all other files."""
        self._assets = frozenset(assets)
        identities, findings = identify(list(self._sources.values()), assets=self._assets)
        self._findings.extend(findings)
        self.entries = {
            path: Entry(note, identity, self._language(note))
            for (path, note), identity in zip(self._sources.items(), identities, strict=True)
        }

    def _language(self, note: SourceNote) -> str:
        stated = text_value(note.meta, "language") or text_value(note.meta, "lang")
        folders = self.settings.languages
        parts = note.path.split("/")[:-1]
        paths = ("/".join(parts[:depth]) for depth in range(len(parts), 0, -1))
        by_folder = next((folders[path] for path in paths if path in folders), "")
        return stated or by_folder or self.settings.facts.language

    def stands_at(self, path: str, url: str) -> None:
        """Notes the address that another renderer gave a page."""
        entry = self.entries[path]
        entry.identity = replace(entry.identity, url=url)

    def compile(self, path: str, markdown: str) -> CompiledNote:
        """Compiles a note from the Markdown that MkDocs' other plugins left of it."""
        entry = self.entries[path]
        entry.compiled = compile_note(_with_body(entry.note, markdown))
        return entry.compiled

    def rename_anchors(self, path: str, rename: Callable[[CompiledNote], CompiledNote]) -> None:
        """Takes a page's own anchors, where another renderer made the page."""
        entry = self.entries[path]
        if entry.compiled is not None:
            entry.compiled = rename(entry.compiled)

    def link(self) -> None:
        """Finds where every link leads, now that every note is compiled."""
        compiled = [
            (entry, entry.compiled) for entry in self.entries.values() if entry.compiled is not None
        ]
        self._index = NoteIndex.build(
            (
                IndexedNote.of(
                    note, entry.identity.doc_id, entry.identity.url, aliases(entry.note.meta)
                )
                for entry, note in compiled
            ),
            self._assets,
        )
        linked = {entry.identity.doc_id: self._linked(entry, note) for entry, note in compiled}
        for entry, _ in compiled:
            entry.linked = with_embeds(
                linked[entry.identity.doc_id],
                self._index,
                linked,
                missing_title=_missing_title(entry),
            )
            self._findings.extend(entry.linked.findings)

    def _linked(self, entry: Entry, note: CompiledNote) -> LinkedNote:
        return link_note(
            self._index, note, entry.identity.doc_id, missing_title=_missing_title(entry)
        )

    def html(self, path: str, rendered: str) -> str:
        """A page's article with its links; rendered: what other plugins left of the HTML."""
        entry = self.entries[path]
        assert entry.compiled is not None
        assert entry.linked is not None
        if rendered == entry.compiled.html:
            return entry.linked.html
        changed = self._linked(entry, replace(entry.compiled, html=rendered))
        linked = {
            other.identity.doc_id: other.linked
            for other in self.entries.values()
            if other.linked is not None
        }
        return with_embeds(changed, self._index, linked, missing_title=_missing_title(entry)).html

    def used_assets(self) -> frozenset[str]:
        """Files that published notes use."""
        return frozenset(
            path
            for entry in self.entries.values()
            if entry.linked is not None
            for path in entry.linked.assets
        )

    def left_out(self, path: str, why: str) -> None:
        """A file that is not read at all."""
        shown = path.encode("utf-8", "backslashreplace").decode("utf-8")
        self._findings.append(
            Finding(
                shown,
                0,
                FindingKind.FILE,
                f"left out: {why}",
                "put a plain file into the folder of notes",
            )
        )

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

    def findings(self) -> tuple[Finding, ...]:
        """Everything found so far, by place, each once."""
        return tuple(sorted(set(self._findings)))

    def make_documents(self, asset: Callable[[str], Asset | None]) -> None:
        """Turns linked notes into documents; asset: gives a file of the site by its
        path."""
        anchors = {note.doc_id: frozenset(note.anchors) for note in self._index.notes}
        pages = {
            entry.identity.doc_id: entry.identity.url
            for entry in self.entries.values()
            if not entry.note.knowledge
        }
        for entry in self.entries.values():
            if entry.linked is None or not entry.note.knowledge:
                continue
            facts = NoteFacts(
                doc_id=entry.identity.doc_id,
                path=entry.note.path,
                url=entry.identity.url,
                language=entry.language,
                meta=entry.note.meta,
            )
            linked = _within(entry.linked, pages, anchors)
            entry.document = document(facts, linked, asset)
            entry.document_sha256 = sha256_hex(write_object(entry.document.doc))

    def categories(self, navigation: CategoryTree | None) -> CategoryTree:
        """The category tree: the navigation given, else SUMMARY.md, else folders."""
        documents = self.documents()
        if navigation is not None:
            return navigation
        title = self.settings.facts.title
        summary = self.entries.get(SUMMARY_PATH)
        if summary is not None and summary.document is not None:
            return summary_tree(
                title,
                summary.document.doc.text,
                self._resolver(SUMMARY_PATH),
                [document.doc.id for document in documents],
            )
        return folder_tree(
            title,
            {found.doc.id: found.folder for found in documents},
            {found.doc.id: found.doc.url for found in documents},
        )

    def _resolver(self, source: str) -> Callable[[str], str | None]:
        known = {document.doc.id for document in self.documents()}

        def resolve(target: str) -> str | None:
            found = self._index.by_path(target.partition("#")[0], source)
            return found.note.doc_id if found.note and found.note.doc_id in known else None

        return resolve

    def documents(self) -> list[Document]:
        """The documents made."""
        return [entry.document for entry in self.entries.values() if entry.document is not None]

    def publish(self, categories: CategoryTree, sink: ObjectSink, progress: Progress) -> Manifest:
        """Keeps all objects and returns the manifest, which the caller writes last."""
        return publish_knowledge(self.documents(), categories, self.settings.facts, sink, progress)


def _missing_title(entry: Entry) -> str:
    return MISSING_TITLES.get(entry.language.partition("-")[0].lower(), MISSING_TITLE)


def _with_body(note: SourceNote, markdown: str) -> SourceNote:
    return note if markdown == note.body else replace(note, body=markdown)


def _within(
    linked: LinkedNote, pages: Mapping[str, str], anchors: Mapping[str, frozenset[str]]
) -> LinkedNote:
    """The note with links as the knowledge can state them: a page without knowledge is a path of
    the site, and an id that is no section's anchor leads to the whole document."""
    links = []
    for link in linked.links:
        if link.kind in (LinkKind.DOC, LinkKind.EMBED):
            if link.to in pages:
                link = replace(link, kind=LinkKind.FILE, to=pages[link.to], anchor="")
            elif link.anchor not in anchors[link.to]:
                link = replace(link, anchor="")
        links.append(link)
    return replace(linked, links=tuple(links))
