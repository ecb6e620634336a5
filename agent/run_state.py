"""The run as a state machine without I/O: each step says, from its outcome, which step follows.

The driver (`loop`) carries steps out and commits what they give; it decides nothing. Where a run
stands can always be read off what is stored (`step_from`), which is how recovery goes on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from agent.budget import Allowance
from agent.model import ModelError, StopReason
from agent.model_turn import ModelTurn, RequestedCall
from manifest.errors import ErrorCode

RETRIES = 2
"""How often one turn is asked again after a passing fault."""

LONGEST_WAIT_MS = 60_000
"""A provider that wants to be left alone for longer has failed: nobody waits that long."""

_PASSING = frozenset(
    {
        ErrorCode.PROVIDER_RATE_LIMITED,
        ErrorCode.PROVIDER_TIMEOUT,
        ErrorCode.PROVIDER_UNAVAILABLE,
        ErrorCode.PROVIDER_STREAM_BROKEN,
    }
)

_STOPPED_SHORT = {
    StopReason.REFUSAL: (ErrorCode.PROVIDER_REFUSED, "The model refused to answer."),
    StopReason.FILTER: (ErrorCode.PROVIDER_REFUSED, "The provider's filter stopped the answer."),
    StopReason.CONTEXT: (ErrorCode.CONTEXT_OVERFLOW, "The conversation no longer fits the model."),
}


@dataclass(frozen=True, slots=True)
class Ask:
    """Send a request. attempt counts from 0; after_ms: wait so long first. summary: without tools,
    for the answer."""

    attempt: int = 0
    after_ms: int = 0
    summary: bool = False

    def waited(self, allowed: Allowance) -> Step:
        """What follows once the wait is over."""
        if allowed in _OVER:
            return _close(allowed)
        return Ask(self.attempt, summary=self.summary or allowed is Allowance.SUMMARISE)

    def next(self, outcome: ModelTurn | ModelError, allowed: Allowance) -> Step:
        """What follows the model's turn, or its failure."""
        if isinstance(outcome, ModelError):
            return self._after_error(outcome, allowed)
        return _after_turn(outcome.text, outcome.calls, outcome.stop, summary=self.summary)

    def _after_error(self, error: ModelError, allowed: Allowance) -> Step:
        if allowed in _OVER:
            return _close(allowed)
        wait = error.retry_after_ms
        if wait is None:
            wait = 1000 * 2**self.attempt
        if error.code in _PASSING and self.attempt < RETRIES and wait <= LONGEST_WAIT_MS:
            summary = self.summary or allowed is Allowance.SUMMARISE
            return Ask(self.attempt + 1, wait, summary=summary)
        return Close("summary") if self.summary else Fail(error.code, error.message)


@dataclass(frozen=True, slots=True)
class CallTools:
    """Run the calls of a turn; every one of them gets a result."""

    calls: tuple[RequestedCall, ...]

    def next(self, allowed: Allowance) -> Step:
        """What follows once all results are stored."""
        return ask_within(allowed)


@dataclass(frozen=True, slots=True)
class Finalise:
    """Check the citations of an answer; no model is asked."""

    text: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Close:
    """Answer from stored evidence, with the built-in model alone."""

    reason: str


@dataclass(frozen=True, slots=True)
class Fail:
    """End without an answer."""

    code: ErrorCode
    message: str


Step: TypeAlias = Ask | CallTools | Finalise | Close | Fail

_OVER = {Allowance.OVERDUE: "deadline", Allowance.SPENT: "budget"}
"""Where no model is asked any more: the reason of the answer."""


def ask_within(allowed: Allowance) -> Step:
    """The next request that is still allowed, or the end of asking."""
    return Ask().waited(allowed)


def _close(allowed: Allowance) -> Close:
    return Close(_OVER[allowed])


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """The last thing a run has stored: who spoke (`user`, `assistant`, `tool`), and of a model's
    turn the words, the calls, why it stopped, and whether it was the summary."""

    role: str
    text: str = ""
    calls: tuple[RequestedCall, ...] = ()
    stop: StopReason = StopReason.END
    summary: bool = False


def step_from(stored: StoredTurn, allowed: Allowance) -> Step:
    """The step at which a run goes on: the one that followed when this was stored."""
    if stored.role != "assistant":
        return ask_within(allowed)
    return _after_turn(stored.text, stored.calls, stored.stop, summary=stored.summary)


def _after_turn(
    text: str, calls: tuple[RequestedCall, ...], stop: StopReason, *, summary: bool
) -> Step:
    if stop in _STOPPED_SHORT:
        return Fail(*_STOPPED_SHORT[stop])
    if calls and not summary:
        return CallTools(calls)
    reason = "length" if stop is StopReason.LENGTH else "summary" if summary else ""
    # A turn without words is no answer; what was read may still hold one.
    return Finalise(text, reason) if text.strip() else Close(reason or "empty")
