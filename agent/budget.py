"""Budgets: what one run may use, and what it may still do at a given moment.

Counting is the ledger's (`storage`), before a request leaves; here is only what follows from the
counts and the clock.
"""

from __future__ import annotations

from enum import Enum, auto

from storage.stores.runs import Budget, Counts

MAX_REQUESTS = 32
"""Requests to a model, retries and recovery among them; one summary without tools on top."""

MAX_TOOL_CALLS = 128
MINUTE_MS = 60_000
DEADLINE_MS = 20 * MINUTE_MS
SUMMARY_BEFORE_MS = 90_000
"""So long before the deadline tools stop and the summary starts."""

MAX_TOKENS = 4_000_000

DEFAULT_BUDGET = Budget(
    max_requests=MAX_REQUESTS,
    max_tool_calls=MAX_TOOL_CALLS,
    deadline_ms=DEADLINE_MS,
    max_tokens=MAX_TOKENS,
)


class Allowance(Enum):
    """What a run may still do."""

    WORK = auto()
    """Ask with tools."""
    SUMMARISE = auto()
    """Ask without tools, for the answer."""
    OVERDUE = auto()
    """Its time is over: answer from the evidence that is stored."""
    SPENT = auto()
    """Its requests or tokens are used up: the same."""


def allowance(budget: Budget, counts: Counts, *, summarised: bool) -> Allowance:
    """What a run with these counts may do next; summarised: a summary was sent already, which
    takes the one request on top of `max_requests`."""
    if counts.elapsed_ms >= budget.deadline_ms:
        return Allowance.OVERDUE
    if counts.tokens >= budget.max_tokens:
        return Allowance.SPENT
    if counts.requests >= budget.max_requests:
        extra = counts.requests == budget.max_requests and not summarised
        return Allowance.SUMMARISE if extra else Allowance.SPENT
    late = counts.elapsed_ms >= tools_end_ms(budget)
    return Allowance.SUMMARISE if late else Allowance.WORK


def tools_end_ms(budget: Budget) -> int:
    """The working time after which no tool runs any more."""
    return budget.deadline_ms - SUMMARY_BEFORE_MS
