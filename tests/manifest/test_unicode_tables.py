"""The contract's own Unicode 14: the same on every Python, whatever tables that one carries."""

from __future__ import annotations

import re
import sys
import unicodedata

import pytest

from manifest.tokens import BIGRAM, SPACED
from manifest.unicode14 import ASSIGNED, WORD, character_class

Ranges = tuple[tuple[int, int], ...]
TABLES = tuple(map(int, unicodedata.unidata_version.split(".")))


def code_points(ranges: Ranges) -> set[int]:
    return {code for first, last in ranges for code in range(first, last + 1)}


def assigned_here() -> set[int]:
    return {
        code
        for code in range(sys.maxunicode + 1)
        if unicodedata.category(chr(code)) not in ("Cn", "Cs")
    }


def words_here() -> set[int]:
    return {
        code for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code))[0] in "LMN"
    }


@pytest.mark.skipif(TABLES[0] != 14, reason=f"this Python has Unicode {TABLES[0]}")
def test_the_tables_are_those_of_unicode_14() -> None:
    assert code_points(ASSIGNED) == assigned_here()
    assert code_points(WORD) == words_here()


@pytest.mark.skipif(TABLES[0] < 14, reason=f"this Python has Unicode {TABLES[0]}")
def test_later_tables_keep_what_unicode_14_assigned() -> None:
    assert code_points(ASSIGNED) <= assigned_here()
    assert code_points(WORD) <= words_here()


@pytest.mark.skipif(TABLES[0] > 14, reason=f"this Python has Unicode {TABLES[0]}")
def test_unicode_14_keeps_what_earlier_tables_assigned() -> None:
    assert assigned_here() <= code_points(ASSIGNED)
    assert words_here() <= code_points(WORD)


@pytest.mark.parametrize("ranges", [ASSIGNED, WORD, BIGRAM, SPACED], ids=["A", "W", "B", "S"])
def test_ranges_rise_and_neither_touch_nor_hold_surrogates(ranges: Ranges) -> None:
    ends = [-2, *(bound for pair in ranges for bound in pair)]
    for previous_last, first, last in zip(ends[::2], ends[1::2], ends[2::2], strict=False):
        assert previous_last < first <= last
        assert last < 0xD800 or first > 0xDFFF


def test_words_are_assigned_and_go_either_in_pairs_or_by_spaces() -> None:
    assert code_points(WORD) <= code_points(ASSIGNED)
    assert code_points(BIGRAM) | code_points(SPACED) == code_points(WORD)
    assert code_points(BIGRAM).isdisjoint(code_points(SPACED))


@pytest.mark.parametrize(
    "script", ["中文", "ひらカタ々〆", "한글ㄱ", "ไทย", "ລາວ", "ខ្មែរ", "မြန်", "བོད", "𠮷"]
)
def test_scripts_without_spaces_go_in_pairs(script: str) -> None:
    assert {ord(character) for character in script} <= code_points(BIGRAM)


@pytest.mark.parametrize("script", ["Latin", "Ελλ", "Кир", "עברית", "عربي", "हिन्दी", "09", "²½"])
def test_scripts_with_spaces_go_by_words(script: str) -> None:
    assert {ord(character) for character in script} <= code_points(SPACED)


def test_a_character_class_matches_exactly_its_ranges() -> None:
    matcher = re.compile(f"[{character_class(((0x2D, 0x2D), (0x5B, 0x5E), (0x1F600, 0x1F602)))}]")
    matched = {code for code in range(sys.maxunicode + 1) if matcher.match(chr(code))}
    assert matched == {0x2D, 0x5B, 0x5C, 0x5D, 0x5E, 0x1F600, 0x1F601, 0x1F602}
