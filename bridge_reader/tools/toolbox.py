"""The six read-only tools over one revision."""

from __future__ import annotations

from collections.abc import Mapping

from bridge_reader.clock import Clock
from bridge_reader.revision import BoundRevision
from bridge_reader.tools.arguments import invalid
from bridge_reader.tools.document import get_document
from bridge_reader.tools.library import Library
from bridge_reader.tools.network import get_knowledge_network
from bridge_reader.tools.overview import get_knowledge_overview
from bridge_reader.tools.related import get_related_documents
from bridge_reader.tools.result import ToolResult
from bridge_reader.tools.search import search_documents
from bridge_reader.tools.spec import ToolSpec
from bridge_reader.tools.toc import get_toc


class Toolbox:
    """The tools, bound to one revision: whatever they return comes from it."""

    def __init__(self, revision: BoundRevision, site_url: str, clock: Clock) -> None:
        """site_url: what the addresses of passages begin with (`Site.public_url`)."""
        library = Library(revision, site_url, clock)
        self._tools = {
            tool.spec.name: tool
            for tool in (
                get_knowledge_overview(library),
                search_documents(library),
                get_toc(library),
                get_document(library),
                get_knowledge_network(library),
                get_related_documents(library),
            )
        }

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """All tools, in a fixed order."""
        return tuple(tool.spec for tool in self._tools.values())

    async def call(self, name: str, arguments: Mapping[str, object]) -> ToolResult:
        """Runs a tool.

        Raises `NoteBridgeError`: INVALID_ARGUMENT for an unknown tool or argument, DOC_NOT_FOUND,
        SECTION_NOT_FOUND, SEARCH_UNAVAILABLE, and what reading raises (REVISION_EXPIRED,
        INTEGRITY_MISMATCH, SITE_UNREACHABLE, OBJECT_INVALID, OBJECT_TOO_LARGE).
        """
        tool = self._tools.get(name)
        if tool is None:
            raise invalid(
                f"There is no tool {name[:100]!r}.", hint=f"Tools: {', '.join(self._tools)}."
            )
        return await tool.run(arguments)
