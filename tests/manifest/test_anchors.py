"""Anchors: each section has one, no two share one, and none is empty."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manifest.anchors import EMPTY, TOP, Anchors, slug
from manifest.unicode14 import ASSIGNED, WORD

KEPT = {code for first, last in WORD for code in range(first, last + 1)} | {ord("_"), ord("-")}
UNASSIGNED = [
    gap
    for (_, last), (first, _) in pairwise(ASSIGNED)
    for gap in (last + 1, first - 1)
    if last + 1 < first and not 0xD800 <= gap <= 0xDFFF
]

headings = st.lists(
    st.sampled_from(["a", "A", "a-1", "a-1-1", "", "section", "section-1", "_top", "概要"])
    | st.text(max_size=5),
    max_size=30,
)


def assigned(reserved: list[str], wanted: list[str]) -> list[str]:
    anchors = Anchors()
    for anchor in reserved:
        anchors.reserve(anchor)
    return [anchors.assign(slug(text)) for text in wanted]


@given(reserved=headings, wanted=headings)
def test_no_two_headings_share_an_anchor(reserved: list[str], wanted: list[str]) -> None:
    found = assigned(reserved, wanted)
    assert len({TOP, *reserved, *found}) == len({TOP, *reserved}) + len(found)
    assert all(found)


@given(reserved=headings, wanted=headings, seed=st.integers(0, 99))
def test_the_order_of_explicit_anchors_does_not_matter(
    reserved: list[str], wanted: list[str], seed: int
) -> None:
    shuffled = random.Random(seed).sample(reserved, len(reserved))
    assert assigned(shuffled, wanted) == assigned(reserved, wanted)


@given(wanted=headings)
def test_later_headings_do_not_rename_earlier_ones(wanted: list[str]) -> None:
    found = assigned([], wanted)
    assert all(assigned([], wanted[:count]) == found[:count] for count in range(len(wanted)))


@given(st.text())
def test_a_slug_holds_only_what_an_anchor_may(text: str) -> None:
    made = slug(text)
    assert made
    assert {ord(character) for character in made} <= KEPT
    assert made == made.lower().replace("ς", "σ")


@given(st.text(), st.lists(st.sampled_from(UNASSIGNED), max_size=5), st.randoms())
def test_code_points_that_unicode_14_does_not_know_go_like_punctuation(
    text: str, codes: list[int], randoms: random.Random
) -> None:
    strewn = list(text)
    for code in codes:
        strewn.insert(randoms.randint(0, len(strewn)), chr(code))
    punctuated = ["!" if ord(character) in codes else character for character in strewn]
    assert slug("".join(strewn)) == slug("".join(punctuated))


def test_an_explicit_anchor_is_given_once_and_never_empty() -> None:
    anchors = Anchors()
    assert anchors.reserve("x")
    assert not anchors.reserve("x")
    assert not anchors.reserve("")
    assert not anchors.reserve(TOP)


def test_a_heading_never_takes_the_anchor_of_the_text_before_it() -> None:
    assert assigned([], ["_top"]) == ["_top-1"]


@pytest.mark.parametrize("text", ["", "   ", "🎉", "!?", "。", "\u0378"])
def test_a_heading_of_which_nothing_is_left_is_still_named(text: str) -> None:
    assert slug(text) == EMPTY


def test_thousands_of_equal_headings_are_numbered_at_once() -> None:
    found = assigned([], ["Notes"] * 20_000)
    assert found[0] == "notes"
    assert found[-1] == "notes-19999"
