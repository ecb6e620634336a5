"""Puts the agent together: storage on this machine, the models at hand, the reading room."""

from __future__ import annotations

import asyncio
import time
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from agent.agent import Agent
from agent.model import Model, ModelProfile
from agent.models import extractive
from agent.models.extractive import ExtractiveModel
from agent.ports import Reading
from bridge_reader.site import Site
from manifest.errors import ErrorCode, NoteBridgeError
from note_bridge.places import home
from note_bridge.reading_room import ReadingRoom, bind_reading, now_ms, reading_room
from storage.app_storage import AppStorage


def new_id() -> str:
    """A fresh, unguessable id."""
    return uuid.uuid4().hex


def monotonic_ms() -> int:
    """Milliseconds from a clock that only rises; where the system has one, it counts sleep."""
    clock = getattr(time, "CLOCK_BOOTTIME", None)
    now = time.clock_gettime_ns(clock) if clock is not None else time.monotonic_ns()
    return now // 1_000_000


class BuiltInModels:
    """The models at hand: for now the built-in one."""

    def profile(self, name: str) -> ModelProfile:
        """What is known of a model."""
        self._require(name)
        return extractive.PROFILE

    def get(self, name: str) -> Model:
        """The model itself."""
        self._require(name)
        return ExtractiveModel()

    def _require(self, name: str) -> None:
        if name != extractive.NAME:
            raise NoteBridgeError(
                ErrorCode.MODEL_NOT_FOUND,
                f"There is no model {name[:80]!r}.",
                hint=f"At hand: {extractive.NAME}.",
            )


@dataclass(frozen=True, slots=True)
class Bridge:
    """The agent with everything it stands on."""

    agent: Agent
    storage: AppStorage
    sites: OpenSites


@asynccontextmanager
async def bridge(folder: Path | None = None) -> AsyncIterator[Bridge]:
    """The bridge of this machine, as the owner of its storage.

    Raises `NoteBridgeError` (STORAGE_LOCKED and the like).
    """
    place = folder or home()
    with reading_room(place) as room:
        storage = await AppStorage.open(place, clock=now_ms, ids=new_id)
        sites = OpenSites(room)

        async def read(address: str, revision: str) -> Reading:
            return await bind_reading(sites.at(address), revision)

        agent = Agent(storage, BuiltInModels(), ExtractiveModel(), read, monotonic_ms)
        try:
            yield Bridge(agent, storage, sites)
        finally:
            await agent.close()
            await sites.close()
            await storage.close()


class OpenSites:
    """The sites that are being read, each opened once."""

    def __init__(self, room: ReadingRoom) -> None:
        self._room = room
        self._open: dict[str, Site] = {}

    def at(self, address: str) -> Site:
        """The site at an address. Raises ORIGIN_REFUSED, INVALID_ARGUMENT."""
        if address not in self._open:
            self._open[address] = self._room.site(address)
        return self._open[address]

    async def close(self) -> None:
        """Lets go of all connections."""
        await asyncio.gather(*(site.close() for site in self._open.values()))
