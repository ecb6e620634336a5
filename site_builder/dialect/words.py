"""Plain text on the page: bare addresses become links, `#tags` become tags; emoji, keys and
abbreviations become what they stand for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import escape
from typing import Final, Literal, NamedTuple

from manifest.tags import INLINE_TAG, is_tag
from site_builder.dialect.abbreviations import word_pattern
from site_builder.dialect.emoji import PATTERN as EMOJI
from site_builder.dialect.emoji import emoji
from site_builder.dialect.keys import PATTERN as KEYS
from site_builder.dialect.keys import keys

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


class Signs:
    """What of a note's plain text stands for something else: emoji, keys, abbreviations.

    Most notes have none, and cost nothing. icons: whether an icon of another theme was left out.
    """

    def __init__(self, text: str, abbreviations: Mapping[str, str]) -> None:
        self._titles = {word: title for word, title in abbreviations.items() if word in text}
        kinds = [f"(?P<emoji>{EMOJI})"] if _NAMED.search(text) else []
        if "++" in text:
            kinds.append(f"(?P<keys>{KEYS})")
        if self._titles:
            kinds.append(f"(?P<word>{word_pattern(self._titles)})")
        self._pattern = re.compile("|".join(kinds)) if kinds else None
        self.icons = False

    def html(self, text: str) -> str:
        """The text escaped, its signs written out."""
        if self._pattern is None:
            return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        parts, at = list[str](), 0
        for found in self._pattern.finditer(text):
            parts += (escape(text[at : found.start()], quote=False), self._sign(found))
            at = found.end()
        return "".join(parts) + escape(text[at:], quote=False)

    def _sign(self, found: re.Match[str]) -> str:
        written = found[0]
        if found.lastgroup == "word":
            return f'<abbr title="{escape(self._titles[written])}">{escape(written)}</abbr>'
        if found.lastgroup == "keys":
            return keys(written[2:-2])
        sign = emoji(written[1:-1])
        self.icons = self.icons or (not sign and sign is not None)
        return escape(written, quote=False) if sign is None else sign


_NAMED = re.compile(EMOJI)
