"""The run as a state machine, without I/O: what follows each step, and where a run goes on."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.budget import DEFAULT_BUDGET, SUMMARY_BEFORE_MS, Allowance, allowance, tools_end_ms
from agent.conversation import assistant_body, stored_turn
from agent.model import ModelError, StopReason
from agent.model_turn import ModelTurn, RequestedCall
from agent.run_state import (
    LONGEST_WAIT_MS,
    RETRIES,
    Ask,
    CallTools,
    Close,
    Fail,
    Finalise,
    Step,
    StoredTurn,
    ask_within,
    step_from,
)
from manifest.errors import ErrorCode
from storage.stores.runs import Counts

CALL = RequestedCall("c1", "search_documents", {"query": "tea"})
NOTHING = Counts(requests=0, tool_calls=0, elapsed_ms=0, tokens=0)
PASSING = ModelError(ErrorCode.PROVIDER_UNAVAILABLE, "down")
LASTING = ModelError(ErrorCode.PROVIDER_AUTH_FAILED, "no key")


def turn(text: str = "", *calls: RequestedCall, stop: StopReason = StopReason.END) -> ModelTurn:
    return ModelTurn(text, "", calls, (), None, stop)


def test_words_are_finalised() -> None:
    assert Ask().next(turn("Tea."), Allowance.WORK) == Finalise("Tea.")


def test_calls_are_run_and_words_beside_them_are_no_answer_yet() -> None:
    assert Ask().next(turn("Let me look.", CALL), Allowance.WORK) == CallTools((CALL,))


def test_a_turn_cut_by_its_length_says_so() -> None:
    step = Ask().next(turn("Tea is", stop=StopReason.LENGTH), Allowance.WORK)
    assert step == Finalise("Tea is", "length")


@pytest.mark.parametrize("text", ["", " \n"])
def test_a_turn_without_words_is_closed_from_what_was_read(text: str) -> None:
    assert Ask().next(turn(text), Allowance.WORK) == Close("empty")
    assert Ask(summary=True).next(turn(text), Allowance.SPENT) == Close("summary")
    assert Ask().next(turn(text, stop=StopReason.LENGTH), Allowance.WORK) == Close("length")


def test_calls_in_a_summary_are_not_run() -> None:
    ask = Ask(summary=True)
    assert ask.next(turn("So far.", CALL), Allowance.SPENT) == Finalise("So far.", "summary")


@pytest.mark.parametrize(
    ("stop", "code"),
    [
        (StopReason.REFUSAL, ErrorCode.PROVIDER_REFUSED),
        (StopReason.FILTER, ErrorCode.PROVIDER_REFUSED),
        (StopReason.CONTEXT, ErrorCode.CONTEXT_OVERFLOW),
    ],
)
def test_an_answer_stopped_short_fails_whatever_it_held(stop: StopReason, code: ErrorCode) -> None:
    for said in (turn("Half", stop=stop), turn("", CALL, stop=stop)):
        step = Ask().next(said, Allowance.WORK)
        assert isinstance(step, Fail)
        assert step.code is code


def test_a_passing_fault_is_tried_again_later_each_time_and_then_fails() -> None:
    first = Ask().next(PASSING, Allowance.WORK)
    assert first == Ask(attempt=1, after_ms=1000)
    second = Ask(attempt=1).next(PASSING, Allowance.WORK)
    assert second == Ask(attempt=2, after_ms=2000)
    third = Ask(attempt=RETRIES).next(PASSING, Allowance.WORK)
    assert third == Fail(PASSING.code, PASSING.message)


def test_the_provider_says_when_to_come_again_but_nobody_waits_for_hours() -> None:
    soon = replace(PASSING, retry_after_ms=7000)
    assert Ask().next(soon, Allowance.WORK) == Ask(1, 7000)
    assert Ask().next(replace(PASSING, retry_after_ms=0), Allowance.WORK) == Ask(1, 0)
    late = replace(PASSING, retry_after_ms=LONGEST_WAIT_MS + 1)
    assert Ask().next(late, Allowance.WORK) == Fail(PASSING.code, PASSING.message)


def test_a_lasting_fault_fails_at_once() -> None:
    assert Ask().next(LASTING, Allowance.WORK) == Fail(LASTING.code, LASTING.message)


def test_a_retry_that_comes_late_asks_for_the_summary() -> None:
    assert Ask().next(PASSING, Allowance.SUMMARISE) == Ask(1, 1000, summary=True)
    assert Ask(1, 1000).waited(Allowance.SUMMARISE) == Ask(1, 0, summary=True)
    assert Ask(1, 1000, summary=True).waited(Allowance.WORK) == Ask(1, 0, summary=True)


@pytest.mark.parametrize("fault", [PASSING, LASTING])
def test_a_summary_that_fails_is_closed_from_what_was_read(fault: ModelError) -> None:
    ask = Ask(RETRIES, summary=True)
    assert ask.next(fault, Allowance.SUMMARISE) == Close("summary")


@pytest.mark.parametrize(
    ("over", "reason"), [(Allowance.OVERDUE, "deadline"), (Allowance.SPENT, "budget")]
)
def test_nothing_is_asked_any_more_once_it_is_over(over: Allowance, reason: str) -> None:
    assert ask_within(over) == Close(reason)
    assert Ask().next(PASSING, over) == Close(reason)
    assert Ask(1, 1000).waited(over) == Close(reason)
    assert CallTools((CALL,)).next(over) == Close(reason)
    assert step_from(StoredTurn("tool"), over) == Close(reason)
    # What the model has said already is used.
    assert Ask().next(turn("Tea."), over) == Finalise("Tea.")


def test_after_tools_comes_the_next_request() -> None:
    assert CallTools((CALL,)).next(Allowance.WORK) == Ask()
    assert CallTools((CALL,)).next(Allowance.SUMMARISE) == Ask(summary=True)


def test_every_step_is_reached() -> None:
    reached = {
        type(step)
        for allowed in Allowance
        for outcome in (turn("Tea."), turn("", CALL), turn(), PASSING, LASTING)
        for step in (Ask().next(outcome, allowed), ask_within(allowed))
    }
    assert reached == set(get_args(Step))


STOPS = st.sampled_from(list(StopReason))
TURNS = st.builds(
    turn, st.sampled_from(["", "Tea."]), *[st.just(CALL)] * 1, stop=STOPS
) | st.builds(turn, st.sampled_from(["", "Tea."]), stop=STOPS)


@given(said=TURNS, summary=st.booleans(), allowed=st.sampled_from(list(Allowance)))
def test_a_run_goes_on_after_a_restart_as_it_would_have_without_one(
    said: ModelTurn, summary: bool, allowed: Allowance
) -> None:
    stored = stored_turn(assistant_body(said, summary=summary))
    assert step_from(stored, allowed) == Ask(summary=summary).next(said, allowed)


@pytest.mark.parametrize("role", ["user", "tool"])
def test_before_and_between_turns_a_run_goes_on_by_asking(role: str) -> None:
    assert step_from(StoredTurn(role), Allowance.WORK) == Ask()
    assert step_from(StoredTurn(role), Allowance.SUMMARISE) == Ask(summary=True)


# What a run may do


def allowed(summarised: bool = False, **counts: int) -> Allowance:
    return allowance(DEFAULT_BUDGET, replace(NOTHING, **counts), summarised=summarised)


def test_tools_end_ninety_seconds_before_the_deadline() -> None:
    assert tools_end_ms(DEFAULT_BUDGET) == 18 * 60_000 + 30_000
    assert SUMMARY_BEFORE_MS == 90_000
    assert allowed(elapsed_ms=18 * 60_000 + 29_999) is Allowance.WORK
    assert allowed(elapsed_ms=18 * 60_000 + 30_000) is Allowance.SUMMARISE
    assert allowed(elapsed_ms=19 * 60_000 + 59_999) is Allowance.SUMMARISE
    assert allowed(elapsed_ms=20 * 60_000) is Allowance.OVERDUE


def test_after_the_requests_there_is_one_summary() -> None:
    assert allowed(requests=31) is Allowance.WORK
    assert allowed(requests=32) is Allowance.SUMMARISE
    assert allowed(requests=32, summarised=True) is Allowance.SPENT
    assert allowed(requests=33, summarised=True) is Allowance.SPENT


def test_a_summary_lost_in_a_crash_is_sent_again_while_requests_are_left() -> None:
    late = 18 * 60_000 + 30_000
    assert allowed(requests=5, elapsed_ms=late, summarised=True) is Allowance.SUMMARISE
    assert allowed(requests=32, elapsed_ms=late, summarised=True) is Allowance.SPENT


def test_spent_tokens_end_the_asking_and_time_goes_before() -> None:
    tokens = DEFAULT_BUDGET.max_tokens
    assert allowed(tokens=tokens - 1) is Allowance.WORK
    assert allowed(tokens=tokens) is Allowance.SPENT
    assert allowed(tokens=tokens, elapsed_ms=20 * 60_000) is Allowance.OVERDUE


@given(st.integers(0, 40), st.integers(0, 25 * 60_000), st.integers(0, 5_000_000), st.booleans())
def test_using_more_never_allows_more(
    requests: int, elapsed: int, tokens: int, summarised: bool
) -> None:
    order = [Allowance.WORK, Allowance.SUMMARISE, Allowance.SPENT, Allowance.OVERDUE]
    now = allowed(summarised, requests=requests, elapsed_ms=elapsed, tokens=tokens)
    for more in (
        {"requests": requests + 1},
        {"elapsed_ms": elapsed + 60_000},
        {"tokens": tokens * 2},
    ):
        used = {"requests": requests, "elapsed_ms": elapsed, "tokens": tokens} | more
        assert order.index(allowed(summarised, **used)) >= order.index(now)
