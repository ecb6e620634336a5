"""Making the base: one segment over all documents, and the groups they fall into."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from manifest.search_objects import DocRow
from site_builder.index_card import IndexCard
from site_builder.object_sink import ObjectSink
from site_builder.previous import PreviousSite
from site_builder.progress import Progress
from site_builder.search.clustering import groups, numbered
from site_builder.search.groupings import Group, key_terms
from site_builder.search.posting_table import PostingTable
from site_builder.search.published import PublishedSegment, place_key
from site_builder.search.segments import SegmentPlan, publish_segment
from site_builder.search.similarity import (
    DocumentTerms,
    document_frequencies,
    most_telling,
    related,
    vectors,
)
from site_builder.search.terms_once import INDEXING, TermsOf


@dataclass(frozen=True, slots=True)
class GroupsBefore:
    """The clusters as they were. of: the number of each document's, by docId."""

    of: Mapping[str, int] = field(default_factory=dict)
    labels: Mapping[int, str] = field(default_factory=dict)

    @classmethod
    def of_site(cls, previous: PreviousSite | None) -> GroupsBefore:
        """Those of the site as it is published."""
        if previous is None:
            return cls()
        rows = (row for segment in previous.segments for row in segment.rows)
        return cls(
            {row.id: row.cluster for row in rows if row.id and row.cluster >= 0},
            {cluster.id: cluster.label for cluster in previous.clusters.clusters},
        )


def make_base(
    cards: Sequence[IndexCard],
    terms: TermsOf,
    before: GroupsBefore,
    sink: ObjectSink,
    progress: Progress,
) -> tuple[PublishedSegment, list[Group]]:
    """Keeps one segment over all documents; with the groups they fall into."""
    cards = sorted(cards, key=place_key)
    table = PostingTable()
    phrases: list[tuple[str, ...]] = []
    for number, card in enumerate(cards):
        found = terms(card.id)
        table.add(found, card.facts())
        phrases.append(found.phrases)
        progress(INDEXING, number + 1, len(cards))
    postings = table.sorted(table.pivot)
    words = DocumentTerms.of(postings, 2, most_telling(len(cards)))
    likened = vectors(words, document_frequencies(words, len(postings.terms)), len(cards))
    likeness = related(likened)
    ordinal_of = {card.id: ordinal for ordinal, card in enumerate(cards)}
    links = [sorted(ordinal_of[to] for to in card.links if to in ordinal_of) for card in cards]
    earlier = {ordinal_of[doc_id]: n for doc_id, n in before.of.items() if doc_id in ordinal_of}
    found_groups = groups(links, likeness, earlier)
    numbers = numbered(found_groups, earlier)
    group_of = {
        member: number
        for number, members in zip(numbers, found_groups, strict=True)
        for member in members
    }
    rows = [
        DocRow(
            card.id,
            card.title,
            card.language,
            card.doc.sha256,
            card.doc.size,
            int(postings.units[ordinal]),
            links[ordinal],
            likeness[ordinal],
            group_of.get(ordinal, -1),
            int(postings.lengths[ordinal]),
            int(likened.norms[ordinal]),
        )
        for ordinal, card in enumerate(cards)
    ]
    reference, segment = publish_segment(postings, rows, SegmentPlan(), sink)
    key = key_terms(found_groups, phrases)
    known = [
        Group(number, before.labels.get(number, ""), key[position])
        for position, number in enumerate(numbers)
    ]
    return PublishedSegment(reference, segment, rows, 0), known
