"""Canonical bytes: one value, one body, and nothing else is read or written."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manifest.canonical import (
    MAX_DEPTH,
    MAX_INTEGER,
    Json,
    clean_text,
    decode,
    encode,
    sha256_hex,
    text_sha256,
)
from manifest.errors import ErrorCode, NoteBridgeError

NAME = "ai/objects/doc/0000.json"

publishable: st.SearchStrategy[Json] = st.recursive(
    st.booleans() | st.integers(-MAX_INTEGER, MAX_INTEGER) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=30,
)


def nested(levels: int) -> list[Json]:
    value: list[Json] = []
    for _ in range(levels - 1):
        value = [value]
    return value


def endless() -> list[Json]:
    value: list[Json] = []
    value.append(value)
    return value


@given(publishable)
def test_what_is_written_is_read_back(value: Json) -> None:
    assert decode(encode(value), name=NAME) == value


@given(publishable)
def test_bytes_are_those_of_compact_sorted_json(value: Json) -> None:
    expected = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    assert encode(value) == expected.encode("utf-8")


@given(publishable)
def test_a_read_value_has_its_bytes_again_however_it_was_spaced(value: Json) -> None:
    spaced = json.dumps(value, ensure_ascii=True, indent=2).encode("ascii")
    assert encode(decode(spaced, name=NAME)) == encode(value)


@given(st.dictionaries(st.text(), st.booleans()))
def test_keys_stand_in_code_point_order(value: dict[str, Json]) -> None:
    written = json.loads(encode(value), object_pairs_hook=lambda pairs: [key for key, _ in pairs])
    assert written == sorted(value, key=lambda key: [ord(character) for character in key])


def test_a_key_beyond_the_basic_plane_comes_after_one_at_its_end() -> None:
    # In UTF-16, which JavaScript sorts by, it would come before.
    assert encode({"\U00010000": 1, "\uffff": 2}) == '{"\uffff":2,"\U00010000":1}'.encode()


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(b'{"a":1', id="cut short"),
        pytest.param(b"{} {}", id="two values"),
        pytest.param(b"<!doctype html>", id="a page"),
        pytest.param(b'{"a":1.5}', id="float"),
        pytest.param(b"[1.0]", id="float without fraction"),
        pytest.param(b"1e3", id="exponent"),
        pytest.param(b"NaN", id="NaN"),
        pytest.param(b"[-Infinity]", id="infinity"),
        pytest.param(b"null", id="null"),
        pytest.param(b'{"a":null}', id="null in an object"),
        pytest.param(b"[[1,null]]", id="null in an array"),
        pytest.param(b'{"a":1,"a":1}', id="duplicate key"),
        pytest.param(b'[{"b":{"a":1,"\\u0061":2}}]', id="duplicate key, escaped and deep"),
        pytest.param(b"9007199254740992", id="2^53"),
        pytest.param(b"-9007199254740992", id="-2^53"),
        pytest.param(b"[" + b"9" * 100_000 + b"]", id="an integer of many digits"),
        pytest.param(b'"\xff"', id="no UTF-8"),
        pytest.param(b'"\xed\xa0\x80"', id="a surrogate in UTF-8"),
        pytest.param('{"a":1}'.encode("utf-16"), id="UTF-16"),
        pytest.param(b"\xef\xbb\xbf{}", id="byte order mark"),
        pytest.param(b'{"a":"\\ud800"}', id="lone surrogate, escaped"),
        pytest.param(b'{"\\uDFFF":1}', id="lone surrogate in a key"),
        pytest.param(b"[" * 33 + b"]" * 33, id="one level too deep"),
        pytest.param(b'{"a":' * 33 + b"1" + b"}" * 33, id="one object too deep"),
        pytest.param(b"[" * 900 + b"]" * 900, id="deep, but not for the parser"),
        pytest.param(b"[" * 200_000 + b"]" * 200_000, id="too deep for the parser"),
        pytest.param(b"[" * 200_000, id="deep and never closed"),
    ],
)
def test_bytes_outside_the_contract_are_refused_by_name(body: bytes) -> None:
    with pytest.raises(NoteBridgeError) as caught:
        decode(body, name=NAME)
    assert caught.value.code is ErrorCode.OBJECT_INVALID
    assert caught.value.message.startswith(NAME)
    assert caught.value.details == {"object": NAME}
    assert caught.value.hint
    assert len(caught.value.message) < 300


@given(st.binary(max_size=60))
def test_whatever_bytes_come_only_the_contracts_error_leaves(body: bytes) -> None:
    with suppress(NoteBridgeError):
        value = decode(body, name=NAME)
        assert decode(encode(value), name=NAME) == value


@pytest.mark.parametrize(
    ("body", "value"),
    [
        (b' { "b" : 1 ,\n"a":[ ] } ', {"a": [], "b": 1}),
        (b"-9007199254740991", -MAX_INTEGER),
        (b"9007199254740991", MAX_INTEGER),
        (b'"\\ud83d\\ude00"', "\U0001f600"),
        (b'"\\\\ud800"', "\\ud800"),
        (b'"null [[[[ \\" {{{{"', 'null [[[[ " {{{{'),
        (b'["' + b"[" * 100 + b'"]', ["[" * 100]),
        (encode(nested(MAX_DEPTH)), nested(MAX_DEPTH)),
        (b"[" + b"[]," * 100 + b"[]]", [[]] * 101),
    ],
)
def test_what_only_looks_forbidden_is_read(body: bytes, value: Json) -> None:
    assert decode(body, name=NAME) == value


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(1.0, id="float"),
        pytest.param(float("nan"), id="NaN"),
        pytest.param(None, id="null"),
        pytest.param([1, [None]], id="null in an array"),
        pytest.param({"a": 0.5}, id="float in an object"),
        pytest.param(MAX_INTEGER + 1, id="2^53"),
        pytest.param([1, 2, -MAX_INTEGER - 1], id="-2^53 among integers"),
        pytest.param(["a", 2, MAX_INTEGER + 1], id="2^53 in a mixed row"),
        pytest.param({1: "a"}, id="a key that is no string"),
        pytest.param(b"bytes", id="bytes"),
        pytest.param({"a": {1, 2}}, id="set"),
        pytest.param("\ud800", id="lone surrogate"),
        pytest.param({"\udfff": 1}, id="lone surrogate in a key"),
        pytest.param(nested(MAX_DEPTH + 1), id="one level too deep"),
        pytest.param(endless(), id="a list that holds itself"),
    ],
)
def test_what_no_reader_takes_is_never_written(value: Json) -> None:
    with pytest.raises(NoteBridgeError) as caught:
        encode(value)
    assert caught.value.code is ErrorCode.INTERNAL


@given(st.text(st.characters()))
def test_cleaned_text_can_be_published(text: str) -> None:
    cleaned = clean_text(text)
    assert decode(encode(cleaned), name=NAME) == cleaned
    assert len(cleaned) == len(text)
    surrogates = {chr(code) for code in range(0xD800, 0xE000)}
    assert all(
        new == ("\ufffd" if old in surrogates else old)
        for old, new in zip(text, cleaned, strict=True)
    )


def test_hashes_are_full_lower_case_sha256() -> None:
    # FIPS 180-2, appendix B.1.
    known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert sha256_hex(b"abc") == text_sha256("abc") == known
    assert text_sha256("死锁") == sha256_hex("死锁".encode())
