"""What a run is given: the revision it reads, and the ways to wait and to count time."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Protocol

from bridge_reader.revision import ChainLink
from bridge_reader.tools.result import ToolResult
from bridge_reader.tools.spec import ToolSpec


class Reading(Protocol):
    """One revision of one site, as a run reads it."""

    @property
    def revision(self) -> str:
        """The revision's hash."""
        ...

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """The tools."""
        ...

    async def call(self, name: str, arguments: Mapping[str, object]) -> ToolResult:
        """Runs a tool. Raises `NoteBridgeError`."""
        ...

    async def chain(self, doc_id: str) -> Sequence[ChainLink]:
        """The objects from the root to a document. Raises `NoteBridgeError`."""
        ...


OpenReading = Callable[[str, str], Awaitable[Reading]]
"""Opens a reading: (manifest address, revision; empty for the newest). Raises `NoteBridgeError`."""

Monotonic = Callable[[], int]
"""Milliseconds from a clock that only rises and counts sleep."""

Sleep = Callable[[float], Awaitable[None]]
"""Waits so many seconds."""
