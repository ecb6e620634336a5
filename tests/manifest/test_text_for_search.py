"""What of a note is searched, and which tags it has: functions of its published text alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manifest.search_text import document_tags, meta_list, search_text
from manifest.tags import is_tag
from manifest.tokens import tokens

MARKDOWN = st.lists(
    st.sampled_from(
        [
            *(
                "#tag",
                "#a/b",
                "#12",
                "word",
                "死锁",
                "https://e.org/#x",
                "{#id}",
                "&amp;",
                "\\alpha",
            ),
            *("`", "``", "```", "~~~", "[", "](", "]]", "[[", "|", ")", "<", ">", "<!--", "-->"),
            *("\n", " "),
        ]
    ),
    max_size=40,
).map("".join)


@pytest.mark.parametrize(
    ("markdown", "words"),
    [
        ("[shown](hidden.md)", ["shown"]),
        ("![alt](hidden/a_(b).png 'hint')", ["alt", "hint"]),
        ("[a](<hidden/with space> 'hint')", ["a", "hint"]),
        ("[a](b\n c)", ["a", "b", "c"]),
        ("[a](  b  )", ["a"]),
        ("[a]()", ["a"]),
        ("[a](never closed", ["a", "never", "closed"]),
        ("[[Hidden Note|shown]]", ["shown"]),
        ("[[Shown Note#Part]]", ["shown", "note", "part"]),
        ("<b class='hidden'>shown</b><br/>", ["shown"]),
        ("1 <2 and 3> 2", ["1", "2", "and", "3", "2"]),
        ("<!-- hidden --> shown <!-- never closed", ["shown"]),
        ("<mailto:hidden@e.org> <https://e.org/hidden>", []),
        ("https://e.org/hidden，shown", ["shown"]),
        ("[ref]: hidden.md\n   [two]: /hidden\nshown", ["shown"]),
        ("`code` and\n```py\nalso = 1\n```", ["code", "and", "py", "also", "1"]),
        ("# Shown {#hidden .hidden}", ["shown"]),
        (r"$\alpha x$", ["alpha", "x"]),
        ("A &nbsp; &#x3042; B", ["a", "b"]),
        ("a &b; &c", ["a", "b", "c"]),
    ],
)
def test_only_reading_text_is_searched(markdown: str, words: list[str]) -> None:
    assert tokens(search_text(markdown)) == words


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("#one, #two/three. (#four) “#five”", ["one", "two/three", "four", "five"]),
        ("#标签、#日本語 #한글", ["标签", "日本語", "한글"]),
        ("a#b ##c &#d /#e ?#f =#g .#h :#i -#j _#k", []),
        ("#1 #2024-01 #a1 #_ #-", ["a1"]),
        ("#a #A #a", ["a", "A"]),
        ("#a/ #a//b", ["a"]),
        ("`#a` ``#b ` #c`` #d", ["d"]),
        ("```\n#a\n```\n#b", ["b"]),
        ("~~~\n```\n#a\n~~~\n#b", ["b"]),
        ("> ```\n> #a\n> ```\n#b", ["b"]),
        ("```\n#a never closed", []),
        ("````\n```\n#a\n````\n#b", ["b"]),
        ("<a href='#a'>#b</a>", ["b"]),
        ("[x](#a) [[N#b]] https://e.org/ #c", ["c"]),
        ("# Heading #tag", ["tag"]),
        ("x `a ``` #b ``` `c` #d", ["d"]),
        ("```not a fence```\n#a", ["a"]),
        ("~~~ a fence ``` ~~~\n#a", []),
        ("x `` a ` #b", ["b"]),
        ("`a\n#b`", ["b"]),
    ],
)
def test_tags_are_found_in_text_and_nowhere_else(text: str, found: list[str]) -> None:
    assert document_tags([], text) == found


@given(st.lists(st.sampled_from(["tag", "x", "y"]), unique=True), MARKDOWN)
def test_each_tag_is_named_once_and_those_of_the_front_matter_lead(
    meta: list[str], text: str
) -> None:
    found = document_tags(meta, text)
    assert found[: len(meta)] == meta
    assert len(set(found)) == len(found)
    assert all(is_tag(tag) and tag == tag.strip("/") for tag in found)


@given(MARKDOWN)
def test_text_without_a_hash_has_no_tags(text: str) -> None:
    assert document_tags([], text.replace("#", "")) == []


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (["#a", " b ", "", "c d"], ["a", "b", "c d"]),
        ("a, #b,, c d", ["a", "b", "c d"]),
        ("", []),
        ([], []),
        (None, []),
        ({"a": "b"}, []),
        ([["nested"], {"a": "b"}, "kept"], ["kept"]),
        (7, []),
        (True, []),
    ],
)
def test_a_list_of_words_is_a_list_or_text_parted_by_commas(
    value: object, words: list[str]
) -> None:
    assert meta_list(value) == words
