"""A bridge in miniature over each backend; its parts stand in the files beside this one."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

# Test files of this folder import the helpers beside them by name.
sys.path.append(str(Path(__file__).parent))

from miniature import World
from mortal_storage import Disk
from virtual_time import VirtualTime


@pytest.fixture
def time() -> VirtualTime:
    return VirtualTime()


@pytest.fixture(params=["memory", "sqlite"])
async def disk(
    request: pytest.FixtureRequest, tmp_path: Path, time: VirtualTime
) -> AsyncIterator[Disk]:
    """Each backend in turn; what a test leaves running is stopped."""
    found = Disk(request.param, tmp_path / "data", time)
    yield found
    await found.power_off()


@pytest.fixture
async def world(disk: Disk, time: VirtualTime) -> World:
    """An agent that has just started over empty storage."""
    made = World(disk, time)
    await made.start()
    return made
