"""Plots: expressions by a grammar of our own, options as plain data, static SVG."""

from __future__ import annotations

import math
import re
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from site_builder.drawing.expression import (
    MAX_DEPTH,
    MAX_LENGTH,
    MAX_NODES,
    ExpressionError,
    constant,
    parse_expression,
)
from site_builder.drawing.function_plot import draw_function_plot
from site_builder.drawing.plot_curves import Frame, fitted, strokes
from site_builder.drawing.plot_options import MAX_CURVES, MAX_SOURCE, PlotRefused, plot_options
from site_builder.drawing.plot_ticks import ticks


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2*3", 7),
        ("2^3^2", 512),
        ("-2^2", -4),
        ("2^-1", 0.5),
        ("(1 + 2)(3)", 9),
        ("2pi", math.tau),
        ("|1 - 3| |2|", 4),
        ("||-2| - 3|", 1),
        ("7 % 4", 3),
        ("8 / 4 / 2", 1),
        ("--2", 2),
        ("1e3 + .5", 1000.5),
        ("sqrt(16) + cbrt(-8)", 2),
        ("nthRoot(32, 5)", 2),
        ("log(8, 2) + ln(e)", 4),
        ("max(1, 2) - min(3, 4)", -1),
        ("Math.sin(0) + cos(0)", 1),
        ("2 × 3 ÷ 4 − 1", 0.5),
        ("mod(-1, 3)", 2),
        ("round(2.5)", 3),
    ],
)
def test_expressions_are_read_as_in_mathematics(text, value):
    assert constant(text) == pytest.approx(value)


def test_variables_multiply_without_a_sign():
    value = parse_expression("2x sin(x) + x(x + 1)", ("x",))
    assert value({"x": 2.0}) == pytest.approx(4 * math.sin(2) + 6)


@pytest.mark.parametrize(
    "text", ["1/x", "sqrt(-x - 1)", "log(x)", "(-1)^(x + 0.5)", "exp(9999 + x)"]
)
def test_where_there_is_no_real_value_there_is_none(text):
    assert math.isnan(parse_expression(text, ("x",))({"x": 0.0}))


@pytest.mark.parametrize(
    "text",
    [
        "", "1 +", "(1", "1)", "sin", "sin()", "sin(1, 2)", "y", "x.__class__", "__import__('os')",
        "x = 1", "1;2", "[1]", "lambda x: x", "x if x else 1", "|x", "foo(x)", "'a'",
        "(" * (MAX_DEPTH + 1) + "1" + ")" * (MAX_DEPTH + 1), "2^" * 60 + "2",
        "1+" * MAX_NODES + "1", "x" * (MAX_LENGTH + 1),
    ],
)  # fmt: skip
def test_what_is_no_expression_is_refused(text):
    with pytest.raises(ExpressionError):
        parse_expression(text, ("x",))


@settings(max_examples=200, deadline=None)
@given(st.text("x123.+-*/^%()|, sincoe", max_size=30), st.floats(-1e6, 1e6))
def test_an_expression_is_refused_or_never_raises(text, x):
    try:
        value = parse_expression(text, ("x",))
    except ExpressionError:
        return
    assert isinstance(value({"x": x}), float)


def test_options_are_those_of_the_library_as_yaml_or_json():
    yaml = plot_options(
        "title: T\nxAxis: {domain: [-pi, pi], label: t}\ngrid: true\ndata: [{fn: x^2}]"
    )
    json = plot_options(
        '{"title": "T", "xAxis": {"domain": ["-pi", "pi"], "label": "t"}, "grid": true,'
        ' "data": [{"fn": "x^2"}]}'
    )
    for options in (yaml, json):
        assert (options.title, options.x_label, options.grid) == ("T", "t", True)
        assert options.domain == (-math.pi, math.pi)
        assert options.curves[0].label == "y = x^2"


def test_tangents_secants_and_other_kinds_of_curves():
    options = plot_options(
        "data:\n- {fn: x^2, derivative: {fn: 2x, x0: 3}, secants: [{x0: 0, x1: 2}]}\n"
        "- {fnType: parametric, x: cos(t), y: sin(t)}\n- {fnType: polar, r: 2}\n"
        "- {fnType: implicit, fn: x^2 + y^2 = 1}\n- {points: [[1, 2], [3, 4]]}\n"
    )
    parabola, tangent, secant, *others = options.curves
    assert [curve.kind for curve in others] == ["parametric", "polar", "implicit", "points"]
    assert tangent.values[0]({"x": 3.0}) == parabola.values[0]({"x": 3.0}) == 9
    assert tangent.values[0]({"x": 4.0}) == 15
    assert secant.values[0]({"x": 2.0}) == 4
    assert others[2].values[0]({"x": 0.6, "y": 0.8}) == pytest.approx(0)


