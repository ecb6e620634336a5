"""How wide a line of text is, where no font can be asked.

Sans-serif interface fonts differ by some percent; these widths are those of the wider ones, so that
what is laid out by them has room in the others.
"""

from __future__ import annotations

import unicodedata
from typing import Final

_BY_WIDTH: Final = {
    24: " 'ijl",
    28: "!,.:;J`",
    32: "()-I[]",
    36: "/\\ft",
    40: '"r{}',
    44: "?_",
    48: "csz",
    52: "FLkvxy",
    56: "$*+0123456789<=>ESTYZ^ae|~",
    60: "KPVXbdghnopqu",
    64: "#ABCR",
    72: "&DGU",
    76: "HN",
    80: "OQw",
    84: "%",
    88: "@",
    92: "MWm",
}
WIDTHS: Final = {
    character: hundredths / 100
    for hundredths, characters in _BY_WIDTH.items()
    for character in characters
}
"""ASCII characters in parts of the font size."""

OTHER: Final = 0.62
WIDE: Final = 1.0
WIDE_FROM: Final = 0x2E80
"""Any other character; one of those that fill a square, and the code point from which on all do."""

BOLD: Final = 1.07


def text_width(text: str, size: float) -> float:
    """The width of one line in the unit of `size`, the font size."""
    return size * sum(WIDTHS.get(character) or _other(character) for character in text)


def _other(character: str) -> float:
    if unicodedata.combining(character):
        return 0.0
    return WIDE if ord(character) >= WIDE_FROM else OTHER
