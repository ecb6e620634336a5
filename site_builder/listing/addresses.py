"""Where lists stand: addresses below the site that no note has, safe on every host and disk."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Collection, Sequence
from functools import lru_cache

from manifest.unicode14 import WORD, character_class

LONGEST_LEVEL = 60
LONGEST_ADDRESS = 240
"""Bytes of UTF-8, of one level and of a whole address."""

_UNSAFE = re.compile(rf"[^{character_class(WORD)}_.+-]+")
_RESERVED = re.compile(r"(?:page-\d+|con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.I)
"""Further pages of a list, and names that Windows keeps for itself."""


def free_room(name: str, taken: Collection[str]) -> str:
    """The address below which the lists called `name` stand: `name/`, or `nb-name/` where a note
    has that address or one below it.

    taken: addresses of notes, folded by `folded`.
    """
    room = f"{name}/"
    return f"nb-{room}" if any(url.startswith(room) for url in taken) else room


def folded(text: str) -> str:
    """A text as hosts and disks that do not tell cases apart compare it."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


@lru_cache(maxsize=65536)
def level(title: str) -> str:
    """One level of an address, from a title or a tag: its letters and numbers in lower case.

    Equal for titles that differ in case or in white space only. Where anything else was lost, a
    piece of the title's hash is appended, so that two different titles never share a level.
    """
    key = "-".join(folded(title).split())
    safe = _UNSAFE.sub("-", key).strip("-.")
    short = _cut(safe, LONGEST_LEVEL)
    if short == key and short and not _RESERVED.fullmatch(short):
        return short
    return f"{short or 'x'}-{_digits(key, 6)}"


def address(room: str, levels: Sequence[str]) -> str:
    """The address of a list below a room; one too long for a disk becomes a hash."""
    path = "".join(f"{part}/" for part in levels)
    if len(path.encode()) > LONGEST_ADDRESS:
        path = f"{_digits(path, 16)}/"
    return room + path


def further(first: str, number: int) -> str:
    """The address of a page of a list, counted from 1."""
    return first if number == 1 else f"{first}page-{number}/"


def _cut(text: str, limit: int) -> str:
    return text.encode()[:limit].decode("utf-8", "ignore").rstrip("-.")


def _digits(text: str, count: int) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:count]
