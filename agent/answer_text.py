"""Answers made safe to show: no images, no raw HTML, no links but to documents that were read.

A text that a model was talked into can carry what it read to a foreign address, in the path of an
image or a link. So whatever could become one is turned into plain words first, and then the result
is parsed as a page would parse it: should anything foreign be left, every mark of Markdown is
escaped. Code is left as it is, since nothing in it becomes a link.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token

MayLink = Callable[[str], bool]
"""Whether an answer may link to an address, given as it stands in the text."""

NUMBER_OPEN = "\ue000"
NUMBER_CLOSE = "\ue001"
"""Private code points between which a citation's number waits until the text is safe. None comes
through from a model."""


@dataclass(frozen=True, slots=True)
class SafeText:
    """A text that is safe to render, and how many links, images and tags it lost."""

    text: str
    removed: int


class DocumentLinks:
    """The addresses an answer may link to: documents of one site, by any of their sections.

    site_url: where the site is. urls: of documents, relative to it. An address may be absolute or
    relative to the site; it has no query.
    """

    def __init__(self, site_url: str, urls: Iterable[str]) -> None:
        self._site = _plain(site_url)
        self._urls = {_plain(url).strip("/") for url in urls}

    def __call__(self, address: str) -> bool:
        plain = _plain(address)
        if "\\" in plain or plain.startswith("//"):
            return False
        path = plain.partition("#")[0]
        if self._site and path.startswith(self._site.rstrip("/") + "/"):
            path = path[len(self._site.rstrip("/")) :]
        elif _has_scheme(path):
            return False
        return path.strip("/") in self._urls


def safe_text(markdown: str, may_link: MayLink) -> SafeText:
    """The text without anything that would load or lead elsewhere.

    Literal `[12]` outside code is escaped, so that only numbers of citations look like them.
    """
    text = _CONTROL.sub("", markdown.replace("\r\n", "\n").replace("\r", "\n"))
    lines = text.split("\n")
    writer = _Writer(may_link)
    code = _code_lines(text)
    blocks: list[str] = []
    for is_code, block in _blocks(lines, code):
        blocks.append(block if is_code else writer.rewrite(block))
    safe = "\n".join(blocks)
    if _is_safe(safe, may_link):
        return SafeText(safe, writer.removed)
    return SafeText(_spelt_out(text), writer.removed + 1)


def hide_number(n: int) -> str:
    """A citation's number, as it passes through `safe_text`."""
    return f"{NUMBER_OPEN}{n}{NUMBER_CLOSE}"


def show_numbers(text: str) -> str:
    """Hidden numbers as readers see them: `[1]`."""
    return _HIDDEN_NUMBER.sub(r"[\1]", text)


def without_private(text: str) -> str:
    """A model's text without the code points that hide numbers."""
    return text.replace(NUMBER_OPEN, "").replace(NUMBER_CLOSE, "")


_HIDDEN_NUMBER = re.compile(f"{NUMBER_OPEN}(\\d+){NUMBER_CLOSE}")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~]")

