"""Sections cover the text, anchors are on the page, whatever is typed."""

from __future__ import annotations

import html
import re
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from site_builder.comments import without_comments
from site_builder.dialect.compiler import compile_note, compile_parsed
from site_builder.note import CompiledNote, SourceNote

_TAG = re.compile(r"<[a-z][a-z0-9-]*(?: [\w:-]+=\"[^\"]*\")*\s*>")


def compiled(body: str) -> CompiledNote:
    """Compiled without the net that catches a parser's failure."""
    note = SourceNote("note.md", {}, body, 1)
    return compile_parsed(note, without_comments(body))


def ids(page: str) -> list[str]:
    tags = "".join(_TAG.findall(page))
    return [html.unescape(name) for name in re.findall(r" id=\"([^\"]*)\"", tags)]


def shape(body: str) -> list[tuple[str, int, str]]:
    return [
        (s.anchor, s.level, compiled(body).text[s.start : s.end]) for s in compiled(body).sections
    ]


def test_headings_of_both_kinds_cut_the_text():
    assert shape("# A\na\n\nB\n---\nb\n### C ###\nc\n") == [
        ("a", 1, "# A\na\n\n"),
        ("b", 2, "B\n---\nb\n"),
        ("c", 3, "### C ###\nc\n"),
    ]


def test_text_before_the_first_heading_is_a_section_of_its_own():
    assert shape("before\n\n# A\n") == [("_top", 0, "before\n\n"), ("a", 1, "# A\n")]


def test_blank_lines_before_the_first_heading_belong_to_it():
    assert shape("\n \n# A\n") == [("a", 1, "\n \n# A\n")]


@pytest.mark.parametrize("body", ["", "\n", "text only\n"])
def test_a_note_without_headings_is_one_section(body):
    assert shape(body) == [("_top", 0, body)]
    assert ids(compiled(body).html) == ["_top"]


def test_headings_in_lists_and_quotations_and_code_cut_nothing():
    note = compiled("# A\n> # Q\n\n- # L\n\n```\n# C\n```\n\n    # I\n\n!!! note\n    # N\n")
    assert [s.anchor for s in note.sections] == ["a"]
    assert note.ids == ("nb-q", "nb-l", "nb-n")
    assert ids(note.html) == ["a", "nb-q", "nb-l", "nb-n"]


def test_repeated_headings_in_lists_and_quotations_are_numbered():
    assert compiled("> # Q\n\n- # Q\n").ids == ("nb-q", "nb-q-1")


def test_paths_follow_levels_even_where_levels_are_skipped():
    note = compiled("# A\n### B\n## C\n#### D\n# E\n")
    assert [s.path for s in note.sections] == [
        ("A",), ("A", "B"), ("A", "C"), ("A", "C", "D"), ("E",),
    ]  # fmt: skip


def test_titles_are_plain_text():
    note = compiled("# *a* `b` [c](d) ==e== [[F|g]] ![h](i.png) $x$ #t [^1]\n\n[^1]: n\n")
    assert note.sections[0].title == "a b c e g h x #t"


def test_anchors_repeat_with_numbers_and_explicit_ones_go_first():
    note = compiled("# A\n# A\n# A-1\n## B {#a-1}\n# !!!\n# ???\n# C {#a}\n# D {#a}\n")
    assert [s.anchor for s in note.sections] == [
        "a-2", "a-3", "a-1-1", "a-1", "section", "section-1", "a", "a-4",
    ]  # fmt: skip


def test_the_top_is_nobodys_anchor():
    assert [s.anchor for s in compiled("# _top\n# x {#_top}\n").sections] == ["_top-1", "_top-2"]


def test_offsets_count_code_points():
    body = "𠮷𠮷\n\n# 漢 é\u0301\n"
    (top, heading) = compiled(body).sections
    assert (top.end, heading.start, heading.end) == (4, 4, len(body))


def test_ids_of_the_author_that_are_no_headings_are_kept_and_known():
    note = compiled("[a](b.md){#link}\n\npara\n{: #para}\n\n# Link\n\n<i id='raw'>x</i>\n")
    assert sorted(note.ids) == ["link", "nb-raw", "para"]
    assert [s.anchor for s in note.sections] == ["_top", "link-1"]
    assert Counter(ids(note.html)) == Counter(["_top", "link", "para", "link-1", "nb-raw"])


def test_other_line_separators_end_no_line():
    body = "a\u2028# no\x85# no\x0b# no\n# yes\n"
    assert [s.title for s in compiled(body).sections] == ["", "yes"]


BITS = st.sampled_from(
    ["# ", "## ", "> ", "- ", "1. ", "    ", "\t", "\n", "\n\n", "```", "~~~", "`", "$$", "$",
     "==", "**", "*", "_", "~~", "[[", "]]", "![[", "[", "]", "(", ")", "|", "---", "===",
     "|-|-|", "| a |", "!!! note", '??? tip "x"', "> [!note]- t", ": d", "[^1]", "[^1]: ", "^[",
     "<", "<b>", "</b>", "<div>", "</div>", "<script>", "</script>", "<!--", "-->",
     "<a id=x href=y.md>", "</a>", "{#x}", "{#x .y}", "{: #z}", "%%", "#tag", "a", "b c", "漢",
     "https://e.com/x", "&amp;", "&#0;", "\\", "\\\n", "  \n", "[x]: u", "[x](u.md)",
     "![y](z.png)", "<table>", "<td>", "<details>", '<p id="q">', "<pre>", "\x0b", "\x85",
     "\u2028", "\ufeff", "<br>", "{", "}", "_top", "nb-x", "[x](data:image/png,x)"]
)  # fmt: skip
TEXTS = st.lists(BITS, max_size=50).map("".join) | st.text(max_size=120).map(
    lambda text: text.encode("utf-8", "replace").decode().replace("\r", "\n").replace("\0", "")
)


@given(TEXTS)
def test_any_text_compiles_and_its_sections_cover_it(body):
    note = compiled(body)
    edges = [0, *(section.end for section in note.sections)]
    assert [section.start for section in note.sections] == edges[:-1]
    assert "".join(note.text[s.start : s.end] for s in note.sections) == note.text
    assert all(0 <= use.section < len(note.sections) for use in note.links)


@given(TEXTS)
def test_every_id_is_on_the_page_once(body):
    note = compiled(body)
    found = Counter(ids(note.html))
    assert [name for name, times in found.items() if times > 1] == []
    assert [s.anchor for s in note.sections if s.anchor not in found] == []
    assert [name for name in note.ids if name not in found] == []


@given(TEXTS)
def test_every_link_among_the_notes_has_its_place_on_the_page(body):
    note = compiled(body)
    numbers = re.findall(r"(?:=\"nb-link-|<nb-embed data-n=\")(\d+)", note.html)
    wanted = [number for number, use in enumerate(note.links) if not use.external]
    assert set(map(int, numbers)) <= set(range(len(note.links)))
    assert sorted(map(int, numbers)) == wanted or "<" in body


def test_a_note_that_a_parser_fails_on_is_shown_as_typed(monkeypatch):
    def fail(*_: object) -> None:
        raise RecursionError

    monkeypatch.setattr("site_builder.dialect.compiler.compile_parsed", fail)
    note = compile_note(SourceNote("a.md", {"title": "T"}, "a <b>\n# c\n", 1))
    assert "<pre>a &lt;b&gt;\n# c\n</pre>" in note.html
    assert (note.title, len(note.sections), len(note.findings)) == ("T", 1, 1)
