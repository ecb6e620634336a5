"""The checks over a project that was just built: its notes, its navigation, its files."""

from __future__ import annotations

from pathlib import Path

from site_builder.checking.checks import LINES_WITHOUT_TITLE, check_notes
from site_builder.checking.published_notes import published_notes, title_line
from site_builder.navigation import navigation_paths
from site_builder.note import Finding
from site_builder.own_files import read_bounded
from site_builder.project import BuildRequest, load_project


def check_site(request: BuildRequest, site: Path) -> tuple[Finding, ...]:
    """What a build of the project into `site` could not see: orphans, equal titles,
    near-duplicates.

    Raises `NoteBridgeError` as `load_project` and `published_notes` do.
    """
    config = load_project(request)
    folder = Path(config.docs_dir)

    def line_of(path: str) -> int:
        try:
            return title_line(read_bounded(folder, path).decode("utf-8", "replace"))
        except OSError:  # a note that a plugin made
            return LINES_WITHOUT_TITLE

    return check_notes(list(published_notes(site)), set(navigation_paths(config.nav)), line_of)
