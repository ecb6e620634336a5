"""Numbers of a sample."""

from __future__ import annotations

import math
from collections.abc import Sequence

Number = int | float


def percentile(values: Sequence[Number], share: float) -> Number:
    """The smallest value that at least `share` (above 0, at most 1) of all do not exceed.

    Raises ValueError for an empty sample.
    """
    if not values:
        raise ValueError("an empty sample has no percentiles")
    return sorted(values)[max(1, math.ceil(share * len(values))) - 1]


def spread(values: Sequence[Number]) -> dict[str, Number]:
    """Median, 90th percentile, greatest and mean of a sample, to two places."""
    return {
        "p50": round(percentile(values, 0.5), 2),
        "p90": round(percentile(values, 0.9), 2),
        "max": round(max(values), 2),
        "mean": round(sum(values) / len(values), 2),
    }
