"""Headings, anchors and sections of a parsed note."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from markdown_it.token import Token

from manifest.anchors import PREFIX, TOP, Anchors, slug
from site_builder.dialect.emoji import with_emoji
from site_builder.dialect.quick_blocks import PLAIN
from site_builder.note import CompiledSection

SPACES = re.compile(r"\s+")
_HEADINGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6"})
_WITH_TEXT: Final = frozenset(
    {"text", "text_special", "code_inline", "wikilink", "embed", "math", "image"}
)


def plain_text(tokens: Sequence[Token] | None) -> str:
    """What is read of a run of inline tokens, on one line."""
    parts: list[str] = []
    for token in tokens or ():
        if token.type == "image":
            parts.append(plain_text(token.children))
        elif token.type in _WITH_TEXT:
            parts.append(token.content)
        elif token.type in ("softbreak", "hardbreak"):
            parts.append(" ")
    return SPACES.sub(" ", "".join(parts)).strip()


def block_words(block: Token) -> str:
    """What is read of the text of a block, on one line."""
    if block.info == PLAIN:
        return SPACES.sub(" ", block.content).strip()
    return plain_text(block.children)


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading at the top level of the note. line counts from 0 in the published text."""

    line: int
    level: int
    title: str
    anchor: str


def assign_anchors(
    tokens: Sequence[Token], identified: Sequence[Token]
) -> tuple[tuple[Heading, ...], tuple[str, ...], Anchors]:
    """Gives every heading, and every token whose author gave it an id, its id on the page.

    identified: the tokens with an author's id, in order. Returns the headings at the top level, the
    other ids in order, and the anchors, with which footnotes and raw HTML take theirs.
    """
    anchors = Anchors()
    kept = {id(token) for token in identified if anchors.reserve(str(token.attrs["id"]))}
    headings: list[Heading] = []
    nested: list[tuple[Token, str]] = []
    for index, token in enumerate(tokens):
        if token.type == "heading_open":
            title = block_words(tokens[index + 1])
        elif token.tag in _HEADINGS and token.type == "inline":
            title = block_words(token)
        else:
            continue
        if token.level > (token.type == "inline"):
            nested.append((token, title))
            continue
        if id(token) not in kept:
            token.attrs["id"] = anchors.assign(str(token.attrs.get("id") or slug(title)))
        line = token.map[0] if token.map else 0
        shown = with_emoji(title)
        headings.append(Heading(line, int(token.tag[1]), shown, str(token.attrs["id"])))
    others: list[str] = []
    for token, title in nested:
        if id(token) not in kept:
            token.attrs["id"] = anchors.assign(PREFIX + slug(title))
            kept.add(id(token))
        others.append(str(token.attrs["id"]))
    for token in identified:
        if token.type != "heading_open":
            if id(token) not in kept:
                token.attrs["id"] = anchors.assign(str(token.attrs["id"]))
            others.append(str(token.attrs["id"]))
    return tuple(headings), tuple(others), anchors


def cut_sections(
    text: str, headings: Sequence[Heading], line_starts: Sequence[int]
) -> tuple[CompiledSection, ...]:
    """The sections of `text`, which cover it without gap or overlap.

    line_starts: where each line of the text begins.
    What stands before the first heading is a section of its own unless it is blank.
    """
    starts = [line_starts[heading.line] for heading in headings]
    first = starts[0] if starts else len(text)
    sections: list[CompiledSection] = []
    if not headings or text[:first].strip():
        sections.append(CompiledSection(TOP, 0, "", (), 0, first))
    elif headings:
        starts[0] = 0
    above: list[Heading] = []
    ends = [*starts[1:], len(text)] if starts else []
    for heading, start, end in zip(headings, starts, ends, strict=True):
        while above and above[-1].level >= heading.level:
            above.pop()
        above.append(heading)
        path = tuple(outer.title for outer in above)
        sections.append(
            CompiledSection(heading.anchor, heading.level, heading.title, path, start, end)
        )
    return tuple(sections)
