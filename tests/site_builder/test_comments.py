"""`%%comments%%` are published nowhere; code keeps its own."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from site_builder.comments import without_comments


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


@pytest.mark.parametrize(
    "piece", ["%%\n```\n%%\n", "%%a\n", "a %% `x ", "%% `", "a%%\n~~~\n", "- ", "> ", "%%"]
)
def test_time_is_linear(piece):
    def seconds(count: int) -> float:
        body = piece * count + "%%"
        start = time.process_time()
        without_comments(body)
        middle = time.process_time()
        without_comments(body)
        return min(middle - start, time.process_time() - middle)

    seconds(1000)
    assert seconds(40_000) < 20 * max(seconds(8_000), 0.01)
