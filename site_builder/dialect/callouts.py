"""Callouts: `> [!note] Title` as Obsidian and GitHub have them, `!!! note "Title"` as MkDocs has.

Both become the same tokens: `callout_open` (meta: kind, fold), a title, the content.
"""

from __future__ import annotations

import re

from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

_MARKER = re.compile(r"\[!([A-Za-z][\w-]*)(?:\|[^\]\n]*)?\]([+-]?)[ \t]*([^\n]*)(?:\n|$)")
_ADMONITION = re.compile(
    r"(!!!|\?\?\?\+?)[ \t]+([A-Za-z][\w-]*)(?:[ \t]+[A-Za-z][\w-]*)*(?:[ \t]+\"(.*)\")?[ \t]*$"
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
            tokens.extend(_opening(token.map or [0, 0], token.level, found[1], found[2], found[3]))
            inline = state.tokens[index + 2]
            inline.content = inline.content[found.end() :]
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
    """`!!! kind "Title"` (or `???`, folded) and the lines indented by four under it."""
    first = state.bMarks[start] + state.tShift[start]
    found = _ADMONITION.match(state.src[first : state.eMarks[start]])
    if not found:
        return False
    if silent:
        return True
    inner = state.sCount[start] + 4
    line = start + 1
    while line < end and (state.isEmpty(line) or state.sCount[line] >= inner):
        line += 1
    title = found[3] if found[3] is not None else ""
    for token in _opening([start, line], state.level, found[2], _FOLD[found[1]], title):
        state.tokens.append(token)
    outer = (state.lineMax, state.blkIndent, state.parentType)
    state.lineMax, state.blkIndent, state.parentType = line, inner, "admonition"
    state.level += 1
    state.md.block.tokenize(state, start + 1, line)
    state.level -= 1
    state.lineMax, state.blkIndent, state.parentType = outer
    state.tokens.append(Token("callout_close", "", -1, level=state.level, block=True))
    state.line = line
    return True


def _opening(lines: list[int], level: int, kind: str, fold: str, title: str) -> list[Token]:
    kind = kind.lower()
    first = [lines[0], lines[0] + 1]
    return [
        Token(
            "callout_open",
            "",
            1,
            map=lines,
            level=level,
            block=True,
            meta={"kind": kind, "fold": fold},
        ),
        Token("callout_title_open", "", 1, map=first, level=level + 1, block=True),
        Token(
            "inline",
            "",
            0,
            map=first,
            level=level + 2,
            block=True,
            children=[],
            content=title.strip() or kind.capitalize(),
        ),
        Token("callout_title_close", "", -1, level=level + 1, block=True),
    ]
