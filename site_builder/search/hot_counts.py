"""How many units of dropped rows have each hot term, so that readers know exactly what is left."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from manifest.objects import Doc
from manifest.references import Reference
from manifest.search_objects import DocRow
from manifest.unit_terms import document_terms, unit_terms
from site_builder.index_card import IndexCard
from site_builder.previous import PreviousSite
from site_builder.search.published import Placement, PublishedSegment
from site_builder.search.terms_once import TermsOf


def dropped_counts(
    cards: Sequence[IndexCard],
    segments: Sequence[PublishedSegment],
    placement: Placement,
    previous: PreviousSite | None,
    kept: int,
    terms: TermsOf,
) -> list[list[int]]:
    """By segment, for each of its `hot` terms, the units of dropped rows that have it.

    What was dropped before is counted in the state that was published; of what is dropped now the
    earlier text is read, which the earlier site still has. kept: how many of the segments are of
    that site; the others drop nothing yet. Raises what reading it raises.
    """
    by_id = {card.id: card for card in cards}
    counts = [
        _segment_counts(number, segment, placement.dropped[number], previous, by_id, terms)
        if previous is not None and number < kept
        else []
        for number, segment in enumerate(segments)
    ]
    return [found if any(found) else [] for found in counts]


def _segment_counts(
    number: int,
    segment: PublishedSegment,
    dropped: Sequence[int],
    previous: PreviousSite,
    cards: Mapping[str, IndexCard],
    terms: TermsOf,
) -> list[int]:
    hot = [row.term for row in segment.segment.hot]
    known = previous.delta.hotDropped[number : number + 1]
    counts = Counter(dict(zip(hot, known[0] if known else [], strict=False)))
    before = {row.ordinal for row in previous.delta.drop if row.segment == number}
    for ordinal in sorted(set(dropped) - before):
        counts.update(_spread_of(previous, previous.segments[number].rows[ordinal]))
    for ordinal in sorted(before - set(dropped)):
        card = cards[segment.rows[ordinal].id]
        found = terms(card.id)
        counts.subtract(dict(zip(found.terms, found.counts.tolist(), strict=True)))
        counts.subtract([*found.tags, *card.facts()])
    return [counts[term] for term in hot]


def _spread_of(previous: PreviousSite, row: DocRow) -> Counter[str]:
    """How many units of a document, as it was published, have each term."""
    doc = previous.read(Doc, Reference(sha256=row.sha256, size=row.size))
    spread = Counter(document_terms(doc))
    for unit in unit_terms(doc):
        spread.update(unit.frequencies.keys())
    return spread
