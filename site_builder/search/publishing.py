"""Search as a pure function of all present documents and of what was published before.

Documents that are unchanged stay in the segment they are in. Others wait in the delta until it is
full; then they are folded into a younger segment, and once much has gathered beside the base, the
base is made anew. What was published before is all that is remembered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from manifest.references import Reference
from manifest.search_objects import Delta, DeltaDoc, DocRow, Dropped
from manifest.tokens import VERSION
from manifest.unit_terms import WEIGHTS, pivot
from site_builder.index_card import IndexCard
from site_builder.object_sink import ObjectSink, put_object
from site_builder.previous import PreviousSite
from site_builder.progress import Progress
from site_builder.search.base_segment import GroupsBefore, make_base
from site_builder.search.carrying import carry, without_documents
from site_builder.search.groupings import Group, degrees_of, publish_clusters, publish_graph
from site_builder.search.hot_counts import dropped_counts
from site_builder.search.policy import fits_delta, is_worn, kept_segments
from site_builder.search.published import Placement, PublishedSegment, place, place_key
from site_builder.search.segments import LEAST_FLOOR
from site_builder.search.terms_once import TermsOf, TermsOnce
from site_builder.search.young_segment import make_young


@dataclass(frozen=True, slots=True)
class SearchPart:
    """What depends on all notes together."""

    segments: list[Reference]
    delta: Reference
    graph: Reference
    clusters: Reference


def publish_search(
    cards: Sequence[IndexCard],
    terms_of: TermsOf,
    previous: PreviousSite | None,
    sink: ObjectSink,
    progress: Progress,
) -> SearchPart:
    """Keeps the search base, the delta, the graph and the clusters.

    cards: all documents, by id. terms_of: asked once for each document that is indexed. Segments
    that stay are brought along as far as the sink does not hold them, so that what it holds is
    whole. Raises what reading `previous` raises.
    """
    terms = TermsOnce(terms_of)
    if previous is None or not _can_go_on(cards, previous):
        return _anew(cards, terms, previous, sink, progress)
    placement = place(cards, previous.segments)
    fold = not fits_delta([card.doc.size for card in placement.fresh])
    if is_worn(len(cards), _apart(previous.segments, placement, fold)):
        return _anew(cards, terms, previous, sink, progress)
    terms.keep(card.id for card in placement.fresh)
    if _pivot(previous.segments, placement, terms) != previous.segments[0].segment.pivot:
        return _anew(cards, terms, previous, sink, progress)
    live = [len(rows) for rows in _live_rows(previous.segments, placement)]
    kept = len(live)
    if fold:
        kept = 1 + kept_segments(live[1:], len(placement.fresh))
    segments: list[PublishedSegment] = []
    for segment, gone in zip(previous.segments[:kept], placement.gone, strict=False):
        segments.append(without_documents(segment, gone, sink))
        carry(segment, segments[-1].segment, previous, sink, progress)
    if fold:
        segments.append(make_young(cards, placement, kept, previous, terms, sink, progress))
    groups = [Group(c.id, c.label, tuple(c.terms)) for c in previous.clusters.clusters]
    return _published(cards, segments, groups, previous, kept, terms, sink)


def _anew(
    cards: Sequence[IndexCard],
    terms: TermsOnce,
    previous: PreviousSite | None,
    sink: ObjectSink,
    progress: Progress,
) -> SearchPart:
    """One base over all documents. Of what was before only the groups are remembered."""
    base, groups = make_base(cards, terms, GroupsBefore.of_site(previous), sink, progress)
    return _published(cards, [base], groups, None, 0, terms, sink)


def _published(
    cards: Sequence[IndexCard],
    segments: Sequence[PublishedSegment],
    groups: Sequence[Group],
    previous: PreviousSite | None,
    kept: int,
    terms: TermsOnce,
    sink: ObjectSink,
) -> SearchPart:
    """Keeps what stands over the segments, of which the first `kept` come from `previous`."""
    placement = place(cards, segments)
    delta = Delta(
        base=segments[0].reference.sha256,
        drop=[
            Dropped(number, ordinal, segment.rows[ordinal].units)
            for number, segment in enumerate(segments)
            for ordinal in placement.dropped[number]
        ],
        hotDropped=dropped_counts(cards, segments, placement, previous, kept, terms),
        docs=[
            DeltaDoc(card.id, card.title, card.language, card.doc.sha256, card.doc.size)
            for card in sorted(placement.fresh, key=place_key)
        ],
    )
    rows: dict[int, DocRow] = {
        segment.first + ordinal: row
        for segment in segments
        for ordinal, row in enumerate(segment.rows)
    }
    members = {card.id: placement.newest[card.id] for card in cards if card.id in placement.newest}
    members |= placement.live
    titles = {card.id: card.title for card in cards}
    return SearchPart(
        segments=[segment.reference for segment in segments],
        delta=put_object(sink, delta),
        graph=publish_graph(((segment.first, segment.rows) for segment in segments), sink),
        clusters=publish_clusters(
            groups,
            {n: rows[n].cluster for n in members.values() if rows[n].cluster >= 0},
            {ordinal: titles[doc_id] for doc_id, ordinal in members.items()},
            degrees_of(rows.values()),
            sink,
        ),
    )


def _can_go_on(cards: Sequence[IndexCard], previous: PreviousSite) -> bool:
    """Whether the segments are counted as they would be now."""
    published = previous.segments
    alike = all(
        (found.segment.tokens, found.segment.weights, found.segment.pivot)
        == (VERSION, WEIGHTS, published[0].segment.pivot)
        and found.segment.hotFloor >= LEAST_FLOOR
        for found in published
    )
    return bool(cards and published and published[0].rows) and alike


def _live_rows(segments: Sequence[PublishedSegment], placement: Placement) -> list[list[DocRow]]:
    absent = [set(dropped) for dropped in placement.dropped]
    return [
        [row for ordinal, row in enumerate(segment.rows) if ordinal not in absent[number]]
        for number, segment in enumerate(segments)
    ]


def _apart(segments: Sequence[PublishedSegment], placement: Placement, fold: bool) -> int:
    """Documents beside the base, and rows that count no more."""
    young = sum(len(rows) for rows in _live_rows(segments, placement)[1:])
    return young + (len(placement.fresh) if fold else 0) + sum(map(len, placement.dropped))


def _pivot(segments: Sequence[PublishedSegment], placement: Placement, terms: TermsOnce) -> int:
    """That of a base over the present documents."""
    live = [row for rows in _live_rows(segments, placement) for row in rows]
    fresh = [terms.kept(card.id) for card in placement.fresh]
    length = sum(row.length for row in live) + sum(found.length for found in fresh)
    units = sum(row.units for row in live) + sum(len(found.lengths) for found in fresh)
    return pivot(length, units)
