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
    StopReason,
    TextContent,
    ToolCallContent,
    ToolResultContent,
)
from agent.model_turn import ModelTurn, RequestedCall
from agent.run_state import StoredTurn
from storage.stores.entries import Entry
from storage.stores.tool_calls import ToolCall, ToolCallState

USER = "user"
ASSISTANT = "assistant"
TOOL = "tool"
ANSWER = "answer"
"""The checked answer of a run; models are shown the turn it came from instead, where there is
one."""

BATCH = 200_000
"""Characters of results in one entry: a turn may read many long documents at once."""

NO_RESULT = "The call was interrupted and has no result."

Body = Mapping[str, Any]


def assistant_body(turn: ModelTurn, *, summary: bool = False) -> dict[str, object]:
    """What is stored of a model's turn: all that its successor follows from."""
    return {
        "text": turn.text,
        "stop": str(turn.stop),
        "summary": summary,
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


def stored_turn(body: Body) -> StoredTurn:
    """A stored turn, as what follows it is decided from."""
    return StoredTurn(
        ASSISTANT,
        body["text"],
        requested_calls(body),
        StopReason(body["stop"]),
        summary=body["summary"],
    )


def result_body(call: RequestedCall, stored: ToolCall | None) -> dict[str, object]:
    """What is stored of a call's result for the conversation."""
    told: dict[str, object] = {"callId": call.id, "name": call.name}
    if stored is None or stored.result is None:
        return {**told, "text": NO_RESULT, "failed": True}
    failed = stored.state is not ToolCallState.DONE
    return {**told, "text": stored.result["text"], "failed": failed}


def batches(results: Iterable[Mapping[str, object]]) -> Iterable[list[Mapping[str, object]]]:
    """The results in order, parted so that a part has at most `BATCH` characters or one result."""
    batch: list[Mapping[str, object]] = []
    size = 0
    for result in results:
        length = len(str(result["text"]))
        if batch and size + length > BATCH:
            yield batch
            batch, size = [], 0
        batch.append(result)
        size += length
    if batch:
        yield batch


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
        elif entry.role == ANSWER and body.get("raw") and said[-1].role is not Role.ASSISTANT:
            # No turn of the model's: the built-in model has closed the run.
            said.append(Message(Role.ASSISTANT, (TextContent(body["raw"]),)))
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
