"""Mermaid diagrams as static SVG, with a readable source where one cannot be drawn."""

from __future__ import annotations

import re
from html import escape
from typing import Final

from site_builder.drawing.drawn import Drawn, source_figure
from site_builder.drawing.mermaid_engine import Laid, Refused, lay_out
from site_builder.drawing.svg_policy import SvgRefused, safe_body, said, svg_root, texts

MAX_SOURCE: Final = 20_000
MAX_SVG: Final = 400_000
"""Characters of a diagram's source, and of what becomes of it on the page."""

STEP: Final = 160
MOST_STEPS: Final = 16
"""Pixels between the least widths that drawing.css knows, `w2` to `w16`."""

LABEL_LIMIT: Final = 200
SCROLLS_FROM: Final = 560
"""Pixels of width from which on a diagram may scroll sideways in a narrow window."""

_KINDS: Final = {
    "flowchart": "Flowchart", "sequence": "Sequence diagram", "class": "Class diagram",
    "state": "State diagram", "er": "Entity relationship diagram", "gantt": "Gantt chart",
    "pie": "Pie chart", "journey": "User journey", "gitGraph": "Git graph", "mindmap": "Mind map",
    "timeline": "Timeline", "quadrantChart": "Quadrant chart", "xychart": "Chart",
    "sankey": "Sankey diagram", "requirement": "Requirement diagram", "block": "Block diagram",
    "packet": "Packet diagram", "kanban": "Kanban board", "architecture": "Architecture diagram",
    "radar": "Radar chart", "treemap": "Treemap",
}  # fmt: skip
_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
"""Characters that no XML can hold."""

_SPACES = re.compile(r"\s+")
_FRONT_MATTER = re.compile(r"\s*---[ \t]*\n(.*?)^---[ \t]*$", re.S | re.M)
_TITLE = re.compile(r"^title:[ \t]*(.+)$", re.M)


def draw_mermaid(source: str) -> Drawn:
    """A diagram as `<figure>`; a function of the source alone, bounded in time and size."""
    if not source.strip():
        return _undrawn(source, "the diagram is empty", "write it, or take the fence away")
    if len(source) > MAX_SOURCE:
        problem = f"the diagram is longer than {MAX_SOURCE} characters"
        return _undrawn(source, problem, "split it")
    laid = lay_out(_UNWRITABLE.sub("\ufffd", source))
    if isinstance(laid, Refused):
        return _refused(source, laid)
    try:
        root = svg_root(laid.svg)
        body = safe_body(root)
        label = _label(laid, said(root, "title") or _title(source), list(texts(root)))
    except SvgRefused as refusal:
        return _undrawn(source, f"the diagram cannot be published: {refusal}", "simplify it")
    if len(body) > MAX_SVG:
        return _undrawn(source, "the diagram is too large for a page", "split it")
    scrolls = laid.width > SCROLLS_FROM
    opening = (
        '<figure class="diagram scroll" tabindex="0">' if scrolls else '<figure class="diagram">'
    )
    return Drawn(
        f'{opening}<svg role="img" aria-label="{escape(label)}" '
        f'viewBox="0 0 {laid.width} {laid.height}" width="{laid.width}" height="{laid.height}"'
        f"{least_width(laid.width)}>{body}</svg></figure>\n"
    )


def _label(laid: Laid, title: str, words: list[str]) -> str:
    """What the diagram is called where it cannot be seen."""
    kind = _KINDS.get(laid.kind, laid.kind)
    shown = title or ", ".join(words)
    if len(shown) > LABEL_LIMIT:
        shown = shown[:LABEL_LIMIT].rstrip(" ,") + "…"
    return f"{kind}: {shown}" if shown else kind


def _title(source: str) -> str:
    front = _FRONT_MATTER.match(source)
    found = _TITLE.search(front[1]) if front else None
    return found[1].strip().strip("\"'") if found else ""


def least_width(width: int) -> str:
    """The class of a drawing that scrolls rather than shrink below three fifths of its width."""
    steps = min(round(width * 3 / 5 / STEP), MOST_STEPS)
    return f' class="w{steps}"' if steps > 1 else ""


def _refused(source: str, refusal: Refused) -> Drawn:
    if refusal.code == "time":
        return _undrawn(
            source, "the diagram takes too long to lay out", "make it smaller", overran=True
        )
    if refusal.code == "unsupported-diagram":
        problem = "the first line names no kind of diagram"
        return _undrawn(source, problem, "begin with `flowchart`, `sequenceDiagram` or the like")
    if refusal.code == "limit":
        return _undrawn(source, _SPACES.sub(" ", refusal.message)[:200], "make it smaller")
    if not refusal.line:
        problem = f"the diagram cannot be drawn: {_SPACES.sub(' ', refusal.message)[:200]}"
        return _undrawn(source, problem, "see the syntax of this kind of diagram")
    line = max(refusal.line - 1, 0)
    lines = source.split("\n")
    while line and (line >= len(lines) or not lines[line].strip()):
        line -= 1
    at = _SPACES.sub(" ", lines[line]).strip()[:120]
    problem = f"line {line + 1} of the diagram cannot be read: {at}"
    return _undrawn(source, problem, "see the syntax of this kind of diagram", line=line)


def _undrawn(
    source: str, problem: str, hint: str, *, line: int = 0, overran: bool = False
) -> Drawn:
    return Drawn(source_figure(source, "mermaid", problem), problem, hint, line, overran)
