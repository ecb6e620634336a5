"""The six read-only tools over one revision."""

from __future__ import annotations

from collections.abc import Mapping

from bridge_reader.revision import BoundRevision
from bridge_reader.tools.result import ToolResult
from bridge_reader.tools.spec import Clock, ToolSpec


class Toolbox:
    """The tools, bound to one revision: whatever they return comes from it."""

    def __init__(self, revision: BoundRevision, site_url: str, clock: Clock) -> None:
        """site_url: what the addresses of passages begin with."""
        raise NotImplementedError

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """All tools, in a fixed order."""
        raise NotImplementedError

    async def call(self, name: str, arguments: Mapping[str, object]) -> ToolResult:
        """Runs a tool.

        Raises `NoteBridgeError`: INVALID_ARGUMENT for an unknown tool or argument, DOC_NOT_FOUND,
        SECTION_NOT_FOUND, and what reading raises (REVISION_EXPIRED, INTEGRITY_MISMATCH,
        SITE_UNREACHABLE, OBJECT_INVALID, OBJECT_TOO_LARGE).
        """
        raise NotImplementedError
