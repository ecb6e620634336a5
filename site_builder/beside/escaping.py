"""Text of authors made harmless for the languages of the files beside the pages.

Titles may hold anything: quotes, markup, line ends, control characters, marks that turn the
direction of what follows. Each function makes text safe for one place and changes no more.
"""

from __future__ import annotations

import json
import re
from html import escape

_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
_TURNING = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""Bidirectional embeddings, overrides and isolates: left open, they turn what follows."""

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NOT_PLAIN_YAML = re.compile("[\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_NONCHARACTER = re.compile("[\ufffe\uffff]")
_IN_SCRIPT = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)
_MARKDOWN = re.compile(r"([\\`*<&])")
_BRACKETS = str.maketrans("[]", "()")


def one_line(text: str, limit: int = 0) -> str:
    """Text as one line: white space folded, control and turning characters gone.

    limit: code points at most, an ellipsis included; 0 for no limit.
    """
    line = " ".join(_TURNING.sub("", _CONTROL.sub(" ", text)).split())
    if limit and len(line) > limit:
        return line[: limit - 1].rstrip() + "…"
    return line


def xml(text: str) -> str:
    """Text for an XML element or a quoted attribute; what XML 1.0 cannot hold is left out."""
    return escape(_NOT_XML.sub("", text))


def yaml(text: str) -> str:
    """Text as a double-quoted YAML scalar on one line, which every YAML parser reads as a string.

    A JSON string is one, but for characters that YAML does not print or takes for line ends.
    """
    text = _NONCHARACTER.sub("\ufffd", _SURROGATE.sub("\ufffd", text))
    quoted = json.dumps(text, ensure_ascii=False)
    return _NOT_PLAIN_YAML.sub(_code_point, quoted)


def script_json(value: object) -> str:
    """JSON for a `<script>` element: nothing in it can end the element or open a comment."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    text = _SURROGATE.sub("\ufffd", text).translate(_IN_SCRIPT)
    return _TURNING.sub(_code_point, text)


def markdown_label(text: str, limit: int = 0) -> str:
    """Text for between the brackets of a Markdown link, on one line.

    Square brackets become round ones: readers of `llms.txt` end a label at the first `]`, escaped
    or not.
    """
    return _MARKDOWN.sub(r"\\\1", one_line(text, limit).translate(_BRACKETS))


def markdown_words(text: str, limit: int = 0) -> str:
    """Text for a line of Markdown, without markup of its own."""
    return _MARKDOWN.sub(r"\\\1", one_line(text, limit))


def _code_point(found: re.Match[str]) -> str:
    """A character of the basic plane as JSON and YAML spell it out."""
    return f"\\u{ord(found[0]):04x}"
