"""The query plan: which terms of a question cost a request, and in which order."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manifest.query_plan import QUESTION_LIMIT, TERM_LIMIT, QueryTerm, plan_terms, query_terms
from manifest.tokens import tokens

names = st.sampled_from([f"t{number:02}" for number in range(30)])
term_lists = st.lists(st.builds(QueryTerm, names, st.booleans()), max_size=30, unique=True)
hot_terms = st.dictionaries(names, st.integers(64, 500), max_size=30)


def cold(term: QueryTerm, hot: dict[str, int]) -> bool:
    return term.prefix or term.term not in hot


@given(term_lists, hot_terms)
def test_a_plan_is_bounded_and_looks_nothing_up_twice(
    terms: list[QueryTerm], hot: dict[str, int]
) -> None:
    plan = plan_terms(terms, hot)
    assert len(plan) == min(TERM_LIMIT, len(terms))
    assert len(set(plan)) == len(plan)
    assert set(plan) <= set(terms)


@given(term_lists, hot_terms)
def test_terms_that_are_not_hot_come_first_in_the_order_of_the_question(
    terms: list[QueryTerm], hot: dict[str, int]
) -> None:
    plan = plan_terms(terms, hot)
    first = [term for term in terms if cold(term, hot)][:TERM_LIMIT]
    assert plan[: len(first)] == first


@given(term_lists, hot_terms, st.randoms())
def test_hot_terms_follow_by_rising_count_whatever_their_order(
    terms: list[QueryTerm], hot: dict[str, int], randoms: random.Random
) -> None:
    warm = [term for term in plan_terms(terms, hot) if not cold(term, hot)]
    assert warm == sorted(warm, key=lambda term: (hot[term.term], term.term))
    shuffled = list(terms)
    randoms.shuffle(shuffled)
    again = [term for term in plan_terms(shuffled, hot) if not cold(term, hot)]
    assert again == warm


@given(
    st.text(max_size=60)
    | st.lists(st.sampled_from("什么是死锁的 a the c++ x_y"), max_size=30).map("".join)
)
def test_every_term_of_a_question_is_a_token_of_it_or_begins_one(question: str) -> None:
    found = query_terms(question)
    assert len(set(found)) == len(found)
    of_question = tokens(question)
    for term in found:
        assert term.term
        assert any(token.startswith(term.term) for token in of_question)


@pytest.mark.parametrize(
    ("question", "terms"),
    [
        ("死锁", ["死锁"]),
        ("死", ["死*"]),
        ("死 a 锁", ["死*", "锁*"]),
        ("什么是死锁？", ["死锁"]),
        ("请问如何避免死锁呢", ["避免", "免死", "死锁"]),
        ("死锁和活锁的区别", ["死锁", "活锁", "区别"]),
        ("How does the garbage collector work?", ["garbage", "collector", "work"]),
        ("what's snake_case", ["snake_case"]),
        ("C++ or C#", ["c++", "c#"]),
        ("the the THE", ["the"]),
        ("死锁 死锁", ["死锁"]),
        ("", []),
        ("？！", []),
        ("[死锁](https://e.org/x) <b>", ["死锁"]),
    ],
)
def test_question_words_are_left_out(question: str, terms: list[str]) -> None:
    assert [term.term + "*" * term.prefix for term in query_terms(question)] == terms


def test_a_question_is_looked_at_up_to_its_limit() -> None:
    start = "alpha " + "。" * (QUESTION_LIMIT - 6)
    assert query_terms(start + "beta") == [QueryTerm("alpha")]
