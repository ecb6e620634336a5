"""Stored entries as the messages of a request.

Every call sent to a model has its result, in order, in the message after it: a missing one is
filled with an error, a result without its call is dropped.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from agent.model import (
    Content,
    Message,
    ProviderItem,
    Role,
    TextContent,
    ToolCallContent,
    ToolResultContent,
)
from agent.model_turn import ModelTurn, RequestedCall
from storage.stores.entries import Entry

USER = "user"
ASSISTANT = "assistant"
TOOL = "tool"
ANSWER = "answer"
"""The checked answer of a run; models are shown the turn it came from instead."""

NO_RESULT = "The call was interrupted and has no result."

Body = Mapping[str, Any]


def assistant_body(turn: ModelTurn, reason: str = "") -> dict[str, object]:
    """What is stored of a model's turn."""
    return {
        "text": turn.text,
        "reason": reason,
        "calls": [
            {
                "id": call.id,
                "name": call.name,
                "arguments": call.arguments,
                "problem": call.problem,
            }
            for call in turn.calls
        ],
        "items": [
            {"tag": item.tag, "data": dict(item.data), "partner": item.partner}
            for item in turn.items
        ],
    }


def requested_calls(body: Body) -> tuple[RequestedCall, ...]:
    """The calls of a stored turn."""
    return tuple(
        RequestedCall(call["id"], call["name"], dict(call["arguments"]), call.get("problem", ""))
        for call in body.get("calls", ())
    )


def messages(entries: Sequence[Entry], provider_tag: str) -> tuple[Message, ...]:
    """The conversation so far. provider_tag: opaque items of other providers are left out."""
    results = _results(entries)
    said: list[Message] = []
    for entry in entries:
        body: Body = entry.body
        if entry.role == USER:
            said.append(Message(Role.USER, (TextContent(body["text"]),)))
        elif entry.role == ASSISTANT:
            said.extend(_turn(body, results, provider_tag))
    return tuple(said)


def _results(entries: Iterable[Entry]) -> dict[str, ToolResultContent]:
    found: dict[str, ToolResultContent] = {}
    for entry in entries:
        if entry.role == TOOL:
            body: Body = entry.body
            for result in body["results"]:
                found[result["callId"]] = ToolResultContent(
                    result["callId"], result["name"], result["text"], result["failed"]
                )
    return found


def _turn(
    body: Body, results: Mapping[str, ToolResultContent], provider_tag: str
) -> Iterable[Message]:
    calls = requested_calls(body)
    content: list[Content] = [
        ProviderItem(item["tag"], item["data"], item["partner"])
        for item in body.get("items", ())
        if item["tag"] == provider_tag
    ]
    if body["text"]:
        content.append(TextContent(body["text"]))
    content.extend(ToolCallContent(call.id, call.name, call.arguments) for call in calls)
    if content:
        yield Message(Role.ASSISTANT, tuple(content))
    if calls:
        yield Message(
            Role.TOOL,
            tuple(
                results.get(call.id, ToolResultContent(call.id, call.name, NO_RESULT, failed=True))
                for call in calls
            ),
        )
