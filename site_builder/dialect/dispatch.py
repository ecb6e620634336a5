"""markdown-it's two parsers, asking at each character only the rules that can match there.

The grammar is markdown-it's own; only the order of asking is cut short. Most of a note is plain
text, and most of markdown-it's time there goes into rules that look at one character and decline.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TypeAlias

from markdown_it import MarkdownIt
from markdown_it.common.utils import mdTrim
from markdown_it.parser_block import ParserBlock
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType

from site_builder.dialect.common_inline import COMMON, common_inline
from site_builder.dialect.marks import STOP as MARKS
from site_builder.dialect.quick_blocks import (
    ENDS_TABLE,
    PARENTS,
    PLAIN,
    READ_AT_ONCE,
    block_text,
    is_plain_block,
    quick_heading,
    quick_list,
    quick_table,
)
from site_builder.dialect.states import BlockState, InlineState, QuickToken

BlockRule: TypeAlias = Callable[[StateBlock, int, int, bool], bool]
InlineRule: TypeAlias = Callable[[StateInline, bool], bool]

BLOCK_FIRSTS: Mapping[str, str] = {
    "fence": "`~",
    "blockquote": ">",
    "hr": "-*_",
    "list": "-*+0123456789",
    "reference": "[",
    "footnote_def": "[",
    "html_block": "<",
    "heading": "#",
    "quick_list": "-*+",
    "admonition": "!?",
    "math_block": "$",
    "tabs": "=",
    "abbreviation": "*",
    "code": "",
}
"""The characters a block of this rule can begin with; a rule not named here is asked everywhere.
Indented code begins with anything, but only where a line is indented enough."""

BLOCK_SECONDS: Mapping[str, tuple[str, ...]] = {
    "table": ("|", "-", ":"),
    "deflist": (":", "~", "\n"),
}
"""The characters with which the second line of a block of this rule can begin."""

INLINE_FIRSTS: Mapping[str, str] = {
    "newline": "\n",
    "escape": "\\",
    "backticks": "`",
    "strikethrough": "~",
    "emphasis": "*_",
    "wikilink": "[!",
    "link": "[",
    "image": "!",
    "spaced_address": "[!",
    "autolink": "<",
    "html_inline": "<",
    "entity": "&",
    "footnote_inline": "^",
    "footnote_ref": "[",
    "highlight": "=",
    "subscript": "~",
    "superscript": "^",
    "inserted": "^",
    "math_inline": "$",
    "attributes": "{",
    "text": "",
}

_STOP = (
    r"\\|`|\*|\[|\]|~(?=~)|=(?==)|!(?=\[)|\^(?=\[)|\$(?=\S)|&(?=[#A-Za-z])|<(?=[A-Za-z/!?])"
    r"|_(?<!\w_)|_(?<=\\__)|_(?<=[^\W_]_)_*+(?!\w)|\{(?<=[)\]`]\{)|" + MARKS
)
"""Where an inline rule may match: a character, and what must stand beside it. An underscore within
a word opens and closes nothing. (Each alternative begins with a sign of its own, lookbehinds stand
after it: so a search leaps to the next of these signs.)"""

LINE_STARTS = "line_starts"
TOO_DEEP = "too_deep"
"""Where in the parser's `env` it says where each line begins, and which line is nested too deep."""

_DEEPEST = 20
"""Links in labels in links that are still read; each level costs one more look at the rest."""

_ANY_STOP = re.compile(rf"{_STOP}|\n")
_MARKUP = re.compile(rf"{_STOP}|  \n")
_BREAK = re.compile(r" ?\n[ \t]*")
_RULE = re.compile(r"(?:-[ \t]*+){3,}|(?:\*[ \t]*+){3,}|(?:_[ \t]*+){3,}")
_TERM = re.compile(r"\n[ \t>]*+[:~][ \t]")
"""A line that may explain a term; where there is none, no paragraph is asked for terms."""

_DELIMITER = re.compile(r"[*_~]|[=^]\{")


def _by_first(
    named: list[tuple[str, Callable[..., bool]]], firsts: Mapping[str, str], code_points: str
) -> tuple[dict[str, list[Callable[..., bool]]], list[Callable[..., bool]]]:
    """For each first character the rules to ask, in order; and those for any other character."""
    table = {
        char: [rule for name, rule in named if char in firsts.get(name, char)]
        for char in code_points
    }
    return table, [rule for name, rule in named if name not in firsts]


