"""Callouts: `> [!note] Title` as Obsidian and GitHub have them, `!!! note "Title"` as MkDocs has.

Both become the same tokens: `callout_open` (meta: kind, fold), a title, the content.
"""

from __future__ import annotations

import re
from typing import Final

from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from site_builder.dialect.labels import label

LANGUAGE: Final = "language"
"""Where in the parser's `env` the page's language stands."""

_MARKER = re.compile(r"\[!([A-Za-z][\w-]*)(?:\|[^\]\n]*)?\]([+-]?)[ \t]*([^\n]*)(?:\n|$)")
_ADMONITION = re.compile(
    r"(!!!|\?\?\?\+?)[ \t]*(?:([A-Za-z][\w-]*)(?:[ \t]+[A-Za-z][\w-]*)*)?(?:[ \t]+\"(.*)\")?[ \t]*$"
)
_FOLD = {"!!!": "", "???": "-", "???+": "+"}


def callouts(state: StateCore) -> None:
    """Turns each quotation that begins with `[!kind]` into a callout, before its text is read."""
    if "[!" not in state.src:
        return
    tokens: list[Token] = []
    open_levels: list[int] = []
    skip = 0
    for index, token in enumerate(state.tokens):
        if skip:
            skip -= 1
            continue
        if token.type == "blockquote_open" and (found := _marker(state.tokens, index)):
            opening = state.tokens[index + 1]
            open_levels.append(token.level)
            kind, lines = found[1].lower(), token.map or [0, 0]
            title = found[3].strip() or label(kind, str(state.env.get(LANGUAGE, "")))
            tokens += _opening(lines, token.level, kind, found[2], title)
            inline = state.tokens[index + 2]
            inline.content = inline.content[found.end() :]
            if inline.map:
                inline.map = [inline.map[0] + 1, inline.map[1]]
            if inline.content:
                tokens.extend((opening, inline, state.tokens[index + 3]))
            skip = 3
        elif token.type == "blockquote_close" and token.level in open_levels[-1:]:
            open_levels.pop()
            tokens.append(Token("callout_close", "", -1, level=token.level, block=True))
        else:
            tokens.append(token)
    state.tokens = tokens


def _marker(tokens: list[Token], index: int) -> re.Match[str] | None:
    if index + 3 >= len(tokens) or tokens[index + 1].type != "paragraph_open":
        return None
    return _MARKER.match(tokens[index + 2].content)


def admonition(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """`!!! kind "Title"` (or `???`, folded) and the lines indented by four under it.

    An empty title leaves the title away, except where there is something to unfold.
    """
    first = state.bMarks[start] + state.tShift[start]
    found = _ADMONITION.match(state.src[first : state.eMarks[start]])
    if not found or not (found[2] or (found[3] and found[1] != "!!!")):
        return False
    if silent:
        return True
    line = indented_lines(state, start, end)
    kind, fold = (found[2] or "note").lower(), _FOLD[found[1]]
    title = found[3].strip() if found[3] is not None else None
    if title is None or (fold and not title):
        title = label(kind, str(state.env.get(LANGUAGE, "")))
    state.tokens += _opening([start, line], state.level, kind, fold, title)
    read_indented(state, start, line, "admonition")
    state.tokens.append(Token("callout_close", "", -1, level=state.level, block=True))
    state.line = line
    return True


def indented_lines(state: StateBlock, start: int, end: int) -> int:
    """The line behind those that are indented by four more than the line `start`."""
    inner, line = state.sCount[start] + 4, start + 1
    while line < end and (state.isEmpty(line) or state.sCount[line] >= inner):
        line += 1
    return line


def read_indented(state: StateBlock, start: int, end: int, kind: str) -> None:
    """Reads the indented lines from `start` + 1 up to `end` as blocks one level below."""
    outer = (state.lineMax, state.blkIndent, state.parentType)
    state.lineMax, state.blkIndent, state.parentType = end, state.sCount[start] + 4, kind
    state.level += 1
    state.md.block.tokenize(state, start + 1, end)
    state.level -= 1
    state.lineMax, state.blkIndent, state.parentType = outer


def _opening(lines: list[int], level: int, kind: str, fold: str, title: str) -> list[Token]:
    """The tokens of a callout up to its content; without a title, only that it opens."""
    first, meta = [lines[0], lines[0] + 1], {"kind": kind, "fold": fold}
    opening = Token("callout_open", "", 1, map=lines, level=level, block=True, meta=meta)
    if not title:
        return [opening]
    return [opening, *titled("callout_title", title, first, level + 1)]


def titled(kind: str, title: str, lines: list[int], level: int) -> list[Token]:
    """A line of inline text between `kind_open` and `kind_close`."""
    return [
        Token(f"{kind}_open", "", 1, map=lines, level=level, block=True),
        Token("inline", "", 0, map=lines, level=level + 1, block=True, children=[], content=title),
        Token(f"{kind}_close", "", -1, level=level, block=True),
    ]
