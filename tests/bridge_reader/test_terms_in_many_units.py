"""Common terms over several segments: cut and counted as one base over what is live would be."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge_reader.search.common_terms import TermPart, least_impact
from bridge_reader.search.hot_terms import HotTerms
from manifest.search_objects import Continuation, Delta, Dropped, Segment, TermCount
from manifest.unit_terms import WEIGHTS

LIMIT = 12

Impacts = list[tuple[int, bool]]
"""Postings of one segment: the impact of each, and whether its row was dropped."""

SEGMENT = st.lists(st.tuples(st.integers(1, 6), st.booleans()), max_size=30)


@pytest.fixture(autouse=True, scope="module")
def small_limit() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("bridge_reader.search.common_terms.POSTINGS_LIMIT", LIMIT)
        yield


def cut_at(impacts: list[int]) -> int:
    """What a base would cut at; 0 where everything stays."""
    if len(impacts) <= LIMIT:
        return 0
    return next(n for n in range(17) if sum(impact >= n for impact in impacts) <= LIMIT)


def part_of(postings: Impacts) -> TermPart:
    """What a segment with these postings says of them."""
    impacts = [impact for impact, _ in postings]
    least = cut_at(impacts)
    live = [impact for impact, dropped in postings if not dropped and impact >= least]
    if not least:
        return TermPart(live)
    rest = Continuation(
        sha256="0" * 64,
        size=1,
        count=len(impacts),
        least=least,
        below=impacts.count(least - 1),
    )
    return TermPart(live, rest, gone=sum(dropped for _, dropped in postings))


@settings(max_examples=400)
@given(st.lists(SEGMENT, min_size=1, max_size=3))
def test_terms_are_cut_where_one_base_over_what_is_live_cuts_them(segments: list[Impacts]) -> None:
    live = [impact for postings in segments for impact, dropped in postings if not dropped]
    found = least_impact([part_of(postings) for postings in segments])
    assert found in (None, cut_at(live))
    if all(cut_at([impact for impact, _ in postings]) == 0 for postings in segments):
        assert found is not None


def test_it_is_known_without_the_rest_where_the_next_impact_is_surely_too_much() -> None:
    many = [(2, False)] * 20 + [(5, False)] * 3
    assert least_impact([part_of(many), part_of([(5, False), (1, False)])]) == 3
    few_left = [(1, False)] * 9 + [(2, True)] * 18 + [(2, False)] * 2 + [(5, False)] * 8
    assert least_impact([part_of(few_left)]) is None


@given(
    st.lists(
        st.tuples(st.integers(1, 9), st.dictionaries(st.sampled_from("abc"), st.integers(1, 20))),
        max_size=3,
    ),
    st.data(),
)
def test_counts_that_no_list_gives_are_bounded(
    segments: list[tuple[int, dict[str, int]]], data: st.DataObject
) -> None:
    live: dict[str, int] = dict.fromkeys("abc", 0)
    published: list[Segment] = []
    gone: list[list[int]] = []
    for floor, counts in segments:
        hot = [TermCount(term, n) for term, n in sorted(counts.items()) if n >= floor]
        dropped = {term: data.draw(st.integers(0, n)) for term, n in counts.items()}
        for term, units in counts.items():
            live[term] += units - dropped[term]
        published.append(
            Segment(
                tokens="nb-1",
                docs=1,
                units=20,
                pivot=1,
                weights=WEIGHTS,
                hot=hot,
                hotFloor=floor,
                pages=[],
                docPages=[],
            )
        )
        gone.append([dropped[row.term] for row in hot])
    delta = Delta(base="0" * 64, drop=[Dropped(0, 0, 1)], hotDropped=gone, docs=[])
    terms = HotTerms(published, delta)
    for term, count in live.items():
        least, more = terms.bounds(term)
        assert least <= count <= least + more
