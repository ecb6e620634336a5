"""Reading for verification: everything from the host, nothing from a cache, problems collected."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TypeVar

from bridge_reader.objects import PARALLEL, ObjectReader
from bridge_reader.transport import Transport
from bridge_reader.verification.report import Problem, Progress
from manifest.errors import ErrorCode, NoteBridgeError
from manifest.objects import PublishedObject
from manifest.references import HashRow, Reference, object_path
from storage.object_cache import CachedObject

AnyObject = TypeVar("AnyObject", bound=PublishedObject)
T = TypeVar("T")

PROBLEMS = 100
"""Problems kept; the rest are counted."""

_UNDECIDED = frozenset({ErrorCode.SITE_UNREACHABLE, ErrorCode.ORIGIN_REFUSED})
"""Errors that say nothing of what is published: verification cannot go on."""


class Inspection:
    """One verification under way."""

    def __init__(self, transport: Transport, progress: Progress) -> None:
        self._objects = ObjectReader(transport, _NoCache(), recent=0)
        self.progress = progress
        self.verified: dict[bytes, int] = {}
        self.problems: list[Problem] = []
        self.problem_count = 0

    async def read(
        self, model: type[AnyObject], reference: Reference | HashRow
    ) -> AnyObject | None:
        """An object; None if it is missing or wrong, which is then a problem.

        Raises `NoteBridgeError` (SITE_UNREACHABLE, ORIGIN_REFUSED).
        """
        try:
            return await self.require(model, reference)
        except NoteBridgeError as error:
            if error.code in _UNDECIDED:
                raise
            name = object_path(model.KIND, reference.sha256)
            self.report(error.code, name, error.message)
            return None

    async def require(self, model: type[AnyObject], reference: Reference | HashRow) -> AnyObject:
        """An object. Raises as `ObjectReader.read`."""
        whole = Reference(sha256=reference.sha256, size=reference.size)
        value = await self._objects.read(model, whole)
        self.verified[bytes.fromhex(whole.sha256)] = whole.size
        return value

    def has(self, sha256: str) -> bool:
        """Whether this object was verified already."""
        return bytes.fromhex(sha256) in self.verified

    def report(self, code: ErrorCode, name: str, message: str) -> None:
        """Notes a problem."""
        self.problem_count += 1
        if len(self.problems) < PROBLEMS:
            self.problems.append(Problem(code, name, message))

    def expect(self, holds: bool, name: str, message: str) -> None:
        """Notes what an object says wrongly, if it does."""
        if not holds:
            self.report(ErrorCode.OBJECT_INVALID, name, f"{name}: {message}.")


async def each(work: Callable[[T], Awaitable[None]], items: Iterable[T]) -> None:
    """Does the same for all items, a few at a time, and holds no more of them than that."""
    waiting = iter(items)

    async def worker() -> None:
        for item in waiting:
            await work(item)

    workers = [asyncio.create_task(worker()) for _ in range(PARALLEL)]
    try:
        await asyncio.gather(*workers)
    finally:
        for task in workers:
            task.cancel()
        await asyncio.gather(*workers, return_exceptions=True)


class _NoCache:
    """Verification asks the host for everything."""

    def get(self, sha256: str) -> CachedObject | None:
        return None

    def put(self, sha256: str, kind: str, body: bytes) -> bool:
        return False
