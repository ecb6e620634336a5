"""Texts that nobody would write: whatever the parser is given, it keeps its promises.

A short run each time; with NOTE_BRIDGE_SOAK set to 1, or to a number of seconds, a long one.
"""

from __future__ import annotations

import importlib.util
import os
import pickle
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from markdown_it.rules_core import inline

from site_builder.dialect import compiler
from site_builder.dialect.compiler import compile_parsed, published_text
from site_builder.dialect.options import DialectOptions
from site_builder.dialect.parser import NoteParser
from site_builder.note import CompiledNote
from site_builder.snippets import with_snippets
from site_builder.source import read_source


def beside(name: str) -> ModuleType:
    """A module of this folder, which is no package."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).parent / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


broken_promises: Callable[[CompiledNote], list[str]] = beside("hostile_pages").broken_promises

LONG = int(os.environ.get("NOTE_BRIDGE_SOAK") or 0)
SECONDS = 600 if LONG == 1 else LONG
EXAMPLES = 4000 if LONG else 150

BLOCKS = st.sampled_from(
    [
        "# ",
        "## ",
        "###### ",
        "> ",
        ">",
        ">> ",
        "- ",
        "* ",
        "+ ",
        "1. ",
        "2) ",
        "    ",
        "  ",
        "\t",
        "\n",
        "\n\n",
        "\n\n\n",
        "---\n",
        "===\n",
        "***\n",
        "```\n",
        "``` py\n",
        "```mermaid\n",
        "~~~\n",
        "$$\n",
        "$$",
        ": ",
        "[^1]: ",
        "[a]: x\n",
        "*[AB]: c\n",
        "!!! note\n    ",
        '??? tip "T"\n    ',
        '=== "A"\n    ',
        '===! "B"\n    ',
        "> [!note]- T\n> ",
        "- [ ] ",
        "- [x] ",
        "[TOC]\n\n",
        '--8<-- "s.md"\n',
        "---\na: b\n---\n",
        "<div>\n",
        "<div markdown>\n",
        "</div>\n",
        "<details><summary>s</summary>\n\n",
        "</details>\n",
        "<script>\n",
        "</script>\n",
        "<svg>\n\n",
        "</svg>\n",
        "<!-- ",
        "-->\n",
        "<table><tr><td>",
        "%%\n",
        "{: .k #i }\n",
        "\n^id\n\n",
        "| a | b |\n",
        "|---|:-:|\n",
        "| | |\n",
        "a|b\n-|-\n",
    ]
)
INLINES = st.sampled_from(
    [
        "*",
        "**",
        "***",
        "_",
        "__",
        "~~",
        "~",
        "==",
        "^",
        "^^",
        "`",
        "``",
        "$",
        "$$",
        "%%",
        "[",
        "]",
        "(",
        ")",
        "](",
        "](x.md)",
        "![",
        "[[",
        "]]",
        "![[",
        "|",
        "#",
        "^[",
        "[^1]",
        " ^id",
        "{.k}",
        "{#i}",
        "{",
        "}",
        "{{ x }}",
        "\\",
        "\\*",
        "<",
        ">",
        "<b>",
        "</b>",
        "<a href=x>",
        "</a>",
        "<br>",
        "<script>",
        "</script>",
        "<img src=x onerror=y>",
        "<p",
        "&amp;",
        "&#58;",
        "&",
        ":smile:",
        ":",
        "++ctrl+c++",
        "++",
        "AB",
        "http://a.b/c",
        "javascript:x",
        "a.pdf",
        "b.png",
        "N#H",
        "N#^id",
        "a",
        "b c",
        "漢字",
        "。",
        "é",
        " ",
        "  \n",
        "\n",
        "\t",
        "\u00a0",
        "\u2028",
        "\x0b",
        "\x1c",
        "\ud800",
        "\U000f0001",
        "\0",
        "1",
        ".",
    ]
)
TEXTS = st.lists(BLOCKS | INLINES | INLINES, max_size=60).map("".join) | st.text(max_size=200)


def compiled(text: str) -> CompiledNote:
    """Compiled without the net that turns exceptions into plain text."""
    source = read_source("a/note.md", text.encode("utf-8", "surrogatepass"))
    files = {"s.md": 'in *snippet*\n--8<-- "t.md"\n', "t.md": text[:40]}
    note = with_snippets(source, files.get).note
    return compile_parsed(note, published_text(note), DialectOptions())


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(TEXTS)
def test_any_text_keeps_the_promises(text):
    note = compiled(text)
    assert broken_promises(note) == []
    assert compiled(text) == note
    assert pickle.loads(pickle.dumps(note)) == note


@settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=list(HealthCheck))
@given(TEXTS)
def test_what_is_written_without_tokens_is_what_tokens_give(text):
    every_token = NoteParser()
    every_token.core.ruler.at("inline", inline)
    note = compiled(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(compiler, "note_parser", lambda: every_token)
        assert compiled(text) == note


@pytest.mark.skipif(not LONG, reason="NOTE_BRIDGE_SOAK is not set")
def test_the_long_run():
    """The two tests above, again and again with other texts, until the time is over."""
    end = time.monotonic() + SECONDS
    while time.monotonic() < end:
        test_any_text_keeps_the_promises()
        test_what_is_written_without_tokens_is_what_tokens_give()
