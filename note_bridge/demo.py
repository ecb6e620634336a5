"""`make demo`: the whole path once, on the project's own documentation.

Notes become a site with knowledge beside it; a server serves it; a reader fetches that by revision;
the agent answers with citations pinned to hashes; the evidence is exported and verified, first
against the site, then with the server stopped.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from note_bridge.cli import run
from note_bridge.console import Exit
from note_bridge.places import HOME_VARIABLE
from site_builder.preview import preview_server, serve_in_background

PROJECT = Path("mkdocs.yml")
SITE = Path("build/site")
EVIDENCE = Path("build/evidence.json")
QUESTION = "What is a revision?"


def main() -> int:
    """Runs the demonstration from the project's folder; leaves with the first code not 0."""
    with tempfile.TemporaryDirectory() as home:
        # The demonstration keeps its answers to itself.
        os.environ[HOME_VARIABLE] = home
        return _demonstrate()


def _demonstrate() -> int:
    if code := _step("Build the site and its knowledge", ["build", str(PROJECT)]):
        return code
    server = preview_server(SITE)
    address = serve_in_background(server)
    try:
        asked = (
            _step("Ask the site a question", ["ask", address, QUESTION])
            or _step("Export the evidence", ["evidence", "export", "--out", str(EVIDENCE)])
            or _step(
                "Verify it against the site",
                ["evidence", "verify", str(EVIDENCE), "--site", address],
            )
        )
    finally:
        server.shutdown()
        server.server_close()
    return asked or _step(
        "Verify it again, with the server stopped", ["evidence", "verify", str(EVIDENCE)]
    )


def _step(title: str, command: Sequence[str]) -> int:
    sys.stdout.write(f"\n== {title}\n$ note-bridge {' '.join(map(_quoted, command))}\n")
    sys.stdout.flush()
    code = run(command)
    if code != Exit.DONE:
        sys.stderr.write(f"This step left with exit code {code}.\n")
    return int(code)


def _quoted(argument: str) -> str:
    return f'"{argument}"' if " " in argument else argument


if __name__ == "__main__":
    sys.exit(main())
