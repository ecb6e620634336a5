"""Reading the texts behind a search's best units."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bridge_reader.passages import Passage, PassageCutter
from bridge_reader.revision import BoundRevision
from bridge_reader.search.best_passages import SHORT, TEXT_LIMIT, best_passages
from manifest.errors import ErrorCode, NoteBridgeError
from manifest.objects import Doc, TocSection
from manifest.query_plan import QueryTerm
from manifest.references import Reference

UNREADABLE = frozenset(
    {
        ErrorCode.REVISION_EXPIRED,
        ErrorCode.INTEGRITY_MISMATCH,
        ErrorCode.OBJECT_INVALID,
        ErrorCode.OBJECT_TOO_LARGE,
        ErrorCode.SCHEMA_UNSUPPORTED,
        ErrorCode.SITE_UNREACHABLE,
    }
)
"""What may be wrong with one object while the rest of the revision can still be read."""


NEXT_UNITS = 3
"""Units shown at most behind a short one."""


@dataclass(frozen=True, slots=True)
class WantedUnit:
    """A search unit of a document, to be shown."""

    doc_id: str
    doc: Reference
    unit: int


@dataclass(slots=True)
class UnitTexts:
    """What was read: passages to show, the section of each unit, and what could not be read."""

    passages: list[Passage] = field(default_factory=list)
    sections: dict[tuple[str, int], TocSection] = field(default_factory=dict)
    unread: dict[str, str] = field(default_factory=dict)

    def passages_of(self, doc_id: str) -> tuple[Passage, ...]:
        """The passages of one document, in order of its text."""
        of_document = (passage for passage in self.passages if passage.doc_id == doc_id)
        return tuple(sorted(of_document, key=lambda passage: passage.start))


async def read_texts(
    revision: BoundRevision,
    cutter: PassageCutter,
    units: Sequence[WantedUnit],
    weights: Mapping[QueryTerm, int],
) -> UnitTexts:
    """Reads the documents of some units, best first; one that cannot be read does not take the
    others with it."""
    texts = UnitTexts()
    references = {unit.doc_id: unit.doc for unit in units}
    answers = await asyncio.gather(
        *(_doc_or_reason(revision, doc_id, doc) for doc_id, doc in references.items())
    )
    docs = dict(zip(references, answers, strict=True))
    passages: list[list[Passage]] = []
    length = 0
    for unit in units:
        doc = docs[unit.doc_id]
        try:
            if isinstance(doc, NoteBridgeError):
                raise doc
            number, found = _passages(cutter, doc, unit)
        except NoteBridgeError as error:
            texts.unread[unit.doc_id] = f"{error.code}: {error.message}"
            continue
        texts.sections[unit.doc_id, unit.unit] = doc.sections[number]
        if length < TEXT_LIMIT:
            passages.append(found)
            length += _length(found)
    texts.passages = best_passages(passages, weights, cutter.words)
    return texts


async def _doc_or_reason(
    revision: BoundRevision, doc_id: str, reference: Reference
) -> Doc | NoteBridgeError:
    try:
        return await revision.doc_at(doc_id, reference)
    except NoteBridgeError as error:
        if error.code not in UNREADABLE:
            raise
        return error


def _passages(cutter: PassageCutter, doc: Doc, wanted: WantedUnit) -> tuple[int, list[Passage]]:
    """The section of a unit, and the passages that overlap the unit; behind a heading with hardly
    any text of its own, those of the next units too."""
    units = cutter.units(doc, wanted.doc.sha256)
    if wanted.unit >= len(units):
        raise NoteBridgeError(
            ErrorCode.OBJECT_INVALID,
            f"The search index names a unit that {doc.id[:200]!r} does not have.",
        )
    found: list[Passage] = []
    for number, span in units[wanted.unit : wanted.unit + NEXT_UNITS + 1]:
        passages = cutter.section(doc, wanted.doc.sha256, number)
        found += [p for p in passages if p.start < span.end and p.end > span.start]
        if _length(found) >= SHORT:
            break
    return units[wanted.unit][0], found


def _length(passages: Sequence[Passage]) -> int:
    return sum(len(passage.text) for passage in passages)
