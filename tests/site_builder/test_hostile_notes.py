"""Notes that mean harm, or are merely huge: published safely, within bounds of time and memory."""

from __future__ import annotations

import importlib.util
import os
import resource
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from site_builder.dialect import compile_note
from site_builder.dialect.compiler import COST_LIMIT
from site_builder.note import CompiledNote, FindingKind
from site_builder.source import SIZE_LIMIT, read_source


def beside(name: str) -> ModuleType:
    """A module of this folder, which is no package."""
    spec = importlib.util.spec_from_file_location(name, Path(__file__).parent / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


broken_promises: Callable[[CompiledNote], list[str]] = beside("hostile_pages").broken_promises
TEXTS = beside("hostile_texts")

SOAK = os.environ.get("NOTE_BRIDGE_SOAK") == "1"
SIZE = SIZE_LIMIT if SOAK else 60_000
SECONDS = 60 if SOAK else 6
"""Of processor time. On an idle machine the largest note takes ten; a busy one counts more."""


def compiled(text: str, path: str = "note.md") -> CompiledNote:
    return compile_note(read_source(path, text.encode("utf-8", "surrogatepass")))


@pytest.mark.parametrize("place", TEXTS.PLACES)
def test_script_in_every_position(place):
    for script in TEXTS.SCRIPTS:
        note = compiled(place.replace("{}", script).replace("{{", "{").replace("}}", "}"))
        assert broken_promises(note) == [], script


@pytest.mark.parametrize("form", TEXTS.LINKS)
def test_no_address_acts_however_it_is_spelt(form):
    for address in TEXTS.JAVASCRIPT:
        assert broken_promises(compiled(form.replace("{}", address))) == [], address


@pytest.mark.parametrize(
    "name",
    [
        "../../etc/passwd",
        "/etc/passwd",
        "..\\..\\x",
        "C:\\x",
        "a\x00b",
        "a\nb",
        "CON",
        "a/../../b",
        "%2e%2e%2fx",
        "//a.org/x",
        "a" * 5000,
        "\ud800",
        "\u202egnp.exe",
        "a?b#c",
        "'\"><img src=x onerror=alert(1)>",
    ],
)
def test_names_play_no_tricks(name):
    for form in (
        "[[{}]]",
        "![[{}]]",
        "[a](<{}>)",
        "![a](<{}>)",
        "<img src='{}'>",
        "[[x#{}]]",
        "# {}",
    ):
        assert broken_promises(compiled(form.replace("{}", name))) == []
    note = compiled("# T\n\ntext", path=f"{name.encode('utf-8', 'replace').decode()}.md")
    assert broken_promises(note) == []


def rep(text: str) -> str:
    return text * max(1, SIZE // len(text.encode()))


BOMBS: dict[str, Callable[[], str]] = {
    "quotations": lambda: ">" * 10_000 + " x",
    "quotations in all lines": lambda: rep("> " * 40 + "x\n"),
    "lists": lambda: "".join("  " * depth + "- x\n" for depth in range(400)),
    "list markers": lambda: rep("- "),
    "numbers": lambda: rep("1. "),
    "mixed": lambda: rep("- > 1. "),
    "opening brackets": lambda: rep("["),
    "links never closed": lambda: rep("[a]("),
    "pictures": lambda: rep("!["),
    "links in links": lambda: "[" * 3000 + "a" + "](b)" * 3000,
    "wikilinks": lambda: rep("[[a|"),
    "emphasis": lambda: rep("*a **b "),
    "emphasis of two kinds": lambda: rep("*a_"),
    "stars": lambda: rep("*"),
    "tildes": lambda: rep("~~a "),
    "marks": lambda: rep("==a "),
    "carets": lambda: rep("^^a "),
    "notes": lambda: rep("^[a "),
    "backticks": lambda: " ".join("`" * (n % 300 + 1) for n in range(SIZE // 150)),
    "dollars": lambda: rep("$a "),
    "formulas": lambda: rep("$$a\n"),
    "angle brackets": lambda: rep("<"),
    "tags": lambda: rep("<a "),
    "attributes": lambda: "<a " + rep('b="c" '),
    "comments of HTML": lambda: rep("<!-- "),
    "scripts": lambda: rep("<script>"),
    "scripts in blocks": lambda: rep("<div><script>\n\n"),
    "scripts in text": lambda: rep("x <script> "),
    "Markdown in HTML": lambda: rep("<div markdown>\n"),
    "elements": lambda: rep("<b>x\n\n"),
    "fonts": lambda: rep("<font>"),
    "a wide table": lambda: "a|b\n-|-\n" + rep("|c"),
    "a wide head": lambda: "|".join("a" * 5000) + "\n" + "|".join("-" * 5000) + "\n" + rep("x|\n"),
    "a long table": lambda: "|a|b|\n|-|-|\n" + rep("|c|d|\n"),
    "tables": lambda: rep("a|b\n-|-\nc|d\n\n"),
    "100,000 lines": lambda: "word\n" * 100_000,
    "paragraphs": lambda: rep("x\n\n"),
    "spaces": lambda: rep(" "),
    "tabulators": lambda: rep("\t"),
    "headings": lambda: rep("# a\n"),
    "the same ids": lambda: rep("# a {#b}\n"),
    "contents": lambda: rep("[TOC]\n\n# a\n\n"),
    "definitions": lambda: "".join(f"[a{n}]: b\n" for n in range(SIZE // 12)),
    "footnotes": lambda: "".join(f"[^{n}]: [^{n + 1}]\n\n" for n in range(SIZE // 20)) + "[^0]",
    "terms": lambda: rep("a\n: b\n"),
    "admonitions": lambda: "".join("    " * n + "!!! note\n" for n in range(150)),
    "tabs": lambda: rep('=== "a"\n    b\n'),
    "tabs in tabs": lambda: "".join("    " * n + '=== "a"\n' for n in range(150)),
    "abbreviations": lambda: "".join(f"*[a{n:03}]: x\n" for n in range(300)) + rep("a001 "),
    "callouts": lambda: rep("> [!note] x\n\n"),
    "names of blocks": lambda: rep("a ^abc\n\n"),
    "wrapped": lambda: rep("> x\n\n^abc\n\n"),
    "emoji": lambda: rep(":smile: "),
    "colons": lambda: rep(":"),
    "keys": lambda: rep("++a"),
    "tags of notes": lambda: rep("#a/"),
    "addresses": lambda: "http://" + rep("a)"),
    "braces": lambda: "[a](b){" + rep(".a "),
    "spaced": lambda: "[a](" + rep("b ") + ".png)",
    "comments": lambda: rep("%%a "),
    "comments and code": lambda: rep("`%%` "),
    "comments and brackets": lambda: rep("%%[x%% `"),
    "fences": lambda: rep("```\n"),
    "entities": lambda: rep("&amp;"),
    "backslashes": lambda: rep("\\a"),
    "embeds": lambda: rep("![[a]]\n\n"),
    "aliases of YAML": lambda: (
        "---\na0: &a0 [x,x,x,x,x,x,x,x,x]\n"
        + "".join(f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 30))
        + "---\nx"
    ),
    "brackets of YAML": lambda: "---\na: " + "[" * 30_000 + "\n---\nx",
    "YAML without end": lambda: "---\n" + rep("a: b\n"),
    "drafts of YAML": lambda: "---\n" + rep("[{draft "),
    "headings of signs": lambda: rep("# # "),
    "rules": lambda: rep("- - "),
}


@pytest.mark.parametrize("bomb", BOMBS)
def test_time_and_promises_hold(bomb):
    text = BOMBS[bomb]()
    before = time.process_time()
    note = compiled(text)
    assert time.process_time() - before < SECONDS
    assert broken_promises(note) == []


@pytest.mark.parametrize("bomb", ["lists", "numbers", "wikilinks", "tables", "comments"])
def test_ten_megabytes_are_cut_or_shown_as_typed(bomb):
    seed = BOMBS[bomb]()
    text = seed * (10_000_000 // len(seed.encode()) + 1)
    before = time.process_time()
    note = compiled(text)
    assert time.process_time() - before < 60
    assert {finding.kind for finding in note.findings} & {FindingKind.LIMIT, FindingKind.COMMENT}
    assert len(note.text.encode()) <= SIZE_LIMIT
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 2_000_000


def test_a_note_of_too_many_marks_is_shown_as_typed_without_its_comments():
    note = compiled("a %%secret%% b\n" + "*a* " * (COST_LIMIT // 2 + 1))
    assert [finding.kind for finding in note.findings] == [FindingKind.COMMENT, FindingKind.LIMIT]
    assert "secret" not in note.html + note.text
    assert broken_promises(note) == []


def test_a_book_is_no_bomb():
    chapter = "## Chapter\n\n" + "A sentence of **plain** words with [a link](x.md).\n\n" * 40
    note = compiled(chapter * 250)
    assert note.findings == ()
    assert len(note.sections) == 250
