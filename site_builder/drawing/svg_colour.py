"""Colours in drawings: those of the page, and those an author names himself."""

from __future__ import annotations

import re
from typing import Final

from site_builder.drawing.words import words

_TOKENS: Final = {
    "--_bg": "paper", "--_fg": "ink", "--_m": "muted", "--_l": "line", "--_s": "fill",
    "--_a": "alt", "--_b": "edge", "--_c": "accent", "--pele-error": "fail",
    "--pele-critical": "fail",
}  # fmt: skip
_VARIABLE = re.compile(r"var\((--[\w-]+)(?:,[^()]*)?\)")
_SERIES = re.compile(r"--pele-series-(\d+)")
SERIES: Final = 8
"""Colours that tell data apart, `--d-1` to `--d-8` in diagrams.css; they repeat after that."""

_HEX = re.compile(r"#([0-9a-fA-F]{3,8})")
_RGB = re.compile(
    r"rgba?\(\s*(\d{1,3})\s*[, ]\s*(\d{1,3})\s*[, ]\s*(\d{1,3})\s*(?:[,/]\s*[\d.]+%?)?\s*\)"
)
_NAME = re.compile(r"[a-zA-Z]{3,24}")
_HSL = re.compile(r"hsla?\([\d., %deg/]{5,40}\)")
_DARK_NAMES: Final = words(
    "black navy blue green teal maroon purple olive gray grey red indigo brown crimson darkblue"
    " darkcyan darkgreen darkmagenta darkred darkslateblue darkslategray darkviolet dimgray"
    " firebrick forestgreen midnightblue rebeccapurple royalblue saddlebrown seagreen sienna"
    " slateblue slategray steelblue mediumblue darkorchid darkolivegreen"
)


def page_colour(value: str) -> str | None:
    """A renderer's colour as the page says it, or None where it is no colour.

    Variables of the renderer become ours, which are light and dark; a literal stays as it is.
    """
    if variable := _VARIABLE.fullmatch(value):
        name = variable[1]
        if series := _SERIES.fullmatch(name):
            return f"var(--d-{(int(series[1]) - 1) % SERIES + 1})"
        return f"var(--d-{_TOKENS[name]})" if name in _TOKENS else None
    if value in ("none", "currentColor", "transparent") or literal(value):
        return value
    return None


def literal(value: str) -> bool:
    """Whether this is a colour of the author's own, the same in light and dark."""
    if value in ("none", "currentColor", "transparent", "inherit"):
        return False
    return any(kind.fullmatch(value) for kind in (_HEX, _RGB, _NAME, _HSL))


def ink_on(fill: str) -> str:
    """Black or white, whichever is easier to read on a literal colour."""
    red, green, blue = _channels(fill)
    light = (red * red * 299 + green * green * 587 + blue * blue * 114) // 1000
    return "#fff" if light < 23_000 else "#16201d"


def _channels(colour: str) -> tuple[int, int, int]:
    if found := _HEX.fullmatch(colour):
        digits = found[1]
        if len(digits) < 6:
            digits = "".join(digit * 2 for digit in digits)
        return int(digits[0:2], 16), int(digits[2:4], 16), int(digits[4:6], 16)
    if found := _RGB.fullmatch(colour):
        return int(found[1]), int(found[2]), int(found[3])
    return (64, 64, 64) if colour.lower() in _DARK_NAMES else (224, 224, 224)
