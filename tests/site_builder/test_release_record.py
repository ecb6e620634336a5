"""The record of what releases put at a target: small steps, and never a mark too many."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from site_builder.releasing.record import FILE_LIMIT, path_mark, read_record, write_record


@given(st.sets(st.text(), max_size=50))
def test_a_record_gives_back_the_marks_it_was_written_with(paths: set[str]) -> None:
    marks = {path_mark(path) for path in paths}
    assert read_record(write_record(marks).values()) == marks


def test_one_more_path_changes_one_small_file_however_many_there_are() -> None:
    marks = {path_mark(f"note-{number}/index.html") for number in range(12_000)}
    before = write_record(marks)
    after = write_record(marks | {path_mark("new/index.html")})
    changed = [path for path in after if before.get(path) != after[path]]
    assert before.keys() == after.keys()
    assert len(changed) == 1
    assert len(after[changed[0]]) < 2 * 17 * FILE_LIMIT


def test_a_small_site_has_one_file_of_record() -> None:
    assert list(write_record({path_mark("index.html")})) == ["ai/released/all.txt"]


def test_a_record_names_no_path() -> None:
    assert b"secret" not in b"".join(write_record({path_mark("secret/index.html")}).values())


def test_what_is_no_mark_is_passed_over() -> None:
    mark = path_mark("index.html")
    torn = f"<html>\n{mark}\n{mark[:9]}\n{mark.upper()}\n{mark}0\n".encode()
    assert read_record([torn, b"\xff\xfe"]) == {mark}


def test_paths_that_are_no_unicode_have_marks_too() -> None:
    assert path_mark("\udcff") != path_mark("\udcfe")
