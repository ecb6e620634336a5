"""Names of blocks, as Obsidian writes them: ` ^id` at the end of a paragraph or of a list item, or
on a line of its own under a list, a table, a quotation.

`[[Note#^id]]` leads to the block, `![[Note#^id]]` shows it. On the page its id is `nb-^id`.
"""

from __future__ import annotations

import re

from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from manifest.anchors import PREFIX
from site_builder.dialect.attributes import IDENTIFIED

_AT_END = re.compile(r"(?:\A|[ \t]|\n[ \t]*)\^(?!\d{1,2}$)([A-Za-z0-9-]{1,80})[ \t]*$")


def block_ids(state: StateCore) -> None:
    """Takes the names off the text before it is read, and gives them to their blocks."""
    if "^" not in state.src:
        return
    identified: list[Token] = state.env.setdefault(IDENTIFIED, [])
    tokens, out = state.tokens, list[Token]()
    skip = 0
    for index, token in enumerate(tokens):
        if skip:
            skip -= 1
            continue
        following = tokens[index + 1] if index + 1 < len(tokens) else token
        found = _AT_END.search(following.content) if following.type == "inline" else None
        if found and token.type == "paragraph_open":
            name = f"{PREFIX}^{found[1].lower()}"
            if found.start() or not out or out[-1].level != token.level:
                following.content = following.content[: found.start()]
                owner = out[-1] if token.hidden and out[-1].type == "list_item_open" else token
                _name(owner, name, identified)
            elif out[-1].nesting <= 0 and out[-1].type != "block_close":
                _wrap(out, name, identified)
                skip = 2
                continue
        out.append(token)
    state.tokens = out


def _name(owner: Token, name: str, identified: list[Token]) -> None:
    if "id" not in owner.attrs:
        owner.attrs = {**owner.attrs, "id": name}
        identified.append(owner)


def _wrap(out: list[Token], name: str, identified: list[Token]) -> None:
    """Puts the last block into an element that has the name."""
    start = len(out) - 1
    while out[start].nesting < 0 or out[start].level > out[-1].level:
        start -= 1
    level = out[-1].level
    opening = Token("block_open", "div", 1, level=level, block=True)
    out.insert(start, opening)
    out.append(Token("block_close", "div", -1, level=level, block=True))
    _name(opening, name, identified)
