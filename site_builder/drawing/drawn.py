"""The value that every drawing yields, and the bounds on what one note may draw."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import Final

MAX_PER_NOTE: Final = {"formula": 20_000, "diagram": 200, "plot": 100, "code": 5_000}
"""How many of a kind one note draws; the rest is shown as its source."""

MAX_OVERRUNS: Final = 2
"""Diagrams of one note that may run out of time before its others are not tried any more."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """HTML to publish, and what kept it from being a drawing.

    problem: empty if all is drawn; else `html` shows the source. line: of the source, from 0, where
    the problem lies. hint: what the author can do. overran: it was given up for time or memory.
    """

    html: str
    problem: str = ""
    hint: str = ""
    line: int = 0
    overran: bool = False


@dataclass(slots=True)
class Allowance:
    """What one note may still draw."""

    left: dict[str, int] = field(default_factory=lambda: dict(MAX_PER_NOTE))
    overruns: int = 0

    def take(self, kind: str) -> str:
        """Counts one drawing of a kind of `MAX_PER_NOTE`; returns why it may not be made, if so."""
        self.left[kind] -= 1
        if self.left[kind] < 0:
            return f"more than {MAX_PER_NOTE[kind]} of a kind in one note"
        if kind == "diagram" and self.overruns >= MAX_OVERRUNS:
            return "other diagrams of this note took too long"
        return ""


def source_figure(source: str, name: str, problem: str) -> str:
    """The source of what could not be drawn, as readable code with the reason below it."""
    shown, label = escape(source, quote=False), escape(name, quote=False)
    return (
        f'<figure class="code undrawn"><header><span>{label}</span></header>'
        f'<pre tabindex="0"><code class="language-{escape(name)}">{shown}</code></pre>'
        f"<figcaption>{escape(problem, quote=False)}</figcaption></figure>\n"
    )