_DEFINITION = re.compile(r"^([ \t>]*)\[(?=[^\]\n]*\]:)", re.M)
_IMAGE_MARK = re.compile(r"!(?=\[)")
_LABEL = r"\[((?:[^\[\]\n]|\[[^\[\]\n]*\])*)\]"
_LINK = re.compile(rf"{_LABEL}\(\s*(<[^<>\n]*>|[^\s()]*(?:\([^\s()]*\)[^\s()]*)*)[^()\n]*\)")
_AUTOLINK = re.compile(r"<([A-Za-z][A-Za-z0-9+.-]{1,31}:[^\s<>]*|[\w.+-]+@[\w.-]+)>")
_ADDRESS = r"(?:(?:https?|ftp)://|www\.|mailto:)[^\s<>\"'`|\[\]()]+"
_BARE = re.compile(rf"(?<![\w`]){_ADDRESS}", re.IGNORECASE)
_ANY_ADDRESS = re.compile(_ADDRESS, re.IGNORECASE)
_LEADING = re.compile(r"(?<=:)(?=//)|(?<=www)(?=\.)|(?<=mailto)(?=:)", re.IGNORECASE)
_TAG = re.compile(r"<(?=[A-Za-z/?][^<>]*>|!)")
_NUMBER = re.compile(r"(?<!\\)\[(?=\d+\](?!\())")
_CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)[^\n]*?[^`\n](?<!`)\1(?!`)")


class _Writer:
    """Rewrites stretches of text outside code, and counts what it takes away."""

    def __init__(self, may_link: MayLink) -> None:
        self._may_link = may_link
        self.removed = 0

    def rewrite(self, block: str) -> str:
        pieces: list[str] = []
        position = 0
        for span in _CODE_SPAN.finditer(block):
            pieces += [self._words(block[position : span.start()]), span[0]]
            position = span.end()
        return "".join((*pieces, self._words(block[position:])))

    def _words(self, text: str) -> str:
        text = self._count(_DEFINITION, r"\1\\[", text)
        text = self._count(_IMAGE_MARK, "", text)
        text = _LINK.sub(self._link, text)
        text = _AUTOLINK.sub(self._autolink, text)
        text = _BARE.sub(self._bare, text)
        text = self._count(_TAG, "&lt;", text)
        return _NUMBER.sub(r"\\[", text)

    def _count(self, pattern: re.Pattern[str], replacement: str, text: str) -> str:
        text, count = pattern.subn(replacement, text)
        self.removed += count
        return text

    def _link(self, match: re.Match[str]) -> str:
        if self._may_link(match[2].strip("<>")):
            return match[0]
        self.removed += 1
        return match[1] or "…"

    def _autolink(self, match: re.Match[str]) -> str:
        if self._may_link(match[1]):
            return match[0]
        self.removed += 1
        return f"`{match[1].replace('`', '')}`"

    def _bare(self, match: re.Match[str]) -> str:
        if self._may_link(match[0]):
            return match[0]
        self.removed += 1
        return f"`{match[0]}`"


def _spelt_out(text: str) -> str:
    """Every mark of Markdown escaped, and every address broken: renderers make links of what looks
    like one, escaped or not."""
    return _PUNCTUATION.sub(r"\\\g<0>", _LEADING.sub(" ", html.unescape(text)))


def _parser(*, raw: bool) -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": raw}).enable(["table", "strikethrough"])
    if not raw:
        parser.disable(["reference", "html_block"])
    parser.validateLink = lambda url: True  # type: ignore[method-assign]
    return parser


_STRUCTURE = _parser(raw=False)
_PAGE = _parser(raw=True)


def _code_lines(text: str) -> set[int]:
    lines: set[int] = set()
    for token in _STRUCTURE.parse(text):
        if token.type in ("fence", "code_block") and token.map:
            lines.update(range(*token.map))
    return lines


def _blocks(lines: list[str], code: set[int]) -> Iterator[tuple[bool, str]]:
    """Neighbouring lines that are all code, or all not."""
    start = 0
    for index in range(1, len(lines) + 1):
        if index == len(lines) or (index in code) != (start in code):
            yield start in code, "\n".join(lines[start:index])
            start = index


def _is_safe(text: str, may_link: MayLink) -> bool:
    return all(_is_safe_token(token, may_link) for token in _tokens(_PAGE.parse(text)))


def _tokens(tokens: list[Token]) -> Iterator[Token]:
    for token in tokens:
        yield token
        yield from token.children or ()


def _is_safe_token(token: Token, may_link: MayLink) -> bool:
    if token.type in ("image", "html_inline", "html_block"):
        return False
    if token.type == "link_open":
        return may_link(str(token.attrGet("href") or ""))
    if token.type == "text":
        return all(may_link(match[0]) for match in _ANY_ADDRESS.finditer(token.content))
    return True


def _plain(address: str) -> str:
    """An address as it compares: entities and escapes resolved, percent codes decoded."""
    text = html.unescape(address)
    text = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", text)
    return unquote(text).strip()


def _has_scheme(path: str) -> bool:
    try:
        parts = urlsplit(path)
    except ValueError:
        return True
    return bool(parts.scheme or parts.netloc)
