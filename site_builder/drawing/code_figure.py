"""A block of code on the page: caption, colours, marked lines, numbers."""

from __future__ import annotations

from html import escape
from typing import Final

from site_builder.drawing.fence_options import FenceOptions
from site_builder.drawing.highlighting import coloured, marked_up

MAX_NUMBERED: Final = 5_000
"""Lines of a block that get elements of their own, for numbers or marks."""


def code_figure(code: str, options: FenceOptions, *, colours: bool = True) -> str:
    """The figure of a code block. colours: False writes the code plain."""
    runs = coloured(code, options.language) if colours else None
    if runs is None:
        runs = [("", code)]
    if (options.marked or options.first) and code.count("\n") <= MAX_NUMBERED:
        shown = _lines(runs, options)
    else:
        shown = marked_up(runs)
    name = options.title or options.language
    header = (
        f"<header><span>{escape(name, quote=False)}</span></header>"
        if name
        else "<header></header>"
    )
    classes = f"language-{options.language}" if options.language else ""
    if options.first:
        classes = f"{classes} numbered".strip()
    class_html = f' class="{classes}"' if classes else ""
    return (
        f'<figure class="code">{header}<pre tabindex="0"><code{class_html}>{shown}</code></pre>'
        "</figure>\n"
    )


def _lines(runs: list[tuple[str, str]], options: FenceOptions) -> str:
    """Each line in an element of its own, which holds its line break too."""
    written: list[str] = []
    for number, line in enumerate(_by_line(runs), start=1):
        kind = "l hl" if number in options.marked else "l"
        label = f' data-n="{options.first + number - 1}"' if options.first else ""
        written.append(f'<span class="{kind}"{label}>{marked_up(line)}</span>')
    return "".join(written)


def _by_line(runs: list[tuple[str, str]]) -> list[list[tuple[str, str]]]:
    lines: list[list[tuple[str, str]]] = [[]]
    for kind, text in runs:
        parts = text.split("\n")
        for part in parts[:-1]:
            lines[-1].append((kind, part + "\n"))
            lines.append([])
        if parts[-1]:
            lines[-1].append((kind, parts[-1]))
    if not lines[-1]:
        lines.pop()
    return lines
