"""The command line as a process of its own, over a small site on a real server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from site_builder.preview import PreviewServer, preview_server, serve_in_background

NOTES = {
    "index.md": "# Kernel notes\n\nSee [[Deadlock]] and [[锁]].\n",
    "Deadlock.md": (
        "# Deadlock\n\n## The four conditions\n\nA deadlock needs four conditions at once:\n\n"
        "- Mutual exclusion: a resource has at most one holder.\n"
        "- Hold and wait: a thread keeps what it has while it asks for more.\n"
        "- No preemption: only the holder gives a resource back.\n"
        "- Circular wait: there is a ring of threads, each waiting for the next.\n\n"
        "## Avoidance\n\nThe banker's algorithm refuses requests that lead to an unsafe state.\n"
    ),
    "锁.md": "# 锁\n\n## 互斥锁\n\n互斥锁是一种同步原语，它保证同一时刻只有一个线程持有资源。\n",
    "secret.md": "---\ndraft: true\n---\n# Quokka\n\nNothing to see.\n",
}


@dataclass(frozen=True)
class Done:
    """A finished process."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        body: dict[str, Any] = json.loads(self.out)
        return body


Run = Callable[..., Done]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
def run(home: Path, tmp_path: Path) -> Run:
    """Runs `note-bridge` with a folder of its own, from a folder of its own."""

    def run_(*arguments: str | Path, **environment: str) -> Done:
        done = subprocess.run(
            [sys.executable, "-m", "note_bridge", *map(str, arguments)],
            capture_output=True,
            text=True,
            encoding="utf-8",
            env={**os.environ, "NOTE_BRIDGE_HOME": str(home), **environment},
            cwd=tmp_path,
            timeout=120,
            check=False,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    return run_


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for name, text in NOTES.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def site(run: Run, notes: Path, tmp_path: Path) -> Path:
    """The notes, built by the command line."""
    folder = tmp_path / "site"
    done = run("build", notes, "--out", folder, "--name", "Kernel notes")
    assert done.code == 0, done.err
    return folder


@pytest.fixture
def served(site: Path) -> Iterator[tuple[str, PreviewServer]]:
    """The site's address, and the server to stop."""
    server = preview_server(site)
    yield serve_in_background(server), server
    server.shutdown()
    server.server_close()
