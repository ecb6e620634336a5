"""Marks are read whole or in pieces, alike; what is no mark stays text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.marks import MARK_LIMIT, Claim, Mark, marks, split_marks


def claims(text: str) -> list[tuple[Claim, ...]]:
    return [mark.claims for mark in marks(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("是的 [E1]。", (Claim(1),)),
        ('[E12 "exact words here"]', (Claim(12, "exact words here"),)),
        ("[E12 “弯引号里的原文”]", (Claim(12, "弯引号里的原文"),)),
        ("[E12 「直角引号里的原文」]", (Claim(12, "直角引号里的原文"),)),
        ("[E12: 'single quotes']", (Claim(12, "single quotes"),)),
        ("【E7】", (Claim(7),)),
        ("[E1, E2，E3]", (Claim(1), Claim(2), Claim(3))),
        ('[E1 "a b"; E2 "c d"]', (Claim(1, "a b"), Claim(2, "c d"))),
        ('[E1 "list[0] = map["key"] here"]', (Claim(1, 'list[0] = map["key"] here'),)),
        ('[E1 "he said "yes" twice"]', (Claim(1, 'he said "yes" twice'),)),
        ('[E1 "an unbalanced [bracket"]', (Claim(1, "an unbalanced [bracket"),)),
        ('[E1 "two\nlines"]', (Claim(1, "two\nlines"),)),
        ("[E0]", (Claim(0),)),
    ],
)
def test_a_mark_names_labels_and_words(text: str, expected: tuple[Claim, ...]) -> None:
    assert claims(text) == [expected]


@pytest.mark.parametrize(
    "text",
    [
        "[E]",
        "[Ex]",
        "[E12 foo]",
        "[e12]",
        "E12",
        "[1]",
        '[E12 "no end]',
        "[E1234567890]",
        "[ E",
        "[]",
    ],
)
def test_what_only_looks_like_a_mark_is_text(text: str) -> None:
    assert split_marks(text, final=True).parts == (text,)


def test_two_marks_in_a_row_are_two() -> None:
    assert claims('[E1][E2 "b c d e"]') == [(Claim(1),), (Claim(2, "b c d e"),)]


def test_a_mark_longer_than_a_passage_is_text() -> None:
    assert claims(f'[E1 "{"字" * MARK_LIMIT}"]') == []
    assert len(claims(f'[E1 "{"字" * (MARK_LIMIT - 20)}"]')) == 1


def test_an_unfinished_mark_waits_with_the_spaces_before_it() -> None:
    split = split_marks('so it is  [E1 "half of', final=False)
    assert split.parts == ("so it is",)
    assert split.held == '  [E1 "half of'


@pytest.mark.parametrize("tail", ["[", "[E", "[E1", "[E12 ", '[E1 "a', '[E1 "a"', "[E1,", "[E1, E"])
def test_every_beginning_of_a_mark_waits(tail: str) -> None:
    assert split_marks(f"text{tail}", final=False).held == tail


@pytest.mark.parametrize("tail", ["[x", "[E12 foo", "[1]", "(E1", "[E1x"])
def test_what_cannot_become_a_mark_does_not_wait(tail: str) -> None:
    assert split_marks(f"text{tail}", final=False).held == ""


def test_no_more_than_the_longest_mark_ever_waits() -> None:
    held, longest = "", 0
    for piece in ['[E1 "', *["words without an end "] * 300]:
        held = split_marks(held + piece, final=False).held
        longest = max(longest, len(held))
    assert longest <= MARK_LIMIT


_TEXT = st.text(alphabet='[]【】E012 "“”「」,，; ax\n', max_size=60)


@given(text=_TEXT, sizes=st.lists(st.integers(1, 5), min_size=60, max_size=60))
def test_a_text_parts_the_same_in_one_piece_and_in_many(text: str, sizes: list[int]) -> None:
    parts: list[str | Mark] = []
    held = ""
    position = 0
    for size in sizes:
        split = split_marks(held + text[position : position + size], final=False)
        parts += split.parts
        held = split.held
        position += size
    parts += split_marks(held + text[position:], final=True).parts
    assert _joined(parts) == _joined(split_marks(text, final=True).parts)


@given(_TEXT)
def test_nothing_of_a_text_is_lost(text: str) -> None:
    position = 0
    for part in split_marks(text, final=True).parts:
        if isinstance(part, str):
            assert text.startswith(part, position)
            position += len(part)
        else:
            assert part.start == position
            position = part.end
    assert position == len(text)


def _joined(parts: list[str | Mark] | tuple[str | Mark, ...]) -> list[str | tuple[Claim, ...]]:
    joined: list[str | tuple[Claim, ...]] = []
    for part in parts:
        if isinstance(part, str) and joined and isinstance(joined[-1], str):
            joined[-1] += part
        else:
            joined.append(part if isinstance(part, str) else part.claims)
    return joined
