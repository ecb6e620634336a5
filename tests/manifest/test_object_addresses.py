"""Addresses are derived from kind and hash; nothing else ever becomes a path."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manifest.references import MANIFEST_LIMIT, SIZE_LIMITS, Kind, object_path

HASH = "0123456789abcdef" * 4


def test_an_address_names_the_kind_and_the_hash(kind: Kind) -> None:
    assert object_path(kind, HASH) == f"ai/objects/{kind.value}/{HASH}.json"


@pytest.mark.parametrize(
    "wrong",
    [
        "",
        HASH[:-1],
        HASH + "0",
        HASH.upper(),
        HASH + "\n",
        "\n" + HASH,
        " " + HASH[1:],
        "g" * 64,
        "../" * 21 + "a",
        "/" + HASH[1:],
        HASH[:-1] + "\x00",
        "０" * 64,
        "%2e" * 21 + "a",
    ],
)
def test_what_is_no_hash_makes_no_address(wrong: str) -> None:
    with pytest.raises(ValueError, match="64 lower-case hexadecimal digits"):
        object_path(Kind.DOC, wrong)


@given(st.text(alphabet="0123456789abcdefABCDEF./\\ \n%", min_size=60, max_size=66))
def test_an_address_has_no_part_that_leads_elsewhere(text: str) -> None:
    try:
        path = object_path(Kind.DOC, text)
    except ValueError:
        return
    assert path == f"ai/objects/doc/{text}.json"
    assert len(text) == 64
    assert set(text) <= set("0123456789abcdef")


def test_limits_are_those_a_browser_can_bear() -> None:
    assert MANIFEST_LIMIT == 4096
    assert max(SIZE_LIMITS.values()) <= 32 * 1024 * 1024
    assert min(SIZE_LIMITS.values()) >= 64 * 1024
