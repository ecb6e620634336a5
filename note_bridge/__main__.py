"""`note-bridge` and `python -m note_bridge`."""

from __future__ import annotations

import sys

from note_bridge.cli import run


def main() -> None:
    """Runs the command line and leaves with its exit code."""
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
