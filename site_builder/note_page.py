"""A MkDocs page whose Markdown our parser reads."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs.structure.toc import AnchorLink, TableOfContents

from site_builder.note import CompiledNote, SourceNote

Compile = Callable[[str, str], CompiledNote]
"""Compiles the note of a path from the Markdown that other plugins left of it."""


class NotePage(Page):
    """One note on its way through MkDocs. `compiled` is set once the page is rendered."""

    def __init__(self, file: File, config: MkDocsConfig, note: SourceNote, compile_: Compile):
        super().__init__(None, file, config)
        self.note = note
        self.compiled: CompiledNote | None = None
        self._compile = compile_

    def read_source(self, config: MkDocsConfig) -> None:
        """Takes the note as it was read; another plugin's source goes before it."""
        source = config.plugins.on_page_read_source(page=self, config=config)
        self.markdown = self.note.body if source is None else source
        self.meta = dict(self.note.meta)

    def render(self, config: MkDocsConfig, files: Files) -> None:
        """Compiles the note; links get their targets later, when every note is known."""
        if self.markdown is None:
            raise RuntimeError("read_source comes before render")
        compiled = self._compile(self.file.src_uri, self.markdown)
        self.compiled = compiled
        self.content = compiled.html
        self.toc = table_of_contents(compiled)
        self._title_from_render = compiled.title
        self.present_anchor_ids = {section.anchor for section in compiled.sections}
        self.links_to_anchors = {}

    @property
    def is_homepage(self) -> bool:
        """Whether this page is the site's first."""
        return self.file.url in (".", "./", "index.html")


def table_of_contents(compiled: CompiledNote) -> TableOfContents:
    """The headings of a note as MkDocs' nested contents."""
    top: list[AnchorLink] = []
    open_items: list[AnchorLink] = []
    for section in compiled.sections:
        if section.level == 0:
            continue
        item = AnchorLink(section.title, section.anchor, section.level)
        while open_items and open_items[-1].level >= item.level:
            open_items.pop()
        siblings: list[Any] = open_items[-1].children if open_items else top
        siblings.append(item)
        open_items.append(item)
    return TableOfContents(top)
