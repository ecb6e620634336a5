"""Blocks of raw HTML, where the dialect goes beyond CommonMark.

An element with the attribute `markdown` holds Markdown, without blank lines around it. A block that
opens a script, a style or a drawing runs to where that is closed, so that no line of it is text.
"""

from __future__ import annotations

import re
from typing import Final

from markdown_it.common.html_blocks import block_names
from markdown_it.rules_block import StateBlock
from markdown_it.rules_block.html_block import html_block as common_html_block

from site_builder.raw_html import ALLOWED_TAGS, unclosed

_PAIRS: Final = "html_pairs"
_CLOSINGS: Final = "html_closings"
_DEPTH: Final = "html_depth"

DEPTH_LIMIT: Final = 30
"""Elements with Markdown within each other."""

_NAMES: Final = ALLOWED_TAGS & set(block_names)
_VALUE = r"(?:\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"'=<>`]+))?"
_OPENING = re.compile(
    rf"<([a-z][a-z0-9]*)((?:\s+(?!markdown\b)[A-Za-z_:][\w.:-]*{_VALUE})*)"
    rf"\s+markdown(?:\s*=\s*[\"']?(1|block|span|true|)[\"']?)?((?:\s+[A-Za-z_:][\w.:-]*{_VALUE})*)\s*>",
    re.I,
)
_TAG = re.compile(rf"<(/?)({'|'.join(sorted(_NAMES))})\b[^<>]*>", re.I)


def html_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """CommonMark's rule, and what is said above."""
    if silent:
        return common_html_block(state, start, end, silent)
    if not state.is_code_block(start) and _with_markdown(state, start, end):
        return True
    if not common_html_block(state, start, end, silent):
        return False
    _to_its_end(state, start, end)
    return True


def _with_markdown(state: StateBlock, start: int, end: int) -> bool:
    first = state.bMarks[start] + state.tShift[start]
    found = _OPENING.match(state.src, first, state.eMarks[start])
    if not found or found[1].lower() not in _NAMES:
        return False
    closing = _pairs(state).get(first)
    depth: int = state.env.get(_DEPTH, 0)
    if closing is None or depth >= DEPTH_LIMIT:
        return False
    last = start
    while last < end and state.eMarks[last] < closing:
        last += 1
    if last >= end:
        return False
    _html(state, f"<{found[1]}{found[2]}{found[4]}>", start)
    state.env[_DEPTH] = depth + 1
    if last == start or found[3] == "span":
        _inline(state, found.end(), closing, start, last)
    else:
        _blocks(state, found.end(), closing, start, last)
    state.env[_DEPTH] = depth
    _html(state, state.src[closing : state.eMarks[last]], last)
    state.line = last + 1
    return True


def _pairs(state: StateBlock) -> dict[int, int]:
    """Where each element of the text is closed, by where it opens."""
    pairs: dict[int, int] | None = state.env.get(_PAIRS)
    if pairs is None:
        pairs, open_ = {}, dict[str, list[int]]()
        for tag in _TAG.finditer(state.src):
            starts = open_.setdefault(tag[2].lower(), [])
            if not tag[1]:
                starts.append(tag.start())
            elif starts:
                pairs[starts.pop()] = tag.start()
        state.env[_PAIRS] = pairs
    return pairs


def _html(state: StateBlock, content: str, line: int) -> None:
    token = state.push("html_block", "", 0)
    token.content, token.map = content, [line, line + 1]


def _inline(state: StateBlock, begins: int, ends: int, start: int, last: int) -> None:
    token = state.push("inline", "", 0)
    token.content, token.children = state.src[begins:ends].strip(), []
    token.map = [start, last + 1]


def _blocks(state: StateBlock, begins: int, ends: int, start: int, last: int) -> None:
    """Reads the lines between the tags; what stands beside a tag is a line of its own."""
    kept = [table[start] for table in (state.bMarks, state.tShift, state.sCount)]
    end_mark = state.eMarks[last]
    rest = state.src[begins : state.eMarks[start]]
    state.bMarks[start], state.eMarks[last] = begins, ends
    state.tShift[start] = state.sCount[start] = len(rest) - len(rest.lstrip())
    first = start if rest.strip() else start + 1
    state.sCount[start] = state.blkIndent
    indents = [state.sCount[line] for line in range(first, last + 1) if not state.isEmpty(line)]
    outer = (state.lineMax, state.blkIndent, state.parentType)
    state.lineMax, state.parentType = last + 1, "html"
    state.blkIndent = max([state.blkIndent, min(indents, default=0)])
    state.md.block.tokenize(state, first, last + 1)
    state.lineMax, state.blkIndent, state.parentType = outer
    state.bMarks[start], state.tShift[start], state.sCount[start] = kept
    state.eMarks[last] = end_mark


def _to_its_end(state: StateBlock, start: int, end: int) -> None:
    token = state.tokens[-1]
    name = unclosed(token.content)
    if not name:
        return
    closing = _closing(state, name, state.bMarks[state.line])
    line = state.line
    while line < end and state.eMarks[line] < closing:
        line += 1
    if closing < 0 or line >= end:
        return
    while line < end and not state.isEmpty(line):
        line += 1
    token.content = state.getLines(start, line, state.blkIndent, True)
    token.map = [start, line]
    state.line = line


def _closing(state: StateBlock, name: str, at: int) -> int:
    """Where `</name` stands next, -1 if nowhere; each stretch of the text is looked at once."""
    known: dict[str, int] = state.env.setdefault(_CLOSINGS, {})
    place = known.get(name, 0)
    if 0 <= place < at:
        found = re.compile(rf"</{name}\b", re.I).search(state.src, at)
        known[name] = place = found.start() if found else -1
    return place
