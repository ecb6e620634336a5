"""What a note says of itself in a line: its own description, else its first words."""

from __future__ import annotations

import re
from html import unescape

from manifest.search_text import search_text
from site_builder.front_matter import text_value
from site_builder.note import SourceNote

SUMMARY_LIMIT = 200
"""Code points of a summary."""

_LOOKED_AT = 4000
"""Code points of a note that are looked at for its first words."""

_FENCE = re.compile(r"^[ \t>]*(`{3,}|~{3,}|\$\$)")
_NO_PROSE = re.compile(r"^\s*(?:#{1,6}\s|\||!!!|\?\?\?|>\s*\[!|:::|---|\*\*\*|={3,}|\[TOC\]|<)")
_MARKERS = re.compile(r"^[\s>]*(?:[-*+]\s+(?:\[[ xX]\]\s+)?|\d{1,9}[.)]\s+)?")
_PICTURE = re.compile(r"!\[\[[^\]\n]*\]\]|!\[[^\]\n]*\]\([^)\n]*\)|\[\^[^\]\n]*\]")
_LINKED = re.compile(r"\[([^\[\]\n]*)\](?:\[[^\]\n]*\])?")
_WIKI_PLAIN = re.compile(r"\[\[([^\[\]\n|]*)\]\]")
_MARKS = re.compile(r"[*`~]+|==|(?<![\w/])_+|_+(?![\w/])|\\(?=[^\w\s])")
_SPACE = re.compile(r"\s+")


def summary(source: SourceNote, text: str) -> str:
    """At most `SUMMARY_LIMIT` code points of plain text; text: the Markdown as published."""
    given = text_value(source.meta, "description")
    words = _SPACE.sub(" ", given).strip() or _first_words(text[:_LOOKED_AT])
    return words if len(words) <= SUMMARY_LIMIT else _cut(words)


def _first_words(text: str) -> str:
    """The first paragraphs of running text, headings, code, tables and pictures passed over."""
    found: list[str] = []
    length = 0
    fence = ""
    for line in text.split("\n"):
        if match := _FENCE.match(line):
            if not fence:
                fence = match[1]
            elif match[1].startswith(fence):
                fence = ""
            continue
        if fence or not line.strip() or _NO_PROSE.match(line):
            continue
        words = _plain(_MARKERS.sub("", line, count=1))
        if words:
            found.append(words)
            length += len(words)
        if length > SUMMARY_LIMIT:
            break
    return " ".join(found)


def _plain(line: str) -> str:
    line = _WIKI_PLAIN.sub(r"\1", _PICTURE.sub(" ", line))
    line = _LINKED.sub(r"[\1", search_text(line)).replace("[", "").replace("]", "")
    return _SPACE.sub(" ", unescape(_MARKS.sub("", line))).strip()


def _cut(words: str) -> str:
    """The words up to the limit, cut between words where there are spaces."""
    kept = words[: SUMMARY_LIMIT - 1]
    space = kept.rfind(" ", SUMMARY_LIMIT - 40)
    return (kept[:space] if space > 0 else kept).rstrip() + "…"
