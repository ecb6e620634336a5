"""What a verification found."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from manifest.errors import ErrorCode

Progress = Callable[[str, int, int], None]
"""Told what is being checked, how many of it are done, and how many there are (0: not known)."""


def no_progress(_what: str, _done: int, _of: int) -> None:
    """For callers who do not watch."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is not as the contract has it. name: the object it is about."""

    code: ErrorCode
    name: str
    message: str


@dataclass(frozen=True, slots=True)
class RetainedRevision:
    """An earlier revision that the manifest names.

    kept: whether retention promises its objects still. objects: how many of its own were found,
    those that later revisions share not counted; problem: the first that was not.
    """

    revision: str
    sequence: int
    kept: bool
    whole: bool
    objects: int
    problem: str = ""


@dataclass(frozen=True, slots=True)
class VerifyReport:
    """The outcome. problems are the first so many; problem_count is how many there are.

    objects and bytes: verified bodies, each once. unreferenced: files among the objects, in a
    folder, that no revision refers to; None where files cannot be listed.
    """

    address: str
    revision: str
    sequence: int
    objects: int
    bytes: int
    problems: tuple[Problem, ...]
    problem_count: int
    retained: tuple[RetainedRevision, ...]
    unreferenced: tuple[str, ...] | None

    @property
    def ok(self) -> bool:
        """Whether everything that is promised is there and is right."""
        return self.problem_count == 0
