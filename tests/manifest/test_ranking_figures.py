"""Ranking: integers that every language of code computes alike, and an order without ties."""

from __future__ import annotations

import hashlib
import math
from collections import defaultdict
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manifest.ranking import (
    IDF_SCALE,
    ScoredUnit,
    TermMatches,
    idf,
    natural_log,
    rank,
    tie_key,
)
from manifest.search_objects import Posting
from manifest.unit_terms import MAX_IMPACT, impact, pivot

counts = st.integers(0, 10**7)
matches = st.lists(
    st.builds(
        TermMatches,
        idf=st.integers(1, 20_000),
        postings=st.lists(
            st.builds(Posting, st.integers(0, 5), st.integers(0, 3), st.integers(1, 15)),
            max_size=12,
            unique_by=lambda posting: (posting.ordinal, posting.unit),
        ),
    ),
    max_size=5,
)


@given(st.floats(1.0, 1e12))
def test_the_logarithm_is_the_logarithm(value: float) -> None:
    assert natural_log(value) == pytest.approx(math.log(value), abs=1e-9)


@pytest.mark.parametrize("value", [1.0, 1.0 + 2**-52, 1.9999999999999998, 2.0, math.e, 2.0**40])
def test_the_logarithm_holds_where_its_pieces_meet(value: float) -> None:
    assert natural_log(value) == pytest.approx(math.log(value), abs=1e-12)


@given(counts, counts)
def test_idf_is_that_of_bm25_in_1024ths(units: int, occurrences: int) -> None:
    units = max(units, occurrences)
    exact = 1024 * math.log(1 + (units - occurrences + 0.5) / (occurrences + 0.5))
    assert IDF_SCALE == 1024
    assert abs(idf(units, occurrences) - exact) <= 0.5 + 1e-6
    assert type(idf(units, occurrences)) is int


@given(st.integers(1, 10**7), st.data())
def test_a_rarer_term_never_weighs_less(units: int, data: st.DataObject) -> None:
    few, many = sorted(data.draw(st.lists(st.integers(0, units), min_size=2, max_size=2)))
    assert idf(units, few) >= idf(units, many) >= 0


def test_more_occurrences_than_units_count_as_all_units() -> None:
    assert idf(3, 10) == idf(10, 10)


@given(st.integers(0, 10**6), st.integers(0, 10**6), st.sampled_from([2**n for n in range(16)]))
def test_an_impact_follows_the_published_formula(
    frequency: int, length: int, pivot_length: int
) -> None:
    weight = Fraction(frequency, 2)
    top = 2 * pivot_length * weight
    exact = 1 + math.floor(15 * top / (top + pivot_length + length))
    assert impact(frequency, length, pivot_length) == min(MAX_IMPACT, exact)
    assert 1 <= impact(frequency, length, pivot_length) <= MAX_IMPACT


@given(st.integers(1, 1000), st.integers(0, 5000), st.sampled_from([1, 16, 64, 256]))
def test_more_words_weigh_more_and_longer_units_less(
    frequency: int, length: int, pivot_length: int
) -> None:
    here = impact(frequency, length, pivot_length)
    assert impact(frequency + 1, length, pivot_length) >= here
    assert impact(frequency, length + 1, pivot_length) <= here


@given(st.integers(0, 10**9), st.integers(0, 10**6))
def test_the_pivot_is_the_nearest_power_of_two(total: int, units: int) -> None:
    mean = total // units if units else 1
    found = pivot(total, units)
    powers = [2**exponent for exponent in range(31)]
    assert found == min(powers, key=lambda power: (abs(power - mean), -power))


@given(st.integers(0, 10**6), st.integers(1, 1000))
def test_a_longer_mean_never_has_a_smaller_pivot(total: int, units: int) -> None:
    assert pivot(total, units) <= pivot(total + 1, units)


@given(matches)
def test_a_document_scores_as_its_best_unit(found: list[TermMatches]) -> None:
    scores: dict[int, dict[int, int]] = defaultdict(lambda: defaultdict(int))
    for match in found:
        for posting in match.postings:
            scores[posting.ordinal][posting.unit] += match.idf * posting.impact
    ranked = rank(found)
    assert {hit.ordinal for hit in ranked} == set(scores)
    assert len(ranked) == len(scores)
    for hit in ranked:
        units = scores[hit.ordinal]
        assert hit.score == max(units.values())
        assert hit.unit == min(unit for unit, score in units.items() if score == hit.score)
    assert ranked == sorted(ranked, key=lambda hit: (-hit.score, hit.ordinal))


@given(matches)
def test_the_order_of_the_terms_does_not_matter(found: list[TermMatches]) -> None:
    assert rank(reversed(found)) == rank(found)


def test_no_matches_are_no_documents() -> None:
    assert rank([]) == rank([TermMatches(7, [])]) == []


def test_equal_scores_are_ordered_by_the_hash_of_the_document_then_by_unit() -> None:
    hits = [(5, "a", 0), (5, "b", 0), (5, "b", 1), (9, "c", 3)]
    ordered = sorted(hits, key=lambda hit: tie_key(*hit))
    digest = {name: hashlib.sha256(name.encode()).hexdigest() for name in "ab"}
    assert digest["b"] < digest["a"]
    assert ordered == [(9, "c", 3), (5, "b", 0), (5, "b", 1), (5, "a", 0)]


def test_a_scored_unit_reads_as_a_row() -> None:
    assert rank([TermMatches(3, [Posting(7, 2, 5)])]) == [ScoredUnit(7, 2, 15)]
