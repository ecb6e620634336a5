"""Lists of names, written as a line of words."""

from __future__ import annotations


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())
