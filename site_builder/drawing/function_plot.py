"""Plots of functions as static SVG."""

from __future__ import annotations

from html import escape
from typing import Final

from site_builder.drawing.drawn import Drawn, source_figure
from site_builder.drawing.plot_curves import (
    Frame,
    Place,
    Stroke,
    fitted,
    implicit_strokes,
    sampled,
    strokes,
)
from site_builder.drawing.plot_options import (
    Curve,
    Interval,
    PlotOptions,
    PlotRefused,
    plot_options,
)
from site_builder.drawing.plot_ticks import ticks
from site_builder.drawing.svg_colour import SERIES
from site_builder.drawing.text_width import text_width

WIDTH: Final = 520
PLOT_HEIGHT: Final = 300
"""Pixels; narrow enough to be read where a telephone shows it smaller."""

_SMALL: Final = 13
_ROW: Final = 22
_RIGHT: Final = 16
_DASHES: Final = ("", "7 4", "2 4", "10 4 2 4")
"""Lines differ by more than colour."""

LABEL_LIMIT: Final = 240


def draw_function_plot(source: str) -> Drawn:
    """A plot as `<figure>`; the source with the reason where it cannot be drawn."""
    try:
        options = plot_options(source)
    except PlotRefused as refusal:
        problem = f"the plot cannot be drawn: {refusal}"
        line = min(refusal.line, max(source.count("\n") - 1, 0))
        figure = source_figure(source, "function-plot", problem)
        return Drawn(figure, problem, "see the options of function plots", line)
    return Drawn(_figure(options))


def _figure(options: PlotOptions) -> str:
    samples = [sampled(curve, options.domain) for curve in options.curves]
    reach = options.range or _reach(options, samples)
    legend, top = _legend(options)
    y_ticks = ticks(reach, 6)
    left = 14 + max((text_width(text, _SMALL) for _, text in y_ticks), default=0) + 6
    left += 20 if options.y_label else 0
    frame = Frame(
        round(left), top, WIDTH - round(left) - _RIGHT, PLOT_HEIGHT, options.domain, reach
    )
    height = top + PLOT_HEIGHT + 28 + (20 if options.x_label else 0)
    body = [
        legend,
        _axes(options, frame, y_ticks),
        *(_marks(options, frame)),
        *(
            _curve(curve, places, number, frame)
            for number, (curve, places) in enumerate(zip(options.curves, samples, strict=True))
        ),
    ]
    return (
        f'<figure class="diagram plot"><svg role="img" aria-label="'
        f'{escape(_name(options))}" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" '
        f'height="{height}">{"".join(body)}</svg></figure>\n'
    )


def _reach(options: PlotOptions, samples: list[list[Place]]) -> Interval:
    """The range of y where the author gives none: fitted, or on the scale of x for shapes, so that
    a circle is round."""
    if all(curve.kind in ("linear", "points") for curve in options.curves):
        pairs = zip(samples, options.curves, strict=True)
        return fitted(places for places, curve in pairs if not curve.helper)
    low, high = options.domain
    half = (high - low) / (WIDTH - 60) * PLOT_HEIGHT / 2
    return -half, half


def _name(options: PlotOptions) -> str:
    low, high = options.domain
    listed = "; ".join(curve.label for curve in options.curves if curve.label and not curve.helper)
    where = f"x {low:g} … {high:g}"
    name = ": ".join(part for part in (options.title, listed) if part)
    return (name[:LABEL_LIMIT] + "…" if len(name) > LABEL_LIMIT else name) + f" ({where})"


def _legend(options: PlotOptions) -> tuple[str, int]:
    """Title and names of the curves above the plot, and where the plot begins."""
    parts: list[str] = []
    y = 12
    if options.title:
        y += 10
        parts.append(
            f'<text x="{WIDTH // 2}" y="{y}" text-anchor="middle" font-weight="600">'
            f"{escape(options.title, quote=False)}</text>"
        )
        y += 14
    x = 16.0
    named = [(number, curve) for number, curve in enumerate(options.curves) if curve.label]
    for number, curve in named:
        width = 34 + text_width(curve.label, _SMALL) + 18
        if x > 16 and x + width > WIDTH:
            x, y = 16.0, y + _ROW
        middle = y + 8
        parts.append(
            f"{_sample(curve, number, x, middle)}"
            f'<text x="{x + 34:.0f}" y="{middle + 5}" font-size="{_SMALL}" fill="var(--d-muted)">'
            f"{escape(curve.label, quote=False)}</text>"
        )
        x += width
    return "".join(parts), y + (_ROW + 8 if named else 4)


def _sample(curve: Curve, number: int, x: float, y: int) -> str:
    if curve.dots:
        return f'<circle cx="{x + 13:.0f}" cy="{y}" r="3" fill="{_colour(number)}"/>'
    return f'<path d="M{x:.0f},{y}h26" fill="none"{_pen(curve, number)}/>'


