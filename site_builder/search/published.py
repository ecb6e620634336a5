"""Segments as they are published: what a build can leave where it is."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field

import orjson

from manifest.errors import ErrorCode, NoteBridgeError
from manifest.references import Reference
from manifest.search_objects import DocRow, Related, Segment
from site_builder.index_card import IndexCard
from site_builder.search.segments import DOC_PAGE


@dataclass(frozen=True, slots=True)
class PublishedSegment:
    """A segment with the rows of its documents, by its own ordinals. first: the ordinal of its
    first document among all segments."""

    reference: Reference
    segment: Segment
    rows: list[DocRow]
    first: int

    @property
    def capacity(self) -> int:
        """Ordinals that its pages have room for."""
        return len(self.segment.docPages) * DOC_PAGE


def place_key(card: IndexCard) -> bytes:
    """Documents stand in a segment, and in the delta, in the order in which equal scores are shown:
    so a reader need not read the rows of all that score alike."""
    return hashlib.sha256(card.id.encode("utf-8")).digest()


def doc_rows(body: bytes, name: str) -> list[DocRow]:
    """The rows of a page of documents, whose bytes were checked.

    Every build reads them all, and to validate each number of each would be most of its work; so
    only their shape is looked at. Raises `NoteBridgeError` (OBJECT_INVALID) for another.
    """
    try:
        rows = [DocRow(*row[: len(DocRow._fields)]) for row in orjson.loads(body)["docs"]]
        if all(isinstance(row.id, str) and isinstance(row.units, int) for row in rows):
            return [
                row._replace(related=[Related(*other[:2]) for other in row.related]) for row in rows
            ]
    except (ValueError, TypeError, LookupError) as error:
        raise _invalid(name) from error
    raise _invalid(name)


def _invalid(name: str) -> NoteBridgeError:
    return NoteBridgeError(
        ErrorCode.OBJECT_INVALID,
        f"{name} is no valid object: its rows are none of documents.",
        hint="Build without the earlier site.",
        details={"object": name},
    )


@dataclass(frozen=True, slots=True)
class Placement:
    """Where the present documents stand in published segments.

    live: by docId, the ordinal of the row that says of the document what is still so. dropped: by
    segment, its other rows that are not empty or once were. gone: those of documents that there
    are no more, by segment. fresh: the documents without a row.
    """

    live: dict[str, int]
    dropped: list[list[int]]
    gone: list[list[int]]
    fresh: list[IndexCard]
    newest: dict[str, int] = field(default_factory=dict)
    """By docId, the row that tells where a document was last, live or not."""


def place(cards: Sequence[IndexCard], segments: Sequence[PublishedSegment]) -> Placement:
    """Finds the documents that are unchanged; of two rows for one the younger counts."""
    by_id = {card.id: card for card in cards}
    ids = {
        segment.first + ordinal: row.id
        for segment in segments
        for ordinal, row in enumerate(segment.rows)
        if row.id in by_id
    }
    live: dict[str, int] = {}
    newest: dict[str, int] = {}
    for segment in reversed(segments):
        for ordinal, row in enumerate(segment.rows):
            card = by_id.get(row.id)
            if card is None:
                continue
            newest.setdefault(row.id, segment.first + ordinal)
            if row.id not in live and _says(row, card, ids, by_id.keys()):
                live[row.id] = segment.first + ordinal
    dropped: list[list[int]] = []
    gone: list[list[int]] = []
    for segment in segments:
        others = [
            ordinal
            for ordinal, row in enumerate(segment.rows)
            if live.get(row.id) != segment.first + ordinal
        ]
        dropped.append(others)
        gone.append([n for n in others if segment.rows[n].id and segment.rows[n].id not in by_id])
    fresh = [card for card in cards if card.id not in live]
    return Placement(live, dropped, gone, fresh, newest)


def _says(row: DocRow, card: IndexCard, ids: Mapping[int, str], known: Set[str]) -> bool:
    """Whether a row is of the present state of its document. The links are of its `doc`, but a row
    leads to ordinals, and a document that came back has another."""
    same = (row.sha256, row.size) == (card.doc.sha256, card.doc.size)
    return same and {ids.get(ordinal) for ordinal in row.links} == known & set(card.links)
