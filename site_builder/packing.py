"""Files of the theme and the client as visitors get them: without what only their authors read.

A page is read once and its styles and modules on every first visit, so comments and indentation
are left out when a site is built; names and lines of code stay as they are, and a browser's tools
show code that can be read. The rules hold for our own files alone, whose form they know; they are
no tool for an author's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

SITE_SHEETS = ("tokens", "base", "layout", "navigation", "prose")
"""The styles that every page needs, in the order in which they hold."""

SITE_SHEET = "assets/css/site.css"
"""Where those are, as one file: one request before the first paint."""

_CSS_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def packed(name: str, body: bytes) -> bytes:
    """A file of ours as it is published; what is neither CSS nor JavaScript stays as it is."""
    if name.endswith(".css"):
        return _css(body.decode("utf-8")).encode("utf-8")
    if name.endswith(".js"):
        return _javascript(body.decode("utf-8")).encode("utf-8")
    return body


def site_sheet(sheets: Path) -> bytes:
    """The styles of every page as one file, those for print at its end; sheets: their folder."""
    screen = [(sheets / f"{name}.css").read_text("utf-8") for name in SITE_SHEETS]
    paper = (sheets / "print.css").read_text("utf-8")
    return packed(SITE_SHEET, "\n".join([*screen, f"@media print {{\n{paper}\n}}\n"]).encode())


def _css(text: str) -> str:
    return "".join(f"{line}\n" for line in _bare(_CSS_COMMENT.sub("", text).split("\n")))


def _javascript(text: str) -> str:
    """Comments go only where they have lines of their own: no string and no regular expression of
    ours spans lines, so a line that begins as a comment is one. A template literal may span
    lines: a file that has one stays as it is."""
    lines = text.split("\n")
    if any(line.count("`") % 2 for line in lines if not line.lstrip().startswith(("*", "/"))):
        return text
    return "".join(f"{line}\n" for line in _bare(_code(lines)))


def _code(lines: Iterable[str]) -> Iterator[str]:
    within = False
    for line in lines:
        bare = line.strip()
        if within or bare.startswith("/*"):
            within = "*/" not in bare
            behind = bare.partition("*/")[2]
            if not within and behind.strip():
                yield behind
        elif not bare.startswith("//"):
            yield bare


def _bare(lines: Iterable[str]) -> Iterator[str]:
    return (bare for line in lines if (bare := line.strip()))
