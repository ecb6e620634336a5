"""Attributes in braces: `## Title {#id .class}`, `![](a.png){width=300}`, `{: .class}` under a
paragraph.

Only harmless names count. Braces that hold anything else are text, `{{ templates }}` among them.
"""

from __future__ import annotations

import re
from typing import Final

from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token

ALLOWED: Final = frozenset({"id", "class", "title", "lang", "dir", "width", "height"})

IDENTIFIED: Final = "identified"
"""Where in the parser's `env` the tokens wait whose author gave them an id."""

_SIDES: Final = frozenset({"left", "right", "center"})
"""Values of `align`, which HTML has no more: they become classes."""

_ITEM = (
    r"(?:[#.][^\s{}\"'<>=#]++|[A-Za-z][\w-]*+=(?:\"[^\"{}\n]*+\"|'[^'{}\n]*+'|[^\s{}\"'<>]++)"
    r"|data-[\w-]++(?!=))"
)
_LIST = re.compile(rf"\{{:?[ \t]*+({_ITEM}(?:[ \t]++{_ITEM})*+)[ \t]*+\}}")
_ITEMS = re.compile(_ITEM)
_AT_END = re.compile(rf"(?:^|[ \t]++){_LIST.pattern}[ \t]*$")
_LAST_LINE = re.compile(rf"\n[ \t]*+{_LIST.pattern}[ \t]*$")

_TAKERS: Final = frozenset({"image", "link_close", "code_inline", "wikilink", "embed"})
_MARKED: Final = frozenset({"strong_close", "em_close", "s_close", "mark_close", "ins_close"})


def inline_attributes(state: StateInline, silent: bool) -> bool:
    """Gives the attributes right behind an image, a link or code to that element."""
    if state.src[state.pos] != "{" or state.pending or not state.tokens:
        return False
    owner = state.tokens[-1]
    if owner.type not in _TAKERS:
        return False
    found = _LIST.match(state.src, state.pos, state.posMax)
    if not found:
        return False
    if not silent:
        if owner.type == "link_close":
            owner = next(
                token
                for token in reversed(state.tokens)
                if token.type == "link_open" and token.level == owner.level
            )
        _give(owner, found[1], state.env.setdefault(IDENTIFIED, []))
    state.pos = found.end()
    return True


def marked_attributes(state: StateInline) -> None:
    """Gives the attributes right behind emphasised or marked text to that element; which marks are
    emphasis is known only when all of the text is read."""
    if "{" not in state.src:
        return
    closing = -1
    for index, token in enumerate(state.tokens):
        if token.type != "text":
            closing = index if token.type in _MARKED else -1
        elif token.content:
            found = _LIST.match(token.content) if closing >= 0 else None
            if found:
                owner = _opening(state.tokens, closing)
                _give(owner, found[1], state.env.setdefault(IDENTIFIED, []))
                token.content = token.content[found.end() :]
            closing = -1


def _opening(tokens: list[Token], closing: int) -> Token:
    """The token that opens what another closes."""
    depth = 0
    for index in range(closing, -1, -1):
        depth -= tokens[index].nesting
        if not depth:
            return tokens[index]
    return tokens[closing]


def block_attributes(state: StateCore) -> None:
    """Takes attributes off the end of headings and paragraphs, before their text is read."""
    if "{" not in state.src:
        return
    identified: list[Token] = state.env.setdefault(IDENTIFIED, [])
    for index, token in enumerate(state.tokens):
        if token.type != "inline" or not token.content.rstrip().endswith("}"):
            continue
        owner = state.tokens[index - 1]
        pattern = {"heading_open": _AT_END, "paragraph_open": _LAST_LINE}.get(owner.type)
        if owner.hidden:  # the text of a list item, without a paragraph around it
            owner = state.tokens[index - 2]
            pattern = _LAST_LINE if owner.type == "list_item_open" else None
        found = pattern.search(token.content) if pattern else None
        if found:
            token.content = token.content[: found.start()]
            _give(owner, found[1], identified)


def _give(owner: Token, items: str, identified: list[Token]) -> None:
    attrs = dict(owner.attrs)
    for item in _ITEMS.findall(items):
        if item[0] == ".":
            attrs["class"] = f"{attrs.get('class', '')} {item[1:]}".strip()
        elif item[0] == "#":
            attrs["id"] = item[1:]
        else:
            name, _, value = item.partition("=")
            name, value = name.lower(), value.strip("\"'")
            if name in ALLOWED:
                attrs[name] = value
            elif name == "align" and value in _SIDES:
                attrs["class"] = f"{attrs.get('class', '')} {value}".strip()
    owner.attrs = attrs
    if "id" in attrs and not (identified and identified[-1] is owner):
        identified.append(owner)
