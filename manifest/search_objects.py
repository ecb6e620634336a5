"""The objects of the search base: segments, their two-level directory, shards and document rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from manifest.objects import DocId, PublishedObject, growing
from manifest.references import Count, HashRow, Integer, Kind, Sha256, Text


class TermCount(NamedTuple):
    """A hot term: [term, units it occurs in]."""

    term: Text
    units: Count


class DirectoryRow(NamedTuple):
    """A child of a directory: [its first term, sha256, size]."""

    first: Text
    sha256: Sha256
    size: Count


class Weights(BaseModel):
    """How much an occurrence counts in each field; `heading` is the section's own, `path` its
    ancestors'."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    title: Count
    heading: Count
    path: Count
    tags: Count
    aliases: Count
    body: Count


class Segment(PublishedObject):
    """A part of the search base: how its terms were counted, and where its postings and documents
    are.

    tokens: the version of the token rules. pivot: the mean length of a unit in tokens, rounded to
    a power of two. docs, units: of all its rows, dropped ones too. hot: its terms in at least
    hotFloor of its units, in code-point order: those that may be hot in the whole search base, and
    more. pages: the upper level of the directory; a small segment has `shards` instead, the lower
    level itself.
    """

    KIND = Kind.SEGMENT

    kind: Literal[Kind.SEGMENT] = Kind.SEGMENT
    tokens: Text
    docs: Count
    units: Count
    pivot: Annotated[Count, Field(ge=1)]
    weights: Weights
    hot: list[Annotated[TermCount, growing(TermCount)]]
    hotFloor: Annotated[Count, Field(ge=1)] = 1  # noqa: N815 - the published name
    pages: list[Annotated[DirectoryRow, growing(DirectoryRow)]]
    shards: list[Annotated[DirectoryRow, growing(DirectoryRow)]] | None = None
    docPages: list[Annotated[HashRow, growing(HashRow)]]  # noqa: N815


class Terms(PublishedObject):
    """The lower level of a segment's directory: shards by their first term."""

    KIND = Kind.TERMS

    kind: Literal[Kind.TERMS] = Kind.TERMS
    shards: list[Annotated[DirectoryRow, growing(DirectoryRow)]]


class Continuation(BaseModel):
    """Where the postings are that did not stay in a term's row.

    count: all of them, these included. least: every posting of this impact or more stays: the least
    for which those are no more than 4,096. below: how many have the impact just below.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    sha256: Sha256
    size: Count
    count: Count
    least: Count = 0
    below: Count = 0


class Shard(PublishedObject):
    """Neighbouring terms with their postings, each row [term, (continuation,) number, ...].

    A negative number advances the document's ordinal, which starts at -1; any other is
    `unit * 16 + impact` of the document reached so far.
    """

    KIND = Kind.SHARD

    kind: Literal[Kind.SHARD] = Kind.SHARD
    terms: list[list[Any]]

    def rows(self) -> Iterator[TermPostings]:
        """The terms with their postings, not yet decoded.

        Raises ValueError for a row that is none.
        """
        for row in self.terms:
            yield _term_postings(row)


class TermPostings(NamedTuple):
    """One row of a shard."""

    term: str
    continuation: Continuation | None
    numbers: list[int]


def _term_postings(row: list[Any]) -> TermPostings:
    if not row or not isinstance(row[0], str):
        raise ValueError("a row of a shard begins with its term")
    continued = len(row) > 1 and isinstance(row[1], dict)
    continuation = Continuation.model_validate(row[1]) if continued else None
    numbers = row[2:] if continued else row[1:]
    if set(map(type, numbers)) - {int}:
        raise ValueError(f"the postings of {row[0]!r} are integers")
    return TermPostings(row[0], continuation, numbers)


class Posting(NamedTuple):
    """One occurrence of a term: the document's ordinal, the unit in it, the impact (1 to 15)."""

    ordinal: int
    unit: int
    impact: int


def read_postings(numbers: list[int]) -> Iterator[Posting]:
    """Decodes the numbers of a shard's row; raises ValueError where they make no sense."""
    ordinal = -1
    for number in numbers:
        if number < 0:
            ordinal -= number
        elif ordinal < 0 or number & 15 == 0:
            raise ValueError("a posting without document or impact")
        else:
            yield Posting(ordinal, number >> 4, number & 15)


def write_postings(postings: list[Posting]) -> list[int]:
    """The numbers of a shard's row, from postings ordered by ordinal and unit."""
    numbers: list[int] = []
    ordinal = -1
    for posting in postings:
        if posting.ordinal != ordinal:
            numbers.append(ordinal - posting.ordinal)
            ordinal = posting.ordinal
        numbers.append(posting.unit * 16 + posting.impact)
    return numbers


class PostingRow(NamedTuple):
    """[ordinal, unit * 16 + impact]."""

    ordinal: Count
    number: Count


class Postings(PublishedObject):
    """The continuation of a common term, by falling impact, then sha256(docId), then unit."""

    KIND = Kind.POSTINGS

    kind: Literal[Kind.POSTINGS] = Kind.POSTINGS
    term: Text
    rows: list[Annotated[PostingRow, growing(PostingRow)]]


class Related(NamedTuple):
    """A related document: [ordinal, likeness from 1 to 1000]."""

    ordinal: Count
    score: Count


class DocRow(NamedTuple):
    """What the search base knows of a document: [docId, title, language, sha256 and size of its
    `doc`, units, ordinals it links to, related documents, cluster (-1 for none), body tokens of all
    its units, norm of its likeness].

    Ordinals here count on through all segments, each taking as many as its pages have room for. A
    row may be of an earlier state of its document: then the delta drops it, and its id leads to the
    present one. A deleted document leaves an empty row that says no more than its units.
    """

    id: Text
    title: Text
    language: Text
    sha256: Text
    size: Count
    units: Count
    links: list[Count]
    related: list[Annotated[Related, growing(Related)]]
    cluster: Integer
    length: Count = 0
    norm: Count = 0


class Docs(PublishedObject):
    """A page of 32 document rows; `first` is the ordinal of the first."""

    KIND = Kind.DOCS

    kind: Literal[Kind.DOCS] = Kind.DOCS
    first: Count
    docs: list[Annotated[DocRow, growing(DocRow)]]


class DeltaDoc(NamedTuple):
    """A document newer than the segments: [docId, title, language, sha256 and size of its doc]."""

    id: DocId
    title: Text
    language: Text
    sha256: Sha256
    size: Count


class Dropped(NamedTuple):
    """A row that counts no more: [segment index, ordinal in that segment, units]."""

    segment: Count
    ordinal: Count
    units: Count = 0


class Delta(PublishedObject):
    """What changed since the segments: documents added or edited, and rows dropped.

    drop: every row of a segment whose document is gone, was edited, or stands in a younger segment.
    hotDropped: for each segment how many units of its dropped rows each term of `hot` has, as long
    as that list; empty where that is nothing at all.
    """

    KIND = Kind.DELTA

    kind: Literal[Kind.DELTA] = Kind.DELTA
    base: Sha256
    drop: list[Annotated[Dropped, growing(Dropped)]]
    hotDropped: list[list[Count]] = Field(default_factory=list)  # noqa: N815 - the published name
    docs: list[Annotated[DeltaDoc, growing(DeltaDoc)]]
