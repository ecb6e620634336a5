"""`python -m bench`: one JSON document on stdout, progress on stderr."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from bench.building import measure_building
from bench.data import DataMissing, Datasets
from bench.machine import machine
from bench.processes import CommandFailed
from bench.reading import measure_reading
from bench.retrieval import measure_retrieval
from bench.steps import measure_steps
from bench.targets import compared
from bench.workshop import Settings, Workshop
from manifest.errors import NoteBridgeError

PARTS: dict[str, Callable[[Workshop], dict[str, object]]] = {
    "steps": measure_steps,
    "building": measure_building,
    "reading": measure_reading,
    "retrieval": measure_retrieval,
}
"""In the order in which they run."""


def measure(
    parts: Sequence[str], settings: Settings, data: Datasets, work: Path
) -> dict[str, object]:
    """The document of a run: every part, and each figure beside its target."""
    workshop = Workshop(data, work, settings)
    started = time.monotonic()
    document: dict[str, object] = {
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "machine": machine(),
        "settings": asdict(settings),
    }
    for name, part in PARTS.items():
        if name not in parts:
            document[name] = {"skipped": "not asked for"}
            continue
        try:
            document[name] = part(workshop)
        except DataMissing as error:
            document[name] = {"skipped": str(error)}
        except (CommandFailed, NoteBridgeError) as error:
            document[name] = {"failed": str(error)}
    document["seconds"] = round(time.monotonic() - started, 1)
    document["targets"] = compared(document)
    return document


def failed(document: object) -> bool:
    """Whether anything broke, rather than was skipped or missed a target."""
    if not isinstance(document, dict):
        return False
    return "failed" in document or any(map(failed, document.values()))


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs what the arguments ask for. Exit code 1 where a part broke."""
    given = _parser().parse_args(arguments)
    settings = Settings(
        notes=given.notes,
        edits=given.edits,
        questions=given.questions,
        full=given.full,
        seed=given.seed,
    )
    with tempfile.TemporaryDirectory(prefix="note-bridge-bench-") as folder:
        document = measure(given.only, settings, Datasets.of_environment(), Path(folder))
    json.dump(document, sys.stdout, ensure_ascii=False, indent=1)
    print()
    return 1 if failed(document) else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument(
        "--only", type=_parts, default=tuple(PARTS), help=f"of {','.join(PARTS)}, by commas"
    )
    parser.add_argument("--notes", type=int, default=3000, help="of the grown collection [3000]")
    parser.add_argument("--edits", type=int, default=1, help="successive edits to build [1]")
    parser.add_argument("--questions", type=int, default=200, help="first questions [200]")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--full",
        action="store_true",
        help="MkDocs on all notes too, and every first question to `note-bridge ask`",
    )
    return parser


def _parts(given: str) -> tuple[str, ...]:
    names = tuple(given.split(","))
    if unknown := [name for name in names if name not in PARTS]:
        raise argparse.ArgumentTypeError(f"no such part: {', '.join(unknown)}")
    return names


if __name__ == "__main__":
    sys.exit(main())
