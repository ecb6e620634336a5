"""Block tokens into HTML."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from html import escape
from typing import Final

from markdown_it.token import Token

from manifest.anchors import PREFIX
from site_builder.dialect.contents import contents
from site_builder.dialect.emoji import with_emoji
from site_builder.dialect.inline_writer import InlineWriter, reference_name
from site_builder.dialect.labels import CONTENTS, label
from site_builder.dialect.outline import block_words
from site_builder.dialect.page import Page, attributes
from site_builder.drawing.code_figure import code_figure
from site_builder.drawing.fence_options import FenceOptions
from site_builder.drawing.fences import draw_fence, draw_formula

_FIXED: Final = {
    "paragraph_close": "</p>\n",
    "bullet_list_close": "</ul>\n",
    "ordered_list_close": "</ol>\n",
    "list_item_close": "</li>\n",
    "blockquote_open": "<blockquote>\n",
    "blockquote_close": "</blockquote>\n",
    "hr": "<hr>\n",
    "thead_open": "<thead>",
    "thead_close": "</thead>\n",
    "tbody_open": "<tbody>\n",
    "tbody_close": "</tbody>",
    "tr_open": "<tr>",
    "tr_close": "</tr>\n",
    "table_close": "</table></div>\n",
    "dl_open": "<dl>\n",
    "dl_close": "</dl>\n",
    "dt_open": "<dt>",
    "dt_close": "</dt>\n",
    "dd_open": "<dd>",
    "dd_close": "</dd>\n",
    "block_close": "</div>\n",
    "tab_label_close": "</label>\n",
    "tab_open": '<div class="tab">\n',
    "tab_close": "</div>\n",
    "tabs_close": "</div>\n",
    "footnote_block_close": "</ol></section>\n",
    "footnote_close": "</li>\n",
}
_CELLS: Final = {"td": "<td", "th": '<th scope="col"'}
_ALIGNED: Final = {"": "", "left": "", "right": ' class="right"', "center": ' class="center"'}
_TASK = re.compile(r"\[([ xX])\][ \t]+")


class BlockWriter:
    """Writes a note's block tokens onto a page."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._inline = InlineWriter(page)
        self._tokens: Sequence[Token] = ()
        self._folded: list[bool] = []
        self._writers: dict[str, Callable[[Token, int], str]] = {
            "paragraph_open": lambda token, _: f"<p{attributes(token)}>",
            "embed_block": self._embed_block,
            "heading_open": lambda token, index: self._heading(token, self._tokens[index + 1]),
            "heading_close": lambda token, _: f"</{token.tag}>\n",
            "bullet_list_open": self._list_open,
            "ordered_list_open": self._list_open,
            "list_item_open": self._item_open,
            "fence": self._fence,
            "code_block": lambda token, _: code_figure(token.content, FenceOptions()),
            "html_block": self._html_block,
            "math": self._math,
            "table_open": self._table_open,
            "block_open": lambda token, _: f"<div{attributes(token)}>\n",
            "contents": self._contents,
            "tabs_open": self._tabs_open,
            "tab_label_open": self._tab_label_open,
            "callout_open": self._callout_open,
            "callout_title_open": lambda *_: f'<{self._caption()} class="cap">',
            "callout_title_close": lambda *_: f"</{self._caption()}>\n",
            "callout_close": lambda *_: "</details>\n" if self._folded.pop() else "</aside>\n",
            "footnote_block_open": self._footnotes_open,
            "footnote_open": self._footnote_open,
            "footnote_anchor": self._footnote_anchor,
        }

    def write(self, tokens: Sequence[Token]) -> None:
        """All of a note's tokens, in order."""
        self._tokens = tokens
        page, inline = self._page, self._inline.write
        out, fixed, writers = page.out, _FIXED, self._writers
        for index, token in enumerate(tokens):
            if token.type == "inline":
                if token.tag:
                    self._whole(token)
                else:
                    inline(token)
                continue
            if token.nesting < 0 and page.raw.used:
                out.append(page.raw.close_above(token.level))
            if token.hidden:
                continue
            html = fixed.get(token.type)
            out.append(html if html is not None else writers[token.type](token, index))
        out.append(page.raw.close_above(-1))

    def _embed_block(self, token: Token, index: int) -> str:
        if token.map:
            self._page.line = token.map[0]
        return self._inline.embed_block((token.children or [])[0]) + "\n"

    def _whole(self, token: Token) -> None:
        """A block that is one token: its element and its text."""
        tag, out = token.tag, self._page.out
        if tag in ("p", "li"):
            out.append(f"<{tag}>")
            self._inline.write(token)
            out.append(f"</{tag}>\n")
            return
        ending = "\n"
        if tag in ("td", "th"):
            # A cell that names no column is no heading to those who hear the table.
            tag = tag if token.content else "td"
            out.append(f"{_CELLS[tag]}{_ALIGNED[token.markup]}>")
            ending = ""
        else:
            out.append(self._heading(token, token))
        self._inline.write(token)
        out.append(f"</{tag}>{ending}")

    def _heading(self, token: Token, text: Token) -> str:
        anchor = escape(str(token.attrs["id"]))
        opening = f'<{token.tag} id="{anchor}"{attributes(token, "id")}>'
        if text.level > 1:
            return opening
        title = with_emoji(block_words(text))
        self._page.label = title
        return f'{opening}<a class="sec" href="#{anchor}" aria-label="§ {escape(title)}">§</a>'

    def _list_open(self, token: Token, index: int) -> str:
        start = token.attrs.get("start")
        start_html = "" if start is None else f' start="{start}"'
        tasks = ' class="tasks"' if self._task(index + 1) else ""
        return f"<{token.tag}{start_html}{tasks}>\n"

    def _item_open(self, token: Token, index: int) -> str:
        found = self._task(index)
        if not found:
            return f"<li{attributes(token)}>"
        text = (self._tokens[index + 2].children or [])[0]
        text.content = text.content[found.end() :]
        state, box = ("todo", "☐") if found[1] == " " else ("done", "☑")
        classes = escape(f"{state} {token.attrs.get('class', '')}".strip())
        more = attributes(token, "class")
        return f'<li class="{classes}"{more}><span class="box">{box}</span> '

    def _task(self, index: int) -> re.Match[str] | None:
        """The box at the beginning of a list item."""
        if index + 2 >= len(self._tokens) or self._tokens[index + 1].type != "paragraph_open":
            return None
        children = self._tokens[index + 2].children
        return _TASK.match(children[0].content) if children and children[0].type == "text" else None

    def _fence(self, token: Token, index: int) -> str:
        line = token.map[0] if token.map else self._page.line
        drawn = draw_fence(token.content, token.info, self._page.allowance)
        return self._page.drawing(drawn, line + 1)

    def _math(self, token: Token, index: int) -> str:
        line = token.map[0] if token.map else self._page.line
        drawn = draw_formula(token.content, display=True, allowance=self._page.allowance)
        return self._page.drawing(drawn, line)

    def _html_block(self, token: Token, index: int) -> str:
        if token.map:
            self._page.line = token.map[0]
        return self._page.raw_html(token.content, token.level)

    def _table_open(self, token: Token, index: int) -> str:
        label = escape(self._page.label)
        named = f' role="region" aria-label="{label}"' if label else ""
        return f'<div class="scroll" tabindex="0"{named}><table>\n'

    def _callout_open(self, token: Token, index: int) -> str:
        kind, fold = escape(token.meta["kind"]), token.meta["fold"]
        self._folded.append(bool(fold))
        if not fold:
            return f'<aside class="callout" data-kind="{kind}">\n'
        opened = " open" if fold == "+" else ""
        return f'<details class="callout" data-kind="{kind}"{opened}>\n'

    def _contents(self, token: Token, index: int) -> str:
        return contents(self._page.headings, label(CONTENTS, self._page.language))

    def _tabs_open(self, token: Token, index: int) -> str:
        self._page.tab_sets += 1
        token.meta["name"] = f"{PREFIX}tabs-{self._page.tab_sets}"
        return '<div class="tabs">\n'

    def _tab_label_open(self, token: Token, index: int) -> str:
        tabs = token.meta["set"].meta
        checked = " checked" if token.meta["number"] == tabs["shown"] else ""
        return f'<label><input type="radio" name="{tabs["name"]}"{checked}> '

    def _caption(self) -> str:
        return "summary" if self._folded[-1] else "p"

    def _footnotes_open(self, token: Token, index: int) -> str:
        closing = self._page.raw.close_above(-1)
        return f'{closing}<section class="notes" role="doc-endnotes"><ol>\n'

    def _footnote_open(self, token: Token, index: int) -> str:
        number = token.meta["id"] + 1
        return f'<li id="{self._page.own_id(f"fn-{number}")}">'

    def _footnote_anchor(self, token: Token, index: int) -> str:
        target = self._page.own_id(reference_name(token))
        return f' <a href="#{target}" role="doc-backlink">↩</a>'
