"""Embeds of notes stand between paragraphs, for what they bring has paragraphs of its own."""

from __future__ import annotations

from itertools import pairwise

from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from site_builder.dialect.states import QuickToken
from site_builder.media import extension, names_a_note


def embeds_a_note(token: Token) -> bool:
    """Whether an inline token is `![[Note]]` or `![](note.md)`, and no picture or other medium."""
    if token.type == "embed":
        return names_a_note(token.meta["link"].target, wiki=True)
    if token.type == "image":
        address = str(token.attrs["src"]).partition("#")[0]
        return extension(address) == "md" and "//" not in address
    return False


def embed_blocks(state: StateCore) -> None:
    """Parts each paragraph at its embeds of notes; each becomes an `embed_block`.

    Within headings, cells and emphasis they stay inline, and are written as links.
    """
    if "![" not in state.src:
        return
    tokens: list[Token] = []
    for token in state.tokens:
        children = token.children or ()
        parent = tokens[-1] if tokens else token
        if parent.type == "paragraph_open" and any(map(_stands_alone, children)):
            tokens += _parted(tokens.pop(), token)
        elif token.type == "paragraph_close" and parent.type in ("embed_block", "paragraph_close"):
            continue
        else:
            tokens.append(token)
    state.tokens = tokens


def _stands_alone(token: Token) -> bool:
    return token.level == 0 and embeds_a_note(token)


def _parted(opening: Token, inline: Token) -> list[Token]:
    """The paragraph's parts between its embeds, each closed, and the embeds."""
    children = inline.children or []
    places = [at for at, child in enumerate(children) if _stands_alone(child)]
    parts: list[Token] = []
    for before, after in pairwise([-1, *places, len(children)]):
        start, end = before + 1, after
        while start < end and _blank(children[start]):
            start += 1
        while end > start and _blank(children[end - 1]):
            end -= 1
        if start < end:
            first = _with_lines(QuickToken("paragraph_open", "p", 1), opening, inline, start)
            last = QuickToken("paragraph_close", "p", -1, opening.level, "", True)
            first.hidden = last.hidden = opening.hidden
            first.attrs = {} if parts else opening.attrs
            text = _with_lines(QuickToken("inline", "", 0), inline, inline, start)
            text.children = children[start:end]
            parts += (first, text, last)
        if after < len(children):
            block = _with_lines(QuickToken("embed_block", "", 0), opening, inline, after)
            block.children = [children[after]]
            parts.append(block)
    return parts


def _with_lines(token: Token, like: Token, inline: Token, start: int) -> Token:
    """A block at the level of `like` that begins with the child `start` of `inline`."""
    token.level, token.block = like.level, True
    if inline.map:
        breaks = sum(child.tag == "br" for child in (inline.children or ())[:start])
        token.map = [inline.map[0] + breaks, inline.map[1]]
    return token


def _blank(token: Token) -> bool:
    return token.tag == "br" or (token.type == "text" and not token.content.strip())
