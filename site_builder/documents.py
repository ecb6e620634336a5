"""From linked notes to the facts of one note each: `doc`, `toc` and a row of a leaf."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from manifest.canonical import encode_checked, text_sha256
from manifest.objects import Asset, Doc, DocLink, LeafDocument, Toc, TocSection
from manifest.references import HashRow
from manifest.search_text import meta_list
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
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PublishedDocument:
    """What is left of a document once its objects are kept.

    row: its row of a leaf, in canonical bytes.
    """

    doc: HashRow
    toc: HashRow
    row: bytes


def publish_document(doc: Doc, facts: NoteFacts, sink: ObjectSink) -> PublishedDocument:
    """Keeps a document's `doc` and `toc`."""
    reference = put_object(sink, doc)
    toc = put_object(
        sink,
        Toc.model_construct(
            id=doc.id,
            title=doc.title,
            language=doc.language,
            url=doc.url,
            sections=doc.sections,
        ),
    )
    row = LeafDocument.model_construct(
        id=doc.id,
        title=doc.title,
        path=facts.path,
        url=doc.url,
        language=doc.language,
        tags=list(facts.tags),
        aliases=meta_list(doc.meta.get("aliases")),
        category=folder_names(facts.path),
        date=first_scalar(facts.meta, PUBLISHED_DATES) or None,
        updated=first_scalar(facts.meta, UPDATED_DATES) or None,
        doc=reference,
        toc=toc,
        sections=len(doc.sections),
        chars=len(doc.text),
    )
    return PublishedDocument(
        HashRow(reference.sha256, reference.size),
        HashRow(toc.sha256, toc.size),
        encode_checked(row.model_dump(mode="json", exclude_none=True)),
    )


def document(facts: NoteFacts, linked: LinkedNote, asset: Callable[[str], Asset | None]) -> Doc:
    """The document of a linked note, with its text and sections. asset: gives a file of the site
    by its path.

    Nothing is validated: every value was made here, and thousands of documents are.
    """
    compiled = linked.compiled
    assets = [found for path in linked.assets if (found := asset(path)) is not None]
    return Doc.model_construct(
        id=facts.doc_id,
        title=compiled.title,
        language=facts.language,
        url=facts.url,
        meta=dict(facts.meta),
        text=compiled.text,
        sections=published_sections(compiled),
        links=[
            DocLink.model_construct(
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


def published_sections(compiled: CompiledNote) -> list[TocSection]:
    """The sections of a compiled note with their hashes and token estimates."""
    sections: list[TocSection] = []
    for section in compiled.sections:
        slice_ = compiled.text[section.start : section.end]
        sections.append(
            TocSection.model_construct(
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


def folder_names(path: str) -> list[str]:
    """The names of a source's folders, outermost first."""
    return path.split("/")[:-1]


def first_scalar(meta: Mapping[str, Meta], names: Sequence[str]) -> str:
    """The first of some front matter values that is a scalar, as the author wrote it; empty if
    none is: dates are never made up."""
    return next((str(meta[name]) for name in names if isinstance(meta.get(name), str)), "")
