"""markdown-it's parser states with cheaper tokens: a third of its time goes into making them."""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Scanned
from markdown_it.token import Token
from markdown_it.utils import EnvType

from site_builder.dialect.flanking import flanking

_NEWLINE = re.compile("\n")
_INDENT = re.compile(r"\n([ \t]+)")


class QuickToken(Token):
    """A token with the same fields, made without default factories and conversions."""

    __slots__ = ()

    def __init__(  # dataclasses write a slower one
        self,
        type: str,  # noqa: A002 - markdown-it's name
        tag: str,
        nesting: Literal[-1, 0, 1],
        level: int = 0,
        content: str = "",
        block: bool = False,
    ) -> None:
        self.type = type
        self.tag = tag
        self.nesting = nesting
        self.attrs = {}
        self.map = None
        self.level = level
        self.children = None
        self.content = content
        self.markup = ""
        self.info = ""
        self.meta = {}
        self.block = block
        self.hidden = False


class BlockState(StateBlock):
    """Lines being read into blocks; where they begin and end is found by expressions."""

    def __init__(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> None:
        super().__init__("", md, env, tokens)
        self.src, length = src, len(src)
        ends = [found.start() for found in _NEWLINE.finditer(src)]
        last = ends[-1] + 1 if ends else 0
        if src[last:].strip(" \t"):
            ends.append(length)
        count = len(ends)
        self.lineMax = count
        self.bMarks = [0, *(end + 1 for end in ends)]
        self.bMarks[count:] = [length]
        self.eMarks = [*ends, length]
        self.tShift, self.sCount = [0] * (count + 1), [0] * (count + 1)
        self.bsCount = [0] * (count + 1)
        if src[:1] in (" ", "\t"):
            self._indent(0, src[: length - len(src.lstrip(" \t"))])
        for found in _INDENT.finditer(src):
            self._indent(bisect_left(self.bMarks, found.start(1)), found[1])

    def _indent(self, line: int, spaces: str) -> None:
        if line < self.lineMax:
            self.tShift[line] = len(spaces)
            self.sCount[line] = len(spaces.expandtabs(4))

    def push(self, ttype: str, tag: str, nesting: Literal[-1, 0, 1]) -> Token:
        level = self.level
        if nesting < 0:
            self.level = level = level - 1
        elif nesting > 0:
            self.level = level + 1
        token = QuickToken(ttype, tag, nesting, level, "", True)
        self.tokens.append(token)
        return token


class InlineState(StateInline):
    """Text within a block being read."""

    def pushPending(self) -> Token:  # noqa: N802 - markdown-it's name
        token = QuickToken("text", "", 0, self.pendingLevel, self.pending)
        self.tokens.append(token)
        self.pending = ""
        return token

    def push(self, ttype: str, tag: str, nesting: Literal[-1, 0, 1]) -> Token:
        if self.pending:
            self.pushPending()
        meta = None
        if nesting < 0:
            self.level -= 1
            self.delimiters = self._prev_delimiters.pop()
        token = QuickToken(ttype, tag, nesting, self.level)
        if nesting > 0:
            self.level += 1
            self._prev_delimiters.append(self.delimiters)
            self.delimiters = []
            meta = {"delimiters": self.delimiters}
        self.pendingLevel = self.level
        self.tokens.append(token)
        self.tokens_meta.append(meta)
        return token

    def scanDelims(self, start: int, canSplitWord: bool) -> Scanned:  # noqa: N802, N803
        """What a run of marks may do; see `flanking`."""
        src, end = self.src, self.posMax
        pos, mark = start, src[start]
        while pos < end and src[pos] == mark:
            pos += 1
        before = src[start - 1] if start else " "
        opens, closes = flanking(before, src[pos] if pos < end else " ", canSplitWord)
        return Scanned(opens, closes, pos - start)
