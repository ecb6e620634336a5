"""How good the lexical search is, through published shards and the plan that readers use."""

from __future__ import annotations

from collections.abc import Callable

from bench.cmrc import measure_cmrc
from bench.data import DataMissing
from bench.gold_spans import measure_gold_spans
from bench.workshop import Workshop


def measure_retrieval(workshop: Workshop) -> dict[str, object]:
    """Raises CommandFailed."""
    return {
        "cmrc2018": _unless_missing(measure_cmrc, workshop),
        "chunkingEvaluation": _unless_missing(measure_gold_spans, workshop),
    }


def _unless_missing(
    measure: Callable[[Workshop], dict[str, object]], workshop: Workshop
) -> dict[str, object]:
    try:
        return measure(workshop)
    except DataMissing as error:
        return {"skipped": str(error)}
