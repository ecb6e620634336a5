"""Words one edit apart, and which of them is taken."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge_reader.search.spelling import may_be_misspelt, nearest, one_edit_apart
from manifest.query_plan import QueryTerm

WORDS = st.text("abcd", min_size=1, max_size=6)


@pytest.mark.parametrize(
    ("left", "right", "apart"),
    [
        ("kubernetes", "kubernets", True),
        ("kubernetes", "kubernettes", True),
        ("kubernetes", "kubernates", True),
        ("kubernetes", "kubernetse", True),
        ("kubernetes", "kubernetes", False),
        ("kubernetes", "kubrenetse", False),
        ("kubernetes", "kubern", False),
        ("ab", "ba", True),
        ("abc", "cba", False),
        ("a", "", True),
    ],
)
def test_one_edit_is_a_letter_added_left_out_changed_or_swapped(
    left: str, right: str, apart: bool
) -> None:
    assert one_edit_apart(left, right) is apart
    assert one_edit_apart(right, left) is apart


@given(WORDS, WORDS)
def test_one_edit_is_what_trying_all_edits_finds(left: str, right: str) -> None:
    edits = {left[:i] + left[i + 1 :] for i in range(len(left))}
    edits |= {left[:i] + c + left[i:] for i in range(len(left) + 1) for c in "abcd"}
    edits |= {left[:i] + c + left[i + 1 :] for i in range(len(left)) for c in "abcd"}
    edits |= {left[:i] + left[i + 1] + left[i] + left[i + 2 :] for i in range(len(left) - 1)}
    assert one_edit_apart(left, right) is (right in edits - {left})


def test_the_commonest_neighbour_is_taken_and_the_first_among_equals() -> None:
    assert nearest("sorce", [("sauce", 9), ("source", 3), ("force", 50)]) == "source"
    assert nearest("casx", [("cash", 2), ("case", 2), ("cast", 1)]) == "case"
    assert nearest("link", [("linka", 1), ("link:", 9)]) == "linka"
    assert nearest("word", [("zebra", 4)]) is None


@pytest.mark.parametrize(
    ("term", "may"),
    [
        (QueryTerm("soil"), True),
        (QueryTerm("sol"), False),
        (QueryTerm("死锁死锁"), False),
        (QueryTerm("soil", prefix=True), False),
    ],
)
def test_only_words_of_some_length_in_spaced_scripts_are_looked_at(
    term: QueryTerm, may: bool
) -> None:
    assert may_be_misspelt(term) is may
