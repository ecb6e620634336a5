"""Making a younger segment, over the documents that are in none of those that stay."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from manifest.search_objects import DocRow, Related
from site_builder.index_card import IndexCard
from site_builder.object_sink import ObjectSink
from site_builder.previous import PreviousSite
from site_builder.progress import Progress
from site_builder.search.clustering import pull
from site_builder.search.likeness import Likeness, YoungDocuments
from site_builder.search.lookup import look_up
from site_builder.search.posting_table import PostingTable, SortedPostings, Whole
from site_builder.search.published import Placement, PublishedSegment, place_key
from site_builder.search.segments import SegmentPlan, publish_segment
from site_builder.search.shards import YOUNG_SHARDS
from site_builder.search.similarity import most_telling
from site_builder.search.terms_once import INDEXING, TermsOf


def make_young(
    cards: Sequence[IndexCard],
    placement: Placement,
    kept: int,
    previous: PreviousSite,
    terms: TermsOf,
    sink: ObjectSink,
    progress: Progress,
) -> PublishedSegment:
    """Keeps a segment that takes the place of all but the first `kept` and of the delta.

    What its older documents are like was found when they were new, and stays. Raises what reading
    `previous` raises.
    """
    base = previous.segments[:kept]
    young = _Young(cards, placement, previous.segments, base[-1].first + base[-1].capacity)
    table = PostingTable()
    for number, card in enumerate(young.cards):
        table.add(terms(card.id), card.facts())
        progress(INDEXING, number + 1, len(young.cards))
    postings = table.sorted(base[0].segment.pivot)
    documents = YoungDocuments(postings, young.newer, young.first)
    words = documents.words()
    elsewhere = [
        look_up(words, segment, placement.dropped[number], most_telling(len(cards)), previous)
        for number, segment in enumerate(base)
    ]
    rows = young.rows(postings, documents.like(elsewhere, young.norms(), len(cards)))
    plan = SegmentPlan(YOUNG_SHARDS, young=True, site_units=base[0].segment.units)
    reference, segment = publish_segment(postings, rows, plan, sink)
    return PublishedSegment(reference, segment, rows, young.first)


class _Young:
    """The documents of a younger segment to be. first: the ordinal of its first document."""

    def __init__(
        self,
        cards: Sequence[IndexCard],
        placement: Placement,
        segments: Sequence[PublishedSegment],
        first: int,
    ) -> None:
        self.first = first
        young = (card for card in cards if placement.live.get(card.id, first) >= first)
        self.cards = sorted(young, key=place_key)
        self.newer = [n for n, card in enumerate(self.cards) if card.id not in placement.live]
        self._before = {
            segment.first + ordinal: row
            for segment in segments
            for ordinal, row in enumerate(segment.rows)
        }
        self._live = placement.live
        self._newest = placement.newest
        self._ordinal_of = {doc_id: n for doc_id, n in placement.live.items() if n < first}
        self._ordinal_of |= {card.id: first + n for n, card in enumerate(self.cards)}

    def norms(self) -> Whole:
        """Norms of all documents, by ordinal through all segments; 0 for what is not known yet."""
        norms = np.zeros(self.first + len(self.cards), np.int64)
        for doc_id, before in self._live.items():
            norms[self._ordinal_of[doc_id]] = self._before[before].norm
        return norms

    def rows(self, postings: SortedPostings, liked: Mapping[int, Likeness]) -> list[DocRow]:
        """The rows, by ordinal in the segment."""
        links = [
            sorted(self._ordinal_of[to] for to in card.links if to in self._ordinal_of)
            for card in self.cards
        ]
        group_of = {
            ordinal: self._before[before].cluster
            for doc_id, ordinal in self._ordinal_of.items()
            if (before := self._newest.get(doc_id)) is not None
            and self._before[before].cluster >= 0
        }
        rows: list[DocRow] = []
        for number, card in enumerate(self.cards):
            likeness = liked.get(number) or self._as_before(card)
            group = group_of.get(self.first + number)
            if group is None:
                group = pull(links[number], likeness.related, group_of)
            if group is not None:
                group_of[self.first + number] = group
            rows.append(
                DocRow(
                    card.id,
                    card.title,
                    card.language,
                    card.doc.sha256,
                    card.doc.size,
                    int(postings.units[number]),
                    links[number],
                    likeness.related,
                    -1 if group is None else group,
                    int(postings.lengths[number]),
                    likeness.norm,
                )
            )
        return rows

    def _as_before(self, card: IndexCard) -> Likeness:
        """What an unchanged document was like, as far as that is still there."""
        row = self._before[self._live[card.id]]
        found = [
            Related(ordinal, other.score)
            for other in row.related
            if (ordinal := self._ordinal_of.get(self._before[other.ordinal].id)) is not None
        ]
        return Likeness(found, row.norm)
