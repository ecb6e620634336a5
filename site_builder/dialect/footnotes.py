"""Definitions of footnotes stand in no other definition: the plugin that moves them to the end of
the page would tear the outer one apart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from markdown_it.rules_block import StateBlock
from mdit_py_plugins.footnote.index import footnote_def

if TYPE_CHECKING:
    from site_builder.dialect.parser import NoteParser

_WITHIN: Final = "within_footnote"


def footnote_definition(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """`[^name]: text`; where a definition is being read, it is a paragraph."""
    if state.env.get(_WITHIN):
        parser = cast("NoteParser", state.md)
        begins = state.bMarks[start] + state.tShift[start]
        found = not silent and state.src.startswith("[^", begins)
        return found and parser.block.paragraph(state, start, end, silent)
    state.env[_WITHIN] = not silent
    try:
        return bool(footnote_def(state, start, end, silent))
    finally:
        state.env[_WITHIN] = False
