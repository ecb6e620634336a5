"""The options of a plot, as in the `function-plot` library: YAML or JSON, read as plain data.

title: Waves
xAxis: {domain: [-pi, pi], label: t}
yAxis: {domain: [-2, 2]}
grid: true
data:
  - fn: sin(x)
    derivative: {fn: cos(x), x0: 1}
  - {fn: x^2, range: [-1, 1], graphType: scatter}
  - {fnType: parametric, x: cos(t), y: sin(t), range: [0, 2*pi]}
  - {fnType: polar, r: 1 + cos(theta)}
  - {fnType: implicit, fn: x^2 + y^2 - 1}
  - {fnType: points, points: [[0, 0], [1, 2]]}
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import yaml

from site_builder.drawing.expression import ExpressionError, Value, constant, parse_expression

MAX_SOURCE: Final = 8_000
MAX_CURVES: Final = 12
MAX_POINTS: Final = 500
MAX_DEPTH: Final = 12
LARGEST: Final = 1e12
"""Beyond this a plot has no ticks that could be read."""

Data: TypeAlias = "str | list[Data] | dict[str, Data]"
Interval: TypeAlias = tuple[float, float]

_KINDS: Final = frozenset({"linear", "parametric", "polar", "implicit", "points"})
_TRUE: Final = frozenset({"true", "yes", "on", "1"})


class PlotRefused(ValueError):
    """Options that cannot be drawn. line: of the source, from 0."""

    def __init__(self, problem: str, line: int = 0) -> None:
        super().__init__(problem)
        self.line = line


@dataclass(frozen=True, slots=True)
class Curve:
    """One thing to draw. kind: linear, parametric, polar, implicit, points.

    values: its expressions; `x` -> y; `t` -> x and y; `theta` -> r; `x`, `y` -> zero on the curve.
    over: where its variable runs, None for the whole axis. dots: points instead of a line.
    helper: a tangent or secant of the curve before it.
    """

    kind: str
    label: str
    values: tuple[Value, ...] = ()
    over: Interval | None = None
    points: tuple[tuple[float, float], ...] = ()
    dots: bool = False
    closed: bool = False
    helper: bool = False


@dataclass(frozen=True, slots=True)
class Mark:
    """A line across the plot at an x or a y, with a word beside it."""

    axis: str
    at: float
    text: str


@dataclass(frozen=True, slots=True)
class PlotOptions:
    """A plot. domain: of x; range: of y, None to fit what is drawn."""

    title: str
    curves: tuple[Curve, ...]
    domain: Interval
    range: Interval | None
    x_label: str = ""
    y_label: str = ""
    grid: bool = False
    marks: tuple[Mark, ...] = ()


def plot_options(source: str) -> PlotOptions:
    """Reads the options. Raises `PlotRefused`."""
    if len(source) > MAX_SOURCE:
        raise PlotRefused(f"the plot is longer than {MAX_SOURCE} characters")
    given = _mapping(_data(source), "the plot")
    x_axis, y_axis = (_mapping(given.get(name, {}), name) for name in ("xAxis", "yAxis"))
    entries = given.get("data", given.get("functions", []))
    if not entries and "fn" in given:
        entries = [{"fn": given["fn"]}]
    if isinstance(entries, dict):
        entries = [entries]
    if not isinstance(entries, list) or not entries:
        raise PlotRefused("the plot has no `data` with a function")
    curves = [
        curve
        for entry in entries
        for curve in _curves({"fn": entry} if isinstance(entry, str) else _mapping(entry, "data"))
    ]
    if len(curves) > MAX_CURVES:
        raise PlotRefused(f"the plot has more than {MAX_CURVES} curves")
    domain = x_axis.get("domain", given.get("domain"))
    reach = y_axis.get("domain", given.get("range"))
    return PlotOptions(
        title=_text(given.get("title")),
        curves=tuple(curves),
        domain=_interval(domain, "the domain of x") if domain else _usual_domain(curves),
        range=_interval(reach, "the domain of y") if reach else None,
        x_label=_text(x_axis.get("label", given.get("xLabel"))),
        y_label=_text(y_axis.get("label", given.get("yLabel"))),
        grid=_text(given.get("grid")).lower() in _TRUE,
        marks=tuple(_marks(given.get("annotations", []))),
    )


def _usual_domain(curves: Sequence[Curve]) -> Interval:
    """Where points are, if there is nothing else; else what the library shows."""
    xs = [x for curve in curves for x, _ in curve.points]
    if xs and all(curve.kind == "points" for curve in curves) and min(xs) < max(xs):
        room = (max(xs) - min(xs)) / 12
        return min(xs) - room, max(xs) + room
    return (-10.0, 10.0) if all(curve.kind == "linear" for curve in curves) else (-5.0, 5.0)


def _curves(given: Mapping[str, Data]) -> list[Curve]:
    kind = _text(given.get("fnType")) or ("points" if "points" in given else "linear")
    if kind not in _KINDS:
        raise PlotRefused(f"`fnType: {kind[:40]}` is not known: one of {', '.join(sorted(_KINDS))}")
    over = _interval(given["range"], "a range") if "range" in given else None
    name = _text(given.get("title") or given.get("label"))
    dots = _text(given.get("graphType")) == "scatter"
    if kind == "points":
        points = _points(given.get("points"))
        return [Curve(kind, name, over=over, points=points, dots=dots or "graphType" not in given)]
    if kind == "parametric":
        x, y = _text(given.get("x")), _text(given.get("y"))
        values: tuple[Value, ...] = (_value(x, "t"), _value(y, "t"))
        return [Curve(kind, name or f"({x}, {y})", values, over or (0.0, math.tau), dots=dots)]
    if kind == "polar":
        r = _text(given.get("r") or given.get("fn"))
        value = _value(r, "theta", "θ", "t")
        return [Curve(kind, name or f"r = {r}", (value,), over or (-math.pi, math.pi), dots=dots)]
    fn = _text(given.get("fn")).removeprefix("y =").removeprefix("y=").strip()
    if kind == "implicit":
        left, equals, right = fn.partition("=")
        written = f"({left}) - ({right})" if equals else fn
        label = name or (fn if equals else f"{fn} = 0")
        return [Curve(kind, label, (_value(written, "x", "y"),))]
    value = _value(fn, "x")
    closed = _text(given.get("closed")).lower() in _TRUE
    curve = Curve(kind, name or f"y = {fn}", (value,), over, dots=dots, closed=closed)
    return [curve, *_tangents(given, value), *_secants(given, value)]


def _tangents(given: Mapping[str, Data], value: Value) -> list[Curve]:
    """The tangent that `derivative: {fn, x0}` asks for."""
    if "derivative" not in given:
        return []
    options = _mapping(given["derivative"], "derivative")
    if "x0" not in options:
        return []
    at = _number(options["x0"])
    slope = _value(_text(options.get("fn")), "x")({"x": at})
    return [_line(f"x = {at:g}", at, value({"x": at}), slope)]


def _secants(given: Mapping[str, Data], value: Value) -> list[Curve]:
    entries = given.get("secants", [])
    lines: list[Curve] = []
    for entry in entries if isinstance(entries, list) else []:
        options = _mapping(entry, "secants")
        first, second = _number(options.get("x0", "")), _number(options.get("x1", ""))
        if first == second:
            raise PlotRefused("a secant needs two different x")
        low, high = value({"x": first}), value({"x": second})
        label = f"x = {first:g}, {second:g}"
        lines.append(_line(label, first, low, (high - low) / (second - first)))
    return lines


def _line(label: str, x0: float, y0: float, slope: float) -> Curve:
    return Curve("linear", label, (lambda point: y0 + slope * (point["x"] - x0),), helper=True)


def _marks(entries: Data) -> list[Mark]:
    marks: list[Mark] = []
    for entry in entries if isinstance(entries, list) else []:
        given = _mapping(entry, "annotations")
        axis = "x" if "x" in given else "y"
        marks.append(Mark(axis, _number(given.get(axis, "")), _text(given.get("text"))))
    if len(marks) > MAX_CURVES:
        raise PlotRefused(f"the plot has more than {MAX_CURVES} annotations")
    return marks


def _points(given: Data | None) -> tuple[tuple[float, float], ...]:
    if not isinstance(given, list) or not given:
        raise PlotRefused("`points` is no list of pairs")
    if len(given) > MAX_POINTS:
        raise PlotRefused(f"the plot has more than {MAX_POINTS} points")
    points: list[tuple[float, float]] = []
    for pair in given:
        if not isinstance(pair, list) or len(pair) != 2:
            raise PlotRefused("`points` is no list of pairs")
        points.append((_number(pair[0]), _number(pair[1])))
    return tuple(points)


def _value(text: str, *variables: str) -> Value:
    if not text:
        raise PlotRefused("a function has no expression")
    try:
        return parse_expression(text, variables)
    except ExpressionError as error:
        raise PlotRefused(f"`{text[:60]}` cannot be read: {error}") from error


def _interval(given: Data | None, what: str) -> Interval:
    if not isinstance(given, list) or len(given) != 2:
        raise PlotRefused(f"{what} is no pair such as [-1, 1]")
    low, high = _number(given[0]), _number(given[1])
    if not low < high or high - low < 1e-9 * max(abs(low), abs(high)):
        raise PlotRefused(f"{what} does not rise: {low:g} to {high:g}")
    return low, high


def _number(given: Data) -> float:
    text = _text(given)
    try:
        number = constant(text)
    except ExpressionError as error:
        raise PlotRefused(f"`{text[:60]}` is no number: {error}") from error
    if abs(number) > LARGEST:
        raise PlotRefused(f"`{text[:60]}` is too large")
    return number


def _mapping(given: Data, what: str) -> Mapping[str, Data]:
    if not isinstance(given, dict):
        raise PlotRefused(f"{what[:40]} is no list of options")
    return given


def _text(given: Data | None) -> str:
    return " ".join(given.split())[:500] if isinstance(given, str) else ""


def _data(source: str) -> Data:
    """YAML without aliases, every scalar as it was typed."""
    depth = 0
    try:
        for event in yaml.parse(source, Loader=yaml.SafeLoader):
            if isinstance(event, yaml.AliasEvent):
                raise PlotRefused("aliases (`*name`) are not read", _line_of(event))
            depth += isinstance(event, yaml.CollectionStartEvent)
            depth -= isinstance(event, yaml.CollectionEndEvent)
            if depth > MAX_DEPTH:
                raise PlotRefused("the options are nested too deep", _line_of(event))
        loaded = yaml.load(source, Loader=yaml.BaseLoader)
    except PlotRefused:
        raise
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        raise PlotRefused(f"no YAML: {error.problem}", mark.line if mark else 0) from error
    except (yaml.YAMLError, ValueError) as error:
        raise PlotRefused("no YAML") from error
    return _checked(loaded)


def _line_of(event: yaml.Event) -> int:
    return event.start_mark.line if event.start_mark else 0


def _checked(loaded: object) -> Data:
    if isinstance(loaded, dict):
        return {str(key): _checked(value) for key, value in loaded.items()}
    if isinstance(loaded, list):
        return [_checked(value) for value in loaded]
    return "" if loaded is None else str(loaded)
