"""`[TOC]`: the contents of the note, where its author wants them."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from site_builder.dialect.outline import Heading

_MARKS: Final = frozenset({"[TOC]", "[[TOC]]", "[[_TOC_]]"})


def contents_places(state: StateCore) -> None:
    """The first paragraph that is nothing but `[TOC]` becomes a `contents` token; others go."""
    if "TOC" not in state.src:
        return
    tokens, out, given, skip = state.tokens, list[Token](), False, 0
    for index, token in enumerate(tokens):
        if skip:
            skip -= 1
        elif token.type == "paragraph_open" and tokens[index + 1].content.strip() in _MARKS:
            if not given:
                out.append(Token("contents", "nav", 0, map=token.map, level=token.level))
            given, skip = True, 2
        else:
            out.append(token)
    state.tokens = out


def contents(headings: Sequence[Heading], label: str) -> str:
    """The headings as nested lists of links; a lone heading of level 1 is the title and no part."""
    titles = [heading for heading in headings if heading.level == 1]
    shown = [heading for heading in headings if len(titles) != 1 or heading is not titles[0]]
    if not shown:
        return ""
    out = [f'<nav class="outline" aria-label="{escape(label)}">\n']
    levels: list[int] = []
    for heading in shown:
        while len(levels) > 1 and levels[-1] > heading.level:
            out.append("</li></ul>\n")
            levels.pop()
        if levels and levels[-1] >= heading.level:
            out.append("</li>\n")
            levels[-1] = heading.level
        else:
            out.append("<ul>\n")
            levels.append(heading.level)
        title = escape(heading.title, quote=False)
        out.append(f'<li><a href="#{escape(heading.anchor)}">{title}</a>')
    out += ["</li></ul>\n"] * len(levels)
    return "".join([*out, "</nav>\n"])
