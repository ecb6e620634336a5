"""How much was written."""

from __future__ import annotations

from typing import NamedTuple


class Volume(NamedTuple):
    """Files and their bytes."""

    files: int = 0
    size: int = 0

    def plus(self, size: int) -> Volume:
        """One file more."""
        return Volume(self.files + 1, self.size + size)


NOTHING = Volume()
