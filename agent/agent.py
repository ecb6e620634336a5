"""The agent: accepts submissions, runs them side by side, lets others watch, stop and wait.

What it accepted is stored before it says so, and survives this process: `recover` goes on with
what an earlier one left.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass

from agent import conversation
from agent.budget import DEFAULT_BUDGET
from agent.deadline import OutOfTime, within
from agent.expired_reading import ExpiredReading
from agent.loop import RunLoop
from agent.model import Effort, Model, ModelProfile, Models
from agent.ports import Monotonic, OpenReading, Reading, Sleep
from agent.run_record import RunEnded, RunRecord
from manifest.canonical import Json, clean_text, encode
from manifest.errors import ErrorCode, NoteBridgeError
from storage.app_storage import AppStorage
from storage.backend import ReadTx, Tx
from storage.stores.entries import NewEntry
from storage.stores.events import Event
from storage.stores.runs import Budget, Change, NewRun, Run, RunState
from storage.stores.submissions import Accepted

RECOVERIES = 3
"""How often a run is taken up again before it is given up."""

PATIENCE_MS = 10_000
"""So long a stopped run may take to close its connections."""

QUESTION_LIMIT = 20_000
"""Code points of one message."""


@dataclass(frozen=True, slots=True)
class Submission:
    """What a client sends. client_request_id: its own; sending the same again changes nothing.

    revision: empty for the site's newest.
    """

    session_id: str
    client_request_id: str
    text: str
    model: str
    effort: Effort = Effort.DEFAULT
    revision: str = ""

    def canonical(self) -> bytes:
        """The bytes by which the same request is known again."""
        value: Json = {
            "text": self.text,
            "model": self.model,
            "effort": str(self.effort),
            "attachments": [],
            "revision": self.revision,
        }
        return encode(value)


class Agent:
    """Runs over one storage. closer: the built-in model."""

    def __init__(
        self,
        storage: AppStorage,
        models: Models,
        closer: Model,
        open_reading: OpenReading,
        monotonic: Monotonic,
        sleep: Sleep = asyncio.sleep,
        budget: Budget = DEFAULT_BUDGET,
    ) -> None:
        self.storage = storage
        self._models = models
        self._closer = closer
        self._open_reading = open_reading
        self._monotonic = monotonic
        self._sleep = sleep
        self._budget = budget
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._news: dict[str, set[asyncio.Event]] = {}
        self._closed = False

    async def submit(self, submission: Submission) -> Accepted:
        """Accepts a request once and starts its run; the same again says where it stands.

        Raises `NoteBridgeError`: INVALID_ARGUMENT, MODEL_NOT_FOUND, MODEL_CAPABILITY_MISMATCH,
        REQUEST_CONFLICT, SESSION_BUSY, SESSION_NOT_FOUND; a refusal leaves no record.
        """
        _require_text(submission.text)
        if await self._is_known(submission):
            # What was accepted stays accepted, even where its model is no longer at hand.
            profile = ModelProfile(submission.model)
        else:
            profile = self._profile_for(submission)
        entry = NewEntry(
            conversation.USER, {"text": submission.text}, preview=submission.text[:200]
        )
        run = NewRun(
            model=submission.model,
            effort=str(submission.effort),
            window=profile.window,
            budget=self._budget,
            revision=submission.revision,
        )

        def unit(tx: Tx) -> Accepted:
            return self.storage.submissions.accept(
                tx,
                submission.session_id,
                submission.client_request_id,
                request=submission.canonical(),
                entry=entry,
                run=run,
            )

        def begin(accepted: Accepted) -> None:
            if not accepted.duplicate:
                self._start(accepted.run_id)

        # With the commit, not after it: the client may be gone by then, its run must go on.
        return await self.storage.write(unit, durable=True, on_commit=begin)

    async def _is_known(self, submission: Submission) -> bool:
        def unit(tx: ReadTx) -> bool:
            session_id, client_id = submission.session_id, submission.client_request_id
            return self.storage.submissions.find(tx, session_id, client_id) is not None

        return await self.storage.read(unit)

    def _profile_for(self, submission: Submission) -> ModelProfile:
        profile = self._models.profile(submission.model)
        if submission.effort is not Effort.DEFAULT and submission.effort not in profile.efforts:
            raise NoteBridgeError(
                ErrorCode.MODEL_CAPABILITY_MISMATCH,
                f"{submission.model} has no effort {submission.effort}.",
                hint=f"It has: {', '.join(sorted(map(str, profile.efforts)))}.",
            )
        return profile

    async def wait(self, run_id: str) -> Run:
        """The run once it has ended, or once nothing here works on it any more."""
        task = self._tasks.get(run_id)
        if task is not None:
            await asyncio.shield(asyncio.gather(task, return_exceptions=True))
        return await self.run(run_id)

    async def run(self, run_id: str) -> Run:
        """The run as it stands. Raises RUN_NOT_FOUND."""
        return await self.storage.read(lambda tx: self.storage.runs.get(tx, run_id))

    async def cancel(self, run_id: str) -> Run:
        """Stops a run, and returns it as it truly stands: an end that came first holds.

        Begun, this goes on to its end, even where nobody waits for it any more. Raises
        RUN_NOT_FOUND.
        """
        return await asyncio.shield(asyncio.ensure_future(self._cancel(run_id)))

    async def _cancel(self, run_id: str) -> Run:
        change = await self._record(await self.run(run_id)).cancel()
        task = self._tasks.get(run_id)
        if change.won and task is not None:
            await self._stop([task])
        return change.run

    async def _stop(self, tasks: Sequence[asyncio.Task[None]]) -> None:
        """Stops work, and waits for it: but not for ever, if a connection does not close."""
        for task in tasks:
            task.cancel()
        ends = self._monotonic() + PATIENCE_MS
        with contextlib.suppress(OutOfTime):
            async with within(lambda: ends - self._monotonic(), self._sleep):
                await asyncio.gather(*tasks, return_exceptions=True)

    async def events(self, session_id: str, *, after: int = 0) -> AsyncIterator[Event]:
        """The events of a session above a sequence, those that are there and those to come."""
        news = asyncio.Event()
        listeners = self._news.setdefault(session_id, set())
        listeners.add(news)
        try:
            while True:
                news.clear()
                found = await self._events_above(session_id, after)
                for event in found:
                    after = event.seq
                    yield event
                if not found:
                    await news.wait()
        finally:
            listeners.discard(news)
            if not listeners:
                self._news.pop(session_id, None)

    async def _events_above(self, session_id: str, seq: int) -> tuple[Event, ...]:
        return await self.storage.read(
            lambda tx: self.storage.events.after(tx, session_id, seq=seq)
        )

    async def recover(self) -> list[str]:
        """Takes up the runs that an earlier process left; the ids of those that go on."""
        going_on: list[str] = []
        for run in await self.storage.read(self.storage.runs.unfinished):
            # What this process works on has had its task since before it was running.
            if run.id not in self._tasks and await self._take_up(run):
                going_on.append(run.id)
        return going_on

    async def _take_up(self, run: Run) -> bool:
        def interrupt(tx: Tx) -> Change:
            return self.storage.runs.advance(tx, run.id, RunState.INTERRUPTED)

        if run.state is not RunState.QUEUED:
            await self.storage.write(interrupt, durable=True)
        if run.recoveries < RECOVERIES:
            return self._start(run.id)
        await self._record(run).fail(
            ErrorCode.RUN_INTERRUPTED,
            f"The run was interrupted {run.recoveries + 1} times and is given up.",
        )
        return False

    async def close(self) -> None:
        """Stops working; runs that have not ended are interrupted and can be recovered."""
        self._closed = True
        if self._tasks:
            await self._stop(list(self._tasks.values()))
        await self.storage.write(self.storage.runs.interrupt_all, durable=True)

    def _start(self, run_id: str) -> bool:
        # Once closed, what is accepted stays queued for the next process.
        if self._closed or run_id in self._tasks:
            return False
        task = asyncio.create_task(self._work(run_id), name=f"run {run_id}")
        self._tasks[run_id] = task
        task.add_done_callback(lambda _task: self._tasks.pop(run_id, None))
        return True

    async def _work(self, run_id: str) -> None:
        run = await self.run(run_id)
        record = self._record(run)
        try:
            # First of all: a try that ends before this would not be counted as one.
            started = await record.start()
            if started.won:
                await (await self._loop(started.run, record)).drive()
        except RunEnded:
            return
        except NoteBridgeError as error:
            await record.fail(error.code, error.message)
        except Exception as error:
            # Its words stay out of storage: they may hold what no event may carry.
            await record.fail(ErrorCode.INTERNAL, f"The run failed with {type(error).__name__}.")
            raise

    async def _loop(self, run: Run, record: RunRecord) -> RunLoop:
        model, profile = self._models.get(run.model), self._models.profile(run.model)
        session = await self.storage.read(lambda tx: self.storage.sessions.get(tx, run.session_id))
        reading = await self._reading(session.manifest_address, run)
        run = await record.bind(reading.revision)
        return RunLoop(
            run,
            record,
            reading,
            model,
            profile,
            self._closer,
            self._sleep,
            resumed=run.recoveries > 0,
        )

    async def _reading(self, address: str, run: Run) -> Reading:
        try:
            return await self._open_reading(address, run.revision)
        except NoteBridgeError as error:
            if error.code is not ErrorCode.REVISION_EXPIRED or run.recoveries == 0:
                raise
            return ExpiredReading(run.revision, error)

    def _record(self, run: Run) -> RunRecord:
        return RunRecord(self.storage, run, self._monotonic, lambda: self._tell(run.session_id))

    def _tell(self, session_id: str) -> None:
        for news in self._news.get(session_id, ()):
            news.set()


def _require_text(text: str) -> None:
    if not text.strip() or len(text) > QUESTION_LIMIT or clean_text(text) != text:
        raise NoteBridgeError(
            ErrorCode.INVALID_ARGUMENT,
            f"A question has 1 to {QUESTION_LIMIT} characters of text.",
            hint="Ask in fewer words, or ask something.",
        )
