"""A stream becomes a turn only if it is whole; whatever a provider gets wrong is told apart."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.model import (
    Done,
    ModelError,
    ModelEvent,
    ProviderItem,
    ProviderItemEvent,
    StopReason,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
    Usage,
)
from agent.model_turn import ARGUMENTS_LIMIT, CALLS_LIMIT, ModelTurn, TurnGatherer
from manifest.errors import ErrorCode


def gather(*events: ModelEvent) -> ModelTurn | ModelError:
    ids = (f"call-{n}" for n in itertools.count(1))
    gatherer = TurnGatherer(lambda: next(ids))
    for event in events:
        gatherer.take(event)
    gatherer.end_of_stream()
    return gatherer.outcome()


def turn(*events: ModelEvent) -> ModelTurn:
    outcome = gather(*events)
    assert isinstance(outcome, ModelTurn)
    return outcome


def call(key: str, name: str, *arguments: str) -> list[ModelEvent]:
    return [
        ToolCallStart(key, name),
        *(ToolCallDelta(key, each) for each in arguments),
        ToolCallEnd(key),
    ]


def test_words_thinking_usage_and_end_make_a_turn() -> None:
    made = turn(
        ThinkingDelta("hm"),
        TextDelta("It "),
        Usage(uncached=7, output=3),
        TextDelta("is."),
        Done(StopReason.END),
    )
    assert (made.text, made.thinking, made.stop) == ("It is.", "hm", StopReason.END)
    assert made.usage == Usage(uncached=7, output=3)
    assert made.usage.total == 10


def test_calls_get_our_ids_and_their_arguments_in_order() -> None:
    made = turn(
        ToolCallStart("b", "search"),
        ToolCallStart("a", "read"),
        ToolCallDelta("a", '{"docId":'),
        ToolCallDelta("b", '{"query": "x"}'),
        ToolCallDelta("a", '"d"}'),
        ToolCallEnd("a"),
        ToolCallEnd("b"),
        Done(StopReason.TOOL),
    )
    assert [(each.id, each.name, each.arguments) for each in made.calls] == [
        ("call-1", "search", {"query": "x"}),
        ("call-2", "read", {"docId": "d"}),
    ]


def test_a_call_without_arguments_has_none() -> None:
    assert turn(*call("a", "overview"), Done(StopReason.TOOL)).calls[0].arguments == {}


@pytest.mark.parametrize(
    "arguments", ["{", "[1]", '"text"', "nul", '{"a": NaN}', "1" * 5000, "[" * 9000]
)
def test_arguments_that_are_no_object_are_a_problem_of_the_call_alone(arguments: str) -> None:
    made = turn(*call("a", "search", arguments), *call("b", "search", "{}"), Done(StopReason.TOOL))
    assert made.calls[0].problem
    assert made.calls[0].arguments == {}
    assert not made.calls[1].problem


def test_calls_cut_by_the_output_limit_are_not_run() -> None:
    made = turn(*call("a", "search", '{"query": "x"}'), Done(StopReason.LENGTH))
    assert made.calls[0].problem


def test_an_opaque_item_keeps_the_call_it_belongs_to() -> None:
    item = ProviderItem("anthropic https://x m", {"signature": "s"})
    made = turn(
        ToolCallStart("a", "search"),
        ProviderItemEvent(item, "a"),
        ProviderItemEvent(item),
        ToolCallEnd("a"),
        Done(StopReason.TOOL),
    )
    assert [each.partner for each in made.items] == ["call-1", ""]


@pytest.mark.parametrize(
    "events",
    [
        [],
        [TextDelta("half a sent")],
        [*call("a", "search", "{}")],
        [ToolCallDelta("a", "{}"), Done(StopReason.END)],
        [ToolCallEnd("a"), Done(StopReason.END)],
        [*call("a", "search"), ToolCallDelta("a", "{}"), Done(StopReason.END)],
        [ToolCallStart("a", "search"), ToolCallStart("a", "search"), Done(StopReason.TOOL)],
        [TextDelta("x"), Done(StopReason.TOOL)],
        [ToolCallStart("a", "s"), ToolCallDelta("a", "x" * (ARGUMENTS_LIMIT + 1))],
        [ToolCallStart(str(n), "s") for n in range(CALLS_LIMIT + 1)],
    ],
)
def test_a_stream_out_of_order_or_without_its_end_is_broken(events: list[ModelEvent]) -> None:
    outcome = gather(*events)
    assert isinstance(outcome, ModelError)
    assert outcome.code is ErrorCode.PROVIDER_STREAM_BROKEN


def test_an_error_is_the_outcome_and_nothing_after_it_counts() -> None:
    error = ModelError(ErrorCode.PROVIDER_RATE_LIMITED, "slow down", retry_after_ms=5)
    assert gather(TextDelta("x"), error, TextDelta("y"), Done(StopReason.END)) == error


def test_nothing_after_the_end_counts() -> None:
    assert turn(TextDelta("x"), Done(StopReason.END), TextDelta("y")).text == "x"


_EVENTS = st.lists(
    st.one_of(
        st.builds(TextDelta, st.text(max_size=5)),
        st.builds(ThinkingDelta, st.text(max_size=5)),
        st.builds(ToolCallStart, st.sampled_from("ab"), st.just("search")),
        st.builds(
            ToolCallDelta, st.sampled_from("ab"), st.sampled_from(['{"q":', "1}", "{}", "x"])
        ),
        st.builds(ToolCallEnd, st.sampled_from("ab")),
        st.builds(Usage, st.integers(0, 9)),
        st.builds(Done, st.sampled_from(StopReason)),
    ),
    max_size=14,
)


@given(_EVENTS)
def test_whatever_comes_the_outcome_is_a_whole_turn_or_an_error(events: list[ModelEvent]) -> None:
    outcome = gather(*events)
    ended = any(isinstance(event, Done) for event in events)
    assert ended or isinstance(outcome, ModelError)
    if isinstance(outcome, ModelTurn):
        assert len({each.id for each in outcome.calls}) == len(outcome.calls)
