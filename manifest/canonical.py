"""Canonical bytes: the one way a value of the contract becomes bytes, and back.

An object's identity is the SHA-256 of these bytes, so the same content must give the same bytes on
every machine. The form is that of `json.dumps(ensure_ascii=False, sort_keys=True,
separators=(",", ":"))` without a final newline, over a narrower set of values: objects with string
keys, arrays, strings, integers below 2^53 in size, true and false. Absent, never null; no floats.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from typing import TypeAlias, cast

import orjson

from manifest.errors import ErrorCode, NoteBridgeError

Json: TypeAlias = "str | int | bool | list[Json] | dict[str, Json]"
"""A value that the contract can publish."""

MAX_INTEGER = 2**53 - 1
"""The largest integer that every reader, a browser included, holds exactly."""

MAX_DEPTH = 32
"""Nesting that a reader accepts; the contract itself needs fewer than ten levels."""

_LONG_DIGITS = re.compile("[0-9]{16}")
"""Without so many digits in a row no integer is too large."""

_SURROGATE = re.compile("[\ud800-\udfff]")


def clean_text(text: str) -> str:
    """The text with every lone surrogate replaced by U+FFFD, so that UTF-8 can carry it."""
    return _SURROGATE.sub("\ufffd", text) if not text.isascii() else text


def encode(value: Json) -> bytes:
    """The canonical bytes of a value.

    Raises `NoteBridgeError` (INTERNAL) for a value that `decode` would refuse: a publisher that
    tries is wrong, whatever its input was.
    """
    _require_publishable(value)
    try:
        return encode_checked(value)
    except UnicodeEncodeError as error:
        raise _unpublishable("a lone surrogate") from error


def encode_checked(value: Json) -> bytes:
    """`encode` for a value that is known to be publishable, such as a validated model's.

    Raises UnicodeEncodeError for a lone surrogate.
    """
    try:
        return orjson.dumps(value, _row, orjson.OPT_SORT_KEYS)
    except TypeError:
        # Slower, and says exactly what it cannot write.
        return _ENCODER.encode(value).encode("utf-8")


def _row(value: object) -> list[object]:
    """A row of the contract: a named tuple is an array."""
    if isinstance(value, tuple):
        return list(value)
    raise TypeError


_ENCODER = json.JSONEncoder(
    ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False
)


def decode(body: bytes, *, name: str) -> Json:
    """The value that published bytes hold.

    name says in errors whose bytes these are. White space and key order are not insisted on: the
    hash already decides whether the bytes are the right ones.

    Raises `NoteBridgeError` (OBJECT_INVALID) for anything that is not UTF-8 JSON, and for
    duplicate keys, floats, nulls, integers of 2^53 and more, lone surrogates, and nesting beyond
    `MAX_DEPTH`.
    """
    try:
        value = _parse(body.decode("utf-8"))
        _require_whole(value)
        if _ESCAPED_SURROGATE.search(body):
            encode_checked(value)
        return value
    except (ValueError, RecursionError) as error:
        raise NoteBridgeError(
            ErrorCode.OBJECT_INVALID,
            f"{name} is not JSON of the contract: {error}.",
            hint="Publish the site again with an unmodified note-bridge.",
            details={"object": name},
        ) from error


def sha256_hex(body: bytes) -> str:
    """The full 64-digit lower-case SHA-256 of a body."""
    return hashlib.sha256(body).hexdigest()


def text_sha256(text: str) -> str:
    """The SHA-256 of a text's UTF-8 bytes, as sections and assets are named."""
    return sha256_hex(text.encode("utf-8"))


def _require_publishable(value: Json) -> None:
    level: list[Json] = [value]
    for depth in range(MAX_DEPTH + 1):
        below: list[Json] = []
        for item in level:
            if isinstance(item, dict | list | tuple):
                if depth == MAX_DEPTH:
                    raise _unpublishable(f"more than {MAX_DEPTH} levels")
                below.extend(_members_to_check(item))
            elif isinstance(item, int):
                if abs(item) > MAX_INTEGER:
                    raise _unpublishable(f"the integer {item}")
            elif not isinstance(item, str):
                raise _unpublishable(f"a {type(item).__name__}")
        level = below


def _members_to_check(container: dict[str, Json] | list[Json] | tuple[Json, ...]) -> Iterable[Json]:
    if isinstance(container, dict):
        if not all(isinstance(key, str) for key in container):
            raise _unpublishable("a key that is no string")
        return container.values()
    # Postings are long lists of plain integers: two passes in C instead of a Python loop.
    return () if set(map(type, container)) == {int} and _small(container) else container


def _small(numbers: Iterable[Json]) -> bool:
    integers = cast("Iterable[int]", numbers)
    return all(-MAX_INTEGER <= bound <= MAX_INTEGER for bound in (min(integers), max(integers)))


def _unpublishable(what: str) -> NoteBridgeError:
    return NoteBridgeError(ErrorCode.INTERNAL, f"The contract cannot publish {what}.")


def _require_whole(value: Json) -> None:
    """Refuses nulls and deep nesting, a level at a time (the parser itself stops at the stack)."""
    level: list[Json] = [value]
    for _ in range(MAX_DEPTH + 1):
        containers = [item for item in level if isinstance(item, dict | list)]
        if not containers:
            return
        level = []
        for container in containers:
            members = container.values() if isinstance(container, dict) else container
            types = set(map(type, members))
            if type(None) in types:
                raise ValueError("it holds null")
            if not types.isdisjoint(_CONTAINERS):
                level.extend(members)
    raise ValueError(f"it nests deeper than {MAX_DEPTH} levels")


_CONTAINERS = (dict, list)

_ESCAPED_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
"""What may come out as a lone surrogate, and is rare: only then is the value looked at again."""


def _parse(text: str) -> Json:
    value: Json = json.loads(
        text,
        object_pairs_hook=_unique_pairs,
        parse_float=_refuse,
        parse_constant=_refuse,
        # A hook for each of a shard's thousands of numbers would cost more than all the rest.
        parse_int=_small_integer if _LONG_DIGITS.search(text) else int,
    )
    if value is None:
        raise ValueError("it is null")
    return value


def _unique_pairs(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return value


def _small_integer(digits: str) -> int:
    if len(digits) > 17 or abs(int(digits)) > MAX_INTEGER:
        raise ValueError(f"the integer {digits[:20]} is too large")
    return int(digits)


def _refuse(literal: str) -> Json:
    raise ValueError(f"the number {literal[:20]} is not an integer")
