"""The value that every drawing yields, and the bounds on what one note may draw."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from typing import Final

MAX_PER_NOTE: Final = {"formula": 20_000, "diagram": 200, "plot": 80, "code": 5_000}
MAX_CHARACTERS: Final = {
    "formula": 400_000, "diagram": 100_000, "plot": 12_000, "code": 500_000,
}  # fmt: skip
"""How many of a kind one note draws, and of how much source together; the rest is shown as its
source. A note that reaches these takes some seconds."""

COLOUR_SECONDS: Final = 10.0
"""CPU time that the code of one note may take to colour: for text made to be hard to read, some
lexers need time that grows with the square of its length. Real code takes a twentieth of it."""

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
    characters: dict[str, int] = field(default_factory=lambda: dict(MAX_CHARACTERS))
    overruns: int = 0
    colour_seconds: float = COLOUR_SECONDS

    def take(self, kind: str, size: int) -> str:
        """Counts one drawing of a kind of `MAX_PER_NOTE`; returns why it may not be made, if so.

        size: characters of its source.
        """
        self.left[kind] -= 1
        self.characters[kind] -= size
        if self.left[kind] < 0 or self.characters[kind] < 0:
            return f"this note has more of its kind than are drawn ({MAX_PER_NOTE[kind]} at most)"
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
