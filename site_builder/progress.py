"""How a long build tells how far it is."""

from __future__ import annotations

from collections.abc import Callable

Progress = Callable[[str, int, int], None]
"""Told what is being done, how many of it are done, and how many there are."""


def no_progress(_what: str, _done: int, _of: int) -> None:
    """For callers who do not watch."""
