"""Coloured code: Pygments' lexers, and a writer of our own that marks only what gets a colour."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from html import escape
from typing import Final

from pygments.lexer import Lexer
from pygments.lexers import LEXERS, find_lexer_class
from pygments.token import Token, _TokenType

MAX_CODE: Final = 20_000
MAX_LINE: Final = 2_000
"""Characters of a block and of one of its lines that are coloured: some lexers take time that grows
with the square of a line."""

_CLASSES: Final = {
    Token.Keyword: "k",
    Token.Operator.Word: "k",
    Token.Comment: "c",
    Token.Comment.Preproc: "k",
    Token.Comment.PreprocFile: "s",
    Token.Comment.Hashbang: "c",
    Token.Literal.String: "s",
    Token.Literal.String.Interpol: "n",
    Token.Literal.String.Escape: "n",
    Token.Literal.Number: "n",
    Token.Literal: "n",
    Token.Keyword.Constant: "n",
    Token.Name.Constant: "n",
    Token.Name.Function: "f",
    Token.Name.Class: "f",
    Token.Name.Decorator: "f",
    Token.Name.Builtin: "f",
    Token.Name.Exception: "f",
    Token.Name.Tag: "k",
    Token.Name.Attribute: "f",
    Token.Name.Entity: "n",
    Token.Name.Label: "f",
    Token.Generic.Deleted: "d",
    Token.Generic.Inserted: "i",
    Token.Generic.Heading: "h",
    Token.Generic.Subheading: "h",
    Token.Generic.Prompt: "c",
    Token.Generic.Output: "o",
    Token.Generic.Error: "d",
    Token.Generic.Traceback: "d",
}
"""Kinds of words and their classes, for which code.css has the colours; a kind without one has that
of what it belongs to."""

_PLAIN_LANGUAGES: Final = frozenset({"", "text", "txt", "plain", "plaintext", "output", "none"})
_SAME: Final = {
    "docker": "dockerfile", "golang": "go", "jsonc": "json", "json5": "json", "mjs": "js",
    "cjs": "js", "mts": "ts", "cts": "ts", "shellscript": "sh", "vue": "html", "svelte": "html",
    "proto3": "proto", "yml": "yaml", "assembly": "asm", "dotenv": "properties",
    "env": "properties", "cmd": "bat", "objective-c": "objc", "wasm": "wat", "rs": "rust",
}  # fmt: skip


def coloured(code: str, language: str) -> list[tuple[str, str]] | None:
    """The code in runs of (class, text), the class empty for plain text; joined, they are the code.

    None where the language is not known, or the code too large.
    """
    if len(code) > MAX_CODE:
        return None
    lexer = lexer_of(language)
    if lexer is None or any(len(line) > MAX_LINE for line in code.split("\n")):
        return None
    runs: list[tuple[str, str]] = []
    last, text = "", ""
    for kind, piece in _pieces(lexer, code):
        if kind != last and not piece.isspace():
            if text:
                runs.append((last, text))
            last, text = kind, piece
        else:
            text += piece
    if text:
        runs.append((last, text))
    return runs


def lexer_of(language: str) -> Lexer | None:
    """The lexer of a language as authors name it, one for all blocks of this process."""
    name = language.lower()
    if name in _PLAIN_LANGUAGES or len(name) > 40:
        return None
    module = _aliases().get(_SAME.get(name, name))
    return _lexer(module) if module else None


def marked_up(runs: list[tuple[str, str]]) -> str:
    """Runs as HTML."""
    return "".join(
        f'<span class="{kind}">{escape(text, quote=False)}</span>'
        if kind
        else escape(text, quote=False)
        for kind, text in runs
    )


def _pieces(lexer: Lexer, code: str) -> Iterator[tuple[str, str]]:
    """All of the code, even where a lexer leaves characters out."""
    at = 0
    for start, token, piece in lexer.get_tokens_unprocessed(code):
        if start > at:
            yield "", code[at:start]
        if start < at or not piece:  # said once before
            continue
        yield _class_of(token), piece
        at = start + len(piece)
    if at < len(code):
        yield "", code[at:]


@cache
def _class_of(token: _TokenType) -> str:
    kind: _TokenType | None = token
    while kind is not None:
        if kind in _CLASSES:
            return _CLASSES[kind]
        kind = kind.parent
    return ""


@cache
def _aliases() -> dict[str, str]:
    """Pygments' own lexers by alias. Plug-ins of an environment do not count: equal notes are to
    give equal pages on every machine."""
    return {alias: name for _, name, aliases, _, _ in LEXERS.values() for alias in aliases}


@lru_cache(maxsize=64)
def _lexer(name: str) -> Lexer | None:
    lexer = find_lexer_class(name)
    return lexer(stripnl=False, ensurenl=False) if lexer else None
