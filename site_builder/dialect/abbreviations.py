"""Abbreviations: a line `*[HTML]: Hypertext Markup Language` explains a word on the whole page."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from markdown_it.rules_block import StateBlock

ABBREVIATIONS: Final = "abbreviations"
"""Where in the parser's `env` they wait, by word."""

COUNT_LIMIT: Final = 200
"""Abbreviations of one page: each is looked for at every place."""

_DEFINITION = re.compile(r"\*\[([^\[\]\n]{1,60})\]:[ \t]*(.*)$")


def abbreviation(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Takes a definition off the page; the first of a word holds."""
    first = state.bMarks[start] + state.tShift[start]
    found = _DEFINITION.match(state.src[first : state.eMarks[start]])
    if not found or not found[1].strip() or state.is_code_block(start):
        return False
    if not silent:
        words: dict[str, str] = state.env.setdefault(ABBREVIATIONS, {})
        if len(words) < COUNT_LIMIT:
            words.setdefault(found[1].strip(), found[2].strip())
        state.line = start + 1
    return True


def word_pattern(words: Iterable[str]) -> str:
    """An expression that finds each of these words where it stands alone, the longest first."""
    ordered = sorted(words, key=lambda word: (-len(word), word))
    return rf"(?<![A-Za-z0-9_])(?:{'|'.join(map(re.escape, ordered))})(?![A-Za-z0-9_])"
