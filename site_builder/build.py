"""`build`: one project, told as a report instead of a log."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from mkdocs.commands.build import build as mkdocs_build
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort, BuildError

from manifest.errors import ErrorCode, NoteBridgeError
from site_builder.build_cache import open_store
from site_builder.build_report import BuildReport
from site_builder.folder_lock import folder_lock
from site_builder.mkdocs_plugin import NoteBridgePlugin
from site_builder.note_store import NoteStore
from site_builder.previous_state import previous_site
from site_builder.progress import Progress, no_progress
from site_builder.project import PLUGIN, BuildRequest, load_project
from site_builder.site_build import SiteBuild
from site_builder.site_project import site_project

NEEDLESS_PLUGINS = frozenset({PLUGIN, "search"})
"""Plugins that a build under our theme needs no MkDocs for: our own, and MkDocs' search, which
it adds unasked and which no page of ours uses."""


def build_site(request: BuildRequest, progress: Progress = no_progress) -> BuildReport:
    """Builds a project's pages and knowledge.

    Raises `NoteBridgeError`: INVALID_ARGUMENT for a source or settings that cannot be built,
    STORAGE_LOCKED while another build or release writes there, INTERNAL where MkDocs or another
    plugin gives up, and what reading the state to go on from raises.
    """
    config = load_project(request)
    site = Path(config.site_dir)
    site.mkdir(parents=True, exist_ok=True)
    with folder_lock(site), open_store(request.cache, Path(config.docs_dir)) as store:
        plugin = plugin_of(config)
        if needs_mkdocs(config):
            return _with_mkdocs(config, plugin, store, request, progress)
        build = SiteBuild(site_project(config, plugin.config), store, request.executor)
        with heard_warnings() as remarks, previous_site(plugin.config.previous) as previous:
            report = build.run(previous, progress)
        return replace(report, remarks=tuple(remarks))


def plugin_of(config: MkDocsConfig) -> NoteBridgePlugin:
    """Our plugin in a configuration."""
    plugin = config.plugins[PLUGIN]
    assert isinstance(plugin, NoteBridgePlugin)
    return plugin


def needs_mkdocs(config: MkDocsConfig) -> bool:
    """Whether others have a say: another theme, plugins, hooks."""
    others = set(config.plugins) - NEEDLESS_PLUGINS
    return not plugin_of(config).is_own_theme or bool(others) or bool(config.hooks)


def _with_mkdocs(
    config: MkDocsConfig,
    plugin: NoteBridgePlugin,
    store: NoteStore,
    request: BuildRequest,
    progress: Progress,
) -> BuildReport:
    plugin.progress, plugin.store, plugin.executor = progress, store, request.executor
    with heard_warnings() as remarks:
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
    told = {str(finding) for finding in plugin.report.findings}
    return replace(plugin.report, remarks=tuple(remark for remark in remarks if remark not in told))


@contextmanager
def heard_warnings() -> Iterator[list[str]]:
    """The warnings of MkDocs and its plugins as a list, while this lasts."""
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
        self.messages.append(record.getMessage())
