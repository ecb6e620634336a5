"""Files for browsers lose what only their authors read, and nothing else."""

from __future__ import annotations

import gzip
import re
from pathlib import Path

import pytest

from site_builder.browser_files import browser_files
from site_builder.packing import SITE_SHEETS, packed, site_sheet

CLIENT = browser_files() / "client"
SHEETS = browser_files() / "theme" / "assets" / "css"
MODULES = sorted(CLIENT.rglob("*.js"))


def test_comments_and_indentation_go() -> None:
    code = "/* What it is.\n   More. */\nimport { a } from './a.js';\n\n  // why\n  a(1); // kept\n"
    assert packed("m.js", code.encode()) == b"import { a } from './a.js';\na(1); // kept\n"


def test_code_behind_a_comment_stays() -> None:
    assert packed("m.js", b"/** @type {A} */ const a = 1;\n") == b"const a = 1;\n"


@pytest.mark.parametrize(
    "line",
    ['const a = "/* no */";', "const b = /\\/\\*/u;", "const c = `//${d}`;", "a /* b */ + c;"],
)
def test_what_only_looks_like_a_comment_stays(line: str) -> None:
    assert packed("m.js", f"{line}\n".encode()).decode() == f"{line}\n"


def test_a_file_with_text_over_lines_stays_as_it_is() -> None:
    code = "const a = `\n  // said\n`;\n// why\n"
    assert packed("m.js", code.encode()) == code.encode()


def test_styles_keep_their_rules() -> None:
    css = "/* All. */\na {\n  color: red; /* why */\n\n  &:hover { color: blue; }\n}\n"
    assert packed("s.css", css.encode()) == b"a {\ncolor: red;\n&:hover { color: blue; }\n}\n"


def test_other_files_stay_as_they_are() -> None:
    assert packed("i.svg", b"  <!-- /* a */ -->  ") == b"  <!-- /* a */ -->  "


@pytest.mark.parametrize("module", MODULES, ids=lambda path: path.stem)
def test_every_line_of_code_of_the_client_is_still_there(module: Path) -> None:
    source = module.read_text("utf-8")
    left = packed(module.name, source.encode()).decode()
    if left == source:
        return  # a line of it has a sign that might open text over lines
    comments = re.compile(r"^[ \t]*(?://[^\n]*|/\*(?:(?!\*/).)*\*/)", re.MULTILINE | re.DOTALL)
    expected = [line.strip() for line in comments.sub("", source).split("\n")]
    assert left.split("\n") == [*filter(None, expected), ""]
    assert packed(module.name, left.encode()).decode() == left


def test_one_file_holds_what_every_page_needs_in_order() -> None:
    whole = site_sheet(SHEETS).decode()
    marks = ["--paper:", ".skip {", ".shell {", ".tree {", ".prose {", "@media print"]
    places = [whole.index(mark) for mark in marks]
    assert places == sorted(places)
    assert whole.count("{") == whole.count("}")


def test_it_saves_a_third_of_what_is_sent() -> None:
    parts = [SHEETS / f"{name}.css" for name in (*SITE_SHEETS, "print")]
    before = sum(len(gzip.compress(path.read_bytes())) for path in parts)
    assert len(gzip.compress(site_sheet(SHEETS))) < before * 2 / 3
    before = sum(len(gzip.compress(path.read_bytes())) for path in MODULES)
    after = sum(len(gzip.compress(packed(path.name, path.read_bytes()))) for path in MODULES)
    assert after < before * 4 / 5
