"""Inline tokens into HTML."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from html import escape
from typing import Final

from markdown_it.token import Token

from site_builder.dialect.addresses import Address
from site_builder.dialect.common_inline import IN_STRONG, PIECE, code_words
from site_builder.dialect.embed_blocks import embeds_a_note
from site_builder.dialect.outline import SPACES, plain_text
from site_builder.dialect.page import Page, attributes
from site_builder.dialect.quick_blocks import PLAIN, READ_AT_ONCE
from site_builder.dialect.spaced import SPACED
from site_builder.dialect.wikilinks import WikiLink
from site_builder.dialect.words import pieces
from site_builder.drawing.fences import draw_formula
from site_builder.media import FILMS, PICTURES, SOUNDS, extension, names_a_file
from site_builder.note import FindingKind
from site_builder.raw_html import opens

_FIXED: Final = {
    "softbreak": "\n",
    "hardbreak": "<br>\n",
    "strong_open": "<strong>",
    "strong_close": "</strong>",
    "em_open": "<em>",
    "em_close": "</em>",
    "s_open": "<s>",
    "s_close": "</s>",
    "mark_open": "<mark>",
    "mark_close": "</mark>",
    "ins_open": "<ins>",
    "ins_close": "</ins>",
    "sub_open": "<sub>",
    "sub_close": "</sub>",
    "sup_open": "<sup>",
    "sup_close": "</sup>",
    "link_close": "</a>",
}
_OPEN_FORMULA = re.compile(r"\$\$|\$[^\s$]*\\[A-Za-z]")
_SIZED = re.compile(r"(.*)\|[ \t]*(\d{1,5})(?:x(\d{1,5}))?", re.S)


class InlineWriter:
    """Writes runs of inline tokens onto a page."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._links_open = 0
        self._signs = page.signs.html
        self._writers: dict[str, Callable[[Token], str]] = {
            "code_inline": self._code,
            "image": self._image,
            "wikilink": self._wikilink,
            "embed": self._embed,
            "math": self._math,
            "footnote_ref": self._footnote_ref,
        }

    def write(self, block: Token) -> None:
        """The text of an `inline` token."""
        page, children = self._page, block.children
        if block.map:
            page.line = block.map[0]
        if block.info == PLAIN:
            page.out.append(self._text(block.content, begins_word=True))
            return
        if block.info == READ_AT_ONCE:
            self._read_at_once(block.content)
            return
        if not children:
            return
        if "$" in block.content and _OPEN_FORMULA.search(_words(children)):
            page.addresses.report(
                page.line,
                FindingKind.SYNTAX,
                "a formula begins here and is never closed",
                "close it, or write `\\$` for the sign",
            )
        behind, nowhere = 0, set[str]()
        for index, token in enumerate(children):
            kind = token.type
            if index < behind:
                continue
            if kind == "text":
                before = children[index - 1] if index else None
                begins = before is None or before.tag == "br" or before.nesting > 0
                page.out.append(self._text(token.content, begins_word=begins))
            elif kind == "text_special":
                page.out.append(escape(token.content, quote=False))
            elif kind in _FIXED:
                self._fixed(token, block.level)
            elif kind == "link_open":
                page.out.append(self._link_open(token, children, index))
            elif kind == "html_inline":
                behind = self._left_out(children, index, nowhere)
                page.out.append(page.raw_html(token.content, block.level + token.level))
            else:
                page.out.append(self._writers[kind](token))
        if page.raw.used:
            page.out.append(page.raw.close_above(block.level - 1))

    @staticmethod
    def _left_out(siblings: Sequence[Token], index: int, nowhere: set[str]) -> int:
        """The index behind an element that is left out with its content; 0 for any other tag, and
        where it is not closed. nowhere: names of which no closing tag follows."""
        token = siblings[index]
        name = opens(token.content)
        if not name or name in nowhere:
            return 0
        for end in range(index + 1, len(siblings)):
            other = siblings[end]
            beside = other.type == "html_inline" and other.level == token.level
            if beside and other.content.lower().startswith(f"</{name}"):
                return end + 1
        nowhere.add(name)
        return 0

    def _fixed(self, token: Token, level: int) -> None:
        page = self._page
        if token.nesting < 0 and page.raw.used:
            page.out.append(page.raw.close_above(level + token.level))
        given = attributes(token) if token.nesting > 0 else ""
        page.out.append(f"<{token.tag}{given}>" if given else _FIXED[token.type])
        if token.type == "link_close":
            self._links_open -= 1
        elif token.tag == "br":
            page.line += 1

    def _text(self, text: str, *, begins_word: bool) -> str:
        if self._links_open or ("#" not in text and "://" not in text):
            return self._signs(text)
        html = ""
        for kind, piece in pieces(text, begins_word=begins_word):
            if kind == "text":
                html += self._signs(piece)
                continue
            shown = escape(piece, quote=False)
            if kind == "tag":
                html += f'<span class="tag">{shown}</span>'
            else:
                address = self._page.address(piece, piece)
                html += f'<a href="{escape(address.value)}" class="ext" rel="noopener">{shown}</a>'
        return html

    def _link_open(self, token: Token, siblings: Sequence[Token], index: int) -> str:
        self._links_open += 1
        self._warn(token)
        end = index + 1
        while siblings[end].type != "link_close" or siblings[end].level != token.level:
            end += 1
        words, more = plain_text(siblings[index + 1 : end]), attributes(token, "class")
        return self._link(str(token.attrs["href"]), words, str(token.attrs.get("class", "")), more)

    def _link(self, written: str, words: str, given: str = "", more: str = "") -> str:
        """The opening tag of a link. given: the author's classes."""
        address = self._page.address(written, words)
        if not address.value:
            return f'<a class="{escape(f"refused {given}".strip())}"{more}>'
        if address.external:
            classes = escape(f"ext {given}".strip())
            return f'<a href="{escape(address.value)}" class="{classes}" rel="noopener"{more}>'
        classes = f' class="{escape(given)}"' if given else ""
        return f'<a href="{address.value}"{classes}{more}>'

    def _read_at_once(self, text: str) -> None:
        """Text that is nothing but words, `**strong**`, `code`, `[links](to)` and line breaks."""
        page, out = self._page, self._page.out
        begins = True
        for found in PIECE.finditer(text):
            kind, written = found.lastgroup, found[0]
            if kind == "text":
                out.append(self._text(written, begins_word=begins))
            elif kind == "strong":
                out.append(f"<strong>{self._strong(found['strong'])}</strong>")
            elif kind == "code":
                out.append(f"<code>{escape(code_words(written), quote=False)}</code>")
            elif kind == "line":
                out.append("\n")
                page.line += 1
            else:
                label = found["label"]
                opening = self._link(found["to"], SPACES.sub(" ", label).strip())
                out.append(f"{opening}{self._signs(label)}</a>")
            begins = kind == "line"

    def _strong(self, text: str) -> str:
        html, begins = "", True
        for found in IN_STRONG.finditer(text):
            if found.lastgroup == "code":
                html += f"<code>{escape(code_words(found[0]), quote=False)}</code>"
            else:
                html += self._text(found[0], begins_word=begins)
            begins = False
        return html

    def _warn(self, token: Token) -> None:
        if token.meta.get(SPACED):
            self._page.addresses.report(
                self._page.line,
                FindingKind.SYNTAX,
                f"an address with a space: {token.attrs.get('href') or token.attrs.get('src')}",
                "write %20 for the space, or put the address into < and >",
            )

    def _code(self, token: Token) -> str:
        return f"<code{attributes(token)}>{escape(token.content, quote=False)}</code>"

    def _math(self, token: Token) -> str:
        page, display = self._page, token.markup == "$$"
        drawn = draw_formula(token.content, display=display, in_text=True, allowance=page.allowance)
        return page.drawing(drawn, page.line)

    def _image(self, token: Token) -> str:
        self._warn(token)
        written, alt = str(token.attrs["src"]), plain_text(token.children)
        if sized := _SIZED.fullmatch(alt):
            alt = sized[1].strip()
            size = {"width": sized[2], "height": sized[3]}
            token.attrs |= {name: value for name, value in size.items() if value}
        if not written:
            return escape(alt, quote=False)
        address = self._page.address(written, alt, embed=True)
        if extension(address.target) == "md":
            return self._as_link(address, alt)
        return self._medium(address, alt, attributes(token))

    def _wikilink(self, token: Token) -> str:
        return self._as_link(self._wiki_address(token), token.content, attributes(token))

    def _embed(self, token: Token) -> str:
        link: WikiLink = token.meta["link"]
        address = self._wiki_address(token)
        if embeds_a_note(token):
            return self._as_link(address, link.label)
        size = "".join(
            f' {name}="{pixels}"'
            for name, pixels in (("width", link.width), ("height", link.height))
            if pixels
        )
        return self._medium(address, link.label, f"{size}{attributes(token)}")

    def _medium(self, address: Address, label: str, more: str) -> str:
        """A picture, a sound, a film, a PDF; any other file as a link to it."""
        if not address.value:
            return f'<span class="refused">{escape(label, quote=False)}</span>'
        source, kind = escape(address.value), extension(address.target)
        if address.external and names_a_file(address.value):
            return self._as_link(address, label, ' class="ext" rel="noopener"')
        if kind in PICTURES or not kind:
            return f'<img src="{source}" alt="{escape(label)}" loading="lazy"{more}>'
        named = f'aria-label="{escape(label or address.target)}"{more}'
        if kind in SOUNDS:
            return f'<audio src="{source}" controls {named}></audio>'
        if kind in FILMS:
            return f'<video src="{source}" controls {named}></video>'
        link = self._as_link(address, label, ' class="file"')
        if kind != "pdf":
            return link
        return f'<object data="{source}" type="application/pdf" {named}>{link}</object>'

    def embed_block(self, token: Token) -> str:
        """The place of an embedded note, between paragraphs."""
        if token.type == "embed":
            address = self._wiki_address(token)
        else:
            label = plain_text(token.children)
            address = self._page.address(str(token.attrs["src"]), label, embed=True)
        return f'<nb-embed data-n="{address.number}"></nb-embed>' if address.number >= 0 else ""

    def _wiki_address(self, token: Token) -> Address:
        link: WikiLink = token.meta["link"]
        return self._page.addresses.wiki(
            link.target, link.fragment, link.label, self._page.line, embed=token.type == "embed"
        )

    def _as_link(self, address: Address, label: str, more: str = "") -> str:
        shown = escape(label or address.target, quote=False)
        if self._links_open:
            return shown
        return f'<a href="{escape(address.value)}"{more}>{shown}</a>'

    def _footnote_ref(self, token: Token) -> str:
        number = token.meta["id"] + 1
        anchor = self._page.own_id(reference_name(token))
        target = self._page.own_id(f"fn-{number}")
        return f'<sup id="{anchor}"><a href="#{target}" role="doc-noteref">{number}</a></sup>'


def reference_name(token: Token) -> str:
    """The name of one of the places that refer to a footnote, from 1 on."""
    again = token.meta.get("subId", 0)
    return f"fnref-{token.meta['id'] + 1}" + (f"-{again + 1}" if again else "")


def _words(tokens: Sequence[Token]) -> str:
    """The plain text of a block, a space for everything else and for signs that are escaped."""
    return "".join(
        token.content if token.type == "text" or token.content[:1] == "\\" else " "
        for token in tokens
        if token.type != "code_inline"
    )
