"""Where the bridge keeps things on this machine."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

HOME_VARIABLE = "NOTE_BRIDGE_HOME"


CACHE_VARIABLE = "NOTE_BRIDGE_CACHE"


def build_cache() -> Path:
    """The folder in which builds keep compiled notes: `NOTE_BRIDGE_CACHE`, else the folder where
    the operating system wants what can be made again. Losing it costs time alone."""
    given = os.environ.get(CACHE_VARIABLE, "")
    cache = platformdirs.user_cache_path("note-bridge", appauthor=False)
    return Path(given) if given else cache / "builds"


def home() -> Path:
    """The folder of sessions, evidence and cached objects: `NOTE_BRIDGE_HOME`, else the folder
    where the operating system wants an application's data."""
    given = os.environ.get(HOME_VARIABLE, "")
    return Path(given) if given else platformdirs.user_data_path("note-bridge", appauthor=False)
