"""Commands run as processes of their own, and what they took."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

LAUNCHER = Path(__file__).with_name("launcher.py")

_PRIVATE = {
    "HOME": "home",
    "NOTE_BRIDGE_HOME": "home/note-bridge",
    "XDG_CACHE_HOME": "home/cache",
    "XDG_CONFIG_HOME": "home/config",
    "XDG_DATA_HOME": "home/data",
    "XDG_STATE_HOME": "home/state",
}
"""Where programs keep things of a user; here below the folder of work."""


class CommandFailed(Exception):
    """A command left with an exit code other than 0; the message holds the end of what it said."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A command that was run. wall, cpu: seconds, the latter of all its processes; memory: the
    greatest that any of them held, in bytes; out: what it wrote to stdout."""

    wall: float
    cpu: float
    memory: int
    out: str

    def facts(self) -> dict[str, object]:
        """What a report says of it."""
        return {
            "wallSeconds": round(self.wall, 2),
            "cpuSeconds": round(self.cpu, 2),
            "peakBytes": self.memory,
        }


def run_measured(command: Sequence[str], work: Path) -> Measured:
    """Runs a command in the folder `work`, which also stands in for the user's own folders.

    Raises CommandFailed.
    """
    report = work / "usage.json"
    done = subprocess.run(
        [sys.executable, "-I", "-S", str(LAUNCHER), str(report), *command],
        cwd=work,
        env=private_environment(work),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode != 0:
        raise CommandFailed(f"{' '.join(command)}: {(done.stderr or done.stdout)[-2000:]}")
    usage = json.loads(report.read_text(encoding="utf-8"))
    return Measured(usage["wall"], usage["cpu"], usage["memory"], done.stdout)


def private_environment(work: Path) -> dict[str, str]:
    """This process' environment with the user's folders below `work`."""
    own = {name: str(work / folder) for name, folder in _PRIVATE.items()}
    for folder in own.values():
        Path(folder).mkdir(parents=True, exist_ok=True)
    return {**os.environ, **own}