@pytest.mark.parametrize(
    ("source", "why", "line"),
    [
        ("", "no list of options", 0),
        ("title: x", "no `data`", 0),
        ("data: [{fn: 'x +'}]", "ends too early", 0),
        ("data: [{fn: open('x')}]", "cannot be read", 0),
        ("data: [{fnType: vector, fn: x}]", "not known", 0),
        ("data: [{fn: x}]\nxAxis: {domain: [1, 1]}", "does not rise", 0),
        ("data: [{fn: x}]\nxAxis: {domain: [0, 1e300]}", "too large", 0),
        ("a: &a [x]\ndata: *a", "aliases", 1),
        ("data: [{fn: x}]\n  b: [", "no YAML", 1),
        ("data: [" + "{fn: x}, " * (MAX_CURVES + 1) + "]", "more than", 0),
        ("a: " + "[" * 40 + "]" * 40, "nested too deep", 0),
        ("x" * (MAX_SOURCE + 1), "longer than", 0),
        ("data: !!python/object/apply:os.system ['id']", "cannot be read", 0),
    ],
)
def test_options_that_cannot_be_drawn_are_told(source, why, line):
    with pytest.raises(PlotRefused, match=re.escape(why)) as refused:
        plot_options(source)
    assert refused.value.line == line
    drawn = draw_function_plot(source)
    assert drawn.problem
    assert "<svg" not in drawn.html


def test_a_plot_is_one_static_drawing_with_a_name():
    drawn = draw_function_plot(
        "title: Waves & more\ngrid: true\ndata:\n- fn: sin(x)\n- {fn: tan(x)}\n"
    )
    root = ElementTree.fromstring(re.search(r"<svg.*</svg>", drawn.html, re.S)[0])
    assert root.get("aria-label") == "Waves & more: y = sin(x); y = tan(x) (x -10 … 10)"
    assert {element.tag for element in root.iter()} == {"svg", "g", "path", "text"}
    assert 'stroke="var(--d-1)"' in drawn.html
    assert 'stroke="var(--d-2)"' in drawn.html
    assert not re.search(r"nan|inf|<[^>]* (?:id|style)=|#[0-9a-f]{3}", drawn.html)


FRAME = Frame(0, 0, 100, 100, (-1.0, 1.0), (-1.0, 1.0))


@settings(max_examples=200, deadline=None)
@given(
    st.lists(
        st.tuples(st.floats(-3, 3), st.floats(-5, 5) | st.just(math.nan) | st.just(math.inf)),
        max_size=30,
    )
)
def test_no_line_leaves_the_frame(places):
    for stroke in strokes(places, FRAME):
        assert len(stroke) >= 2
        for x, y in stroke:
            assert -1e-6 <= x <= 100 + 1e-6
            assert -1e-6 <= y <= 100 + 1e-6


def test_a_pole_parts_the_curve():
    sides = [(x / 100, 0.01 / (x / 100) if x else math.nan) for x in range(-100, 101)]
    tan = [(x / 100, math.tan(x / 100 * math.pi)) for x in range(-100, 101)]
    assert len(strokes(sides, FRAME)) == 2
    assert len(strokes(tan, FRAME)) == 3


def test_a_straight_line_needs_two_points_and_a_pole_no_range_without_end():
    line = [(x / 100, x / 100) for x in range(-100, 101)]
    assert [len(stroke) for stroke in strokes(line, FRAME)] == [2]
    low, high = fitted([[(x / 50, 1 / (x / 50)) for x in range(-500, 501) if x]])
    assert -10 < low < -0.3
    assert 0.3 < high < 10
    assert fitted([[(0, 5.0), (1, 5.0)]]) == (4.0, 6.0)
    assert fitted([]) == (-1.0, 1.0)


def test_a_circle_is_round_where_no_range_is_given():
    html = draw_function_plot("data: [{fnType: parametric, x: 2cos(t), y: 2sin(t)}]").html
    path = re.search(r'<path d="(M[^"]*)" fill="none" stroke="var\(--d-1\)" stroke-width="2" '
                     r'stroke-linejoin="round"/></svg>', html)  # fmt: skip
    assert path
    numbers = [float(number) for number in re.findall(r"[\d.]+", path[1])]
    across, down = numbers[::2], numbers[1::2]
    assert max(across) - min(across) == pytest.approx(max(down) - min(down), rel=0.08)


@pytest.mark.parametrize(
    ("interval", "labels"),
    [
        ((-10, 10), ["−10", "−5", "0", "5", "10"]),
        ((0, 1), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        ((0, 3e-7), ["0", "1e−07", "2e−07", "3e−07"]),
        ((1e6, 3e6), ["1e6", "1.5e6", "2e6", "2.5e6", "3e6"]),
    ],
)
def test_ticks_are_round_numbers(interval, labels):
    shown = [text for _, text in ticks(interval, 5)]
    assert shown == ["0" if text == "0.0" else text for text in labels]


@settings(max_examples=200, deadline=None)
@given(st.floats(-1e9, 1e9), st.floats(1e-3, 1e9), st.integers(3, 10))
def test_ticks_lie_within_and_are_few(low, span, about):
    found = ticks((low, low + span), about)
    assert 1 <= len(found) <= 2 * about + 2
    for value, _ in found:
        assert low - span * 1e-5 <= value <= low + span * (1 + 1e-5)
