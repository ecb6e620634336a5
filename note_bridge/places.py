"""Where the bridge keeps things on this machine."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

HOME_VARIABLE = "NOTE_BRIDGE_HOME"


def home() -> Path:
    """The folder of sessions, evidence and cached objects: `NOTE_BRIDGE_HOME`, else the folder
    where the operating system wants an application's data."""
    given = os.environ.get(HOME_VARIABLE, "")
    return Path(given) if given else platformdirs.user_data_path("note-bridge", appauthor=False)
