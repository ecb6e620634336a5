"""Emphasis where words stand without spaces: marks beside Chinese, Japanese and Korean text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline

from site_builder.dialect import compile_note
from site_builder.dialect.flanking import flanking, is_wide
from site_builder.source import read_source

ASCII_AND_LATIN = st.characters(
    max_codepoint=0x10FF, exclude_categories=["Cs"], exclude_characters="*"
)
ANY = st.one_of(
    st.characters(exclude_categories=["Cs"], exclude_characters="*"),
    st.sampled_from("。，！（）「」“”—…·一あ가ｱ\U00020000😀⌚ a1._~\n\u3000"),
)


def html(text: str) -> str:
    page = compile_note(read_source("a.md", text.encode())).html
    return page.removeprefix('<span id="_top"></span>').strip()


def commonmark(before: str, after: str, within_words: bool) -> tuple[bool, bool]:
    state = StateInline(f"{before}**{after}", MarkdownIt(), {}, [])
    found = state.scanDelims(1, within_words)
    return found.can_open, found.can_close


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("**互斥。**一份", "<strong>互斥。</strong>一份"),
        ("这是**“引用”**的话", "这是<strong>“引用”</strong>的话"),
        ("看**`code`**吧", "看<strong><code>code</code></strong>吧"),
        ("甲**（乙）**丙", "甲<strong>（乙）</strong>丙"),
        ("**强调——**后文", "<strong>强调——</strong>后文"),
        ("**注意！**Linux 用户", "<strong>注意！</strong>Linux 用户"),
        ("*強調。*です", "<em>強調。</em>です"),
        ("**마크다운(Markdown)**은", "<strong>마크다운(Markdown)</strong>은"),
        ("~~旧的。~~新的", "<s>旧的。</s>新的"),
        ("**甲。**乙**丙。**丁", "<strong>甲。</strong>乙<strong>丙。</strong>丁"),
        ("**甲：**乙，**丙：**丁", "<strong>甲：</strong>乙，<strong>丙：</strong>丁"),
        ("***甲。***乙", "<em><strong>甲。</strong></em>乙"),
        ("**see 互斥**。", "<strong>see 互斥</strong>。"),
    ],
)
def test_emphasis_ends_behind_punctuation_without_a_space(text: str, expected: str):
    assert html(text) == f"<p>{expected}</p>"


@pytest.mark.parametrize(
    "text",
    [
        "** 甲。**乙",
        "**甲。 **乙",
        "变量_名字_在此",
        "甲_。乙_丙",
        '**note."**then',
        "**😀!**a",
    ],
)
def test_what_is_no_emphasis_stays_as_typed(text: str):
    assert "<strong>" not in html(text)
    assert "<em>" not in html(text)


@given(ASCII_AND_LATIN, ASCII_AND_LATIN, st.booleans())
def test_text_of_other_scripts_follows_commonmark(before: str, after: str, within: bool):
    assert flanking(before, after, within) == commonmark(before, after, within)


@given(ANY, ANY, st.booleans())
def test_a_mark_that_commonmark_knows_is_known_here(before: str, after: str, within: bool):
    opens, closes = flanking(before, after, within)
    known_to_open, known_to_close = commonmark(before, after, within)
    assert opens >= known_to_open
    assert closes >= known_to_close
    if not (is_wide(before) or is_wide(after)):
        assert (opens, closes) == (known_to_open, known_to_close)


@pytest.mark.parametrize("char", "一。（あ가ｱ㊙〒\U00020000")
def test_characters_of_these_scripts_are_wide(char: str):
    assert is_wide(char)


@pytest.mark.parametrize("char", "a.“—é😀⌚\U0001f3fb")
def test_pictures_and_other_scripts_are_not(char: str):
    assert not is_wide(char)
