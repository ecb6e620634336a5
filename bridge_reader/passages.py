"""Passages: the stretches of text that tools return, evidence is stored by and citations name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from bridge_reader.clock import Clock
from bridge_reader.recent import Recent
from bridge_reader.site_address import page_url
from manifest.canonical import text_sha256
from manifest.errors import ErrorCode, NoteBridgeError
from manifest.objects import Doc
from manifest.references import Kind, object_path
from manifest.search_text import search_text
from manifest.tokens import tokens
from manifest.units import Span, passages, section_units

Origin: TypeAlias = Literal["pinned", "legacy", "attachment"]


SPANS_LIMIT = 20_000
WORDS_LIMIT = 100_000
"""Spans, and words of passages, kept in memory: a long document is not cut again, nor its passages
read word by word, for every question."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a document that can be cited: at most 1,200 code points of one section.

    Passages are those of `manifest.units.passages`, so the same words are always the same span.
    revision, doc_sha256 and section_sha256 pin it; start and end are code points of the document's
    text, and `text` is exactly that slice. heading_path: titles down to the section's own. url is
    absolute, percent-encoded, with the section's anchor. retrieved_at: milliseconds since 1970 UTC.
    """

    revision: str
    doc_id: str
    section_id: str
    doc_sha256: str
    section_sha256: str
    start: int
    end: int
    text: str
    title: str
    heading_path: tuple[str, ...]
    url: str
    site_url: str
    retrieved_at: int
    origin: Origin = "pinned"


class PassageCutter:
    """Cuts sections of one revision's documents into passages, and documents into search units."""

    def __init__(self, revision: str, site_url: str, clock: Clock) -> None:
        """site_url: what addresses begin with; empty for a folder that names none."""
        self._revision = revision
        self._clock = clock
        self._spans: Recent[list[Span]] = Recent(SPANS_LIMIT)
        self._units: Recent[list[tuple[int, Span]]] = Recent(SPANS_LIMIT)
        self._words: Recent[Counter[str]] = Recent(WORDS_LIMIT)
        self.site_url = site_url if not site_url or site_url.endswith("/") else site_url + "/"

    def section(self, doc: Doc, doc_sha256: str, number: int) -> list[Passage]:
        """The passages of a document's section, by its index.

        Raises `NoteBridgeError` (OBJECT_INVALID) if the section is not the slice it claims to be:
        no citation could ever be checked against it.
        """
        section = doc.sections[number]
        now = self._clock()
        return [
            Passage(
                revision=self._revision,
                doc_id=doc.id,
                section_id=section.id,
                doc_sha256=doc_sha256,
                section_sha256=section.sha256,
                start=span.start,
                end=span.end,
                text=doc.text[span.start : span.end],
                title=doc.title,
                heading_path=tuple(section.path),
                url=page_url(self.site_url, doc.url, section.anchor),
                site_url=self.site_url,
                retrieved_at=now,
            )
            for span in self._spans_of(doc, doc_sha256, number)
        ]

    def units(self, doc: Doc, doc_sha256: str) -> list[tuple[int, Span]]:
        """The search units of a document, each with the index of its section."""
        known = self._units.get(doc_sha256)
        if known is None:
            known = section_units(doc.text, list(doc.sections))
            self._units.put(doc_sha256, known, len(known))
        return known

    def words(self, passage: Passage) -> Mapping[str, int]:
        """How often each token stands in a passage."""
        key = (passage.doc_sha256, passage.start)
        known = self._words.get(key)
        if known is None:
            known = Counter(tokens(search_text(passage.text)))
            self._words.put(key, known, len(known))
        return known

    def _spans_of(self, doc: Doc, doc_sha256: str, number: int) -> list[Span]:
        known = self._spans.get((doc_sha256, number))
        if known is None:
            section = doc.sections[number]
            slice_ = doc.text[section.start : section.end]
            if section.end > len(doc.text) or text_sha256(slice_) != section.sha256:
                raise _invalid(doc, doc_sha256, section.id)
            known = passages(doc.text, section)
            self._spans.put((doc_sha256, number), known, len(known))
        return known


def _invalid(doc: Doc, doc_sha256: str, section_id: str) -> NoteBridgeError:
    path = object_path(Kind.DOC, doc_sha256)
    return NoteBridgeError(
        ErrorCode.OBJECT_INVALID,
        f"The section {section_id!r} of {doc.id!r} is not the text that its hash says.",
        hint="Publish the site again with an unmodified note-bridge.",
        details={"object": path, "section": section_id},
    )
