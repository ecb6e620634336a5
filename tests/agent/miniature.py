"""A bridge in miniature: an agent with all it stands on."""

from __future__ import annotations

import asyncio
from typing import Any

from mortal_storage import Disk
from scripted_models import Closer, ScriptedModel, Shelf, Turn
from small_sites import NOTES, SITE, ScriptedReading, SmallSite
from sound_runs import check_sound
from virtual_time import VirtualTime

from agent.agent import Agent, Submission
from agent.answer import Answer, read_answer
from agent.budget import DEFAULT_BUDGET
from agent.model import Effort
from agent.ports import Reading
from storage.app_storage import AppStorage
from storage.backend import ReadTx, Tx
from storage.stores.citations import Citation
from storage.stores.entries import Entry
from storage.stores.events import Event
from storage.stores.evidence import Evidence
from storage.stores.proofs import Proof
from storage.stores.runs import Budget, Run
from storage.stores.submissions import Accepted


class World:
    """An agent with all it stands on. Its defaults: site, model and session of one name each."""

    def __init__(self, disk: Disk, time: VirtualTime) -> None:
        self.disk = disk
        self.time = time
        self.model = ScriptedModel(time)
        self.closer: Any = Closer()
        self.shelf = Shelf()
        self.shelf.put("scripted", self.model, provider_tag="tag", efforts=frozenset({Effort.LOW}))
        self.reading = ScriptedReading(SmallSite(NOTES))
        self.opened: list[tuple[str, str]] = []
        self.open_fault: Exception | None = None
        self.budget: Budget = DEFAULT_BUDGET
        self.storage: AppStorage
        self.agent: Agent

    async def start(self, dies_at: int = 0, *, told: bool = True) -> Agent:
        """A process begins, over what an earlier one left."""
        self.storage = await self.disk.power_on(dies_at, told=told)
        self.agent = Agent(
            self.storage,
            self.shelf,
            self.closer,
            self.open,
            self.time.monotonic,
            self.time.sleep,
            self.budget,
        )
        return self.agent

    async def open(self, address: str, revision: str) -> Reading:
        self.opened.append((address, revision))
        if self.open_fault is not None:
            raise self.open_fault
        return self.reading

    async def submit(
        self, text: str = "How hot?", session: str = "s1", client: str = "c1", **more: Any
    ) -> Accepted:
        def create(tx: Tx) -> object:
            return self.storage.sessions.create(
                tx, session, knowledge_base_id="kb", manifest_address=SITE
            )

        await self.storage.write(create)
        more = {"model": "scripted", **more}
        return await self.agent.submit(Submission(session, client, text, **more))

    async def ask(self, *turns: Turn, **how: Any) -> Answer:
        """A question, answered by a model of these turns; soundness is checked at once."""
        if turns:
            self.model.turns = turns
            self.model.requests.clear()
        accepted = await self.submit(**how)
        await asyncio.wait_for(self.agent.wait(accepted.run_id), 30)
        await self.check(accepted.run_id)
        return await read_answer(self.storage, accepted.run_id)

    async def run(self, run_id: str) -> Run:
        return await self.agent.run(run_id)

    async def entries(self, session: str = "s1") -> tuple[Entry, ...]:
        return await self.storage.read(lambda tx: self.storage.entries.after(tx, session))

    async def citations(self, run_id: str) -> tuple[Citation, ...]:
        return await self.storage.read(lambda tx: self.storage.citations.of_run(tx, run_id))

    async def proof(self, evidence: Evidence) -> Proof:
        return await self.storage.read(lambda tx: self.storage.evidence.proof(tx, evidence))

    async def events(self, session: str = "s1") -> list[Event]:
        def unit(tx: ReadTx) -> list[Event]:
            found: list[Event] = []
            while page := self.storage.events.after(tx, session, seq=len(found)):
                found.extend(page)
            return found

        return await self.storage.read(unit)

    async def kinds(self, session: str = "s1") -> list[str]:
        """The types of a session's events, neighbouring deltas as one."""
        types = [event.type for event in await self.events(session)]
        pairs = zip(["", *types], types, strict=False)
        return [found for before, found in pairs if found != before or "delta" not in found]

    async def check(self, run_id: str) -> None:
        """What holds of every run, however it went."""
        run = await self.run(run_id)
        seen = [each for each in self.model.requests if each.id.rpartition("-")[0] == run_id]
        await check_sound(self.storage, run, len(seen))
