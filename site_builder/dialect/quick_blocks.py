"""The commonest blocks, each as one token: a paragraph, a heading, an item of a plain list, a cell.

markdown-it makes three to five tokens of each, and half of a parser's time goes into making tokens
and walking over them. Here a block that holds nothing but inline text is an `inline` token whose
`tag` names its element. As in `common_inline`, whatever is not fully recognised is left to
markdown-it's rules, and what is recognised is read exactly as they would read it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from markdown_it.common.utils import mdTrim
from markdown_it.rules_block import StateBlock
from markdown_it.token import Token

from site_builder.dialect.states import QuickToken

PLAIN: Final = "plain"
"""The `info` of a block whose text is plain: its content is read as it stands, without children."""

READ_AT_ONCE: Final = "common"
"""The `info` of a block whose text is `common_inline.COMMON`: it is written without children."""

ENDS_TABLE: Final = "ends_table"
"""Where in the parser's `env` the function stands that says whether a line ends a table."""

_HELD: Final = re.compile(r"[\^}]|!\[")
"""What the rules that work on paragraphs look for: names of blocks, attributes, embeds."""

PARENTS: Final = frozenset({"root", "blockquote", "admonition", "tab", "html"})
"""Where a paragraph is a paragraph: lists and footnotes look at theirs again."""

_SIGNS = re.compile(r"#{1,6}(?![^ \t])")

_BEGINS: Final = (
    r"(?:[^\W\d_]|\*{1,2}[^\s*\[]|\[[^\[\]\n^]++\]\(|`[^`\n]|\d++(?![\d.)])|[“‘（《【「『〈…—→])"
)
"""How text begins that can be no block of its own, whatever follows it in its line."""

_LISTS: Final = {
    mark: re.compile(rf"(?:{re.escape(mark)} {_BEGINS}[^\n]*+(?:\n|\Z))++") for mark in "-*+"
}
_ENDS = re.compile(r"#{1,6}[ \t\n]|\n(?!(?:[ \t]*+\n)*+(?: ?(?:[-*+](?![^ \t\n])|\d)| {2}|\t| \t))")
"""What behind the items can belong to none of them."""

_ITEM_LEVELS: Final = 3
_DIVIDER = re.compile(r"(?:[|:][-|: \t]|-[-|:])[-|: \t]*+")
_COLUMN = re.compile(r"(:?)-+(:?)")
_PIPE = re.compile(r"(?<!\\)\|")

_FILLED_LIMIT: Final = 0x10000
"""Cells that a table may lack: rows of fewer cells than the head are filled up."""


def block_text(state: StateBlock, tag: str, content: str, lines: list[int], level: int) -> Token:
    """Adds a block that holds inline text alone."""
    token = QuickToken("inline", tag, 0, level, content, True)
    token.map, token.children = lines, []
    state.tokens.append(token)
    return token


def is_plain_block(content: str) -> bool:
    """Whether a paragraph needs no look of the rules for paragraphs."""
    return content[:1] != "[" and not _HELD.search(content)


