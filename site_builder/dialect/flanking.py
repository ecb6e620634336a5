"""Which marks of emphasis open and which close, also where words stand without spaces.

CommonMark's rule takes a mark behind punctuation for a closing one only before a space or more
punctuation. Chinese, Japanese and Korean put no space there, so `**互斥。**一份` stays as it is
typed. Here their punctuation counts as letters do, and other punctuation may stand beside their
characters as it may beside spaces. For all other text the rule is CommonMark's; where that finds
an opening or closing mark, so does this. (Source: the amendment proposed to CommonMark as
"CJK-friendly emphasis"; without its tables of variation selectors.)
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Final

from markdown_it.common.utils import isWhiteSpace

_FIRST_CJK_SYMBOL: Final = "\u2e80"
_FIRST_PICTURE: Final = "\U0001f000"
"""Symbols before and behind these are wide as well, but are pictures such as watches and faces."""


@lru_cache(maxsize=4096)
def flanking(before: str, after: str, within_words: bool) -> tuple[bool, bool]:
    """Whether a run of marks between two characters can open, and whether it can close.

    before, after: one character each, a space at either end of the text. within_words: whether
    such marks count inside a word: asterisks do, underscores do not.
    """
    space_before, space_after = isWhiteSpace(ord(before)), isWhiteSpace(ord(after))
    sign_before, sign_after = _is_punctuation(before), _is_punctuation(after)
    wide_before, wide_after = is_wide(before), is_wide(after)
    left = not space_after and (
        not sign_after or wide_after or space_before or sign_before or wide_before
    )
    right = not space_before and (
        not sign_before or wide_before or space_after or sign_after or wide_after
    )
    opens = left and (within_words or not right or sign_before)
    closes = right and (within_words or not left or sign_after)
    return opens, closes


def is_wide(char: str) -> bool:
    """Whether a character belongs to Chinese, Japanese or Korean text, punctuation included."""
    if char < "\u1100" or unicodedata.east_asian_width(char) not in "WFH":
        return False
    return _FIRST_CJK_SYMBOL <= char < _FIRST_PICTURE or unicodedata.category(char)[0] != "S"


def _is_punctuation(char: str) -> bool:
    return unicodedata.category(char)[0] in "PS"
