"""Plain text on the page: bare addresses become links, `#tags` become tags."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, Literal, NamedTuple

from manifest.tags import INLINE_TAG, is_tag

_ADDRESS = re.compile(
    r"(?<![A-Za-z0-9])https?://[A-Za-z0-9][^\s<>\"'`\u2018-\u201f\u2014\u2026\u3000-\u303f"
    r"\uff00-\uffef]{0,2000}"
)
_TRAILING: Final = ".,:;!?*_~"
_PAIRS: Final = {")": "(", "]": "[", "}": "{"}


class Piece(NamedTuple):
    """A run of text as written, unescaped, and what it is."""

    kind: Literal["text", "address", "tag"]
    text: str


def pieces(text: str, *, begins_word: bool) -> Iterator[Piece]:
    """Parts text at bare addresses and tags.

    begins_word: whether a tag may begin at once, since nothing stands right before the text.
    """
    at = 0
    for address in _ADDRESS.finditer(text) if "://" in text else ():
        yield from _tags(text, at, address.start(), begins_word)
        at = address.start() + _length(address[0])
        yield Piece("address", text[address.start() : at])
    yield from _tags(text, at, len(text), begins_word)


def _tags(text: str, start: int, end: int, begins_word: bool) -> Iterator[Piece]:
    at = start
    mark = text.find("#", at, end)
    while mark >= 0:
        tag = INLINE_TAG.match(text, mark, end) if mark or begins_word else None
        if tag and is_tag(tag[1].strip("/")):
            if mark > at:
                yield Piece("text", text[at:mark])
            yield Piece("tag", tag[0])
            at = tag.end()
        mark = text.find("#", max(mark + 1, at), end)
    if end > at:
        yield Piece("text", text[at:end])


def _length(address: str) -> int:
    """Punctuation at the end belongs to the sentence, and so does a bracket opened before."""
    end = len(address)
    while end:
        last = address[end - 1]
        opening = _PAIRS.get(last)
        unpaired = opening and address.count(last, 0, end) > address.count(opening, 0, end)
        if last not in _TRAILING and not unpaired:
            break
        end -= 1
    return end
