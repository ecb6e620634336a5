"""What goes to a model and what comes back: one request, one closed union of events.

Adapters of providers translate from and to these types and know nothing of runs. Content is
neutral: text, tool calls, tool results, and opaque items that only the adapter that made them can
read. Tool call ids in content are ours; an adapter keeps the provider's own beside them.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol, TypeAlias

from manifest.errors import ErrorCode


class Effort(StrEnum):
    """How hard a model shall think. DEFAULT sends nothing to the provider."""

    DEFAULT = "default"
    NONE = "none"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    MAX = "max"


@dataclass(frozen=True, slots=True)
class TextContent:
    """Words."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolCallContent:
    """A call that the model made. id is ours; arguments are the JSON object it gave."""

    id: str
    name: str
    arguments: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ToolResultContent:
    """What a call returned. text is data and never instruction; failed marks an error."""

    call_id: str
    name: str
    text: str
    failed: bool = False


@dataclass(frozen=True, slots=True)
class ProviderItem:
    """Something only one adapter understands: a thinking signature, encrypted reasoning.

    tag names adapter, URL and model; the item is returned verbatim to the same tag, else dropped
    together with its partner. partner is the id of the tool call it belongs to, empty for none.
    """

    tag: str
    data: Mapping[str, object]
    partner: str = ""


Content: TypeAlias = TextContent | ToolCallContent | ToolResultContent | ProviderItem


class Role(StrEnum):
    """Who speaks in a message. Results of tools come in a message of their own."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of the conversation."""

    role: Role
    content: tuple[Content, ...]

    @property
    def text(self) -> str:
        """Its words, without calls and results."""
        return "".join(part.text for part in self.content if isinstance(part, TextContent))


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """A tool as a model sees it. parameters is a JSON schema of an object."""

    name: str
    description: str
    parameters: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request to a model.

    id names it in events and logs; the sender gives it. An empty `tools` asks for an answer in
    words. max_output is in tokens. Its count in the ledger precedes it: only `agent.sender` sends.
    """

    id: str
    model: str
    system: str
    messages: tuple[Message, ...]
    tools: tuple[ToolDefinition, ...] = ()
    effort: Effort = Effort.DEFAULT
    max_output: int = 16_384


@dataclass(frozen=True, slots=True)
class TextDelta:
    """More words of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class ThinkingDelta:
    """More of what the model lets be seen of its thinking."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolCallStart:
    """A tool call begins. key tells the calls of one stream apart; it is the provider's."""

    key: str
    name: str


@dataclass(frozen=True, slots=True)
class ToolCallDelta:
    """More of a call's arguments, as JSON text."""

    key: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ToolCallEnd:
    """A call's arguments are complete."""

    key: str


@dataclass(frozen=True, slots=True)
class ProviderItemEvent:
    """An opaque item to keep. key: of the tool call it belongs to, empty for none."""

    item: ProviderItem
    key: str = ""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one request. uncached + cache_read + cache_write are those of the input;
    reasoning is part of output."""

    uncached: int = 0
    cache_read: int = 0
    cache_write: int = 0
    output: int = 0
    reasoning: int = 0

    @property
    def total(self) -> int:
        """All tokens that count against a run's budget."""
        return self.uncached + self.cache_read + self.cache_write + self.output

    def counts(self) -> dict[str, int]:
        """By name, as events and the ledger carry it."""
        return {
            "uncached": self.uncached,
            "cacheRead": self.cache_read,
            "cacheWrite": self.cache_write,
            "output": self.output,
            "reasoning": self.reasoning,
        }


class StopReason(StrEnum):
    """Why a stream ended of itself."""

    END = "end"
    TOOL = "tool"
    LENGTH = "length"
    REFUSAL = "refusal"
    FILTER = "filter"
    CONTEXT = "context"


@dataclass(frozen=True, slots=True)
class Done:
    """The stream's end: nothing follows."""

    reason: StopReason


@dataclass(frozen=True, slots=True)
class ModelError:
    """The stream's end by an error. retry_after_ms: when the provider says to come again."""

    code: ErrorCode
    message: str
    hint: str = ""
    retry_after_ms: int | None = None


ModelEvent: TypeAlias = (
    TextDelta
    | ThinkingDelta
    | ToolCallStart
    | ToolCallDelta
    | ToolCallEnd
    | ProviderItemEvent
    | Usage
    | Done
    | ModelError
)


class Model(Protocol):
    """Something that answers requests: an adapter of a provider, or the built-in model.

    The stream ends with `Done` or `ModelError`; one that just stops is broken. Closing the
    iterator closes the connection. Exceptions other than `NoteBridgeError` never come out.
    """

    def stream(self, request: ModelRequest) -> AsyncIterator[ModelEvent]: ...


@dataclass(frozen=True, slots=True)
class ModelProfile:
    """What is known of a model. window and max_output are in tokens.

    provider_tag is what its opaque items are tagged with. local: runs in this process, so that
    nothing leaves it.
    """

    name: str
    window: int = 1_000_000
    max_output: int = 16_384
    efforts: frozenset[Effort] = field(default_factory=lambda: frozenset({Effort.DEFAULT}))
    tools: bool = True
    provider_tag: str = ""
    local: bool = False


class Models(Protocol):
    """The models at hand."""

    def profile(self, name: str) -> ModelProfile:
        """What is known of that model. Raises MODEL_NOT_FOUND."""

    def get(self, name: str) -> Model:
        """The model itself. Raises MODEL_NOT_FOUND, PROVIDER_AUTH_FAILED without its key."""


def tools_named(tools: Sequence[ToolDefinition]) -> frozenset[str]:
    """The names of tools that a request offers."""
    return frozenset(tool.name for tool in tools)
