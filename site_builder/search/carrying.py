"""Segments that stay: without the documents that are gone, and whole wherever they are kept."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Protocol, runtime_checkable

from manifest.references import HashRow, Kind, Reference
from manifest.search_objects import DirectoryRow, DocRow, Docs, Segment
from site_builder.object_sink import ObjectSink, put_object
from site_builder.previous import PreviousSite
from site_builder.previous_source import ObjectName
from site_builder.progress import Progress
from site_builder.search.lookup import directory
from site_builder.search.published import PublishedSegment
from site_builder.search.segments import DOC_PAGE
from site_builder.search.shards import continuations, hash_row

CARRYING = "earlier objects"


@runtime_checkable
class Holding(Protocol):
    """A sink that knows what it holds already."""

    def holds(self, kind: Kind, sha256: str) -> bool:
        """Whether an object is there."""
        ...


def without_documents(
    segment: PublishedSegment, gone: Sequence[int], sink: ObjectSink
) -> PublishedSegment:
    """The segment with empty rows for documents that there are no more; the same if it has none.

    An empty row keeps its units: its postings are in the shards still, and the delta drops them.
    """
    if not gone:
        return segment
    rows = list(segment.rows)
    pages = list(segment.segment.docPages)
    for ordinal in gone:
        rows[ordinal] = DocRow("", "", "", "", 0, rows[ordinal].units, [], [], -1)
    for number in sorted({ordinal // DOC_PAGE for ordinal in gone}):
        first = number * DOC_PAGE
        page = Docs(first=first, docs=rows[first : first + DOC_PAGE])
        pages[number] = hash_row(put_object(sink, page))
    changed = segment.segment.model_copy(update={"docPages": pages})
    return PublishedSegment(put_object(sink, changed), changed, rows, segment.first)


def carry(
    segment: PublishedSegment,
    changed: Segment,
    previous: PreviousSite,
    sink: ObjectSink,
    progress: Progress,
) -> None:
    """Brings those objects of a segment that the sink does not hold. changed: the segment as it
    goes on. Raises as reading does."""
    is_held = sink.holds if isinstance(sink, Holding) else _holds_nothing
    names = _names(segment, changed, previous)
    wanted = [name for name in names if not is_held(name.kind, name.sha256)]
    for number, (name, body) in enumerate(previous.bodies(wanted)):
        # What a shard refers to comes first: so a shard that is there is whole.
        for rest in continuations(body, name.path) if name.kind is Kind.SHARD else ():
            if not is_held(Kind.POSTINGS, rest.sha256):
                sink.put(Kind.POSTINGS, previous.body(Kind.POSTINGS, rest))
        sink.put(name.kind, body)
        progress(CARRYING, number + 1, len(wanted))


def _names(
    segment: PublishedSegment, changed: Segment, previous: PreviousSite
) -> Iterator[ObjectName]:
    """What the changed segment shares with the published one; what refers to others comes last."""
    yield from (_named(Kind.SHARD, row) for row in directory(segment, previous))
    yield from (_named(Kind.TERMS, row) for row in segment.segment.pages)
    pages = set(changed.docPages).intersection(segment.segment.docPages)
    yield from (_named(Kind.DOCS, row) for row in segment.segment.docPages if row in pages)
    if changed == segment.segment:
        yield _named(Kind.SEGMENT, segment.reference)


def _named(kind: Kind, row: DirectoryRow | HashRow | Reference) -> ObjectName:
    return ObjectName(kind, row.sha256, row.size)


def _holds_nothing(_kind: Kind, _sha256: str) -> bool:
    return False
