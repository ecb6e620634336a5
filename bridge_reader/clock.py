"""Time as it is passed in."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

Clock: TypeAlias = Callable[[], int]
"""The time: milliseconds since 1970 UTC."""
