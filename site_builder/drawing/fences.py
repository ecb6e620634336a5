"""Which fence is drawn as what."""

from __future__ import annotations

from time import thread_time
from typing import Final

from site_builder.drawing.code_figure import code_figure
from site_builder.drawing.drawn import Allowance, Drawn, source_figure
from site_builder.drawing.fence_options import FenceOptions, fence_options
from site_builder.drawing.function_plot import draw_function_plot
from site_builder.drawing.math import draw_math
from site_builder.drawing.mermaid import draw_mermaid

_DIAGRAMS: Final = frozenset({"mermaid"})
_PLOTS: Final = frozenset({"function-plot", "functionplot"})
_FORMULAS: Final = frozenset({"math"})


def draw_fence(source: str, info: str, allowance: Allowance) -> Drawn:
    """What stands between the marks of a fence, on the page. info: what follows the first marks."""
    options = fence_options(info)
    language = options.language.lower()
    if language in _FORMULAS:
        return draw_formula(source.strip(), display=True, allowance=allowance)
    if language not in _DIAGRAMS and language not in _PLOTS:
        return _code(source, options, allowance)
    kind = "diagram" if language in _DIAGRAMS else "plot"
    if refused := allowance.take(kind, len(source)):
        problem = f"the {kind} is not drawn: {refused}"
        return Drawn(source_figure(source, language, problem), problem, "split the note")
    try:
        drawn = draw_mermaid(source) if kind == "diagram" else draw_function_plot(source)
    except Exception as error:  # noqa: BLE001 - one bad drawing never costs the note
        problem = f"the {kind} could not be drawn: {type(error).__name__}"
        return Drawn(source_figure(source, language, problem), problem, "please report it")
    allowance.overruns += drawn.overran
    return drawn


def _code(source: str, options: FenceOptions, allowance: Allowance) -> Drawn:
    if allowance.take("code", len(source)) or allowance.colour_seconds <= 0:
        return Drawn(code_figure(source, options, colours=False))
    started = thread_time()
    try:
        return Drawn(code_figure(source, options))
    except Exception:  # noqa: BLE001 - a lexer that stumbles costs the colours alone
        return Drawn(code_figure(source, options, colours=False))
    finally:
        allowance.colour_seconds -= thread_time() - started


def draw_formula(
    source: str, *, display: bool, allowance: Allowance, in_text: bool = False
) -> Drawn:
    """A formula, counted; see `draw_math`."""
    refused = allowance.take("formula", len(source))
    return draw_math(source, display=display, in_text=in_text, refused=refused)
