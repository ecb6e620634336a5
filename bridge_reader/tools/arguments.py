"""Arguments of tools, checked: they come from models, which send what they like."""

from __future__ import annotations

import re
from collections.abc import Mapping

from manifest.errors import ErrorCode, NoteBridgeError

TEXT_LIMIT = 2000
"""Code points of an argument."""

_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")


class Arguments:
    """The arguments of one call. null counts as left out; names that are not known are refused."""

    def __init__(self, given: Mapping[str, object], names: tuple[str, ...]) -> None:
        """Raises `NoteBridgeError` (INVALID_ARGUMENT) for a name that the tool does not have."""
        unknown = sorted(str(name)[:50] for name in given if name not in names)
        if unknown:
            raise invalid(
                f"There is no argument {unknown[0]!r}.",
                hint=f"Arguments of this tool: {', '.join(names)}.",
            )
        self._given = {name: value for name, value in given.items() if value is not None}

    def has(self, name: str) -> bool:
        """Whether it was given."""
        return name in self._given

    def text(self, name: str) -> str:
        """A text; empty if it was left out. Raises `NoteBridgeError` (INVALID_ARGUMENT)."""
        value = self._given.get(name, "")
        if not isinstance(value, str):
            raise invalid(f"{name} must be a text.")
        if len(value) > TEXT_LIMIT:
            raise invalid(f"{name} has more than {TEXT_LIMIT} characters.")
        return value

    def required(self, name: str) -> str:
        """A text that must not be blank. Raises `NoteBridgeError` (INVALID_ARGUMENT)."""
        value = self.text(name)
        if not value.strip():
            raise invalid(f"{name} is missing.")
        return value

    def line(self, name: str) -> str:
        """A text without control characters and outer white space."""
        value = self.text(name).strip()
        if _CONTROL.search(value):
            raise invalid(f"{name} must be one line.")
        return value

    def day(self, name: str) -> str:
        """A day as YYYY-MM-DD; empty if it was left out."""
        value = self.line(name)
        if value and _DAY.fullmatch(value) is None:
            raise invalid(f"{name} must be a day such as 2026-01-31.")
        return value

    def number(self, name: str, *, default: int, least: int, most: int) -> int:
        """A whole number within bounds. Raises `NoteBridgeError` (INVALID_ARGUMENT)."""
        value = self._given.get(name, default)
        if not isinstance(value, int) or isinstance(value, bool):
            raise invalid(f"{name} must be a whole number.")
        if not least <= value <= most:
            raise invalid(f"{name} must be between {least} and {most}, not {value}.")
        return value


def invalid(message: str, *, hint: str = "") -> NoteBridgeError:
    """The error for an argument that cannot be used."""
    return NoteBridgeError(ErrorCode.INVALID_ARGUMENT, message, hint=hint)
