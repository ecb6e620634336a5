"""What of a renderer's SVG reaches the page: shapes and text, written anew from allow-lists.

No element that links, embeds, animates or carries style sheets or HTML; no ids and no references;
of styles only colours and lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from typing import Final
from xml.etree import ElementTree

from site_builder.drawing.svg_colour import ink_on, literal, page_colour
from site_builder.drawing.words import words

MAX_ELEMENTS: Final = 20_000
MAX_DEPTH: Final = 60

_SHAPES: Final = frozenset({"path", "rect", "circle", "ellipse", "line", "polyline", "polygon"})
_ALLOWED: Final = _SHAPES | {"svg", "g", "text", "tspan"}

_COLOURS: Final = frozenset({"fill", "stroke"})
_PLAIN: Final = words(
    "x y x1 y1 x2 y2 dx dy cx cy r rx ry width height d points transform text-anchor font-size"
    " font-style font-weight fill-opacity stroke-opacity opacity stroke-width stroke-dasharray"
    " stroke-linecap stroke-linejoin dominant-baseline text-decoration xml:space"
)
_SAFE_VALUE = re.compile(r"[\w\s.,()%+-]*")
_STYLED: Final = words(
    "fill stroke stroke-width stroke-dasharray opacity fill-opacity font-weight font-style"
)
_XML_SPACE: Final = "{http://www.w3.org/XML/1998/namespace}space"
_NUMBERS: Final = {"var(--_r)": "4", "var(--_w)": "bold", "var(--_tw)": "600", "var(--_hw)": "600"}
_WEIGHT = re.compile(r"var\(--_[a-z]*w\)")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_WASH: Final = "0.3"
"""How opaque an author's colour is behind text that has the page's colour."""


class SvgRefused(ValueError):
    """Not an SVG that can be published; says why, in a few words."""


def svg_root(svg: str) -> ElementTree.Element:
    """The parsed SVG. Raises `SvgRefused`."""
    if "<!" in svg or "<?" in svg:
        raise SvgRefused("the drawing holds declarations")
    try:
        root = ElementTree.fromstring(svg)
    except ElementTree.ParseError as error:
        raise SvgRefused("the drawing is no well-formed XML") from error
    if _name(root) != "svg":
        raise SvgRefused("the drawing is no SVG")
    return root


def texts(root: ElementTree.Element) -> Iterator[str]:
    """The labels of a drawing, in its order, without repetition."""
    seen: set[str] = set()
    for element in root.iter():
        if _name(element) == "text":
            label = " ".join("".join(element.itertext()).split())
            if label and label not in seen:
                seen.add(label)
                yield label


def said(root: ElementTree.Element, name: str) -> str:
    """The `title` or `desc` that a drawing gives itself; empty if none."""
    for child in root:
        if _name(child) == name:
            return " ".join("".join(child.itertext()).split())
    return ""


def safe_body(root: ElementTree.Element) -> str:
    """What stands inside the `<svg>`, as it may be published. Raises `SvgRefused`."""
    writer = _Writer()
    for child in root:
        writer.write(child, 0)
    return "".join(writer.out)


class _Writer:
    def __init__(self) -> None:
        self.out: list[str] = []
        self._count = 0

    def write(self, element: ElementTree.Element, depth: int, ink: str = "") -> None:
        """ink: the colour of text on a fill that the author chose; empty for the page's own."""
        name = _name(element)
        if name not in _ALLOWED:
            return
        self._count += 1
        if self._count > MAX_ELEMENTS or depth > MAX_DEPTH:
            raise SvgRefused("the drawing is too large for a page")
        attributes = _attributes(element)
        if name == "svg":
            name, attributes = "g", {"transform": _as_transform(element)}
        if name == "g":
            ink = _ink_within(element) or ink
        if ink and name in ("text", "tspan") and not literal(attributes.get("fill", "")):
            attributes.pop("fill", None)
            if name == "text":
                attributes["fill"] = ink
        if "pele-rect" in element.get("class", "").split():
            attributes["fill-opacity"] = _WASH
        written = "".join(f' {key}="{escape(value)}"' for key, value in attributes.items())
        if name == "g" and not len(element):
            return
        if name in _SHAPES:
            self.out.append(f"<{name}{written}/>")
            return
        self.out.append(f"<{name}{written}>")
        if name in ("text", "tspan"):
            self.out.append(escape(element.text or "", quote=False))
        for child in element:
            self.write(child, depth + 1, ink)
            if name in ("text", "tspan"):
                self.out.append(escape(child.tail or "", quote=False))
        self.out.append(f"</{name}>")


def _name(element: ElementTree.Element) -> str:
    return str(element.tag).rpartition("}")[2]


def _attributes(element: ElementTree.Element) -> dict[str, str]:
    written: dict[str, str] = {}
    given = dict(element.attrib)
    for item in given.pop("style", "").split(";"):
        key, _, value = item.partition(":")
        key, value = key.strip(), value.strip().removesuffix("!important").strip()
        if key in _STYLED or (key == "rx" and "rx" not in given):
            given[key] = value
    for name, value in given.items():
        name = "xml:space" if name == _XML_SPACE else name
        if name in _COLOURS:
            colour = page_colour(value)
            if colour is not None:
                written[name] = colour
        elif name in _PLAIN:
            value = _WEIGHT.sub("600", _NUMBERS.get(value, value))
            if _SAFE_VALUE.fullmatch(value) and "var(" not in value and "url" not in value:
                written[name] = value
    return written


def _ink_within(group: ElementTree.Element) -> str:
    """The colour of text in a group whose first shape the author filled himself."""
    for child in group:
        name = _name(child)
        if name in _SHAPES and "pele-rect" not in child.get("class", ""):
            fill = _attributes(child).get("fill", "")
            if literal(fill):
                return ink_on(fill)
        if name == "text":
            break
    return ""


def _as_transform(inner: ElementTree.Element) -> str:
    """A nested `<svg>` as the transformation that it stands for."""
    x, y = _number(inner, "x", 0), _number(inner, "y", 0)
    box = [float(part) for part in _NUMBER.findall(inner.get("viewBox", ""))]
    if len(box) != 4 or not box[2] or not box[3]:
        return f"translate({x:g} {y:g})"
    scale = min(_number(inner, "width", box[2]) / box[2], _number(inner, "height", box[3]) / box[3])
    return f"translate({x:g} {y:g}) scale({scale:.4g}) translate({-box[0]:g} {-box[1]:g})"


def _number(element: ElementTree.Element, name: str, otherwise: float) -> float:
    found = _NUMBER.match(element.get(name, ""))
    return float(found[0]) if found else otherwise
