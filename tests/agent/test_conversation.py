"""Stored entries as messages: every call is followed by its result, in order, and no other."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.conversation import (
    BATCH,
    NO_RESULT,
    assistant_body,
    batches,
    messages,
    requested_calls,
    result_body,
)
from agent.model import (
    Message,
    ProviderItem,
    Role,
    StopReason,
    TextContent,
    ToolCallContent,
    ToolResultContent,
)
from agent.model_turn import ModelTurn, RequestedCall
from storage.stores.entries import Entry
from storage.stores.tool_calls import ToolCall, ToolCallState

Body = tuple[str, Mapping[str, object]]


def entries(*bodies: Body) -> list[Entry]:
    return [
        Entry("s1", n, f"e{n}", role, "r1", dict(body), 0)
        for n, (role, body) in enumerate(bodies, start=1)
    ]


def call(n: int) -> RequestedCall:
    return RequestedCall(f"c{n}", "search_documents", {"query": str(n)})


def turn(text: str, *calls: RequestedCall, items: tuple[ProviderItem, ...] = ()) -> Body:
    return "assistant", assistant_body(ModelTurn(text, "", calls, items, None, StopReason.TOOL))


def given_back(*ids: str) -> Body:
    return "tool", {
        "results": [
            {"callId": each, "name": "search_documents", "text": f"r-{each}", "failed": False}
            for each in ids
        ]
    }


USER: Body = ("user", {"text": "How hot?"})


def shape(said: tuple[Message, ...]) -> list[str]:
    return [
        f"{message.role}:"
        + ",".join(
            part.id if isinstance(part, ToolCallContent) else part.call_id
            for part in message.content
            if isinstance(part, ToolCallContent | ToolResultContent)
        )
        for message in said
    ]


def test_results_stand_behind_their_calls_in_the_order_of_the_calls() -> None:
    said = messages(entries(USER, turn("", call(1), call(2)), given_back("c2", "c1")), "")
    assert shape(said) == ["user:", "assistant:c1,c2", "tool:c1,c2"]
    assert said[2].content[0] == ToolResultContent("c1", "search_documents", "r-c1")


def test_a_missing_result_is_an_error_and_an_orphan_is_dropped() -> None:
    said = messages(entries(USER, turn("", call(1), call(2)), given_back("c1", "c9")), "")
    assert shape(said) == ["user:", "assistant:c1,c2", "tool:c1,c2"]
    missing = said[2].content[1]
    assert missing == ToolResultContent("c2", "search_documents", NO_RESULT, failed=True)


def test_a_turn_whose_run_was_stopped_is_whole_all_the_same() -> None:
    stopped: Body = ("answer", {"text": "", "status": "cancelled", "message": ""})
    said = messages(entries(USER, turn("Let me look.", call(1)), stopped, USER), "")
    assert shape(said) == ["user:", "assistant:c1", "tool:c1", "user:"]


def test_the_answer_is_shown_as_the_turn_it_came_from() -> None:
    answer: Body = ("answer", {"text": "Hot [1].", "raw": "Hot [E1]."})
    said = messages(entries(USER, turn("Hot [E1]."), answer, USER), "")
    assert [message.text for message in said] == ["How hot?", "Hot [E1].", "How hot?"]


def test_an_answer_of_the_built_in_model_is_shown_as_the_models_own() -> None:
    answer: Body = ("answer", {"text": "Read [1].", "raw": "Read [E1]."})
    said = messages(entries(USER, turn("", call(1)), given_back("c1"), answer, USER), "")
    assert shape(said) == ["user:", "assistant:c1", "tool:c1", "assistant:", "user:"]
    assert said[3].text == "Read [E1]."


def test_a_turn_without_words_and_calls_is_no_message() -> None:
    assert shape(messages(entries(USER, turn("")), "")) == ["user:"]


def test_items_of_other_providers_are_left_out() -> None:
    items = (ProviderItem("mine", {"a": 1}), ProviderItem("other", {"b": 2}))
    said = messages(entries(USER, turn("Hot.", items=items)), "mine")
    assert said[1].content == (ProviderItem("mine", {"a": 1}), TextContent("Hot."))


def test_a_stored_turn_gives_back_its_calls_and_their_problems() -> None:
    calls = (call(1), RequestedCall("c2", "odd", {}, "The arguments were no valid JSON."))
    _, body = turn("", *calls)
    assert requested_calls(body) == calls


STATES = st.sampled_from(["user", "answer", "orphan"])


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3), STATES), max_size=6))
def test_however_runs_were_cut_a_model_sees_calls_and_results_paired(
    runs: list[tuple[int, int, str]],
) -> None:
    bodies: list[Body] = []
    number = 0
    for made, answered, end in runs:
        calls = [call(number + n) for n in range(made)]
        number += made
        bodies += [USER, turn("", *calls), given_back(*(each.id for each in calls[:answered]))]
        bodies.append(given_back("nobody") if end == "orphan" else (end, {"text": ""}))
    said = messages(entries(*bodies), "")
    open_calls: list[str] = []
    for message in said:
        if message.role is Role.TOOL:
            assert [part.call_id for part in message.content] == open_calls  # type: ignore[union-attr]
            open_calls = []
            continue
        assert open_calls == []
        open_calls = [part.id for part in message.content if isinstance(part, ToolCallContent)]
    assert open_calls == []


@pytest.mark.parametrize(
    ("state", "failed"),
    [(ToolCallState.DONE, False), (ToolCallState.FAILED, True), (ToolCallState.REFUSED, True)],
)
def test_a_result_says_whether_its_call_failed(state: ToolCallState, failed: bool) -> None:
    stored = ToolCall("r1", "c1", 1, 1, "search_documents", {}, {"text": "Tea."}, state, 0, 0)
    body = result_body(call(1), stored)
    assert body == {"callId": "c1", "name": "search_documents", "text": "Tea.", "failed": failed}


def test_a_call_without_a_stored_result_has_an_error() -> None:
    assert result_body(call(1), None)["text"] == NO_RESULT
    started = ToolCall("r1", "c1", 1, 1, "x", {}, None, ToolCallState.STARTED, 0, None)
    assert result_body(call(1), started)["failed"] is True


@given(st.lists(st.integers(0, 3 * BATCH // 2), max_size=12))
def test_batches_keep_order_and_bound(sizes: list[int]) -> None:
    results = [{"callId": f"c{n}", "text": "x" * size} for n, size in enumerate(sizes)]
    parts = list(batches(results))
    assert [each for part in parts for each in part] == results
    for part in parts:
        assert len(part) == 1 or sum(len(str(each["text"])) for each in part) <= BATCH
