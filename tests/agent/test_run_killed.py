"""SIGKILL at random moments: nothing accepted is lost, nothing doubled, no request uncounted."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from sound_runs import check_sound

from storage.app_storage import AppStorage
from storage.backend import ReadTx
from storage.stores.runs import Run, RunState
from storage.stores.submissions import Submission

SOAK = os.environ.get("NOTE_BRIDGE_SOAK") == "1"
KILLS = 200 if SOAK else 15
QUESTIONS = 40 if SOAK else 8
"""Asked in each of three sessions."""

STEPS = 120
"""A process is killed within so many of its steps; a run takes about eighty."""

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked processes")


@dataclass
class Nursery:
    """Begins bridges and kills them; what they said they accepted is remembered."""

    process: subprocess.Popen[str]
    folder: Path
    accepted: dict[tuple[str, str], str] = field(default_factory=dict)

    @property
    def log(self) -> Path:
        return self.folder.with_suffix(".log")

    def bridge(self, steps: int) -> bool:
        """Runs a bridge, for so many steps before it is killed; whether it was done by then."""
        self._say(f"{self.folder}\t{self.log}\t{QUESTIONS}")
        done = dismissed = False
        for line in self._lines():
            word, *rest = line.split()
            if word == "accepted":
                self._remember(*rest)
            elif word == "done":
                done = True
            elif word == "buried":
                return done
            steps -= 1
            if not dismissed and (steps <= 0 or word == "ended"):
                self._say("wait" if word == "ended" else "kill")
                dismissed = True
        raise AssertionError("the nursery ended")

    def _say(self, line: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()

    def _lines(self) -> Iterator[str]:
        assert self.process.stdout is not None
        return iter(self.process.stdout.readline, "")

    def _remember(self, session: str, client: str, run_id: str) -> None:
        assert self.accepted.setdefault((session, client), run_id) == run_id


@pytest.fixture
def nursery(tmp_path: Path) -> Iterator[Nursery]:
    program = Path(__file__).with_name("run_to_kill.py")
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, str(program)], stdin=pipe, stdout=pipe, text=True
    ) as process:
        yield Nursery(process, tmp_path / "data")
        assert process.stdin is not None
        process.stdin.close()


@pytest.mark.parametrize("seed", [random.SystemRandom().randrange(10**6)] if SOAK else [1])
async def test_killed_bridges_lose_and_double_nothing(nursery: Nursery, seed: int) -> None:
    moments = random.Random(seed)
    kills = 0
    while kills < KILLS and not nursery.bridge(moments.randrange(1, STEPS)):
        kills += 1
    while not nursery.bridge(1 << 29):
        pass
    seen = Counter(line.rpartition("-")[0] for line in nursery.log.read_text().split())
    assert len(set(nursery.log.read_text().split())) == seen.total(), "an id was sent twice"
    async with await AppStorage.open(nursery.folder, clock=lambda: 0, ids=str) as storage:
        runs = await all_runs(storage, nursery)
        for run in runs.values():
            await check_sound(storage, run, seen[run.id])
        assert set(seen) <= set(runs)
    ends = Counter((run.state, run.error_code) for run in runs.values())
    assert set(ends) <= {(RunState.COMPLETED, None), (RunState.FAILED, "RUN_INTERRUPTED")}
    given_up = [run for run in runs.values() if run.state is RunState.FAILED]
    assert all(run.recoveries == 3 for run in given_up)
    # The kills did hit runs under way. On a busy machine they come late, and fewer are needed to
    # see the bridge to its end.
    assert kills >= KILLS // 3
    assert sum(run.recoveries for run in runs.values()) > 0


async def all_runs(storage: AppStorage, nursery: Nursery) -> dict[str, Run]:
    """The runs, each found through the submission that was told of it."""

    def unit(tx: ReadTx) -> dict[str, Run]:
        found: dict[str, Run] = {}
        for (session, client), run_id in nursery.accepted.items():
            submission = storage.submissions.find(tx, session, client)
            assert isinstance(submission, Submission)
            assert submission.run_id == run_id
            found[run_id] = storage.runs.get(tx, run_id)
        return found

    runs = await storage.read(unit)
    assert len(runs) == 3 * QUESTIONS
    stored = await storage.read(lambda tx: runs_of_sessions(storage, tx))
    assert stored == set(runs), "a run that nobody asked for, or one that is gone"
    return runs


def runs_of_sessions(storage: AppStorage, tx: ReadTx) -> set[str]:
    return {
        run.id
        for session in storage.sessions.list(tx).items
        for run in storage.runs.of_session(tx, session.id, limit=1000).items
    }
