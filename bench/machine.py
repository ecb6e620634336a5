"""What a run was measured on."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = ("note-bridge", "mkdocs", "markdown-it-py", "pydantic", "httpx2", "hishel")


def machine() -> dict[str, object]:
    """The machine, how busy it is, and the versions that matter."""
    return {
        "system": platform.platform(),
        "processor": _processor(),
        "cores": _cores(),
        "memoryBytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "loadAverage": round(os.getloadavg()[0], 2),
        "python": platform.python_version(),
        "packages": {name: _version(name) for name in PACKAGES},
    }


def _cores() -> int:
    """Those that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.processor()


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "absent"
