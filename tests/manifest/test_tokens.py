"""Tokens: what can be found, in every script, on every Python."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manifest.tokens import TOKEN_LIMIT, normalise, runs, tokens
from manifest.unicode14 import ASSIGNED, character_class

UNKNOWN = re.compile(f"[^{character_class(ASSIGNED)}]")
HAN = re.compile("[\u4e00-\u9fff]")
PIECES = st.sampled_from(
    [
        *"死锁日のテ한ไา𠮷aBé1_'’#+ﬁ①İΣς\u0301𝒳ｶﾞ",
        *" \n:.-。\u3000\u200b\u0378\U0001f600\x00",
        *("fooBar", "HTTPServer2", "c++", "c#", "e\u0301"),
    ]
)
mixed = st.lists(PIECES, max_size=30).map("".join)
texts = mixed | st.text()
known_texts = texts.map(lambda text: UNKNOWN.sub("", text))


@given(texts)
def test_every_character_of_a_bigram_script_begins_exactly_one_token(text: str) -> None:
    begun = [token[0] for run in runs(text) if run.bigrams for token in run.tokens]
    assert [character for character in begun if HAN.match(character)] == HAN.findall(text)


@given(st.lists(st.sampled_from("死锁的必要条件日本語한국어ไทย"), min_size=1).map("".join))
def test_a_run_gives_its_pairs_and_its_last_character(run: str) -> None:
    assert tokens(run) == [run[place : place + 2] for place in range(len(run))]


@given(texts)
def test_a_character_within_a_text_is_the_beginning_of_some_token(text: str) -> None:
    found = tokens(text)
    assert all(any(token.startswith(han) for token in found) for han in HAN.findall(text))


@given(texts)
def test_what_unicode_14_does_not_know_parts_like_a_space(text: str) -> None:
    assert tokens(text) == tokens(UNKNOWN.sub(" ", text))
    assert normalise(text) == normalise(UNKNOWN.sub(" ", text))


@given(texts)
def test_a_token_is_short_in_lower_case_and_holds_no_colon_or_space(text: str) -> None:
    for token in tokens(text):
        assert 0 < len(token) <= TOKEN_LIMIT + len("++")
        assert not re.search(r"[\s:]", token)
        assert token == token.lower().replace("ς", "σ")


@given(known_texts)
def test_composed_and_decomposed_text_give_the_same_tokens(text: str) -> None:
    composed = tokens(unicodedata.normalize("NFC", text))
    assert composed == tokens(unicodedata.normalize("NFD", text)) == tokens(text)


@given(texts, texts, st.sampled_from([" ", "\n", "\u0378", "。"]))
def test_what_parts_words_parts_their_tokens(left: str, right: str, between: str) -> None:
    assert tokens(left + between + right) == tokens(left) + tokens(right)


@given(texts)
def test_tokens_are_those_of_the_runs_in_order(text: str) -> None:
    assert tokens(text) == [token for run in runs(text) for token in run.tokens]
    assert all(run.tokens for run in runs(text))


@given(
    st.lists(
        st.sampled_from("\u0301\u0316\u0327\u0344\u0f73\u0f81\uff9e\uff9f\u0334\u3099\U0001d165"),
        min_size=30,
        max_size=90,
    ).map("".join),
    st.sampled_from(["e", "か", "\u1100", "\u0f40", ""]),
)
def test_a_long_row_of_combining_marks_is_normalised_like_a_short_one(row: str, base: str) -> None:
    expected = unicodedata.normalize("NFKC", base + row + "e\u0301")
    assert normalise(base + row + "e\u0301") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("getHTTPResponse", ["gethttpresponse", "get", "http", "response"]),
        ("snake_case_name", ["snake_case_name", "snake", "case", "name"]),
        ("SQLite3", ["sqlite3", "sq", "lite3"]),
        ("README", ["readme"]),
        ("ReadMe.md", ["readme", "read", "me", "md"]),
        ("Straße", ["straße"]),
        ("C++17", ["c", "c++", "17"]),
        ("a+b", ["a", "b"]),
        ("f#minor", ["f", "minor"]),
        ("rock'n'roll", ["rocknroll"]),
        ("'quoted'", ["quoted"]),
        ("x" * 70 + "++", ["x" * 64, "x" * 64 + "++"]),
        ("", []),
        ("   \n", []),
        ("。，！", []),
    ],
)
def test_words_and_identifiers(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected
