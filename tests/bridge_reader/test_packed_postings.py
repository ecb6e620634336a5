"""The hot path of a search says exactly what the contract's plain functions say."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge_reader.search.packed import (
    best_documents,
    best_impacts,
    document_count,
    ordinal_of,
    pack,
    read_packed,
    score_units,
    unpacked_unit,
)
from manifest.ranking import TermMatches, rank
from manifest.search_objects import Posting, read_postings, write_postings

POSTINGS = st.lists(
    st.builds(Posting, st.integers(0, 40), st.integers(0, 6), st.integers(1, 15)),
    unique_by=lambda posting: (posting.ordinal, posting.unit),
    max_size=60,
).map(sorted)


def packed(postings: list[Posting], offset: int = 0) -> list[int]:
    return [pack(p.ordinal + offset, p.unit * 16 + p.impact) for p in postings]


@given(POSTINGS, st.integers(0, 1000), st.sets(st.integers(0, 40)))
def test_a_row_reads_as_the_contract_reads_it(
    postings: list[Posting], offset: int, dropped: set[int]
) -> None:
    numbers = write_postings(postings)
    live = [p for p in read_postings(numbers) if p.ordinal not in dropped]
    assert read_packed(numbers, end=41, offset=offset, dropped=dropped) == packed(live, offset)


@given(st.lists(st.integers(-3, 300), max_size=12))
def test_numbers_that_the_contract_refuses_are_refused(numbers: list[int]) -> None:
    try:
        expected = packed(list(read_postings(numbers)))
    except ValueError:
        with pytest.raises(ValueError, match="posting"):
            read_packed(numbers, end=1000, offset=0, dropped=())
        return
    assert read_packed(numbers, end=1000, offset=0, dropped=()) == expected


def test_an_ordinal_beyond_the_segment_is_refused() -> None:
    assert read_packed([-32, 1], end=32, offset=0, dropped=()) == [pack(31, 1)]
    with pytest.raises(ValueError, match="ordinal"):
        read_packed([-33, 1], end=32, offset=0, dropped=())


@given(st.lists(st.tuples(st.integers(0, 9000), POSTINGS), max_size=5), st.integers(1, 12))
def test_scores_rank_as_the_contract_ranks_them(
    terms: list[tuple[int, list[Posting]]], count: int
) -> None:
    expected = rank(TermMatches(idf, postings) for idf, postings in terms)
    scores = score_units((idf, packed(postings)) for idf, postings in terms)
    assert best_documents(scores, count) == expected[:count]
    assert document_count(scores) == len(expected)


def test_the_best_of_many_units_are_found_though_not_each_is_looked_at() -> None:
    postings = [Posting(n % 300, n // 300, 1 + (n * 7919) % 15) for n in range(3000)]
    scores = score_units([(7, packed(sorted(postings)))])
    expected = rank([TermMatches(7, sorted(postings))])
    for count in (1, 5, 50, 299, 300, 400):
        assert best_documents(scores, count) == expected[:count]


def test_one_document_with_all_the_best_units_does_not_hide_the_others() -> None:
    postings = [Posting(0, unit, 15) for unit in range(200)]
    postings += [Posting(ordinal, 0, 1) for ordinal in range(1, 30)]
    scores = score_units([(1, packed(postings))])
    assert [found.ordinal for found in best_documents(scores, 5)] == [0, 1, 2, 3, 4]


def test_of_several_lists_each_unit_keeps_its_best_impact() -> None:
    lists = [packed([Posting(1, 0, 3), Posting(2, 1, 9)]), packed([Posting(1, 0, 7)])]
    assert sorted(best_impacts(lists)) == packed([Posting(1, 0, 7), Posting(2, 1, 9)])


def test_a_posting_is_taken_apart_as_it_was_put_together() -> None:
    posting = pack(123_456, 789 * 16 + 5)
    assert ordinal_of(posting) == 123_456
    assert unpacked_unit(posting >> 4) == (123_456, 789)