def _axes(options: PlotOptions, frame: Frame, y_ticks: list[tuple[float, str]]) -> str:
    x_ticks = ticks(frame.domain, 7)
    right, bottom = frame.left + frame.width, frame.top + frame.height
    lines: list[str] = []
    if options.grid:
        grid = "".join(f"M{frame.x(at):.1f},{frame.top:.0f}V{bottom:.0f}" for at, _ in x_ticks)
        grid += "".join(f"M{frame.left:.0f},{frame.y(at):.1f}H{right:.0f}" for at, _ in y_ticks)
        lines.append(f'<path d="{grid}" fill="none" stroke="var(--d-alt)"/>')
    lines.append(
        f'<path d="M{frame.left:.0f},{frame.top:.0f}V{bottom:.0f}H{right:.0f}'
        + "".join(f"M{frame.x(at):.1f},{bottom:.0f}v5" for at, _ in x_ticks)
        + "".join(f"M{frame.left:.0f},{frame.y(at):.1f}h-5" for at, _ in y_ticks)
        + '" fill="none" stroke="var(--d-edge)"/>'
    )
    zeros = ""
    if frame.domain[0] < 0 < frame.domain[1]:
        zeros += f"M{frame.x(0):.1f},{frame.top:.0f}V{bottom:.0f}"
    if frame.range[0] < 0 < frame.range[1]:
        zeros += f"M{frame.left:.0f},{frame.y(0):.1f}H{right:.0f}"
    if zeros:
        lines.append(f'<path d="{zeros}" fill="none" stroke="var(--d-muted)"/>')
    words = "".join(
        f'<text x="{frame.x(at):.1f}" y="{bottom + 19:.0f}" text-anchor="middle">{text}</text>'
        for at, text in x_ticks
    ) + "".join(
        f'<text x="{frame.left - 9:.0f}" y="{frame.y(at) + 4.5:.1f}" text-anchor="end">'
        f"{text}</text>"
        for at, text in y_ticks
    )
    lines.append(f'<g font-size="{_SMALL}" fill="var(--d-muted)">{words}</g>')
    if options.x_label:
        lines.append(
            f'<text x="{frame.left + frame.width / 2:.0f}" y="{bottom + 40:.0f}" font-size="14" '
            f'text-anchor="middle">{escape(options.x_label, quote=False)}</text>'
        )
    if options.y_label:
        lines.append(
            f'<text transform="translate(15 {frame.top + frame.height / 2:.0f}) rotate(-90)" '
            f'font-size="14" text-anchor="middle">{escape(options.y_label, quote=False)}</text>'
        )
    return "".join(lines)


def _marks(options: PlotOptions, frame: Frame) -> list[str]:
    written: list[str] = []
    right, bottom = frame.left + frame.width, frame.top + frame.height
    for mark in options.marks:
        low, high = frame.domain if mark.axis == "x" else frame.range
        if not low <= mark.at <= high:
            continue
        if mark.axis == "x":
            at = frame.x(mark.at)
            path, x, y = f"M{at:.1f},{frame.top:.0f}V{bottom:.0f}", at + 5, frame.top + 13
        else:
            at = frame.y(mark.at)
            path, x, y = f"M{frame.left:.0f},{at:.1f}H{right:.0f}", frame.left + 6, at - 5
        written.append(
            f'<path d="{path}" fill="none" stroke="var(--d-line)" stroke-dasharray="4 3"/>'
            f'<text x="{x:.1f}" y="{y:.1f}" font-size="{_SMALL}">'
            f"{escape(mark.text, quote=False)}</text>"
        )
    return written


def _curve(curve: Curve, places: list[Place], number: int, frame: Frame) -> str:
    if curve.kind == "implicit":
        parts = implicit_strokes(curve.values[0], frame)
    elif curve.dots:
        return _dots(places, number, frame)
    else:
        parts = strokes(places, frame)
    if not parts:
        return ""
    filled = _filled(parts, number, frame) if curve.closed else ""
    path = "".join(_path(part) for part in parts)
    return f'{filled}<path d="{path}" fill="none"{_pen(curve, number)}/>'


def _dots(places: list[Place], number: int, frame: Frame) -> str:
    inside = [
        (frame.x(x), frame.y(y))
        for x, y in places
        if frame.domain[0] <= x <= frame.domain[1] and frame.range[0] <= y <= frame.range[1]
    ]
    step = max(len(inside) // 150, 1)
    dots = "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3"/>' for x, y in inside[::step])
    return f'<g fill="{_colour(number)}">{dots}</g>' if dots else ""


def _filled(parts: list[Stroke], number: int, frame: Frame) -> str:
    """The area between a curve and the x axis."""
    base = min(max(frame.y(0), frame.top), frame.top + frame.height)
    areas = "".join(
        f"{_path(part)}V{base:.1f}H{part[0][0]:.1f}Z" for part in parts if len(part) > 1
    )
    return f'<path d="{areas}" fill="{_colour(number)}" fill-opacity="0.18"/>'


def _path(stroke: Stroke) -> str:
    (x, y), *rest = stroke
    return f"M{x:.1f},{y:.1f}L" + " ".join(f"{x:.1f},{y:.1f}" for x, y in rest)


def _pen(curve: Curve, number: int) -> str:
    if curve.helper:
        return f' stroke="{_colour(number)}" stroke-width="1.2" stroke-dasharray="5 4"'
    dash = _DASHES[number // 2 % len(_DASHES)] if number else ""
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return f' stroke="{_colour(number)}" stroke-width="2" stroke-linejoin="round"{dashes}'


def _colour(number: int) -> str:
    return f"var(--d-{number % SERIES + 1})"
