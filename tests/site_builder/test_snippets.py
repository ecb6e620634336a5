"""Snippets: other files' lines in a note."""

from __future__ import annotations

import pytest

from site_builder.dialect import compile_note
from site_builder.note import FindingKind
from site_builder.snippets import COUNT_LIMIT, DEPTH_LIMIT, SIZE_LIMIT, with_snippets
from site_builder.source import read_source


def expanded(text: str, files: dict[str, str], path: str = "n/note.md"):
    return with_snippets(read_source(path, text.encode()), files.get)


def test_a_note_without_snippets_is_itself():
    note = read_source("a.md", b"x -> y\n")
    assert with_snippets(note, {}.get).note is note


def test_a_line_is_replaced_by_the_files_lines_at_its_indent():
    found = expanded('a\n    --8<-- "x.md"\nb\n', {"x.md": "1\n\n2\n"})
    assert found.note.body == "a\n    1\n\n    2\nb\n"
    assert found.files == ("x.md",)


def test_files_are_sought_from_the_top_and_beside_the_note():
    files = {"x.md": "top", "n/x.md": "beside", "n/y.md": "near"}
    assert expanded('--8<-- "x.md"\n--8<-- "y.md"', files).note.body == "top\nnear"
    assert expanded('--8<-- "y.md"', files).files == ("y.md", "n/y.md")


def test_several_files_in_a_block_and_a_mark_that_is_text():
    found = expanded(
        "--8<--\na.md\n\n; b.md\nc.md\n--8<--\n;--8<-- 'a.md'\n", {"a.md": "A", "c.md": "C"}
    )
    assert found.note.body == "A\nC\n--8<-- 'a.md'\n"
    assert found.files == ("a.md", "c.md")


@pytest.mark.parametrize(
    ("part", "lines"),
    [(":2", "2\n3\n4"), (":2:3", "2\n3"), ("::2", "1\n2"), (":1:1,4:4", "1\n4"), (":9", "")],
)
def test_ranges_of_lines(part, lines):
    assert expanded(f'--8<-- "x.txt{part}"', {"x.txt": "1\n2\n3\n4\n"}).note.body == lines


def test_sections_and_their_marks():
    code = (
        "# --8<-- [start:f]\ndef f():\n    # --8<-- [start:body]\n    pass\n"
        "    # --8<-- [end:body]\n# --8<-- [end:f]\nrest\n"
    )
    assert expanded('--8<-- "x.py:f"', {"x.py": code}).note.body == "def f():\n    pass"
    assert expanded('--8<-- "x.py:body"', {"x.py": code}).note.body == "    pass"
    missing = expanded('--8<-- "x.py:no"', {"x.py": code})
    assert [f.kind for f in missing.note.findings] == [FindingKind.MISSING_FILE]


def test_front_matter_is_no_part_of_a_snippet_and_drafts_are_not_there():
    files = {"a.md": "---\ntitle: T\n---\ntext", "d.md": "---\ndraft: true\n---\nsecret"}
    found = expanded('--8<-- "a.md"\n--8<-- "d.md"', files)
    assert found.note.body == "text"
    assert [(f.line, f.kind) for f in found.note.findings] == [(2, FindingKind.MISSING_FILE)]


@pytest.mark.parametrize(
    "path",
    [
        "../x.md",
        "a/../../x.md",
        "/etc/passwd",
        "C:\\x",
        "..\\x.md",
        "a\x01.md",
        ".",
        "..",
        "a//../..",
    ],
)
def test_no_path_leads_out_of_the_notes(path):
    asked: list[str] = []

    def read(name: str) -> str | None:
        asked.append(name)
        return "secret"

    found = with_snippets(read_source("note.md", f'--8<-- "{path}"'.encode()), read)
    assert asked == []
    assert "secret" not in found.note.body
    assert len(found.note.findings) == 1


def test_the_web_is_not_read():
    found = expanded('--8<-- "https://a.org/x.md"', {})
    assert (found.files, [f.kind for f in found.note.findings]) == ((), [FindingKind.FILE])


def test_cycles_and_chains_end():
    found = expanded('--8<-- "a.md"', {"a.md": '--8<-- "b.md"', "b.md": 'b\n--8<-- "a.md"'})
    assert found.note.body == "b"
    assert [f.kind for f in found.note.findings] == [FindingKind.EMBED]
    chain = {f"{k}.md": f'{k}\n--8<-- "{k + 1}.md"' for k in range(20)}
    found = expanded('--8<-- "0.md"', chain)
    assert found.note.body.count("\n") == DEPTH_LIMIT - 1
    assert [f.kind for f in found.note.findings] == [FindingKind.LIMIT]


def test_doubling_is_bounded():
    files = {f"{k}.md": f'--8<-- "{k + 1}.md"\n' * 9 for k in range(6)} | {"6.md": "x" * 100_000}
    found = expanded('--8<-- "0.md"', files)
    assert len(found.note.body) < SIZE_LIMIT + 100_000
    assert len(found.files) <= COUNT_LIMIT
    assert FindingKind.LIMIT in {f.kind for f in found.note.findings}


def test_lines_of_findings_and_links_are_the_authors():
    found = expanded('---\na: b\n---\nx\n--8<-- "s.md"\n[[y]]\n', {"s.md": "1\n2 [[z]]\n3"})
    note = compile_note(found.note)
    assert [(use.target, use.line) for use in note.links] == [("z", 5), ("y", 6)]
    assert "1\n2 [[z]]\n3" in note.text


def test_comments_of_snippets_are_published_nowhere():
    note = compile_note(expanded('--8<-- "s.md"\n%%x%%\n', {"s.md": "a %%secret%% b"}).note)
    assert "secret" not in note.text + note.html
    assert "a  b" in note.text


def test_snippets_in_code():
    note = compile_note(expanded('```py\n--8<-- "s.py"\n```\n', {"s.py": "x = 1 < 2\n"}).note)
    assert "x = 1 < 2" in note.text
    assert "--8" not in note.html