def _above(seconds: tuple[str, ...], rule: BlockRule) -> BlockRule:
    """A rule that is asked only above a line that can be its second."""

    def guarded(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        below = start + 1
        begins = state.bMarks[below] + state.tShift[below]
        return state.src.startswith(seconds, begins) and rule(state, start, end, silent)

    return guarded


class InlineParser(ParserInline):
    """Text within a block. `freeze` must follow the last rule added."""

    def freeze(self) -> None:
        """Builds the table of rules by character."""
        self.terminator_re = _ANY_STOP
        named = list(zip(self.ruler.get_active_rules(), self.ruler.getRules(""), strict=True))
        chars = "".join(dict.fromkeys("".join(INLINE_FIRSTS.values())))
        self._by_char, self._elsewhere = _by_first(named, INLINE_FIRSTS, chars)

    def tokenize(self, state: StateInline) -> None:
        src, end = state.src, state.posMax
        search, by_char = _ANY_STOP.search, self._by_char
        while state.pos < end:
            pos = state.pos
            found = search(src, pos)
            stop = found.start() if found else end
            if stop >= end:
                state.append_pending(src[pos:end])
                state.pos = end
                break
            if stop > pos:
                state.append_pending(src[pos:stop])
                state.pos = stop
            for rule in by_char.get(src[stop], ()) if state.level < _DEEPEST else ():
                if rule(state, False):
                    break
            else:
                state.append_pending(src[stop])
                state.pos = stop + 1
        if state.pending:
            state.pushPending()

    def skipToken(self, state: StateInline) -> None:  # noqa: N802 - markdown-it's name
        pos = state.pos
        known = state.cache.get(pos)
        if known is not None:
            state.pos = known
            return
        if state.level >= _DEEPEST:
            state.pos = state.posMax
        else:
            found = _ANY_STOP.search(state.src, pos)
            stop = min(found.start(), state.posMax) if found else state.posMax
            if stop > pos:
                state.pos = stop
            elif not self._skipped(state):
                state.pos = pos + 1
        state.cache[pos] = state.pos

    def _skipped(self, state: StateInline) -> bool:
        for rule in self._by_char.get(state.src[state.pos], ()):
            state.level += 1
            matched = rule(state, True)
            state.level -= 1
            if matched:
                return True
        return False

    def parse(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> list[Token]:
        if not _MARKUP.search(src):
            if src:
                tokens.append(QuickToken("text", "", 0, 0, _joined_lines(src)))
            return tokens
        common = common_inline(src)
        if common is not None:
            tokens += common
            return tokens
        state = InlineState(src, md, env, tokens)
        self.tokenize(state)
        if _DELIMITER.search(src):
            for rule in self.ruler2.getRules(""):
                rule(state)
        if "://" in src and "&" in src:
            tokens[:] = _joined(tokens)
        return tokens


def inline_text(state: StateCore) -> None:
    """Reads the text of all blocks; what is simple in a block of its own needs no tokens."""
    parse, md, env = state.md.inline.parse, state.md, state.env
    markup, common = _MARKUP.search, COMMON.fullmatch
    for token in state.tokens:
        if token.type != "inline":
            continue
        tag, text = token.tag, token.content
        if tag and not markup(text):
            token.content, token.info = _joined_lines(text), PLAIN
        elif tag and tag[0] != "h" and common(text):
            token.info = READ_AT_ONCE
        else:
            token.children = token.children or []
            parse(text, md, env, token.children)


def _joined_lines(text: str) -> str:
    return _BREAK.sub("\n", text) if "\n" in text else text


def _joined(tokens: list[Token]) -> list[Token]:
    """Character references joined to the text around them: `&amp;` is part of an address."""
    joined: list[Token] = []
    for token in tokens:
        if token.info == "entity":
            token.type, token.info = "text", ""
        if token.type == "text" and joined and joined[-1].type == "text":
            joined[-1].content += token.content
        else:
            joined.append(token)
    return joined


class BlockParser(ParserBlock):
    """Lines into blocks. `freeze` must follow the last rule added."""

    def __init__(self) -> None:
        super().__init__()
        self.ruler.at("paragraph", self.paragraph)
        self.ruler.disable("lheading")
        self.ruler.at("hr", _rule, {"alt": ["paragraph", "reference", "blockquote", "list"]})
        self.ruler.at("heading", quick_heading, {"alt": ["paragraph", "reference", "blockquote"]})
        self.ruler.at("table", quick_table, {"alt": ["paragraph", "reference"]})
        self.ruler.before("table", "quick_list", quick_list)

    def freeze(self) -> None:
        """Builds the tables of rules by character: to begin a block, and to end a paragraph."""
        rules = zip(self.ruler.get_active_rules(), self.ruler.getRules(""), strict=True)
        ends, cuts = set(self.ruler.getRules("paragraph")), set(self.ruler.getRules("blockquote"))
        named: list[tuple[str, BlockRule]] = []
        ending: list[tuple[str, BlockRule]] = []
        cutting: list[tuple[str, BlockRule]] = []
        for name, rule in rules:
            quick = _above(BLOCK_SECONDS[name], rule) if name in BLOCK_SECONDS else rule
            named.append((name, quick))
            if rule in ends:
                ending.append((name, quick))
            if rule in cuts:
                cutting.append((name, quick))
        chars = "".join(dict.fromkeys("".join(BLOCK_FIRSTS.values())))
        self._with_terms = _by_first(named, BLOCK_FIRSTS, chars)
        self._without_terms = _by_first(
            [(name, rule) for name, rule in named if name != "deflist"], BLOCK_FIRSTS, chars
        )
        self._indented = [rule for name, rule in named if name in ("code", "paragraph")]
        self._ends_by_char, self._ends_elsewhere = _by_first(ending, BLOCK_FIRSTS, chars)
        self._cuts_by_char, self._cuts_elsewhere = _by_first(cutting, BLOCK_FIRSTS, chars)

    def parse(
        self,
        src: str,
        md: MarkdownIt,
        env: EnvType,
        outTokens: list[Token],  # noqa: N803 - markdown-it's name
    ) -> list[Token] | None:
        if src:
            state = BlockState(src, md, env, outTokens)
            env[ENDS_TABLE] = self._cuts
            env[LINE_STARTS] = state.bMarks
            terms = _TERM.search(src)
            self._by_char, self._elsewhere = self._with_terms if terms else self._without_terms
            self.tokenize(state, state.line, state.lineMax)
        return outTokens

    def tokenize(self, state: StateBlock, startLine: int, endLine: int) -> None:  # noqa: N803
        line, end = startLine, endLine
        nesting = state.md.options.maxNesting
        seen_blank = False
        while line < end:
            state.line = line = state.skipEmptyLines(line)
            if line >= end:
                break
            indent = state.sCount[line] - state.blkIndent
            if indent < 0:
                break
            if state.level >= nesting:
                state.env.setdefault(TOO_DEEP, line)
                state.line = end
                break
            if indent >= 4:
                rules = self._indented
            else:
                first = state.src[state.bMarks[line] + state.tShift[line]]
                rules = self._by_char.get(first, self._elsewhere)
            for rule in rules:
                if rule(state, line, end, False):
                    break
            state.tight = not seen_blank
            line = state.line
            if line - 1 < end and state.isEmpty(line - 1):
                seen_blank = True
            if line < end and state.isEmpty(line):
                seen_blank = True
                line += 1
                state.line = line

    def paragraph(self, state: StateBlock, start: int, end: int, silent: bool) -> bool:
        """A paragraph, or the heading it is where a line of `=` or `-` underlines it.

        markdown-it asks two rules, each of which looks at all the lines; here they are one.
        """
        outer, state.parentType = state.parentType, "paragraph"
        line, last, level = start + 1, state.lineMax, 0
        while line < last and not state.isEmpty(line):
            indent = state.sCount[line] - state.blkIndent
            if indent <= 3:
                if indent >= 0 and line < end:
                    level = _underline(state, line)
                if level or (state.sCount[line] >= 0 and self._ends(state, line, last)):
                    break
            line += 1
        state.parentType = outer
        content = mdTrim(state.getLines(start, line, state.blkIndent, False))
        state.line = line + 1 if level else line
        kind, tag = ("heading", f"h{level}") if level else ("paragraph", "p")
        if outer in PARENTS and is_plain_block(content) and not level:
            block_text(state, tag, content, [start, line], state.level + 1)
            return True
        state.push(f"{kind}_open", tag, 1).map = [start, state.line]
        inline = state.push("inline", "", 0)
        inline.content, inline.map, inline.children = content, [start, line], []
        state.push(f"{kind}_close", tag, -1)
        return True

    def _cuts(self, state: StateBlock, line: int, end: int) -> bool:
        """Whether this line ends a table."""
        first = state.src[state.bMarks[line] + state.tShift[line]]
        rules = self._cuts_by_char.get(first, self._cuts_elsewhere)
        return any(rule(state, line, end, True) for rule in rules)

    def _ends(self, state: StateBlock, line: int, end: int) -> bool:
        first = state.src[state.bMarks[line] + state.tShift[line]]
        rules = self._ends_by_char.get(first, self._ends_elsewhere)
        for rule in rules:  # noqa: SIM110 - a generator costs more than most rules
            if rule(state, line, end, True):
                return True
        return False


def _rule(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """A line of three or more of one mark; markdown-it's own rule walks it mark by mark."""
    begins = state.bMarks[start] + state.tShift[start]
    found = _RULE.fullmatch(state.src, begins, state.eMarks[start])
    if not found or state.is_code_block(start):
        return False
    if not silent:
        token = state.push("hr", "hr", 0)
        token.map = [start, start + 1]
        token.markup = found[0][:3]
        state.line = start + 1
    return True


def _underline(state: StateBlock, line: int) -> int:
    """The level of the heading that this line underlines; 0 if it does not."""
    start, end = state.bMarks[line] + state.tShift[line], state.eMarks[line]
    mark = state.src[start]
    if mark not in "=-" or state.src[start:end].rstrip(" \t").strip(mark):
        return 0
    return 1 if mark == "=" else 2
