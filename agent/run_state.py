"""The run as a state machine without I/O: each step says, from its outcome, which step follows.

The driver (`loop`) carries steps out and commits what they give; it decides nothing. Where a run
stands can always be read off what is stored (`step_from`), which is how recovery goes on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from agent.budget import Allowance
from agent.model import ModelError, StopReason
from agent.model_turn import ModelTurn, RequestedCall
from manifest.errors import ErrorCode

RETRIES = 2
"""How often one turn is asked again after a passing fault."""

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
    the run's last."""

    attempt: int = 0
    after_ms: int = 0
    summary: bool = False

    def next(self, outcome: ModelTurn | ModelError, allowed: Allowance) -> Step:
        """What follows the model's turn, or its failure."""
        if isinstance(outcome, ModelError):
            return self._after_error(outcome, allowed)
        if outcome.calls and not self.summary:
            return CallTools(outcome.calls)
        if outcome.stop in _STOPPED_SHORT:
            return Fail(*_STOPPED_SHORT[outcome.stop])
        reason = "length" if outcome.stop is StopReason.LENGTH else ""
        return Finalise(outcome.text, "summary" if self.summary and not reason else reason)

    def _after_error(self, error: ModelError, allowed: Allowance) -> Step:
        if allowed is Allowance.CLOSE:
            return Close("deadline")
        if error.code in _PASSING and self.attempt < RETRIES:
            wait = error.retry_after_ms
            backoff = 1000 * 2**self.attempt if wait is None else wait
            return Ask(self.attempt + 1, backoff, summary=self.summary)
        return Fail(error.code, error.message)


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


def ask_within(allowed: Allowance) -> Step:
    """The next request that is still allowed, or the end of asking."""
    if allowed is Allowance.CLOSE:
        return Close("deadline")
    return Ask(summary=allowed is Allowance.SUMMARISE)


@dataclass(frozen=True, slots=True)
class StoredTurn:
    """The last thing a run has stored: who spoke (`user`, `assistant`, `tool`), the words, and
    the calls of an assistant's turn that have no result yet."""

    role: str
    text: str
    calls: tuple[RequestedCall, ...]
    reason: str = ""


def step_from(stored: StoredTurn, allowed: Allowance) -> Step:
    """The step at which a run goes on."""
    if stored.role != "assistant":
        return ask_within(allowed)
    if stored.calls:
        return CallTools(stored.calls)
    return Finalise(stored.text, stored.reason)


def surplus(calls: Sequence[RequestedCall], offered: frozenset[str]) -> dict[str, str]:
    """Calls that cannot be run, by id, and what the model is told of each."""
    told: dict[str, str] = {}
    for call in calls:
        if call.problem:
            told[call.id] = call.problem
        elif call.name not in offered:
            told[call.id] = f"There is no tool {call.name!r}."
    return told
