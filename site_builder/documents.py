"""From linked notes to the facts of one note each: `doc`, `toc` and a row of a leaf."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from manifest.canonical import text_sha256
from manifest.objects import Asset, Doc, DocLink, LeafDocument, Toc, TocSection
from manifest.references import Reference
from manifest.search_text import document_tags, meta_list
from manifest.units import token_estimate
from site_builder.note import CompiledNote, LinkedNote, Meta
from site_builder.object_sink import ObjectSink, put_object

PUBLISHED_DATES = ("date", "created", "published")
UPDATED_DATES = ("updated", "modified", "lastmod")


@dataclass(frozen=True, slots=True)
class NoteFacts:
    """What the knowledge says of a note beside its text: who it is and where it stands."""

    doc_id: str
    path: str
    url: str
    language: str
    meta: Mapping[str, Meta]


@dataclass(frozen=True, slots=True)
class Document:
    """A note as it will be published. folder holds the names of its source's folders."""

    doc: Doc
    path: str
    folder: tuple[str, ...]


def document(
    facts: NoteFacts, linked: LinkedNote, asset: Callable[[str], Asset | None]
) -> Document:
    """The document of a linked note. asset: gives a file of the site by its path."""
    compiled = linked.compiled
    assets = [found for path in linked.assets if (found := asset(path)) is not None]
    doc = Doc(
        id=facts.doc_id,
        title=compiled.title,
        language=facts.language,
        url=facts.url,
        meta=dict(facts.meta),
        text=compiled.text,
        sections=published_sections(compiled),
        links=[
            DocLink(
                section=link.section,
                kind=link.kind.value,
                to=link.to,
                anchor=link.anchor or None,
                text=link.text or None,
            )
            for link in linked.links
        ],
        assets=assets or None,
    )
    return Document(doc=doc, path=facts.path, folder=tuple(facts.path.split("/")[:-1]))


def published_sections(compiled: CompiledNote) -> list[TocSection]:
    """The sections of a compiled note with their hashes and token estimates."""
    sections: list[TocSection] = []
    for section in compiled.sections:
        slice_ = compiled.text[section.start : section.end]
        sections.append(
            TocSection(
                id=section.anchor,
                anchor=section.anchor,
                level=section.level,
                title=section.title,
                path=list(section.path),
                start=section.start,
                end=section.end,
                sha256=text_sha256(slice_),
                tokens=token_estimate(slice_),
            )
        )
    return sections


@dataclass(frozen=True, slots=True)
class PublishedDocument:
    """A document whose objects are kept; `row` goes into its leaf."""

    document: Document
    reference: Reference
    row: LeafDocument


def publish_document(found: Document, sink: ObjectSink) -> PublishedDocument:
    """Keeps a document's `doc` and `toc`."""
    doc = found.doc
    reference = put_object(sink, doc)
    toc = put_object(
        sink,
        Toc(
            id=doc.id,
            title=doc.title,
            language=doc.language,
            url=doc.url,
            sections=doc.sections,
        ),
    )
    row = LeafDocument(
        id=doc.id,
        title=doc.title,
        path=found.path,
        url=doc.url,
        language=doc.language,
        tags=document_tags(meta_list(doc.meta.get("tags")), doc.text),
        aliases=meta_list(doc.meta.get("aliases")),
        category=list(found.folder),
        date=_first_scalar(doc.meta, PUBLISHED_DATES),
        updated=_first_scalar(doc.meta, UPDATED_DATES),
        doc=reference,
        toc=toc,
        sections=len(doc.sections),
        chars=len(doc.text),
    )
    return PublishedDocument(document=found, reference=reference, row=row)


def _first_scalar(meta: Mapping[str, object], names: Sequence[str]) -> str | None:
    """Dates are published as the author wrote them; none is ever made up."""
    return next((str(meta[name]) for name in names if isinstance(meta.get(name), str)), None)


def folder_names(path: str) -> list[str]:
    """The names of a source's folders, outermost first."""
    return path.split("/")[:-1]
