"""Runs a command and writes what it took, as JSON, to a file: `launcher.py REPORT COMMAND ...`.

A process of its own, and a small one: on Linux a child's greatest memory counts what its parent had
when it was started, so that a large parent would hide the child's own.
"""

from __future__ import annotations

import json
import os
import sys
import time


def main() -> int:
    """Leaves with the command's exit code."""
    report, *command = sys.argv[1:]
    started = time.perf_counter()
    child = os.posix_spawnp(command[0], command, os.environ)
    _, status, usage = os.wait4(child, 0)
    wall = time.perf_counter() - started
    scale = 1 if sys.platform == "darwin" else 1024
    with open(report, "w", encoding="utf-8") as file:
        json.dump(
            {
                "wall": wall,
                "cpu": usage.ru_utime + usage.ru_stime,
                "memory": usage.ru_maxrss * scale,
            },
            file,
        )
    return os.waitstatus_to_exitcode(status)


if __name__ == "__main__":
    sys.exit(main())
