"""`%%comments%%` are published nowhere; code keeps its own."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from site_builder import comments
from site_builder.comments import without_comments
from site_builder.dialect import compile_note
from site_builder.source import read_source


def text(body: str) -> str:
    return without_comments(body).text


@pytest.mark.parametrize(
    ("body", "published"),
    [
        ("a %%x%% b", "a  b"),
        ("%%x%%", ""),
        ("a\n\n%%x%%\n\nb", "a\n\n\n\nb"),
        ("%%\nhidden\n\nstill hidden\n%%\nshown", "\nshown"),
        ("a %%hidden\nstill%% b", "a  b"),
        ("%%a%%%%b%%c", "c"),
        ("- item %%x%%\n- next", "- item\n- next"),
        ("> %%x%%\n> shown", ">\n> shown"),
        ("a  %%x%%\nb", "a\nb"),
    ],
)
def test_comments_go(body, published):
    assert text(body) == published


@pytest.mark.parametrize(
    "body",
    [
        "`%%a%%`",
        "``a ` %%b%% ``",
        "a `x\n%%y%% z` b",
        "```\n%%a%%\n```\n",
        "~~~~\n~~~\n%%a%%\n~~~~\n",
        "    %%indented%%\n",
        "- a\n\n      %%indented in an item%%\n",
        "- a\n  ```mermaid\n  %% note\n  ```\n",
        "> ```\n> %%a%%\n> ```\n",
        "1. a\n   ```\n   %%a%%\n\n   %%b%%\n   ```\n",
        "```\n%%a never closed fence",
        "no comment at 100% or 5 % of % all",
    ],
)
def test_code_and_lone_signs_stay(body):
    assert text(body) == body


def test_code_beside_a_comment_stays():
    assert text("`%%a%%` %%b%% c") == "`%%a%%`  c"
    assert text("```\n%%a\n```\n%%b%%\nc") == "```\n%%a\n```\n\nc"


def test_code_in_a_footnote_nobody_names_stays():
    body = "[^9]: foot\n\n    ```\n    %% n\n    ```\n"
    assert text(body) == body


def test_a_fence_ends_with_the_quotation_or_item_that_holds_it():
    assert text("> ```\n> code\n\n%%x%%\n") == "> ```\n> code\n\n\n"
    assert text("- ```\n  code\n\n%%x%%\n") == "- ```\n  code\n\n\n"


def test_a_line_that_continues_a_paragraph_is_no_code_however_indented():
    assert text("a\n    %%x%%\nb") == "a\n\nb"


def test_an_unmatched_backtick_opens_no_code():
    assert text("it`s %%x%% fine") == "it`s  fine"
    assert text("a\\` %%x%% `") == "a\\`  `"


def test_a_comment_that_begins_a_line_and_is_never_closed_hides_the_rest():
    found = without_comments("a\n\n%% hidden\n\nhidden too\n", first_line=5)
    assert found.text == "a\n\n"
    assert [line for line, _ in found.problems] == [7]


def test_a_sign_within_a_line_that_is_never_closed_stays():
    found = without_comments("50%% of all\n\nmore\n")
    assert found.text == "50%% of all\n\nmore\n"
    assert [line for line, _ in found.problems] == [1]


def test_a_comment_over_paragraphs_that_begins_within_a_line_is_reported():
    found = without_comments("a %% b\n\nc %% d\n")
    assert found.text == "a  d\n"
    assert [line for line, _ in found.problems] == [1]


def test_signs_in_the_code_a_comment_holds_do_not_close_it():
    assert text("%%\n```mermaid\n%% note\n```\n%%\nshown") == "\nshown"
    assert text("a %%\n```\n%%\n```\nhidden %% b") == "a  b"


def test_a_fence_left_open_in_a_comment_does_not_hide_the_rest():
    assert text("%%\n```\n%%\nshown") == "\nshown"


def test_signs_in_later_code_do_not_close_a_lone_sign():
    body = "50%% a\n\n```mermaid\n%% note\n```\n"
    assert text(body) == body


def test_lines_are_the_authors():
    found = without_comments("one\n%%\nx\n%%\nfive %%a\nb%% six\nseven", first_line=10)
    assert found.text == "one\n\nfive  six\nseven"
    assert list(found.lines) == [10, 13, 14, 16]
    assert found.author_line(99) == 16


BITS = st.sampled_from(
    [
        "%%",
        "%%",
        "a",
        " ",
        "\n",
        "\n\n",
        "`",
        "``",
        "```\n",
        "~~~\n",
        "    ",
        "- ",
        "> ",
        "\\",
        "\t",
        "#",
    ]
)


@given(st.lists(BITS, max_size=40).map("".join))
def test_any_text_loses_only_whole_comments_and_keeps_its_lines(body):
    found = without_comments(body)
    assert found.text.count("\n") + 1 == len(found.lines)
    assert list(found.lines) == sorted(found.lines)
    rest = iter(body)
    assert all(char in rest for char in found.text)
    assert max(found.lines) <= body.count("\n") + 1


@given(st.text(alphabet="ab %\n`", max_size=60).filter(lambda body: "%%" not in body))
def test_text_without_comments_is_untouched(body):
    found = without_comments(body, first_line=3)
    assert found.text == body
    assert list(found.lines) == list(range(3, 4 + body.count("\n")))


LEAKS = {
    "cells": "| a | b |\n|---|---|\n| `x %%SECRET%% | `y |",
    "footnote": "[^1]: foot\n\n    %%SECRET%%\n\nx[^1]",
    "attribute": '<p title="`">%%SECRET%%</p> `',
    "inline attribute": '<a href="`x">y</a> %%SECRET%% ` z',
    "address": "[a](`) %%SECRET%% `",
    "mail": "<a`%%SECRET%%`c@x.org>",
    "html comment": "<!--\n```\n-->\n\n%%SECRET%%\n\n```",
    "html block": "<div>\n```\n</div>\n\n%%SECRET%%",
    "formula": "$`$ %%SECRET%% $`$",
    "wikilinks": "[[a`b]] %%SECRET%% [[c`d]]",
    "reference": '[r]: http://x "`"\n%%SECRET%% `',
    "label": "![`%%SECRET%%`](a.png)",
    "info": "```py %%SECRET%%\nx\n```",
    "backtick in a comment": "%%it`s%% a %%SECRET ` b%% c %%SECRET%%",
    "backtick in a later comment": "a `b %%SECRET%%\n\n%%c ` d%%",
    "fence in a comment": "%%\n```\n%%\n\ntext\n\n```js\ncode\n```\n\n%%SECRET%%\n",
    "fence and a lone sign": "%%\n```\n%% n\n```\nSECRET\n%%\n\n50%% off",
    "code in a footnote nobody names": "[^9]: ```\n    %% n\n    ```\n\n%%SECRET%%",
    "lone sign before": "50%% of all\n\nmore %%SECRET%%",
    "lone sign in the paragraph": "50%% of a %%SECRET%% b",
    "lone sign before two": "50%% x %%SECRET%% y\n\nz %%SECRET%%",
    "code over the opening": "`%% `x%%%%SECRET%%",
    "fence in a comment, then a block": "%%\n```\n%%\n\n```js\nx\n```\n\n%%\n\nSECRET\n\n%%\n",
    "lone sign before a block": "50%% of all\n\nmore %%\n\nSECRET\n\n%%",
    "never closed": "a\n\n- %%SECRET",
    "title": '---\ntitle: "A %%SECRET%%"\ndescription: "%%SECRET%% x"\n---\ntext',
}


@pytest.mark.parametrize("note", LEAKS.values(), ids=LEAKS.keys())
def test_what_a_comment_holds_is_published_nowhere(note):
    source = read_source("a.md", note.encode())
    compiled = compile_note(source)
    assert "SECRET" not in repr(source.meta)
    assert "SECRET" not in compiled.text
    assert "SECRET" not in compiled.html
    assert "SECRET" not in compiled.title


FRAGMENTS = st.sampled_from(
    [
        "`", "``", "`code`", "`a %%n%% b`", "\n```\n", "\n```js\n%%n%%\n```\n", "\n~~~\n",
        "\n\n    indented\n\n", "\n\n| a | `b |\n|---|---|\n| c ` | d |\n\n", " | ", "\n",
        "\n\n", '<p title="`">', "\n<div>\n", "</div>\n\n", "\n<!--\n", "-->\n\n", "[a](`)",
        "[[a`b]]", "![[c`]]", "[^1]", "\n\n[^1]: foot `\n\n    ", "^[note ` x]", "$`$", "$$\n",
        "==`==", "\n[r]: http://x '`'\n", "\n> ", "\n- ", "\n1. ", "\\", "**", "text ",
        "\n!!! note\n    ", "\n: ", "<a`b@c.org>", "\n# ",
    ]
)  # fmt: skip
COMMENTS = st.sampled_from(
    ["%%SECRET%%", " %%SECRET%% ", "\n%%SECRET%%\n", "\n\n%%\nSECRET\n%%\n\n"]
)


@given(st.lists(FRAGMENTS | COMMENTS, max_size=24).map("".join))
def test_a_secret_stands_in_code_or_nowhere(body):
    compiled = compile_note(read_source("a.md", f"x\n{body}".encode()))
    # A heading's code is read aloud too.
    code = r'(?s)<(pre|code)\b[^>]*>.*?</\1>|aria-label="§ [^"]*"'
    outside = re.sub(code, "", compiled.html)
    assert "SECRET" not in outside


def test_a_note_with_more_comments_than_are_read_hides_its_rest(monkeypatch):
    monkeypatch.setattr(comments, "PARSED_LIMIT", 0)
    found = without_comments("a\n" + "b %%`%% c %%SECRET%%\n" * 40)
    assert "SECRET" not in found.text
    assert found.text.startswith("a\nb")
    assert "too many" in found.problems[-1][1]


@pytest.mark.parametrize(
    "piece", ["%%\n```\n%%\n", "%%a\n", "a %% `x ", "%% `", "a%%\n~~~\n", "- ", "> ", "%%"]
)
def test_time_is_linear(piece, monkeypatch):
    monkeypatch.setattr(comments, "PARSED_LIMIT", 0)

    def seconds(count: int) -> float:
        body = piece * count + "%%"
        start = time.process_time()
        without_comments(body)
        middle = time.process_time()
        without_comments(body)
        return min(middle - start, time.process_time() - middle)

    seconds(100)
    assert seconds(5_000) < 20 * max(seconds(1_000), 0.01)
