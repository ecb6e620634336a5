"""The dialect's grammar: one markdown-it parser with all its rules, built once per process."""

from __future__ import annotations

from functools import cache
from typing import Final

from markdown_it import MarkdownIt
from markdown_it.ruler import RuleOptionsType
from mdit_py_plugins.deflist import deflist_plugin
from mdit_py_plugins.footnote import footnote_plugin

from site_builder.dialect.abbreviations import abbreviation
from site_builder.dialect.attributes import (
    block_attributes,
    inline_attributes,
    marked_attributes,
)
from site_builder.dialect.block_ids import block_ids
from site_builder.dialect.callouts import admonition, callouts
from site_builder.dialect.contents import contents_places
from site_builder.dialect.dispatch import BlockParser, InlineParser, inline_text
from site_builder.dialect.embed_blocks import embed_blocks
from site_builder.dialect.footnotes import footnote_definition
from site_builder.dialect.html_blocks import html_block
from site_builder.dialect.marks import inserted, subscript, superscript
from site_builder.dialect.spaced import spaced_address
from site_builder.dialect.spans import highlight, math_block, math_inline
from site_builder.dialect.tabs import tabs
from site_builder.dialect.wikilinks import wikilink

MAX_NESTING: Final = 100
"""Levels of blocks within blocks; what is nested deeper is not rendered."""

_ENDS_TEXT: Final[RuleOptionsType] = {"alt": ["paragraph", "reference", "blockquote"]}


class NoteParser(MarkdownIt):
    """markdown-it, except that addresses pass as written: what they may be is decided later."""

    inline: InlineParser
    block: BlockParser

    def __init__(self) -> None:
        super().__init__("commonmark", {"html": True, "maxNesting": MAX_NESTING})
        self.inline, self.block = InlineParser(), BlockParser()
        self.configure("commonmark", {"html": True, "maxNesting": MAX_NESTING})
        self.enable(["table", "quick_list", "strikethrough"])
        self.block.ruler.disable("lheading")
        self.core.ruler.disable(["normalize", "text_join"])
        self._add_rules()
        self.inline.freeze()
        self.block.freeze()

    def _add_rules(self) -> None:
        deflist_plugin(self)
        footnote_plugin(self)
        self.block.ruler.at(
            "footnote_def", footnote_definition, {"alt": ["paragraph", "reference"]}
        )
        inline, block, core = self.inline.ruler, self.block.ruler, self.core.ruler
        inline.before("link", "wikilink", wikilink)
        inline.push("spaced_address", spaced_address)
        inline.push("highlight", highlight)
        inline.push("math_inline", math_inline)
        inline.push("attributes", inline_attributes)
        inline.push("subscript", subscript)
        inline.push("superscript", superscript)
        inline.push("inserted", inserted)
        self.inline.ruler2.push("marked_attributes", marked_attributes)
        block.before("fence", "admonition", admonition, _ENDS_TEXT)
        block.before("fence", "math_block", math_block, _ENDS_TEXT)
        block.before("fence", "tabs", tabs, _ENDS_TEXT)
        block.at("html_block", html_block, _ENDS_TEXT)
        block.before("fence", "abbreviation", abbreviation, _ENDS_TEXT)
        core.after("block", "callouts", callouts)
        core.after("callouts", "block_attributes", block_attributes)
        core.after("block_attributes", "block_ids", block_ids)
        core.after("block_ids", "contents", contents_places)
        core.at("inline", inline_text)
        core.after("inline", "embed_blocks", embed_blocks)

    def normalizeLink(self, url: str) -> str:  # noqa: N802 - markdown-it's name
        return url

    def validateLink(self, url: str) -> bool:  # noqa: N802
        return True

    def normalizeLinkText(self, link: str) -> str:  # noqa: N802
        return link


@cache
def note_parser() -> NoteParser:
    """The parser of this process; it keeps nothing between notes."""
    return NoteParser()
