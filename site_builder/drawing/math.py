"""Formulas: TeX into MathML, with the source kept inside as an annotation."""

from __future__ import annotations

import re
from functools import cache
from html import escape
from typing import Final

from math_core import LatexError, LatexToMathML

from site_builder.drawing.drawn import Drawn
from site_builder.drawing.mathml_policy import MathRefused, published_mathml
from site_builder.drawing.tex_source import (
    MACROS,
    MAX_DEPTH,
    MAX_SOURCE,
    defines,
    depth_of,
    plain_tex,
)

MAX_MATHML: Final = 300_000
"""Characters that one formula may become: macros can multiply."""

MAX_EXPANSIONS: Final = 300
MAX_OWN_EXPANSIONS: Final = 20
"""Commands of ours that a formula may use; of all where it defines some itself, since a command
that expands to a chain of others could nest without bound."""

_OPENING = re.compile(r"<math(?: [a-z]+=\"[^\"]*\")*>")
_POSITION = re.compile(r"\A(\d+): ")


def draw_math(source: str, *, display: bool, in_text: bool = False, refused: str = "") -> Drawn:
    """A formula as `<math>`; the source, marked as a formula, where it cannot be read.

    source: TeX without the signs around it. display: set on lines of its own. in_text: it
    stands within a paragraph. refused: why it is
    to be left as its source; empty to draw it.
    """
    problem = refused and f"the formula is not drawn: {refused}"
    mathml = ""
    if not problem:
        mathml, problem = _converted(source, display)
    shown = _annotated(mathml, source) if mathml else _as_code(source)
    kind = "math display" if display else "math"
    if problem:
        kind += " unread"
    tag = "span" if in_text else "div"
    if display:
        shown = f'<{tag} class="{kind}" tabindex="0">{shown}</{tag}>'
    elif problem:
        shown = f'<span class="{kind}">{shown}</span>'
    hint = "see the list of what formulas may hold" if problem else ""
    return Drawn(shown if in_text else f"{shown}\n", problem, hint)


def _converted(source: str, display: bool) -> tuple[str, str]:
    """MathML and an empty problem, or nothing and why."""
    if len(source) > MAX_SOURCE:
        return "", f"the formula is longer than {MAX_SOURCE} characters"
    if depth_of(source) > MAX_DEPTH:
        return "", f"the formula is nested deeper than {MAX_DEPTH} levels"
    tex = plain_tex(source)
    try:
        mathml = _converter(own=defines(source)).convert_with_local_state(tex, displaystyle=display)
    except LatexError as error:
        return "", f"the formula cannot be read: {_reason(error, tex)}"
    except UnicodeError:
        return "", "the formula holds what is no character"
    if len(mathml) > MAX_MATHML:
        return "", "the formula grows too large for a page"
    try:
        return published_mathml(mathml), ""
    except MathRefused:
        return "", "the formula cannot be published"


@cache
def _converter(*, own: bool) -> LatexToMathML:
    return LatexToMathML(
        macros=dict(MACROS),
        fancy_error=False,
        allow_unreliable_rendering=True,
        max_expansions=MAX_OWN_EXPANSIONS if own else MAX_EXPANSIONS,
    )


def _annotated(mathml: str, source: str) -> str:
    opening = _OPENING.match(mathml)
    if opening is None:
        return mathml
    inner = mathml[opening.end() : -len("</math>")]
    return (
        f"{opening[0]}<semantics><mrow>{inner}</mrow>"
        f'<annotation encoding="application/x-tex">{escape(source, quote=False)}</annotation>'
        "</semantics></math>"
    )


def _reason(error: LatexError, tex: str) -> str:
    """The converter's words, without its position, and the place itself."""
    message = str(error)
    found = _POSITION.match(message)
    if not found:
        return message
    at = min(int(found[1]), len(tex))
    near = " ".join(tex[at : at + 30].split())
    words = message[found.end() :].rstrip(".")
    return f"{words}, near `{near}`" if near else words


def _as_code(source: str) -> str:
    return f'<code class="language-tex">{escape(source, quote=False)}</code>'
