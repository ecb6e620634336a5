"""JSON as it is stored: compact text that gives back exactly the values put in."""

from __future__ import annotations

import json
from collections.abc import Mapping

from manifest.errors import ErrorCode, NoteBridgeError
from storage.limits import check_size

Body = dict[str, object]

# Made once: json.dumps would make a new encoder at every call.
_ENCODE = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode
_ENCODE_ASCII = json.JSONEncoder(separators=(",", ":"), allow_nan=False).encode


def dump(what: str, value: object, limit: int) -> str:
    """The JSON text of a value.

    Raises INVALID_ARGUMENT where the value is no JSON, OBJECT_TOO_LARGE above `limit` bytes.
    """
    try:
        text = _ENCODE(value)
        if not text.isascii():
            text = _storable(text, value)
    except (TypeError, ValueError, RecursionError) as error:
        raise NoteBridgeError(
            ErrorCode.INVALID_ARGUMENT, f"{what} cannot be stored as JSON: {error}"
        ) from error
    check_size(what, text, limit)
    return text


def load(text: str) -> object:
    """The value of stored JSON text."""
    return json.loads(text)


def load_body(text: str) -> Body:
    """The object of stored JSON text. ValueError if it is another kind of value."""
    value = json.loads(text)
    if not isinstance(value, dict):
        raise ValueError("the stored JSON is no object")
    return value


def load_counts(text: str) -> dict[str, int]:
    """Stored counts by name."""
    return {name: value for name, value in load_body(text).items() if isinstance(value, int)}


def dump_counts(counts: Mapping[str, int]) -> str:
    """Counts by name as JSON text, in order of name."""
    return _ENCODE(dict(sorted(counts.items())))


def _storable(text: str, value: object) -> str:
    """Models stream lone surrogates as \\ud800; escaped, they survive storage unchanged."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return _ENCODE_ASCII(value)
    return text
