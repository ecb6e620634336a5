"""`make demo`: the whole path on the project's own documentation."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).parents[2]


def test_the_demonstration_ends_with_verified_citations_and_exported_evidence(tmp_path):
    shutil.copy(PROJECT / "mkdocs.yml", tmp_path)
    shutil.copytree(PROJECT / "site" / "notes", tmp_path / "site" / "notes")
    done = subprocess.run(
        [sys.executable, "-m", "note_bridge.demo"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(PROJECT)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("(verified)") >= 2
    assert "\nrevision " in done.stdout
    assert "http://127.0.0.1:" in done.stdout
    assert (tmp_path / "build" / "evidence.json").stat().st_size > 1000
    assert done.stdout.count("Consistent with revision") == 2
