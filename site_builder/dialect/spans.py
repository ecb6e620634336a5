"""`==highlight==` and `$mathematics$`, within a line and as a block."""

from __future__ import annotations

import re

from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

_HIGHLIGHT = re.compile(
    r"(?<![A-Za-z0-9_=])==(?![\s=])((?:[^=`]|=(?!=)|`[^`\n]*`){1,2000}?)(?<!\s)==(?![A-Za-z0-9_=])"
)
_DISPLAY = re.compile(r"\$\$(?!\s*\$)((?:[^$\\]|\\.){1,4000}?)\$\$(?!\$)", re.S)
_FORMULA = re.compile(
    r"(?<![A-Za-z0-9$])\$(?![\s$])((?:[^$\\\n]|\\.){1,1000}?)(?<!\s)\$(?![A-Za-z0-9$])"
)

_LONGEST = 200
"""Lines of a formula: without a bound, each `$$` never closed would be sought to the end."""


def highlight(state: StateInline, silent: bool) -> bool:
    """Marked text. Between letters `==` is an operator, and opens and closes nothing."""
    found = _HIGHLIGHT.match(state.src, state.pos, state.posMax)
    if not found:
        return False
    if not silent:
        end = state.posMax
        state.push("mark_open", "mark", 1).markup = "=="
        state.pos, state.posMax = found.span(1)
        state.md.inline.tokenize(state)
        state.push("mark_close", "mark", -1).markup = "=="
        state.posMax = end
    state.pos = found.end()
    return True


def math_inline(state: StateInline, silent: bool) -> bool:
    """A formula; a dollar amount is none, for no space stands inside a formula's dollars."""
    display = _DISPLAY.match(state.src, state.pos, state.posMax)
    found = display or _FORMULA.match(state.src, state.pos, state.posMax)
    if not found:
        return False
    if not silent:
        token = state.push("math", "", 0)
        token.content = found[1].strip()
        token.markup = "$$" if display else "$"
    state.pos = found.end()
    return True


def math_block(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Lines from one that begins with `$$` to one that ends with it."""
    first = state.bMarks[start] + state.tShift[start]
    if not state.src.startswith("$$", first):
        return False
    begins = first + len("$$")
    for line in range(start, min(end, start + _LONGEST)):
        if state.sCount[line] < state.blkIndent and not state.isEmpty(line):
            return False
        if state.src[begins : state.eMarks[line]].rstrip().endswith("$$"):
            break
        begins = state.bMarks[min(line + 1, end)]
    else:
        return False
    if silent:
        return True
    token = state.push("math", "", 0)
    token.markup = "$$"
    lines = state.getLines(start, line + 1, state.blkIndent, False).strip()
    token.content = lines.removeprefix("$$").removesuffix("$$").strip()
    token.map = [start, line + 1]
    state.line = line + 1
    return True
