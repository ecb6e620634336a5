"""Tokens, version nb-1: what search can find, by script and not by language.

The rules, for every implementation in whatever language:

1. Code points that Unicode 14 does not assign become spaces; then NFKC.
2. A run of bigram-script characters (Chinese, Japanese, Korean, Thai and the like; letters, marks
   and numbers only) gives one token per position: the two characters that begin there, or at the
   run's end the last character alone. So every character begins exactly one token, and a search
   for a single one is a search by prefix.
3. A run of other letters, marks, numbers, `_` and inner apostrophes is a word. Apostrophes are
   removed, `_` at its ends too. It gives one token in lower case, `++` or `#` directly behind it
   gives one more with that suffix (`c++`, `c#`), and where it is made of several parts (`_`, a
   change from lower to upper case, the last capital of several before lower case, all in ASCII)
   one for each part of at least two characters.
4. Lower case is Unicode's, with final sigma written as sigma; tokens end after 64 code points.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain
from operator import add

from manifest.unicode14 import ASSIGNED, WORD, character_class

VERSION = "nb-1"
"""Stands in every segment; a reader that does not know it cannot search that segment."""

TOKEN_LIMIT = 64

_BIGRAM_BLOCKS = (
    (0x0E00, 0x0EFF),  # Thai, Lao
    (0x0F00, 0x0FFF),  # Tibetan
    (0x1000, 0x109F),  # Myanmar
    (0x1100, 0x11FF),  # Hangul Jamo
    (0x1780, 0x17FF),  # Khmer
    (0x1950, 0x19FF),  # Tai Le, New Tai Lue, Khmer symbols
    (0x1A20, 0x1AAF),  # Tai Tham
    (0x2E80, 0x2FDF),  # CJK radicals
    (0x3005, 0x3007),
    (0x3021, 0x3029),
    (0x3031, 0x3035),
    (0x3038, 0x303C),
    (0x3041, 0x318F),  # kana, Bopomofo, Hangul compatibility Jamo
    (0x31A0, 0x31BF),
    (0x31F0, 0x31FF),
    (0x3400, 0x4DBF),
    (0x4E00, 0xA4CF),  # Han, Yi
    (0xA960, 0xA97F),
    (0xA9E0, 0xA9FF),
    (0xAA60, 0xAADF),
    (0xAC00, 0xD7FF),
    (0xF900, 0xFAFF),
    (0x1AFF0, 0x1B16F),
    (0x20000, 0x3134F),
)

Ranges = tuple[tuple[int, int], ...]


def _intersection(left: Ranges, right: Ranges) -> Ranges:
    return tuple(
        (max(a, c), min(b, d)) for a, b in left for c, d in right if max(a, c) <= min(b, d)
    )


def _difference(left: Ranges, right: Ranges) -> Ranges:
    kept: list[tuple[int, int]] = []
    for first, last in left:
        for cut_first, cut_last in right:
            if cut_last < first or cut_first > last:
                continue
            if cut_first > first:
                kept.append((first, cut_first - 1))
            first = cut_last + 1
        if first <= last:
            kept.append((first, last))
    return tuple(kept)


BIGRAM: Ranges = _intersection(WORD, _BIGRAM_BLOCKS)
"""Characters that are searched in pairs."""

SPACED: Ranges = _difference(WORD, BIGRAM)
"""Characters of words that spaces part."""

_UNASSIGNED = re.compile(f"[^{character_class(ASSIGNED)}]")
_S = character_class(SPACED)
_RUN = re.compile(
    f"([{character_class(BIGRAM)}]+)|([{_S}_]+(?:['\u2019][{_S}_]+)*)(\\+\\+|#(?![{_S}_]))?"
)
_MARKS = tuple(
    (code, code)
    for first, last in WORD
    for code in range(first, last + 1)
    # Han, Hangul and other long ranges hold none; the five have a decomposition that is all marks.
    if last - first < 600
    and (unicodedata.combining(chr(code)) or chr(code) in "\u0f73\u0f75\u0f81\uff9e\uff9f")
)
_NO_MARK = character_class(_difference(((0, 0x10FFFF),), _MARKS))
_MANY_MARKS = re.compile(f"[^{_NO_MARK}][^{_NO_MARK}]{{31,}}")
_PART = re.compile("[A-Z]+(?![a-z])[^A-Z_]*|[A-Z]?[^A-Z_]+|[A-Z]")


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of text that gives tokens. bigrams: whether its characters go in pairs."""

    tokens: tuple[str, ...]
    bigrams: bool


def runs(text: str) -> Iterator[Run]:
    """The runs of a text, in order."""
    for characters, word, suffix in _found(text):
        if characters:
            yield Run(tuple(_pairs(_lower(characters))), bigrams=True)
        elif words := _word_tokens(word, suffix):
            yield Run(words, bigrams=False)


def tokens(text: str) -> list[str]:
    """All tokens of a text in order, repeated as often as they occur."""
    tokens: list[str] = []
    for characters, word, suffix in _found(text):
        tokens += _pairs(_lower(characters)) if characters else _word_tokens(word, suffix)
    return tokens


def _found(text: str) -> list[tuple[str, str, str]]:
    """Of each run: the characters that go in pairs, else the word and what suffix it has."""
    if not text.isascii():
        text = _nfkc(_UNASSIGNED.sub(" ", text))
    found: list[tuple[str, str, str]] = _RUN.findall(text)
    return found


def normalise(text: str) -> str:
    """The form in which tokens compare: NFKC, lower case, unassigned code points as spaces."""
    if text.isascii():
        return text.lower()
    return _lower(_nfkc(_UNASSIGNED.sub(" ", text)))


def _nfkc(text: str) -> str:
    """NFKC. Normalising sorts combining marks by insertion: a hostile note with a million in a row
    would take hours, so long rows come sorted."""
    return unicodedata.normalize("NFKC", _MANY_MARKS.sub(_sorted_marks, text))


def _sorted_marks(row: re.Match[str]) -> str:
    marks = "".join(unicodedata.normalize("NFKD", mark) for mark in row[0])
    return "".join(sorted(marks, key=unicodedata.combining))


def _pairs(characters: str) -> Iterable[str]:
    return chain(map(add, characters, characters[1:]), characters[-1])


def _lower(text: str) -> str:
    return text.lower().replace("ς", "σ")


@lru_cache(maxsize=65_536)
def _word_tokens(word: str, suffix: str) -> tuple[str, ...]:
    bare = word.replace("'", "").replace("\u2019", "").strip("_")
    if not bare:
        return ()
    found = [_lower(bare)[:TOKEN_LIMIT]]
    if suffix:
        found.append(found[0] + suffix)
    if "_" in bare or not (bare.islower() or bare[1:].islower()):
        parts = [part for part in _PART.findall(bare) if len(part) > 1]
        if parts != [bare]:
            found.extend(_lower(part)[:TOKEN_LIMIT] for part in parts)
    return tuple(found)