def quick_heading(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A heading of the form `## Title`, closed by more of its signs or not."""
    text = _line(state, start)
    signs = _SIGNS.match(text)
    if not signs or state.is_code_block(start):
        return False
    if silent:
        return True
    text = text[signs.end() :].rstrip(" \t")
    if text.endswith("#") and (opened := text.rstrip("#"))[-1:] in (" ", "\t"):
        text = opened
    content, tag, lines = mdTrim(text), f"h{signs.end()}", [start, start + 1]
    if "}" in content:
        state.push("heading_open", tag, 1).map = lines
        inline = state.push("inline", "", 0)
        inline.content, inline.map, inline.children = content, lines, []
        state.push("heading_close", tag, -1)
    else:
        block_text(state, tag, content, lines, state.level + 1)
    state.line = start + 1
    return True


def quick_list(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A list at the top level whose items are one line of text each, without lists in it."""
    if silent or state.parentType != "root" or state.level:
        return False
    src, begins = state.src, state.bMarks[start]
    pattern = _LISTS.get(src[begins])
    found = pattern.match(src, begins) if pattern else None
    if not found or (found.end() < len(src) and not _ENDS.match(src, found.end())):
        return False
    items = found[0].removesuffix("\n").split("\n")
    state.push("bullet_list_open", "ul", 1).map = [start, start + len(items)]
    for line, item in enumerate(items, start):
        content = item[2:]
        if content[-1].isspace():
            content = mdTrim(content)
        if _HELD.search(content):
            _whole_item(state, content, line)
        else:
            block_text(state, "li", content, [line, line + 1], _ITEM_LEVELS)
    state.push("bullet_list_close", "ul", -1)
    state.line = start + len(items)
    return True


def _whole_item(state: StateBlock, content: str, line: int) -> None:
    """An item as markdown-it makes them, for the rules that look at its text."""
    lines = [line, line + 1]
    state.push("list_item_open", "li", 1).map = lines
    state.push("paragraph_open", "p", 1).map = lines
    state.tokens[-1].hidden = True
    inline = state.push("inline", "", 0)
    inline.content, inline.map, inline.children = content, lines, []
    state.push("paragraph_close", "p", -1).hidden = True
    state.push("list_item_close", "li", -1)


def quick_table(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A table, as GitHub has them; each cell is one token."""
    if start + 2 > end or state.sCount[start + 1] < state.blkIndent:
        return False
    divider = _line(state, start + 1)
    if not _DIVIDER.fullmatch(divider) or state.is_code_block(start + 1):
        return False
    aligns = _aligns(divider)
    head = mdTrim(_line(state, start))
    if aligns is None or "|" not in head or state.is_code_block(start):
        return False
    names = _cells(head)
    if not names or len(names) != len(aligns):
        return False
    if not silent:
        _write_table(state, start, end, names, aligns)
    return True


def _write_table(
    state: StateBlock, start: int, end: int, names: list[str], aligns: list[str]
) -> None:
    outer, state.parentType = state.parentType, "table"
    table = state.push("table_open", "table", 1)
    state.push("thead_open", "thead", 1).map = [start, start + 1]
    _row(state, "th", names, aligns, start)
    state.push("thead_close", "thead", -1)
    line, filled = start + 2, 0
    ends: Callable[[StateBlock, int, int], bool] = state.env[ENDS_TABLE]
    while line < end and state.sCount[line] >= state.blkIndent:
        text = mdTrim(_line(state, line))
        if not text or ends(state, line, end) or state.is_code_block(line):
            break
        cells = _cells(text)
        filled += len(names) - len(cells)
        if filled > _FILLED_LIMIT:
            break
        if line == start + 2:
            state.push("tbody_open", "tbody", 1)
        cells += [""] * (len(names) - len(cells))
        _row(state, "td", cells[: len(names)], aligns, line)
        line += 1
    if line > start + 2:
        state.push("tbody_close", "tbody", -1)
    state.push("table_close", "table", -1)
    state.parentType, state.line, table.map = outer, line, [start, line]


def _row(state: StateBlock, tag: str, cells: list[str], aligns: list[str], line: int) -> None:
    lines = [line, line + 1]
    level = state.push("tr_open", "tr", 1).level + 2
    for cell, align in zip(cells, aligns, strict=True):
        block_text(state, tag, cell, lines, level).markup = align
    state.push("tr_close", "tr", -1)


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]


def _aligns(divider: str) -> list[str] | None:
    """`left`, `right`, `center` or nothing for each column; None if this divides no table."""
    columns = [mdTrim(column) for column in divider.split("|")]
    if not columns[0]:
        del columns[0]
    if columns and not columns[-1]:
        del columns[-1]
    aligns: list[str] = []
    for column in columns:
        found = _COLUMN.fullmatch(column)
        if not found:
            return None
        left, right = found.groups()
        aligns.append("center" if left and right else "right" if right else "left" if left else "")
    return aligns


def _cells(row: str) -> list[str]:
    """The cells of a row; `\\|` is a sign within one."""
    if "\\" in row:
        cells = [cell.replace("\\|", "|") for cell in _PIPE.split(row)]
    else:
        cells = row.split("|")
    if not cells[0]:
        del cells[0]
    if cells and not cells[-1]:
        del cells[-1]
    return [mdTrim(cell) for cell in cells]
