"""Addresses with a space in them, `![x](fig one.png)`: CommonMark takes them for text.

They are read as what they are meant to be, where they name a file, and the author is told.
"""

from __future__ import annotations

import re
from typing import Final

from markdown_it.rules_inline import StateInline

from site_builder.media import DOCUMENTS, FILMS, NOTES, PICTURES, SOUNDS

SPACED: Final = "spaced"
"""Where in the `meta` of a link or picture it says that its address has a space."""

_ENDINGS: Final = "|".join(sorted((DOCUMENTS | FILMS | NOTES | PICTURES | SOUNDS) - {""}))
_SPACED = re.compile(
    r"!?\[([^\[\]\n]{0,500})\]\([ \t]*((?=[^()\n]{1,500}\))[^()<>\n\"\'` ]+ [^()<>\n\"\'`]*"
    rf"\.(?:{_ENDINGS})(?:#[^()<>\n\"\'`]*)?)[ \t]*\)",
    re.I,
)


def spaced_address(state: StateInline, silent: bool) -> bool:
    """A link or a picture whose address holds a space and ends like a file."""
    found = _SPACED.match(state.src, state.pos, state.posMax)
    if not found:
        return False
    if not silent:
        if found[0][0] == "!":
            token = state.push("image", "img", 0)
            token.attrs, token.content, token.children = {"src": found[2], "alt": ""}, found[1], []
            state.md.inline.parse(found[1], state.md, state.env, token.children)
        else:
            end = state.posMax
            token = state.push("link_open", "a", 1)
            token.attrs = {"href": found[2]}
            state.pos, state.posMax = found.span(1)
            state.md.inline.tokenize(state)
            state.push("link_close", "a", -1)
            state.posMax = end
        token.meta = {SPACED: True}
    state.pos = found.end()
    return True
