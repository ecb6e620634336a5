"""Whatever a site publishes, reading it takes time in proportion to its size.

Each input made some earlier version take time by the square: minutes to days for what is now done
in well under a second. The bound is wide, so that a busy machine passes and the square does not.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import suppress

import pytest

from manifest.anchors import Anchors, slug
from manifest.canonical import decode
from manifest.errors import NoteBridgeError
from manifest.query_plan import query_terms
from manifest.search_text import document_tags, search_text
from manifest.tokens import normalise, tokens
from manifest.units import UNIT_LIMIT, cut

SIZE = 100_000
SECONDS = 8.0


def tags(text: str) -> list[str]:
    return document_tags([], text)


def units(text: str) -> object:
    return cut(text, 0, len(text), UNIT_LIMIT)


def words(text: str) -> int:
    return len(tokens(text))


def json_of(text: str) -> None:
    with suppress(NoteBridgeError):
        decode(text.encode("utf-8"), name="hostile")


def runs_of_every_length() -> str:
    return " ".join("`" * length for length in range(1, 450))


@pytest.mark.parametrize(
    ("function", "text"),
    [
        pytest.param(search_text, "](" + "a" * SIZE, id="destination without end"),
        pytest.param(search_text, "](" + " " * SIZE, id="spaces where a destination belongs"),
        pytest.param(search_text, "](" + "a " * SIZE, id="title without end"),
        pytest.param(search_text, "](" + "(a)" * SIZE, id="brackets in a destination"),
        pytest.param(search_text, "](a(b)" * SIZE, id="destinations within destinations"),
        pytest.param(search_text, "](<" * SIZE, id="angle brackets in destinations"),
        pytest.param(search_text, "<a " * SIZE, id="tags without end"),
        pytest.param(search_text, "<a" + " " * SIZE, id="spaces in a tag"),
        pytest.param(search_text, "<!--" * SIZE, id="comments without end"),
        pytest.param(search_text, "[[a|" * SIZE, id="wikilinks without end"),
        pytest.param(search_text, "\\a{#&a;" * SIZE, id="commands, attributes, entities"),
        pytest.param(tags, "`" * SIZE, id="a fence of one line"),
        pytest.param(tags, "a" + "`" * SIZE + "a" * SIZE, id="one run of backticks"),
        pytest.param(tags, runs_of_every_length(), id="runs of every length"),
        pytest.param(tags, "```\n~~~\n" * SIZE, id="fences within fences"),
        pytest.param(tags, "```\n" + " " * SIZE + "x", id="spaces in a fence"),
        pytest.param(tags, "#" + "a/" * SIZE, id="a tag of many levels"),
        pytest.param(tags, "#" * SIZE, id="hashes"),
        pytest.param(tags, "[[#" * SIZE, id="wikilinks to sections"),
        pytest.param(words, "a\u0301\u0316" + "\u0301\u0316" * SIZE, id="marks in a row"),
        pytest.param(words, "\u0f73\u0316" * SIZE, id="marks made of marks"),
        pytest.param(normalise, "a" + "\u0301" * SIZE + "\u0316" * SIZE, id="marks by class"),
        pytest.param(words, "aA" * SIZE, id="an identifier of many parts"),
        pytest.param(words, "A" * SIZE + "a", id="capitals"),
        pytest.param(words, "a'" * SIZE, id="apostrophes"),
        pytest.param(words, "_" * SIZE, id="underscores"),
        pytest.param(words, "Σ" * SIZE, id="final sigmas"),
        pytest.param(slug, "a" + "\u0301\u0316" * SIZE, id="marks in a heading"),
        pytest.param(slug, " a" * SIZE, id="a long heading"),
        pytest.param(units, "\n" * SIZE, id="blank lines"),
        pytest.param(units, "`" * SIZE, id="backticks"),
        pytest.param(units, "```\n" * SIZE, id="fences"),
        pytest.param(units, (" " * 100 + ">" * 100) * (SIZE // 100), id="spaces and quotes"),
        pytest.param(query_terms, "什么是" * SIZE, id="a long question"),
        pytest.param(json_of, '"' + '\\"' * SIZE, id="escaped quotes, never closed"),
        pytest.param(json_of, '"' + "\\" * SIZE, id="backslashes"),
        pytest.param(json_of, "[" * SIZE, id="brackets, never closed"),
        pytest.param(json_of, '[{"a":' * SIZE, id="objects, never closed"),
        pytest.param(json_of, "9" * SIZE, id="digits"),
        pytest.param(json_of, "[" + "[]," * SIZE + "[]]", id="empty lists"),
        pytest.param(json_of, '["' + "\\ud800" * SIZE + '"]', id="lone surrogates"),
    ],
)
def test_time_grows_no_faster_than_the_text(function: Callable[[str], object], text: str) -> None:
    began = time.process_time()
    function(text)
    assert time.process_time() - began < SECONDS


def test_equal_and_colliding_headings_are_named_in_time() -> None:
    began = time.process_time()
    anchors = Anchors()
    for number in range(SIZE // 4):
        anchors.reserve(f"a-{number}")
    for _ in range(SIZE // 4):
        anchors.assign("a")
    assert time.process_time() - began < SECONDS
