"""Code: colours by Pygments' lexers, options of fences, bounds."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pygments.lexer import Lexer
from pygments.token import Token

from site_builder.drawing import highlighting
from site_builder.drawing.code_figure import code_figure
from site_builder.drawing.drawn import MAX_CHARACTERS, Allowance
from site_builder.drawing.fence_options import FenceOptions, fence_options
from site_builder.drawing.fences import draw_fence
from site_builder.drawing.highlighting import MAX_CODE, MAX_LINE, coloured, lexer_of

LANGUAGES = ["python", "js", "html", "c", "yaml", "bash", "java", "sql", "json", "diff"]
SHEETS = Path(__file__).parents[2] / "site" / "theme" / "assets" / "css"


def figure(code: str, info: str) -> str:
    return draw_fence(code, info, Allowance()).html


def text_of(figure: str) -> str:
    shown = re.search(r"<code[^>]*>(.*)</code>", figure, re.S)
    assert shown
    return html.unescape(re.sub(r"<[^>]*>", "", shown[1]))


@pytest.mark.parametrize(
    ("language", "code", "runs"),
    [
        ("python", "def f(x): return 'a'\n",
         [("k", "def "), ("f", "f"), ("", "(x): "), ("k", "return "), ("s", "'a'\n")]),
        ("SQL", "SELECT a -- x\n", [("k", "SELECT "), ("", "a "), ("c", "-- x\n")]),
        ("diff", "- a\n+ b\n", [("d", "- a\n"), ("i", "+ b\n")]),
        ("console", "$ ls\nb\n", [("c", "$ "), ("", "ls\n"), ("o", "b\n")]),
        ("golang", "return nil\n", [("k", "return "), ("n", "nil\n")]),
    ],
)  # fmt: skip
def test_words_are_told_apart(language, code, runs):
    assert coloured(code, language) == runs


@pytest.mark.parametrize(
    "language", ["", "text", "no-such-language", "x" * 100, "../python", "rst2"]
)
def test_what_is_not_known_stays_plain(language):
    assert coloured("if x: pass\n", language) is None


def test_characters_that_a_lexer_leaves_out_or_says_twice_stay_as_they_are(monkeypatch):
    class Careless(Lexer):
        def get_tokens_unprocessed(self, text, stack=("root",)):
            yield 2, Token.Keyword, text[2:4]
            yield 3, Token.Comment, text[3:5]
            yield 6, Token.Comment, text[6:7]

    monkeypatch.setattr(highlighting, "lexer_of", lambda _: Careless())
    assert coloured("abcdefgh", "x") == [("", "ab"), ("k", "cd"), ("", "ef"), ("c", "g"), ("", "h")]


def test_lexers_are_made_once():
    assert lexer_of("py") is lexer_of("python") is lexer_of("Python3")


def test_code_too_large_stays_plain_and_whole():
    for code in ("x = 1\n" * (MAX_CODE // 6 + 1), "x" * (MAX_LINE + 1)):
        assert coloured(code, "python") is None
        assert text_of(figure(code, "python")) == code


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(LANGUAGES),
    st.text("abif01\n\t \"'`#/*<>{}()$&;:=-\\é中🙂", max_size=120),
    st.sampled_from(["", " {1,3-4}", ' hl_lines="2"', ' linenums="7"', " {2} showLineNumbers"]),
)  # fmt: skip
def test_colours_change_no_character(language, code, options):
    shown = figure(code, language + options)
    assert text_of(shown) == code
    assert len(re.findall(r"<span[^>]*>", shown)) == shown.count("</span>")


@pytest.mark.parametrize(
    ("info", "options"),
    [
        ("", FenceOptions()),
        ("python", FenceOptions("python")),
        ('py title="a b.py"', FenceOptions("py", "a b.py")),
        ("js:src/read.js", FenceOptions("js", "src/read.js")),
        ("js {1,3-5}", FenceOptions("js", marked=frozenset({1, 3, 4, 5}))),
        ('c hl_lines="1 3-4"', FenceOptions("c", marked=frozenset({1, 3, 4}))),
        ("{.python .numberLines}", FenceOptions("python", first=1)),
        ("{ .py linenums=10 filename='x.py' }", FenceOptions("py", "x.py", first=10)),
        ("go showLineNumbers", FenceOptions("go", first=1)),
        ('x"onload="y', FenceOptions("x")),
        ("js {9-2}", FenceOptions("js")),
    ],
)
def test_fences_say_what_is_shown(info, options):
    assert fence_options(info) == options


def test_lines_are_marked_and_numbered():
    html = code_figure("a\nb\nc\n", FenceOptions("text", marked=frozenset({2}), first=9))
    assert '<code class="language-text numbered"><span class="l" data-n="9">a\n</span>' in html
    assert '<span class="l hl" data-n="10">b\n</span>' in html
    assert "data-n" not in code_figure("a\n", FenceOptions(marked=frozenset({1})))


def test_a_string_over_lines_is_coloured_on_each():
    html = figure('x = """a\nb"""\n', "python {2}")
    assert '<span class="l hl"><span class="s">b"""\n</span></span>' in html


def test_a_note_colours_so_much_code_and_shows_the_rest_plain():
    allowance = Allowance()
    allowance.characters["code"] = 10
    assert 'class="k"' in draw_fence("if x:\n", "python", allowance).html
    assert 'class="k"' not in draw_fence("if x:\n", "python", allowance).html
    assert MAX_CHARACTERS["code"] > MAX_CODE
    slow = Allowance(colour_seconds=0.0)
    assert 'class="k"' not in draw_fence("if x:\n", "python", slow).html


def luminance(colour: str) -> float:
    digits = colour[1:] if len(colour) == 7 else "".join(digit * 2 for digit in colour[1:])
    parts = [int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4)]
    linear = [
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def colours() -> dict[str, tuple[str, str]]:
    css = "".join(
        (SHEETS / f"{name}.css").read_text("utf-8") for name in ("tokens", "code", "drawing")
    )
    pairs = re.findall(r"(--[\w-]+):\s*light-dark\((#\w{3,6}),\s*(#\w{3,6})\)", css)
    found = {name: (light, dark) for name, light, dark in pairs}
    for name, other in re.findall(r"(--[\w-]+):\s*var\((--[\w-]+)\)", css):
        if other in found:
            found.setdefault(name, found[other])
    return found


@pytest.mark.parametrize("theme", [0, 1], ids=["light", "dark"])
def test_colours_can_be_read_on_what_they_stand_on(theme):
    known = {name: pair[theme] for name, pair in colours().items()}
    words = ["--code-key", "--code-str", "--code-num", "--code-note", "--code-name", "--ink-2",
             "--accent", "--fail", "--warn", "--ink"]  # fmt: skip
    for name in words:
        for ground in ("--inset", "--code-mark"):
            assert contrast(known[name], known[ground]) >= 4.5, (name, ground)
    for ground in ("--d-paper", "--d-fill", "--d-alt"):
        for name in ("--d-ink", "--d-muted"):
            assert contrast(known[name], known[ground]) >= 4.5, (name, ground)
    for number in range(1, 9):
        assert contrast(known[f"--d-{number}"], known["--d-paper"]) >= 4.5, number
