"""What of a document is searched: its Markdown without markup, by expressions and not by a parser.

A pure function of the published text, simple enough to write again in a browser. Punctuation need
not go, since tokens ignore it; what must go is what is no reading text: addresses, HTML tags.

The text may be hostile, so no expression may try a stretch twice: neighbours that repeat never
match the same character unless a lookahead pins the border between them. (JavaScript has no
possessive repeats; lookaheads work in both.)
"""

from __future__ import annotations

import re
from functools import lru_cache

from manifest.tags import INLINE_TAG, is_tag

_FENCED = re.compile(
    r"^[ \t>]*(`{3,}(?!`)(?![^\n]*`)|~{3,}(?!~))[^\n]*\n.*?(?:^[ \t>]*\1[`~]*[ \t]*$|\Z)",
    re.M | re.S,
)
_BACKTICKS = re.compile("`+|\n")
_HTML_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.S)
_HTML_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9-]*(?:\s[^<>]*)?/?>")
_AUTOLINK = re.compile(r"<[A-Za-z][A-Za-z0-9+.-]*:[^<>\s]*>")
_DESTINATION = re.compile(
    r"\]\(\s*(?!\s)(?:<[^<>\n]*>|[^()\s]*(?![^()\s])(?:\([^()\s]*\)[^()\s]*(?![^()\s]))*)"
    r"([^()\n]*)\)"
)
_DEFINITION = re.compile(r"^ {0,3}\[[^\]\n]+\]:[ \t]*\S+", re.M)
_WIKI_LABELLED = re.compile(r"\[\[[^\[\]\n|]*\|([^\[\]\n]*)\]\]")
_WIKI = re.compile(r"\[\[[^\[\]\n]*\]\]")
_BARE_ADDRESS = re.compile(r"https?://[^\s<>\"'()\[\]\u3000-\u303f\uff00-\uffef]+")
_ATTRIBUTES = re.compile(r"\{[ \t]*[#.:][^{}\n]*\}")
_ENTITY = re.compile(r"&(?:[A-Za-z][A-Za-z0-9]{1,31}|#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6});")


def search_text(markdown: str) -> str:
    """The words of a piece of Markdown that a reader of the page would see, code included."""
    text = _HTML_COMMENT.sub(" ", markdown)
    text = _AUTOLINK.sub(" ", text)
    text = _HTML_TAG.sub(" ", text)
    text = _DESTINATION.sub(r"] \1 ", text)
    text = _DEFINITION.sub(" ", text)
    text = _WIKI_LABELLED.sub(r" \1 ", text)
    text = _BARE_ADDRESS.sub(" ", text)
    text = _ATTRIBUTES.sub(" ", text)
    return _ENTITY.sub(" ", text)


def document_tags(meta_tags: list[str], text: str) -> list[str]:
    """The tags of a document: those of the front matter first, then `#tag` in the text outside
    code, each once, in order."""
    return list(dict.fromkeys([*meta_tags, *_inline_tags(text)]))


@lru_cache(maxsize=2)
def _inline_tags(text: str) -> tuple[str, ...]:
    """The tags in a text; whoever indexes a document asks for them several times in a row."""
    bare = _without_code_spans(_FENCED.sub("\n", text))
    bare = _WIKI.sub(" ", _DESTINATION.sub("] ", _HTML_TAG.sub(" ", bare)))
    bare = _ATTRIBUTES.sub(" ", _BARE_ADDRESS.sub(" ", bare))
    inline = (match[1].strip("/") for match in INLINE_TAG.finditer(bare))
    return tuple(dict.fromkeys(tag for tag in inline if is_tag(tag)))


def _without_code_spans(text: str) -> str:
    """Every code span as a space: it runs from some backticks to the next as many in its line."""
    marks = list(_BACKTICKS.finditer(text))
    closers = _closers(marks)
    kept: list[str] = []
    position = number = 0
    while number < len(marks):
        closer = closers[number]
        if closer > number:
            kept.append(text[position : marks[number].start()])
            position = marks[closer].end()
        number = max(closer, number) + 1
    return " ".join([*kept, text[position:]])


def _closers(marks: list[re.Match[str]]) -> list[int]:
    """For each run of backticks the index of the next as long in its line; -1 if there is none."""
    closers = [-1] * len(marks)
    following: dict[str, int] = {}
    for number in range(len(marks) - 1, -1, -1):
        mark = marks[number][0]
        if mark == "\n":
            following.clear()
        else:
            closers[number] = following.get(mark, -1)
            following[mark] = number
    return closers


def meta_list(value: object) -> list[str]:
    """A front matter list of words: a list, or one string parted by commas; `#` in front goes."""
    items = value.split(",") if isinstance(value, str) else value if isinstance(value, list) else []
    words = (str(item).strip().lstrip("#").strip() for item in items if isinstance(item, str))
    return [word for word in words if word]
