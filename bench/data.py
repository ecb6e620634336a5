"""Where test data is: the folder that the environment variable NOTE_BRIDGE_TEST_DATA names."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

VARIABLE = "NOTE_BRIDGE_TEST_DATA"


class DataMissing(Exception):
    """A part of the benchmarks needs data that is not there; the message says which."""


@dataclass(frozen=True, slots=True)
class Datasets:
    """The folder with `corpora/` and `eval/`; None where the variable names none."""

    folder: Path | None

    @classmethod
    def of_environment(cls, environment: Mapping[str, str] = os.environ) -> Datasets:
        """What the variable names."""
        named = environment.get(VARIABLE, "")
        return cls(Path(named) if named else None)

    @property
    def note_zh(self) -> Path:
        """A folder of 309 real Chinese notes. Raises DataMissing."""
        return self._require("corpora/note-zh/doc")

    @property
    def cmrc2018_dev(self) -> Path:
        """CMRC2018's development set: 848 passages, 3,219 questions. Raises DataMissing."""
        return self._require("eval/cmrc2018_dev.json")

    @property
    def chunking_evaluation(self) -> Path:
        """Five long English texts with questions and gold spans. Raises DataMissing."""
        return self._require("eval/chunking_evaluation")

    def _require(self, path: str) -> Path:
        if self.folder is None:
            raise DataMissing(f"the environment variable {VARIABLE} names no folder")
        found = self.folder / path
        if not found.exists():
            raise DataMissing(f"{path} is not in the folder that {VARIABLE} names")
        return found
