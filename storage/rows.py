"""Typed reading of rows: a stored value, as the type its column declares."""

from __future__ import annotations

from storage.schema import Row


def text_of(row: Row, name: str) -> str:
    """The text in that column. ValueError if it holds none."""
    value = row[name]
    if not isinstance(value, str):
        raise ValueError(f"{name} holds no text")
    return value


def maybe_text_of(row: Row, name: str) -> str | None:
    """The text in that column, or None."""
    return None if row[name] is None else text_of(row, name)


def integer_of(row: Row, name: str) -> int:
    """The integer in that column. ValueError if it holds none."""
    value = row[name]
    if not isinstance(value, int):
        raise ValueError(f"{name} holds no integer")
    return value


def maybe_integer_of(row: Row, name: str) -> int | None:
    """The integer in that column, or None."""
    return None if row[name] is None else integer_of(row, name)


def bytes_of(row: Row, name: str) -> bytes:
    """The bytes in that column. ValueError if it holds none."""
    value = row[name]
    if not isinstance(value, bytes):
        raise ValueError(f"{name} holds no bytes")
    return value
