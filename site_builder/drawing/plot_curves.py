"""Curves of a plot as lines on paper: sampled, parted where they break, cut at the frame."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, TypeAlias

from site_builder.drawing.expression import Value
from site_builder.drawing.plot_options import Curve, Interval

SAMPLES: Final = 600
"""Points of a curve: about one a pixel."""

CELLS: Final = 72
"""Squares along each side in which an implicit curve is sought."""

FLAT: Final = 0.12
"""Pixels by which a line may miss a point that is left out of it."""

Place: TypeAlias = tuple[float, float]
Stroke: TypeAlias = list[Place]


@dataclass(frozen=True, slots=True)
class Frame:
    """The part of the paper on which curves are drawn, and the values it shows."""

    left: float
    top: float
    width: float
    height: float
    domain: Interval
    range: Interval

    def x(self, value: float) -> float:
        low, high = self.domain
        return self.left + (value - low) / (high - low) * self.width

    def y(self, value: float) -> float:
        low, high = self.range
        return self.top + (high - value) / (high - low) * self.height


def sampled(curve: Curve, domain: Interval) -> list[Place]:
    """The curve's points in values, in order; where it has none, NaN. An implicit one has no
    order and gives none."""
    if curve.kind == "points":
        return list(curve.points)
    if curve.kind == "implicit":
        return []
    if curve.kind == "linear":
        low, high = curve.over or domain
        low, high = max(low, domain[0]), min(high, domain[1])
        return [(x, curve.values[0]({"x": x})) for x in _steps((low, high))] if low < high else []
    over = curve.over or (0.0, math.tau)
    if curve.kind == "parametric":
        x, y = curve.values
        return [(x({"t": t}), y({"t": t})) for t in _steps(over)]
    places: list[Place] = []
    for angle in _steps(over):
        r = curve.values[0]({"theta": angle, "θ": angle, "t": angle})
        places.append((r * math.cos(angle), r * math.sin(angle)))
    return places


def fitted(samples: Iterable[Sequence[Place]]) -> Interval:
    """A range of y that shows what was sampled, without following a pole to infinity."""
    ys = sorted(y for places in samples for _, y in places if math.isfinite(y) and abs(y) < 1e12)
    if not ys:
        return -1.0, 1.0
    low, high = ys[0], ys[-1]
    inner = ys[len(ys) // 10], ys[-1 - len(ys) // 10]
    spread = 0.75 * (inner[1] - inner[0])
    low, high = max(low, inner[0] - spread), min(high, inner[1] + spread)
    if high - low < 1e-9 * max(1.0, abs(low), abs(high)):
        return low - 1.0, high + 1.0
    room = (high - low) * 0.07
    return low - room, high + room


def strokes(places: Sequence[Place], frame: Frame) -> list[Stroke]:
    """The points as lines within the frame, in pixels."""
    parts: list[Stroke] = []
    current: Stroke = []
    for before, after in pairwise(places):
        cut = None
        if not _breaks(before, after, frame):
            cut = _clipped(
                (frame.x(before[0]), frame.y(before[1])),
                (frame.x(after[0]), frame.y(after[1])),
                frame,
            )
        if cut is None:
            current = []
            continue
        start, end = cut
        if not current or current[-1] != start:
            current = [start]
            parts.append(current)
        current.append(end)
    return [_thinned(part) for part in parts]


def implicit_strokes(value: Value, frame: Frame) -> list[Stroke]:
    """Where an expression in x and y is zero: a line in each square whose corners differ."""
    (x0, x1), (y0, y1) = frame.domain, frame.range
    xs = [x0 + (x1 - x0) * step / CELLS for step in range(CELLS + 1)]
    ys = [y0 + (y1 - y0) * step / CELLS for step in range(CELLS + 1)]
    grid = [[value({"x": x, "y": y}) for x in xs] for y in ys]
    found: list[Stroke] = []
    for row in range(CELLS):
        for column in range(CELLS):
            corners = (
                (xs[column], ys[row], grid[row][column]),
                (xs[column + 1], ys[row], grid[row][column + 1]),
                (xs[column + 1], ys[row + 1], grid[row + 1][column + 1]),
                (xs[column], ys[row + 1], grid[row + 1][column]),
            )
            crossings = list(_crossings(corners))
            for start, end in zip(crossings[::2], crossings[1::2], strict=False):
                places = [(frame.x(x), frame.y(y)) for x, y in (start, end)]
                found.append(places)
    return found


def _crossings(corners: Sequence[tuple[float, float, float]]) -> Iterator[Place]:
    for (x0, y0, a), (x1, y1, b) in zip(corners, (*corners[1:], corners[0]), strict=True):
        if math.isfinite(a) and math.isfinite(b) and (a < 0) != (b < 0):
            part = a / (a - b)
            yield x0 + (x1 - x0) * part, y0 + (y1 - y0) * part


def _steps(over: Interval) -> list[float]:
    low, high = over
    return [low + (high - low) * step / SAMPLES for step in range(SAMPLES + 1)]


def _breaks(before: Place, after: Place, frame: Frame) -> bool:
    """Whether no line leads from one point to the next: a gap, or a leap over the whole frame."""
    if not all(map(math.isfinite, (*before, *after))):
        return True
    low, high = frame.range
    leap = abs(after[1] - before[1]) > 0.6 * (high - low)
    beyond = (before[1] > high or before[1] < low) and (after[1] > high or after[1] < low)
    return leap and (beyond or (before[1] < 0) != (after[1] < 0))


def _clipped(start: Place, end: Place, frame: Frame) -> tuple[Place, Place] | None:
    """The part of a line within the frame (Liang and Barsky)."""
    (x0, y0), (x1, y1) = start, end
    enters, leaves = 0.0, 1.0
    for change, room_before, room_after in (
        (x1 - x0, x0 - frame.left, frame.left + frame.width - x0),
        (y1 - y0, y0 - frame.top, frame.top + frame.height - y0),
    ):
        if change == 0:
            if room_before < 0 or room_after < 0:
                return None
            continue
        first, second = sorted((-room_before / change, room_after / change))
        enters, leaves = max(enters, first), min(leaves, second)
    if enters >= leaves:
        return None
    begins = start if enters == 0 else (x0 + (x1 - x0) * enters, y0 + (y1 - y0) * enters)
    ends = end if leaves == 1 else (x0 + (x1 - x0) * leaves, y0 + (y1 - y0) * leaves)
    return begins, ends


def _thinned(stroke: Stroke) -> Stroke:
    """The same line with fewer points (Douglas and Peucker)."""
    kept = [False] * len(stroke)
    kept[0] = kept[-1] = True
    open_spans = [(0, len(stroke) - 1)]
    while open_spans:
        first, last = open_spans.pop()
        far, farthest = FLAT, 0
        (x0, y0), (x1, y1) = stroke[first], stroke[last]
        length = math.hypot(x1 - x0, y1 - y0)
        for index in range(first + 1, last):
            x, y = stroke[index]
            across = (x - x0) * (y1 - y0) - (y - y0) * (x1 - x0)
            distance = abs(across) / length if length else math.hypot(x - x0, y - y0)
            if distance > far:
                far, farthest = distance, index
        if farthest:
            kept[farthest] = True
            open_spans += [(first, farthest), (farthest, last)]
    return [place for place, keep in zip(stroke, kept, strict=True) if keep]
