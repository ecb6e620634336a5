"""Cutting: units and passages cover their text, and end where a reader would pause."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from manifest.units import (
    PASSAGE_LIMIT,
    UNIT_LIMIT,
    Span,
    cut,
    passages,
    section_units,
    token_estimate,
)

LINES = st.sampled_from(
    [
        *("", "  ", "a", "some words", "四个必要条件", "x" * 9, "x" * 25, "> "),
        *("```", "```py", "````", "~~~", "> ```", "```` ```", "~~~~ ", "~~~ ` ~", "```x```"),
    ]
)
texts = st.tuples(st.lists(LINES, max_size=30).map("\n".join), st.sampled_from(["", "\n"])).map(
    "".join
)
limits = st.integers(1, 40)


@dataclass(frozen=True)
class Section:
    start: int
    end: int


def boundaries(text: str) -> tuple[set[int], set[int]]:
    """Ends of blank lines outside fences, and of all lines: the rule, written a second time."""
    blank_ends, line_ends = set(), set()
    fence, position = "", 0
    for line in text.splitlines(keepends=True):
        position += len(line)
        line_ends.add(position)
        bare = line.lstrip(" \t>").rstrip(" \t\n")
        opening = re.fullmatch("(`{3,})[^`]*|(~{3,}).*", bare)
        if fence:
            if bare and set(bare) == {fence[0]} and len(bare) >= len(fence):
                fence = ""
        elif opening:
            fence = opening[1] or opening[2]
        elif not line.strip():
            blank_ends.add(position)
    return blank_ends, line_ends


@given(texts, limits)
def test_pieces_cover_the_text_in_order_and_keep_the_limit(text: str, limit: int) -> None:
    pieces = cut(text, 0, len(text), limit)
    assert "".join(text[piece.start : piece.end] for piece in pieces) == text
    assert all(0 < piece.end - piece.start <= limit for piece in pieces)
    assert all(a.end == b.start for a, b in pairwise(pieces))


@given(texts, limits)
@example("> \na\nbbbbbb\n", 6)
@example("```\n```` ```\n\nxxxxxxxxx\n\n", 24)
@example("```\n~~~\n\na\nb\n", 12)
@example("````\n```\n\na\nb\n", 13)
@example("```x```\n\na\n\nb\nc\n", 14)
def test_each_piece_ends_at_the_best_boundary_within_the_limit(text: str, limit: int) -> None:
    blank_ends, line_ends = boundaries(text)
    for start, end in cut(text, 0, len(text), limit)[:-1]:
        reach = range(start + 1, start + limit + 1)
        best = max(blank_ends.intersection(reach), default=0) or max(
            line_ends.intersection(reach), default=start + limit
        )
        assert end == best


@given(texts, texts, limits)
def test_text_that_is_added_moves_no_earlier_cut(text: str, more: str, limit: int) -> None:
    before = cut(text, 0, len(text), limit)[:-1]
    after = cut(text + more, 0, len(text + more), limit)
    assert after[: len(before)] == before


@given(texts, texts, limits)
def test_a_section_is_cut_alike_wherever_it_stands(text: str, around: str, limit: int) -> None:
    moved = [
        Span(piece.start - len(around), piece.end - len(around))
        for piece in cut(around + text + around, len(around), len(around) + len(text), limit)
    ]
    assert moved == cut(text, 0, len(text), limit)


def test_a_fence_stays_whole_where_a_blank_line_stands_before_it() -> None:
    text = "words\n\n```\ncode\n\nmore\n```\n"
    assert [text[a:b] for a, b in cut(text, 0, len(text), 20)] == [
        "words\n\n",
        "```\ncode\n\nmore\n```\n",
    ]


def test_an_end_past_the_text_is_its_end() -> None:
    assert cut("abc", 0, 2**53, 2) == [Span(0, 2), Span(2, 3)]


def test_units_and_passages_keep_their_limits() -> None:
    text = "字" * 4500
    section = Section(0, len(text))
    assert [b - a for _, (a, b) in section_units(text, [section])] == [UNIT_LIMIT, UNIT_LIMIT, 500]
    assert [b - a for a, b in passages(text, section)] == [PASSAGE_LIMIT] * 3 + [900]


def test_units_name_their_section_and_an_empty_one_has_one() -> None:
    text = "a\n" + "b" * 2001
    sections = [Section(0, 2), Section(2, 2), Section(2, len(text))]
    assert section_units(text, sections) == [
        (0, Span(0, 2)),
        (1, Span(2, 2)),
        (2, Span(2, 2002)),
        (2, Span(2002, 2003)),
    ]


@pytest.mark.parametrize(
    ("text", "estimate"),
    [
        ("", 0),
        ("a", 1),
        ("abcd", 1),
        ("abcde", 2),
        ("死锁", 2),
        ("死锁 a", 3),
        ("é", 1),
        ("éé", 1),
        ("ééé", 2),
        ("。", 1),
        ("한국어の", 4),
        ("😀", 1),
        ("𠮷", 1),
    ],
)
def test_a_model_counts_about_one_token_per_character_or_four_bytes(
    text: str, estimate: int
) -> None:
    assert token_estimate(text) == estimate


@given(texts, texts)
def test_estimates_of_parts_cover_the_whole(left: str, right: str) -> None:
    whole = token_estimate(left + right)
    assert whole <= token_estimate(left) + token_estimate(right) <= whole + 1
