"""What of a converter's MathML reaches the page: elements and attributes of allow-lists, and
classes instead of styles, for pages whose policy refuses styles in attributes."""

from __future__ import annotations

import re
from typing import Final

from site_builder.drawing.words import words

_TAG = re.compile(r"<(/?)([a-z]+)((?: [a-z]+=\"[^\"<>]*\")*)(/?)>")
_ATTRIBUTE = re.compile(r" ([a-z]+)=\"([^\"]*)\"")
_ELEMENTS: Final = words(
    "b code i math menclose merror mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts"
    " mroot mrow ms mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover"
    " none semantics"
)
_ATTRIBUTES: Final = words(
    "accent accentunder columnspan depth dir display displaystyle fence form height largeop"
    " linethickness lspace mathsize mathvariant maxsize minsize movablelimits notation rowspan"
    " rspace scriptlevel separator stretchy symmetric voffset width"
)
_VALUE = re.compile(r"[\w .%+-]*")
_COLOUR = re.compile(r"#[0-9A-Fa-f]{3,8}|[A-Za-z]{3,24}")
_CLASSES: Final = {
    "text-align:left": "m-l",
    "text-align:right": "m-r",
    "width:100%": "m-all",
    "width:50%": "m-rest",
    "padding-left:0": "m-pl",
    "padding-right:0": "m-pr",
    "padding-left:1em": "m-gap",
    "padding-top:0.1667em": "m-pt",
    "padding-right:0.1667em": "m-rule",
    "border-left:0.05em solid currentcolor": "m-bl",
    "border-right:0.05em solid currentcolor": "m-br",
    "border-top:0.05em solid currentcolor": "m-bt",
    "border-top:0.05em dashed currentcolor": "m-dt",
    "border-bottom:0.05em solid currentcolor": "m-bb",
    "border-bottom:0.05em dashed currentcolor": "m-db",
}
"""Declarations that drawing.css knows; others are left out."""


class MathRefused(ValueError):
    """Not MathML that only shows a formula."""


def published_mathml(mathml: str) -> str:
    """The same MathML as a page may hold it. Raises `MathRefused`."""
    if "<" in _TAG.sub("", mathml):
        raise MathRefused
    return _TAG.sub(_tag, mathml)


def _tag(found: re.Match[str]) -> str:
    closes, name, attributes, itself = found.groups()
    if name not in _ELEMENTS:
        raise MathRefused
    if not attributes:
        return found[0]
    written: list[str] = []
    for key, value in _ATTRIBUTE.findall(attributes):
        if key == "style":
            written += _from_style(value)
        elif key in _ATTRIBUTES and _VALUE.fullmatch(value):
            written.append(f'{key}="{value}"')
    return f"<{closes}{' '.join((name, *written))}{itself}>"


def _from_style(style: str) -> list[str]:
    classes: list[str] = []
    written: list[str] = []
    for item in style.split(";"):
        name, _, value = (part.strip() for part in item.partition(":"))
        if name == "color" and _COLOUR.fullmatch(value):
            written.append(f'mathcolor="{value}"')
        elif known := _CLASSES.get(f"{name}:{value}"):
            classes.append(known)
    if classes:
        written.append(f'class="{" ".join(classes)}"')
    return written
