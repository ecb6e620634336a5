"""Which files of a folder of notes a build may read: regular ones that lie in it.

A link could lead anywhere on the author's machine, or back into the folder without end; a pipe or
a device could be read for ever.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from site_builder.source import SIZE_LIMIT


def refusal(folder: Path, path: str) -> str:
    """Why a file below the folder is not read; empty if it may be."""
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return "its name is not UTF-8"
    file = folder / path
    try:
        resolved = file.resolve(strict=True)
        mode = resolved.stat().st_mode
    except (OSError, RuntimeError) as error:
        return f"it cannot be read ({getattr(error, 'strerror', None) or error})"
    if not stat.S_ISREG(mode):
        return "it is no regular file"
    if resolved != folder.resolve() / os.path.normpath(path):
        return "it is reached through a symbolic link"
    return ""


def read_bounded(folder: Path, path: str) -> bytes:
    """The bytes of a file, no more of it than a note may have and one byte."""
    with (folder / path).open("rb") as file:
        return file.read(SIZE_LIMIT + 1)
