"""Parts of a page that stand on their own: one element of it, or a stretch that is cut out.

Only pages that our own renderer wrote are read here, where no attribute holds a bare `>`.
"""

from __future__ import annotations

import re
from html import escape
from typing import Final

from site_builder.raw_html import VOID

_TAG = re.compile(r"<(/?)([a-z][a-z0-9-]*)((?: [^<>]*)?)>")
_IN_LIST: Final = frozenset({"li"})


def balanced(html: str) -> str:
    """The stretch without closing tags of what it does not open, and with those it lacks."""
    out: list[str] = []
    open_: list[str] = []
    at = 0
    for tag in _TAG.finditer(html):
        name = tag[2]
        if tag[3].endswith("/") or name in VOID or name == "input":
            continue
        if not tag[1]:
            open_.append(name)
        elif name in open_[-1:]:
            open_.pop()
        elif name in open_:
            out.append(html[at : tag.start()])
            at = tag.start()
            while open_[-1] != name:
                out.append(f"</{open_.pop()}>")
            open_.pop()
        else:
            out.append(html[at : tag.start()])
            at = tag.end()
    out.append(html[at:])
    return "".join([*out, *(f"</{name}>" for name in reversed(open_))])


def element(html: str, name: str) -> str:
    """The element whose id is `name`, with all it holds; empty if there is none. An item of a list
    comes in a list of its own."""
    place = html.find(f' id="{escape(name)}"')
    start = html.rfind("<", 0, place) if place >= 0 else -1
    opening = _TAG.match(html, start) if start >= 0 else None
    if opening is None or opening[1]:
        return ""
    depth = 0
    for tag in re.compile(rf"<(/?){opening[2]}(?: [^<>]*)?>").finditer(html, start):
        depth += -1 if tag[1] else 1
        if not depth:
            found = html[start : tag.end()]
            return f"<ul>\n{found}\n</ul>\n" if opening[2] in _IN_LIST else found
    return ""
