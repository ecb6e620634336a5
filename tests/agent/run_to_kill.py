"""A bridge to be killed: answers questions in three sessions and tells of every step it takes.

Started as a program, it waits for a line of FOLDER LOG QUESTIONS, forks a process that works in
that folder, and waits for a line that says `kill` or `wait`; and so on. Forking saves each process
the imports.
"""

from __future__ import annotations

import asyncio
import os
import signal
import sys
import time
import uuid
from pathlib import Path
from typing import Any

from mortal_storage import MortalBackend
from scripted_models import Closer, ScriptedModel, Shelf, say, search, use
from small_sites import NOTES, SITE, ScriptedReading, SmallSite
from virtual_time import VirtualTime

from agent.agent import Agent, Submission
from agent.model import ModelRequest, TextDelta
from storage.app_storage import AppStorage
from storage.migrations import MIGRATIONS
from storage.owner_lock import OwnerLock
from storage.private_files import prepare_folder
from storage.sqlite_backend import SqliteBackend

SESSIONS = ("s0", "s1", "s2")
TURNS = [
    use(search("eighty"), search("boils"), text="Let me look."),
    use(("get_document", {"docId": "cooking/tea"}), ("no_such_tool", {}), search("死锁")),
    [TextDelta("Eighty "), *say('degrees [E1 "Water for green tea has eighty"], boiling [E2].')],
]


def tell(line: str) -> None:
    os.write(1, f"{line}\n".encode())


class TellingTime(VirtualTime):
    """Real time, that tells of every tick."""

    def tick(self) -> None:
        tell("tick")

    def wall(self) -> int:
        return time.time_ns() // 1_000_000

    def monotonic(self) -> int:
        return time.monotonic_ns() // 1_000_000

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


async def open_storage(folder: Path, clock: VirtualTime) -> AppStorage:
    prepare_folder(folder)
    lock = OwnerLock.acquire(folder)
    inner = await SqliteBackend.open(folder / "app.db", clock=clock.wall)
    await inner.migrate(MIGRATIONS)
    backend: Any = MortalBackend(inner, clock)
    return AppStorage(backend, ids=lambda: uuid.uuid4().hex, lock=lock)


async def converse(agent: Agent, session: str, questions: int) -> None:
    await agent.storage.write(
        lambda tx: agent.storage.sessions.create(
            tx, session, knowledge_base_id="kb", manifest_address=SITE
        )
    )
    for number in range(questions):
        submission = Submission(session, f"c{number}", f"Question {number}?", "scripted")
        accepted = await agent.submit(submission)
        tell(f"accepted {session} c{number} {accepted.run_id}")
        await agent.wait(accepted.run_id)


async def work(folder: Path, log: Path, questions: int) -> None:
    clock = TellingTime()
    requests = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    async def sent(request: ModelRequest) -> None:
        os.write(requests, f"{request.id}\n".encode())

    model = ScriptedModel(clock)
    model.turns, model.by_state, model.sent = TURNS, True, sent
    shelf = Shelf()
    shelf.put("scripted", model)
    reading = ScriptedReading(SmallSite(NOTES))

    async def read(_address: str, _revision: str) -> ScriptedReading:
        return reading

    storage = await open_storage(folder, clock)
    agent = Agent(storage, shelf, Closer(), read, clock.monotonic, clock.sleep)
    await agent.recover()
    await asyncio.gather(*(converse(agent, session, questions) for session in SESSIONS))
    await agent.close()
    await storage.close()
    tell("done")


def live(folder: str, log: str, questions: str) -> None:
    try:
        asyncio.run(work(Path(folder), Path(log), int(questions)))
    finally:
        tell("ended")


def main() -> None:
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            live(*line.split("\t"))
            os._exit(0)
        # Its id stays its own until it is waited for: nobody else can be hit.
        if sys.stdin.readline() == "kill\n":
            os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        tell("buried")


if __name__ == "__main__":
    main()
