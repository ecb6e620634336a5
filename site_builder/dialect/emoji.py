"""Emoji by their names on GitHub: `:rocket:`.

Most names come from the table that Rich ships, the rest from the names of Unicode 14, so that every
machine gives the same sign.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Final

from rich.emoji import Emoji

from manifest.unicode14 import ASSIGNED

PATTERN: Final = r":(?<![A-Za-z0-9:]:)([a-z0-9_+-]{1,60}):(?![A-Za-z0-9:])"

_NAME = re.compile(PATTERN)
_ICON = re.compile(r"(?:material|fontawesome|octicons|simple)-[a-z0-9-]+")
"""Icons of other themes: pictures that decorate, and no characters."""

_VARIATION: Final = "\ufe0f"
_FIRST_PICTURE: Final = 0x2000
_FLAGS: Final = frozenset({"cn", "de", "es", "eu", "fr", "gb", "it", "jp", "kr", "ru", "uk", "us"})
_MORE: Final = {
    "facepalm": "🤦", "fist_raised": "✊", "hotdog": "🌭", "hugs": "🤗", "lion": "🦁",
    "metal": "🤘", "money_mouth_face": "🤑", "monocle_face": "🧐", "raised_eyebrow": "🤨",
    "rofl": "🤣", "roll_eyes": "🙄", "shopping": "🛍️", "shrug": "🤷",
}  # fmt: skip


@cache
def emoji(name: str) -> str | None:
    """The sign of this name; empty for an icon of another theme, None where nobody knows it."""
    if name in _FLAGS:
        letters = "gb" if name == "uk" else name
        return "".join(chr(0x1F1E6 + ord(letter) - ord("a")) for letter in letters)
    if name in _MORE:
        return _MORE[name]
    sign = Emoji.replace(f":{name}:")
    if sign != f":{name}:":
        return f"{sign}{_VARIATION}" if len(sign) == 1 and ord(sign) < 0x1F000 else sign
    if _ICON.fullmatch(name):
        return ""
    return _by_unicode(name)


def _by_unicode(name: str) -> str | None:
    try:
        sign = unicodedata.lookup(name.replace("_", " "))
    except KeyError:
        return None
    if len(sign) != 1 or ord(sign) < _FIRST_PICTURE or unicodedata.category(sign) != "So":
        return None
    return sign if any(first <= ord(sign) <= last for first, last in ASSIGNED) else None


def with_emoji(text: str) -> str:
    """The text with its emoji as signs."""
    if ":" not in text:
        return text
    return _NAME.sub(_sign, text).strip() if _NAME.search(text) else text


def _sign(found: re.Match[str]) -> str:
    sign = emoji(found[1])
    return found[0] if sign is None else sign
