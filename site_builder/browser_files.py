"""Where the files for browsers are: the theme and the client."""

from __future__ import annotations

from pathlib import Path


def browser_files() -> Path:
    """The folder that holds `theme` and `client`: inside the package when installed, beside it in
    a checkout."""
    installed = Path(__file__).parent / "_site"
    return installed if installed.is_dir() else Path(__file__).parent.parent / "site"
