"""`build`: one MkDocs build, told as a report instead of a log."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from mkdocs.commands.build import build as mkdocs_build
from mkdocs.exceptions import Abort, BuildError

from manifest.errors import ErrorCode, NoteBridgeError
from manifest.manifest_file import Manifest
from site_builder.folder_lock import folder_lock
from site_builder.mkdocs_plugin import NoteBridgePlugin
from site_builder.note import Finding
from site_builder.project import PLUGIN, BuildRequest, load_project
from site_builder.publication import Progress, no_progress


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What a build made. documents: published as knowledge; withheld: drafts and the like;
    remarks: what MkDocs and other plugins warned of."""

    site: Path
    manifest: Manifest
    documents: int
    withheld: int
    findings: tuple[Finding, ...]
    remarks: tuple[str, ...]


def build_site(request: BuildRequest, progress: Progress = no_progress) -> BuildReport:
    """Builds a project's pages and knowledge.

    Raises `NoteBridgeError`: INVALID_ARGUMENT for a source or settings that cannot be built,
    STORAGE_LOCKED while another build or release writes there, INTERNAL where MkDocs or another
    plugin gives up.
    """
    config = load_project(request)
    plugin = config.plugins[PLUGIN]
    assert isinstance(plugin, NoteBridgePlugin)
    plugin.progress = progress
    site = Path(config.site_dir)
    site.mkdir(parents=True, exist_ok=True)
    with folder_lock(site), _heard_warnings() as remarks:
        try:
            config.plugins.on_startup(command="build", dirty=False)
            try:
                mkdocs_build(config)
            finally:
                config.plugins.on_shutdown()
        except (Abort, BuildError) as error:
            raise NoteBridgeError(
                ErrorCode.INTERNAL,
                f"MkDocs gave up: {'; '.join(remarks) or error}",
                hint="Build with `mkdocs build` to see more.",
            ) from error
    notebook = plugin.notebook
    return BuildReport(
        site=site,
        manifest=plugin.manifest,
        documents=len(notebook.documents()),
        withheld=len(notebook.withheld),
        findings=plugin.findings,
        remarks=tuple(remarks),
    )


@contextmanager
def _heard_warnings() -> Iterator[list[str]]:
    """MkDocs' warnings as a list; our findings, which it logs as well, are in the report."""
    logger = logging.getLogger("mkdocs")
    handler = _Listener()
    propagated, logger.propagate = logger.propagate, False
    logger.addHandler(handler)
    try:
        yield handler.messages
    finally:
        logger.removeHandler(handler)
        logger.propagate = propagated


class _Listener(logging.Handler):
    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if not record.name.endswith("note_bridge"):
            self.messages.append(record.getMessage())
