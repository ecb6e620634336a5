"""What a run goes on with when the revision it reads is gone from its site."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bridge_reader.revision import ChainLink
from bridge_reader.tools.result import ToolResult
from bridge_reader.tools.spec import ToolSpec
from manifest.errors import NoteBridgeError


@dataclass(frozen=True, slots=True)
class ExpiredReading:
    """A reading without tools: every call of one is answered with why. Nothing newer is read."""

    revision: str
    error: NoteBridgeError

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """None: what is stored must do."""
        return ()

    async def call(self, name: str, arguments: Mapping[str, object]) -> ToolResult:
        """Raises REVISION_EXPIRED, also for calls that were made before."""
        raise self.error

    async def chain(self, doc_id: str) -> Sequence[ChainLink]:
        """Raises REVISION_EXPIRED."""
        raise self.error
