"""The MkDocs plugin `note-bridge`: MkDocs' events on one side, `Notebook` on the other.

MkDocs reads, renders and writes pages in its own order; the plugin hands each step's values to the
notebook and hands back what it makes of them. It holds no rules of its own.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import jinja2
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import BasePlugin, event_priority
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.nav import Navigation
from mkdocs.structure.pages import Page
from mkdocs.theme import Theme

from manifest.canonical import sha256_hex
from manifest.manifest_file import Manifest, Retention, write_manifest
from manifest.objects import Asset
from manifest.references import MANIFEST_PATH
from site_builder.browser_files import browser_files
from site_builder.hosting import headers_file
from site_builder.mkdocs_navigation import navigation_titles, navigation_tree
from site_builder.note import Finding
from site_builder.note_page import NotePage
from site_builder.notebook import Notebook, NotebookSettings
from site_builder.object_sink import FolderSink
from site_builder.own_files import read_bounded, refusal
from site_builder.page_facts import Script, SiteSettings
from site_builder.page_rendering import prepare
from site_builder.page_view import PageView
from site_builder.page_views import CategoryPaths, home_view, note_view, plain_view
from site_builder.plugin_options import NoteBridgeOptions
from site_builder.publication import Progress, SiteFacts, no_progress
from site_builder.rendered_headings import with_rendered_anchors
from site_builder.site_files import encoded_url, sitemap

log = logging.getLogger("mkdocs.plugins.note_bridge")

TEMPLATE_FOLDERS = frozenset({"templates", "template", "_templates", "模板"})
"""Top-level folders, compared in lower case, whose notes are patterns for notes."""

HOST_FILES = frozenset(
    {"CNAME", "robots.txt", "favicon.ico", "favicon.svg", "_redirects", "ads.txt", "security.txt"}
)
"""Files at the top of a folder of notes that hosts and browsers look for."""

HOME = "index.md"
CLIENT_PREFIX = "assets/client"


class NoteBridgePlugin(BasePlugin[NoteBridgeOptions]):  # type: ignore[no-untyped-call]
    """One build at a time; a new `Notebook` for each.

    progress: told how far the build is. findings and manifest: the last build's.
    """

    notebook: Notebook
    manifest: Manifest
    findings: tuple[Finding, ...] = ()

    def __init__(self) -> None:
        super().__init__()
        self.progress: Progress = no_progress
        self._pages_built = 0

    @property
    def renders(self) -> bool:
        """Whether pages are ours; otherwise they stay exactly as they are without the plugin."""
        return bool((self.config.renderer or self.config.theme) == "note-bridge")

    def on_config(self, config: MkDocsConfig) -> MkDocsConfig:
        """Puts the project's own theme in, where it is asked for."""
        if self.config.theme == "note-bridge":
            config.theme = _own_theme()
        return config

    @event_priority(-50)
    def on_files(self, files: Files, *, config: MkDocsConfig) -> Files:
        """Reads every note, decides who it is, and makes its page."""
        self.notebook = Notebook(_settings(self.config, config))
        self._pages_built = 0
        if self.renders:
            _leave_out_templates(files)
        if self.config.theme == "note-bridge":
            _complete_theme_files(files, config)
        self._refuse_strangers(files, Path(config.docs_dir))
        pages = [file for file in files.documentation_pages() if not self._is_strange(file)]
        for file in pages:
            self.notebook.add(file.src_uri, _note_bytes(file, config))
        self.notebook.identify(
            file.src_uri
            for file in files
            if not file.is_documentation_page()
            and file.inclusion.is_included()  # type: ignore[no-untyped-call]
            and not self._is_strange(file)
        )
        for file in pages:
            self._place(file, files, config)
        if self.renders and not any(file.page and file.page.url == "" for file in pages):
            files.append(File.generated(config, HOME, content=""))
        return files

    def _refuse_strangers(self, files: Files, folder: Path) -> None:
        """Leaves out what is no regular file of the folder of notes: with our pages altogether,
        with another renderer's only from the knowledge."""
        self._strange: set[str] = set()
        for file in list(files):
            if file.src_dir != str(folder) or not file.inclusion.is_included():  # type: ignore[no-untyped-call]
                continue
            why = refusal(folder, file.src_uri)
            if not why:
                continue
            self._strange.add(file.src_uri)
            self.notebook.left_out(file.src_uri, why)
            if self.renders:
                files.remove(file)

    def _is_strange(self, file: File) -> bool:
        return file.src_uri in self._strange

    def _place(self, file: File, files: Files, config: MkDocsConfig) -> None:
        entry = self.notebook.entries.get(file.src_uri)
        if entry is None and self.renders:
            files.remove(file)
        elif entry is not None and self.renders:
            file.dest_uri = f"{entry.identity.url}index.html"
            file.url = encoded_url(entry.identity.url) or "./"
            NotePage(file, config, entry.note, self.notebook.compile)
        elif entry is not None:
            self.notebook.stands_at(file.src_uri, _decoded(file.url))
        else:
            self.notebook.published_elsewhere(file.src_uri)

    def on_nav(self, nav: Navigation, *, config: MkDocsConfig, files: Files) -> Navigation:
        """Gives pages the titles that `nav:` names: our pages existed before it was read."""
        if self.renders:
            for path, title in navigation_titles(config.nav):
                file = files.get_file_from_path(path)
                if file is not None and file.page is not None:
                    file.page.title = title
        self._navigation = nav if config.nav else None
        return nav

    def on_page_content(self, html: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
        """Tells how far reading is."""
        self._pages_built += 1
        self.progress("reading notes", self._pages_built, len(self.notebook.entries))
        return html

    @event_priority(-100)
    def on_env(
        self, env: jinja2.Environment, *, config: MkDocsConfig, files: Files
    ) -> jinja2.Environment:
        """Every page is rendered now: links can find their targets."""
        pages = [file for file in files.documentation_pages() if self._is_note(file)]
        if not self.renders:
            for file in pages:
                self._take_rendered(file)
        self.notebook.link()
        if self.renders:
            for file in pages:
                assert file.page is not None
                file.page.content = self.notebook.html(file.src_uri, file.page.content or "")
            self._leave_out_unused(files, config)
        self.notebook.make_documents(_asset_of(files))
        nav = self._navigation
        tree = navigation_tree(nav, self.notebook) if nav is not None else None
        self._paths = CategoryPaths(self.notebook, self.notebook.categories(tree))
        self.findings = self.notebook.findings()
        for finding in self.findings:
            log.warning("%s", finding)
        if self.config.theme == "note-bridge":
            prepare(
                env,
                SiteSettings(
                    name=config.site_name,
                    url=config.site_url or "",
                    description=config.site_description or "",
                    extra_css=tuple(map(str, config.extra_css)),
                    extra_javascript=tuple(Script(str(path)) for path in config.extra_javascript),
                ),
            )
        self._pages_built = 0
        return env

    def _leave_out_unused(self, files: Files, config: MkDocsConfig) -> None:
        """Of the author's files only those are copied that a published note uses, that the
        settings name, or that hosts look for: a folder of notes may hold private things."""
        used = self.notebook.used_assets()
        named = {str(path) for path in (*config.extra_css, *config.extra_javascript)}
        for file in files:
            own = file.src_dir == config.docs_dir and not file.is_documentation_page()
            if own and file.src_uri not in used | named | HOST_FILES:
                file.inclusion = InclusionLevel.EXCLUDED

    def _is_note(self, file: File) -> bool:
        return file.page is not None and file.src_uri in self.notebook.entries

    def _take_rendered(self, file: File) -> None:
        page = file.page
        assert page is not None
        html = page.content or ""
        self.notebook.compile(file.src_uri, page.markdown or "")
        self.notebook.rename_anchors(
            file.src_uri, lambda compiled: with_rendered_anchors(compiled, html)
        )

    def on_page_context(
        self, context: Any, *, page: Page, config: MkDocsConfig, nav: Navigation
    ) -> Any:
        """Gives templates of our theme their `nb`."""
        self._pages_built += 1
        self.progress("writing pages", self._pages_built, len(self.notebook.entries))
        if self.renders:
            context["nb"] = self._view(page, nav)
        return context

    def _view(self, page: Page, nav: Navigation) -> PageView:
        entry = self.notebook.entries.get(page.file.src_uri)
        if entry is not None:
            return note_view(entry, page, self._paths)
        if page.file.src_uri == HOME:
            return home_view(self.notebook, self._paths)
        return plain_view(self.notebook, str(page.title or ""))

    def on_template_context(self, context: Any, *, template_name: str, config: MkDocsConfig) -> Any:
        """Static templates are in the site's language."""
        if self.renders:
            context["nb"] = plain_view(self.notebook, "")
        return context

    @event_priority(-100)
    def on_post_build(self, *, config: MkDocsConfig) -> None:
        """Publishes the knowledge beside the pages, manifest last."""
        site = Path(config.site_dir)
        sink = FolderSink(site)
        self.manifest = self.notebook.publish(self._paths.tree, sink, self.progress)
        if self.config.theme == "note-bridge":
            if config.site_url:
                urls = [entry.identity.url for entry in self.notebook.entries.values()]
                text = sitemap(config.site_url, urls)
                (site / "sitemap.xml").write_text(text, encoding="utf-8")
            (site / "_headers").write_text(headers_file(), encoding="utf-8")
        path = site / MANIFEST_PATH
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(write_manifest(self.manifest))


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


def _own_theme() -> Theme:
    theme = Theme(
        name=None, custom_dir=str(browser_files() / "theme"), static_templates=("404.html",)
    )
    # MkDocs' sitemap holds the day of the build; ours is written with the knowledge.
    theme.static_templates.discard("sitemap.xml")
    return theme


def _complete_theme_files(files: Files, config: MkDocsConfig) -> None:
    """Adds the client; takes out MkDocs' template of a sitemap, which is no file of a site."""
    sitemap_template = files.get_file_from_path("sitemap.xml")
    if sitemap_template is not None and sitemap_template.src_dir != config.docs_dir:
        files.remove(sitemap_template)
    client = browser_files() / "client"
    for path in sorted(client.rglob("*.js")):
        name = f"{CLIENT_PREFIX}/{path.relative_to(client).as_posix()}"
        files.append(File.generated(config, name, abs_src_path=str(path)))


def _settings(options: NoteBridgeOptions, config: MkDocsConfig) -> NotebookSettings:
    site_url = config.site_url or ""
    return NotebookSettings(
        facts=SiteFacts(
            knowledge_base_id=options.knowledge_base_id
            or sha256_hex((site_url or config.site_name).encode("utf-8")),
            title=config.site_name,
            site_url=site_url,
            language=options.language or _theme_language(config) or "en",
            retention=Retention(revisions=options.retention.revisions, days=options.retention.days),
            license_text=options.license,
        ),
        languages={str(folder): str(tag) for folder, tag in options.languages.items()},
    )


def _theme_language(config: MkDocsConfig) -> str:
    """Material and others keep the site's language in the theme's settings."""
    return str(config.theme.get("language", "") or "")


def _leave_out_templates(files: Files) -> None:
    for file in files:
        folder, slash, _ = file.src_uri.partition("/")
        if slash and folder.lower() in TEMPLATE_FOLDERS:
            file.inclusion = InclusionLevel.EXCLUDED


def _decoded(url: str) -> str:
    return "" if url in (".", "./") else unquote(url)
