"""The commonest inline text, read at once: plain words, `**strong**`, `code`, `[links](to)`.

A shortcut and no grammar of its own: whatever it does not fully recognise goes to the parser, and
what it does recognise it reads exactly as the parser would. The conditions beside each form are
those under which CommonMark's rules leave no other reading.
"""

from __future__ import annotations

import re
from typing import Final

from markdown_it.token import Token

from site_builder.dialect.states import QuickToken

_PLAIN: Final = r"[^\n\\`*_~\[\]!^$&<={]"
_CODE: Final = r"`[^`\n]++`(?!`)"

# A run of asterisks opens before a letter, and after a space before anything but a space; it closes
# in the mirrored places. Two runs of two always pair, with no run of another length among them.
_OPENS: Final = r"(?:\*\*(?=[^\W_])|(?:\A|(?<=[ \t\n]))\*\*(?=[^\s*]))"
_CLOSES: Final = r"(?:(?<=[^\W_])\*\*(?!\*)|(?<=[^\s*])\*\*(?=[ \t\n]|\Z))"

_PIECES: Final = (
    rf"(?P<text>{_PLAIN}++)"
    rf"|{_OPENS}(?P<strong>(?:{_PLAIN}++|{_CODE})++){_CLOSES}"
    rf"|(?P<code>{_CODE})"
    rf"|\[(?P<label>{_PLAIN}++)\]\((?P<to>[^\s()<>&\\`\x00-\x1f\x7f]++)\)"
    r"|(?P<line>(?<![ \t])\n(?![ \t]))"
)
COMMON: Final = re.compile(rf"(?:{re.sub(r'[?]P<[a-z]+>', '?:', _PIECES)})+")
"""A text that consists of such pieces and of nothing else. (Python 3.11 loses track of groups that
capture within a repeated one.)"""

PIECE: Final = re.compile(_PIECES)
IN_STRONG: Final = re.compile(rf"(?P<text>{_PLAIN}++)|(?P<code>{_CODE})")


def common_inline(src: str) -> list[Token] | None:
    """The tokens of `src`, or None where the parser itself has to read it."""
    tokens: list[Token] = []
    at, end = 0, len(src)
    while at < end:
        found = PIECE.match(src, at)
        if found is None:
            return None
        at = found.end()
        kind, text = found.lastgroup, found[0]
        if kind == "text":
            tokens.append(QuickToken("text", "", 0, 0, text))
        elif kind == "code":
            tokens.append(_code(text, 0))
        elif kind == "strong":
            tokens.append(QuickToken("strong_open", "strong", 1))
            for inner in IN_STRONG.finditer(found["strong"]):
                code = inner.lastgroup == "code"
                tokens.append(
                    _code(inner[0], 1) if code else QuickToken("text", "", 0, 1, inner[0])
                )
            tokens.append(QuickToken("strong_close", "strong", -1))
        elif kind == "line":
            tokens.append(QuickToken("softbreak", "br", 0))
        else:
            opening = QuickToken("link_open", "a", 1)
            opening.attrs = {"href": found["to"]}
            tokens += (
                opening,
                QuickToken("text", "", 0, 1, found["label"]),
                QuickToken("link_close", "a", -1),
            )
    return tokens


def _code(written: str, level: int) -> Token:
    return QuickToken("code_inline", "code", 0, level, code_words(written))


def code_words(written: str) -> str:
    """What a code span holds; a space on both sides of what is not all spaces is the author's
    padding."""
    inside = written[1:-1]
    if inside[0] == inside[-1] == " " and inside.strip(" "):
        inside = inside[1:-1]
    return inside
