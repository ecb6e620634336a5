"""The MkDocs plugin `note-bridge`: MkDocs' events on one side, our steps on the other.

Under our theme MkDocs has no pages to make: the plugin takes the notes out of its hands and builds
the site when MkDocs has copied what other plugins give. Under any other theme MkDocs makes the
pages, and the plugin publishes the knowledge beside them.
"""

from __future__ import annotations

import logging
import unicodedata
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from urllib.parse import unquote

import jinja2
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import BasePlugin, CombinedEvent, event_priority
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.nav import Navigation

from manifest.canonical import sha256_hex
from manifest.errors import ErrorCode, NoteBridgeError
from manifest.objects import Asset
from site_builder.build_report import BuildReport
from site_builder.foreign_pages import ForeignPages
from site_builder.mkdocs_navigation import navigation_lists
from site_builder.navigation import navigation_titles
from site_builder.note_page import NotePage
from site_builder.note_store import NoteStore
from site_builder.own_files import read_bounded, refusal
from site_builder.plugin_options import NoteBridgeOptions
from site_builder.previous import PreviousSite
from site_builder.previous_state import previous_site
from site_builder.progress import Progress, no_progress
from site_builder.site_build import SiteBuild
from site_builder.site_project import HOST_FILES, in_template_folder, site_project

log = logging.getLogger("mkdocs.plugins.note_bridge")

OWN = "note-bridge"

SEARCH_SCRIPT = "search/main.js"
"""What MkDocs' own search adds to every page; our pages have a search of their own."""

PAGE_EVENTS = ("page_markdown", "page_content", "page_context", "post_page", "page_read_source")
"""Events by which other plugins change pages; under our theme MkDocs makes none."""

OTHER_EVENTS = frozenset({"startup", "shutdown", "serve", "config", "build_error"})
"""Events that all plugins see under our theme too."""


