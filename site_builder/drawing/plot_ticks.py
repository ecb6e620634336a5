"""Where the axes of a plot have ticks, and what stands beside them."""

from __future__ import annotations

import math
from typing import Final

from site_builder.drawing.plot_options import Interval

_NICE: Final = (1, 2, 5, 10)


def ticks(interval: Interval, about: int) -> list[tuple[float, str]]:
    """About so many round values within an interval, each as it is written."""
    low, high = interval
    rough = (high - low) / max(about, 1)
    power = 10.0 ** math.floor(math.log10(rough))
    step = power * next(nice for nice in _NICE if nice * power >= rough * 0.999)
    first, last = math.ceil(low / step - 1e-6), math.floor(high / step + 1e-6)
    return [(count * step, _written(count, step)) for count in range(first, last + 1)]


def _written(count: int, step: float) -> str:
    value = count * step
    if not count:
        return "0"
    if abs(value) >= 1e6 or step < 1e-4:
        return f"{value:.6g}".replace("-", "−").replace("e+0", "e").replace("e+", "e")
    decimals = max(0, -math.floor(math.log10(step) + 1e-9))
    return f"{value:.{decimals}f}".replace("-", "−")
