"""Marks within a line: `H~2~O`, `x^2^` and `^^inserted^^`.

Tildes and carets have other uses in prose and in code (`3~5 days`, `a^b^a`), so each form is read
only where it can hardly mean anything else.
"""

from __future__ import annotations

import re
from typing import Final

from markdown_it.rules_inline import StateInline

_SUBSCRIPT: Final = (
    r"~(?<=[A-Za-z\u0391-\u03c9)\]]~)([A-Za-z]{1,12}|\d{1,4}|[A-Za-z\d]{1,4}[+-]\d{0,2})~(?![~\d])"
)
_SUPERSCRIPT: Final = r"\^(?<=[\w)\]%]\^)([^\s^~\[\]*_`$<\\]{1,40})\^(?![\w^])"
_INSERTED: Final = r"\^\^(?<!\^\^\^)(?![\s^])([^\^\n]{1,2000}?)(?<!\s)\^\^(?!\^)"

STOP: Final = rf"{_SUBSCRIPT}|{_SUPERSCRIPT}|\^(?=\^)"
"""Where a rule of this module may match. (Lookbehinds stand behind the mark they begin with, so
that a search leaps from one mark to the next.)"""

_SUB, _SUP, _INS = re.compile(_SUBSCRIPT), re.compile(_SUPERSCRIPT), re.compile(_INSERTED)


def subscript(state: StateInline, silent: bool) -> bool:
    """Letters or figures between tildes, right behind a letter or a bracket."""
    return _plain(state, _SUB.match(state.src, state.pos, state.posMax), "sub", silent)


def superscript(state: StateInline, silent: bool) -> bool:
    """What stands between carets without a space, right behind a word, at the end of a word."""
    return _plain(state, _SUP.match(state.src, state.pos, state.posMax), "sup", silent)


def inserted(state: StateInline, silent: bool) -> bool:
    """Text between doubled carets, with marks of its own."""
    found = _INS.match(state.src, state.pos, state.posMax)
    if not found:
        return False
    if not silent:
        end = state.posMax
        state.push("ins_open", "ins", 1)
        state.pos, state.posMax = found.span(1)
        state.md.inline.tokenize(state)
        state.push("ins_close", "ins", -1)
        state.posMax = end
    state.pos = found.end()
    return True


def _plain(state: StateInline, found: re.Match[str] | None, tag: str, silent: bool) -> bool:
    if not found:
        return False
    if not silent:
        state.push(f"{tag}_open", tag, 1)
        state.push("text", "", 0).content = found[1]
        state.push(f"{tag}_close", tag, -1)
    state.pos = found.end()
    return True