class NoteBridgePlugin(BasePlugin[NoteBridgeOptions]):  # type: ignore[no-untyped-call]
    """One build at a time. report: of the last one.

    store: what earlier builds left; progress: told how far the build is; both set by a caller
    that has them.
    """

    report: BuildReport

    def __init__(self) -> None:
        super().__init__()
        self.progress: Progress = no_progress
        self.store: NoteStore | None = None
        self.executor = ""
        self._nav: object = None
        self._met: frozenset[str] = frozenset()
        self._taken_out: frozenset[str] = frozenset()

    @property
    def is_own_theme(self) -> bool:
        """Whether the whole site is ours."""
        return bool(self.config.theme == OWN)

    @property
    def renders(self) -> bool:
        """Whether our parser makes the pages; otherwise they stay as they are without us."""
        return bool((self.config.renderer or self.config.theme) == OWN)

    @event_priority(-100)
    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Under our theme: no templates to make, no navigation to check.

        The author's theme stays in the configuration, because plugins look into it.
        """
        if self.is_own_theme:
            if self.config.renderer == "mkdocs":
                raise NoteBridgeError(
                    ErrorCode.INVALID_ARGUMENT,
                    "The renderer `mkdocs` needs a theme of MkDocs'.",
                    hint="Leave `renderer` out, or `theme: note-bridge`.",
                )
            self._nav, config.nav = config.nav, None
            config.theme.static_templates.clear()
            _set_aside(self._page_makers(config), config)
            if SEARCH_SCRIPT in config.extra_javascript:
                config.extra_javascript.remove(SEARCH_SCRIPT)
        return config

    @event_priority(100)
    def _on_files_first(self, files: Files, *, config: MkDocsConfig) -> Files:
        self._met = _paths_of_notes(files, config)
        return files

    @event_priority(-50)
    def _on_files_last(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Takes the notes: out of MkDocs' hands, or into ours as well."""
        if self.is_own_theme:
            self._taken_out = self._met - _paths_of_notes(files, config)
            for file in list(files):
                if file.src_dir == config.docs_dir or file.is_documentation_page():
                    self._told_of(file, config)
                    files.remove(file)
                elif file.src_dir in config.theme.dirs:
                    files.remove(file)
            return files
        store = self.store or NoteStore(None)
        self._pages = ForeignPages(site_project(config, self.config), store, self.progress)
        if self.renders:
            _leave_out_templates(files)
        strange = set(self._strangers(files, Path(config.docs_dir)))
        pages = [file for file in files.documentation_pages() if file.src_uri not in strange]
        for file in pages:
            self._pages.add(file.src_uri, _note_bytes(file, config))
        self._pages.identify(
            file.src_uri
            for file in files
            if not file.is_documentation_page()
            and file.inclusion.is_included()  # type: ignore[no-untyped-call]
            and file.src_uri not in strange
        )
        for file in pages:
            self._place(file, files, config)
        return files

    on_files = CombinedEvent(_on_files_first, _on_files_last)

    def _told_of(self, file: File, config: MkDocsConfig) -> None:
        if file.is_documentation_page() and file.src_dir != config.docs_dir:
            log.warning("%s comes from a plugin; our theme shows files of notes only", file.src_uri)

    def _strangers(self, files: Files, folder: Path) -> Iterator[str]:
        """What is no regular file of the folder of notes: with our pages left out altogether,
        with another renderer's only from the knowledge."""
        for file in list(files):
            if file.src_dir != str(folder) or not file.inclusion.is_included():  # type: ignore[no-untyped-call]
                continue
            why = refusal(folder, file.src_uri)
            if why:
                yield file.src_uri
                self._pages.left_out(file.src_uri, why)
                if self.renders:
                    files.remove(file)

    def _place(self, file: File, files: Files, config: MkDocsConfig) -> None:
        note = self._pages.sources.get(file.src_uri)
        if note is None and self.renders:
            files.remove(file)
        elif note is None:
            self._pages.published_elsewhere(file.src_uri)
        elif self.renders:
            url = self._pages.urls[file.src_uri]
            file.dest_uri = f"{url}index.html"
            file.url = url or "./"
            NotePage(file, config, note, self._pages.compile)

    def on_nav(self, nav: Navigation, *, config: MkDocsConfig, files: Files) -> Navigation:
        """Gives pages the titles that `nav:` names: our pages existed before it was read."""
        if self.renders and not self.is_own_theme:
            for path, title in navigation_titles(config.nav):
                file = files.get_file_from_path(path)
                if file is not None and file.page is not None:
                    file.page.title = title
        self._navigation = nav if config.nav else None
        return nav

    @event_priority(-100)
    def on_env(
        self, env: jinja2.Environment, *, config: MkDocsConfig, files: Files
    ) -> jinja2.Environment:
        """Every page is rendered now: links can find their targets."""
        if self.is_own_theme:
            return env
        pages = [file for file in files.documentation_pages() if self._is_note(file)]
        for file in pages:
            # Plugins such as Material's blog move pages after `on_files`.
            self._pages.urls[file.src_uri] = _decoded(file.url)
        if not self.renders:
            for file in pages:
                assert file.page is not None
                self._pages.take(file.src_uri, file.page.markdown or "", file.page.content or "")
        self._pages.link(_asset_of(files))
        if self.renders:
            for file in pages:
                assert file.page is not None
                file.page.content = self._pages.html(file.src_uri, file.page.content or "")
            self._leave_out_unused(files, config)
        return env

    def _leave_out_unused(self, files: Files, config: MkDocsConfig) -> None:
        """Of the author's files only those are copied that a published note uses, that the
        settings name, or that hosts look for: a folder of notes may hold private things."""
        used = self._pages.collection.used_assets()
        named = {str(path) for path in (*config.extra_css, *config.extra_javascript)}
        for file in files:
            own = file.src_dir == config.docs_dir and not file.is_documentation_page()
            if own and file.src_uri not in used | named | HOST_FILES:
                file.inclusion = InclusionLevel.EXCLUDED

    def _is_note(self, file: File) -> bool:
        return file.page is not None and file.src_uri in self._pages.sources

    @event_priority(-100)
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Builds our site into what MkDocs left, or publishes the knowledge beside its pages."""
        with previous_site(self.config.previous) as previous:
            if self.is_own_theme:
                self._build_site(config, previous)
            else:
                nav = self._navigation
                known = self._pages.sources
                lists = navigation_lists(nav, known) if nav is not None else None
                self.report = self._pages.publish(lists, previous)
        for finding in self.report.findings:
            log.warning("%s", finding)

    def _build_site(self, config: MkDocsConfig, previous: PreviousSite | None) -> None:
        self._tell_of_other_plugins(config)
        config.nav = self._nav
        store = self.store or NoteStore(None)
        project = site_project(config, self.config)
        out, excludes = self._taken_out, project.excludes
        project = replace(project, excludes=lambda path: path in out or excludes(path))
        build = SiteBuild(project, store, self.executor)
        self.report = build.run(previous, self.progress, beside=True)

    def _tell_of_other_plugins(self, config: MkDocsConfig) -> None:
        names = ", ".join(sorted(self._page_makers(config)))
        if names:
            log.warning("our theme makes the pages itself: the plugins %s are left out", names)

    def _page_makers(self, config: MkDocsConfig) -> dict[str, object]:
        return {
            name: plugin
            for name, plugin in config.plugins.items()
            if plugin is not self
            and any(
                getattr(type(plugin), f"on_{event}", None)
                is not getattr(BasePlugin, f"on_{event}", None)
                for event in PAGE_EVENTS
            )
        }


def _set_aside(plugins: Mapping[str, object], config: MkDocsConfig) -> None:
    """Takes plugins that change pages out of a build where MkDocs makes none: many of them count
    on pages that they met before, and fail."""
    gone = {id(plugin) for plugin in plugins.values()}
    for event, methods in config.plugins.events.items():
        if event not in OTHER_EVENTS:
            methods[:] = [
                method for method in methods if id(getattr(method, "__self__", None)) not in gone
            ]


def _paths_of_notes(files: Files, config: MkDocsConfig) -> frozenset[str]:
    """The files in the folder of notes that plugins have not taken out."""
    return frozenset(
        unicodedata.normalize("NFC", file.src_uri)
        for file in files
        if file.src_dir == config.docs_dir
    )


def _note_bytes(file: File, config: MkDocsConfig) -> bytes:
    if file.src_dir == config.docs_dir:
        return read_bounded(Path(config.docs_dir), file.src_uri)
    return file.content_bytes


def _asset_of(files: Files) -> Callable[[str], Asset | None]:
    """The files of the site as the knowledge names them, hashed when first asked for."""

    @cache
    def asset(path: str) -> Asset | None:
        file = files.get_file_from_path(path)
        if file is None:
            return None
        body = file.content_bytes
        return Asset(path=path, sha256=sha256_hex(body), size=len(body))

    return asset


def _leave_out_templates(files: Files) -> None:
    for file in files:
        if in_template_folder(file.src_uri):
            file.inclusion = InclusionLevel.EXCLUDED


def _decoded(url: str) -> str:
    return "" if url in (".", "./") else unquote(url)
