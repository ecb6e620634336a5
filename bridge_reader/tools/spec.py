"""What a tool is: its name, what it says of itself, what it takes, and how it is called."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from bridge_reader.clock import Clock
from bridge_reader.tools.result import ToolResult
from manifest.canonical import Json

__all__ = ["Clock", "Tool", "ToolSpec"]


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as models and MCP clients are told of it. parameters: a JSON schema (an object)."""

    name: str
    description: str
    parameters: dict[str, Json]


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool and the function behind it, which takes arguments that are not yet checked."""

    spec: ToolSpec
    run: Callable[[Mapping[str, object]], Awaitable[ToolResult]]
