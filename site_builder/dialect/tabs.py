"""Content tabs: `=== "Title"` and the lines indented by four under it; neighbours are one set.

`===!` begins a new set, `===+` is the tab that is shown first.
"""

from __future__ import annotations

import re

from markdown_it.rules_block import StateBlock

from site_builder.dialect.callouts import indented_lines, read_indented, titled

_TAB = re.compile(r"===([!+]{0,2})[ \t]+\"(.*)\"[ \t]*$")


def tabs(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A set of tabs: `tabs_open`, for each tab its label and its content, `tabs_close`."""
    found = _tab(state, start, end)
    if not found or state.is_code_block(start):
        return False
    if silent:
        return True
    opening = state.push("tabs_open", "", 1)
    line, number, shown = start, 0, 0
    while found:
        shown = number if "+" in found[1] else shown
        last = indented_lines(state, line, end)
        label = found[2].strip() or "…"
        state.tokens += titled("tab_label", label, [line, line + 1], state.level)
        state.tokens[-3].meta = {"number": number, "set": opening}
        state.push("tab_open", "", 1).map = [line, last]
        read_indented(state, line, last, "tab")
        state.push("tab_close", "", -1)
        line, number = last, number + 1
        found = _tab(state, line, end)
        if found and (state.sCount[line] != state.sCount[start] or "!" in found[1]):
            found = None
    opening.map, opening.meta = [start, line], {"shown": shown}
    state.push("tabs_close", "", -1)
    state.line = line
    return True


def _tab(state: StateBlock, line: int, end: int) -> re.Match[str] | None:
    if line >= end:
        return None
    first = state.bMarks[line] + state.tShift[line]
    return _TAB.match(state.src[first : state.eMarks[line]])
