"""The published state that a build was told to go on from, open while the build lasts."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from site_builder.previous import DocPages, PreviousSite, load_previous

log = logging.getLogger("mkdocs.plugins.note-bridge")


@contextmanager
def previous_site(where: str, pages: DocPages | None = None) -> Iterator[PreviousSite | None]:
    """The state at an address or folder; None for an empty one, or where nothing is published yet,
    which is said. pages: as for `load_previous`, which says what is raised."""
    found = load_previous(where, pages) if where else None
    if where and found is None:
        log.warning("nothing is published at %s yet: this build begins anew", where)
    if found is None:
        yield None
        return
    with found:
        yield found
