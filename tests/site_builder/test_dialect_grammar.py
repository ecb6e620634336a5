"""The parser's shortcuts give what markdown-it gives."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType

from site_builder.dialect.common_inline import common_inline
from site_builder.dialect.dispatch import BlockParser, InlineParser
from site_builder.dialect.parser import NoteParser, note_parser
from site_builder.dialect.states import InlineState

OPTIONS = {"html": True, "maxNesting": 20}


class WideFlanks(StateInline):
    """markdown-it's state with our rule of emphasis, which test_dialect_flanking.py compares."""

    scanDelims = InlineState.scanDelims  # noqa: N815 - markdown-it's name


class WideFlanksParser(ParserInline):
    """markdown-it's parser of inline text, otherwise as it comes."""

    def parse(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> list[Token]:
        state = WideFlanks(src, md, env, tokens)
        self.tokenize(state)
        for rule in self.ruler2.getRules(""):
            rule(state)
        return state.tokens


@pytest.fixture(scope="module")
def reference() -> MarkdownIt:
    """markdown-it as it comes, but for emphasis beside wide characters."""
    parser = MarkdownIt("commonmark", OPTIONS)
    parser.inline = WideFlanksParser()
    return parser.configure("commonmark", OPTIONS).enable(["table", "strikethrough"])


class Unfolding(MarkdownIt):
    """A parser that writes blocks of one token out, as markdown-it's renderer knows them."""

    def parse(self, src: str, env: EnvType | None = None) -> list[Token]:
        tokens: list[Token] = []
        for token in super().parse(src, env):
            if not token.tag or token.type != "inline":
                tokens.append(token)
                continue
            opening, closing = Token("paragraph_open", token.tag, 1), Token("x", token.tag, -1)
            opening.block = closing.block = True
            if token.tag == "li":
                opening.type = "list_item_open"
            elif token.markup:
                opening.attrs = {"style": f"text-align:{token.markup}"}
            token.tag = ""
            tokens += (opening, token, closing)
        return tokens


@pytest.fixture(scope="module")
def quick(reference: MarkdownIt) -> MarkdownIt:
    """The same rules, asked by our two parsers."""
    parser = Unfolding("commonmark", OPTIONS)
    block, inline = BlockParser(), InlineParser()
    block.ruler.enableOnly([*reference.block.ruler.get_active_rules(), "quick_list"])
    block.ruler.disable("lheading")
    inline.ruler.enableOnly(reference.inline.ruler.get_active_rules())
    inline.ruler2.enableOnly(reference.inline.ruler2.get_active_rules())
    block.freeze()
    inline.freeze()
    parser.block, parser.inline = block, inline
    return parser


BLOCKS = st.sampled_from(
    ["# ", "## a\n", "> ", ">", "- ", "* ", "+ ", "1. ", "2) ", "    ", "  ", "\t", "\n", "\n\n",
     "```\n", "~~~ x\n", "---\n", "===\n", "***\n", "- - -\n", "| a | b |\n", "|---|:-:|\n",
     "a|b\n-|-\n", "<div>\n", "<!-- x\n", "-->\n", "<b>", "[x]: /u 't'\n", "[x]", "a", "b c",
     "漢字", "#", "\\", "`", "- a\n", "* **b** c\n", "- [x](u) d\n", "- `e`\n", " #\n", "## a ##\n",
     "| a \\| b |\n", ":--|\n", "|--:|\n"]
)  # fmt: skip
INLINES = st.sampled_from(
    ["*", "**", "***", "_", "__", "~~", "`", "``", "[", "]", "(", ")", "](u)", "![", "<", ">",
     "<b>", "</b>", "<http://a.b>", "&amp;", "&#35;", "&", "!", "\\", "\\*", "\n", "  \n", " \n",
     "a", "b c", "漢", "。", ".", " ", "=", "{", "$", "^", "x_y", "\u00a0", "é", "€", '"t"']
)  # fmt: skip


@given(st.lists(BLOCKS, max_size=30).map("".join))
def test_blocks_are_those_of_markdown_it(reference, quick, text):
    assert quick.render(text) == reference.render(text)


@given(st.lists(INLINES, max_size=30).map("".join))
def test_inline_text_is_that_of_markdown_it(reference, quick, text):
    assert quick.render(f"[x]: /u\n\n{text}") == reference.render(f"[x]: /u\n\n{text}")


@pytest.mark.parametrize(
    "text",
    [
        "a__b__c __d e__ f__",
        "\\__*_",
        "a\t\na",
        "*a_b*c_",
        "**a**b**c**",
        "[a *b](u) c*",
        "![a [b](c) d](e)",
        "Foo\nbar\n---\nbaz",
        "- a\n  ===\n- b\n\n  c\n---",
        "> a\nlazy\n> b\n===",
        "a\n    b\n\n    c",
        "1. a\n\n   b\n2. c",
        "[a]: <b\n[c]: d 'e\nf'\n\n[c]",
    ],
)
def test_known_knots_are_those_of_markdown_it(reference, quick, text):
    assert quick.render(text) == reference.render(text)


def in_order(tokens: Sequence[Token]) -> list[tuple[object, ...]]:
    """Tokens without empty text, line breaks as text, neighbouring text joined."""
    found: list[tuple[object, ...]] = []
    for token in tokens:
        line = token.type == "softbreak"
        kind, content = ("text", "\n") if line else (token.type, token.content)
        if kind == "text" and not content:
            continue
        if kind == "text" and found and found[-1][0] == "text":
            found[-1] = ("text", f"{found[-1][1]}{content}", *found[-1][2:])
        else:
            found.append((kind, content, token.nesting, token.level, token.attrs))
    return found


def read_by_rules(parser: NoteParser, text: str) -> list[Token]:
    state = InlineState(text, parser, {}, [])
    parser.inline.tokenize(state)
    for rule in parser.inline.ruler2.getRules(""):
        rule(state)
    return state.tokens


COMMON = st.sampled_from(
    ["**", "**", "a", "b c", " ", "漢字", "：", "`", "` x `", "`c`", "\n", "[", "](", "](u)", ")",
     "[t](u.md)", "(x)", "/p/q.md", "。", "#tag", "1", "-", "\t", " \n", "\u00a0", "\u2028",
     "\x1c", "é", "+", "€"]
)  # fmt: skip


@given(st.lists(COMMON, max_size=12).map(lambda bits: "".join(bits).strip()))
def test_what_is_read_at_once_is_what_the_rules_read(text):
    at_once = common_inline(text)
    if at_once is not None:
        assert in_order(at_once) == in_order(read_by_rules(note_parser(), text))


@pytest.mark.parametrize(
    ("text", "readable"),
    [
        ("plain", True),
        ("**核心：** 说明", True),
        ("a **b `c` d** e", True),
        ("[a](/b/c.md) d", True),
        ("one\ntwo", True),
        ("**a *b* c**", False),
        ("**a** **", False),
        ("**a：**b", False),
        ("[a](b (c))", False),
        ("[a](<b>)", False),
        ("one  \ntwo", False),
        ("[[a]]", False),
        ("a & b", False),
        ("$a$", False),
    ],
)
def test_only_what_has_one_reading_is_read_at_once(text, readable):
    assert (common_inline(text) is not None) is readable


@pytest.mark.parametrize(
    "rule", ["wikilink", "highlight", "math_inline", "attributes", "footnote_ref"]
)
def test_every_rule_of_the_dialect_is_asked(rule):
    assert rule in note_parser().inline.ruler.get_active_rules()


def test_the_parser_is_built_once():
    build: Callable[[], NoteParser] = note_parser
    assert build() is build()
