"""`check` at the command line, and languages that are none."""

from __future__ import annotations

import pytest

TEXT = " ".join(f"word{number}" for number in range(200))


@pytest.fixture
def flawed(notes):
    """The notes with a broken link, an orphan and two notes alike."""
    (notes / "bad.md").write_text(f"# Bad\n\n[x](gone.md)\n\n{TEXT}\n", encoding="utf-8")
    (notes / "copy.md").write_text(f"# Bad\n\n{TEXT} more\n\n[[bad]]\n", encoding="utf-8")
    return notes


def test_check_tells_what_is_wrong_by_groups(run, flawed):
    done = run("check", flawed)
    assert done.code == 1
    assert "Links that lead nowhere (1)" in done.out
    assert "  bad.md:3: missing note: gone.md" in done.out
    assert "copy.md:1: has the title of bad.md: Bad" in done.out
    assert "copy.md:1: says almost the same as bad.md" in done.out
    assert ", 1 broken link, 4 findings" in done.out


def test_check_counts_what_it_found_for_a_program(run, flawed):
    document = run("check", flawed, "--json").document
    assert document["broken"] == 1
    assert document["counts"]["near-duplicate"] == document["counts"]["duplicate-title"] == 1
    assert sum(document["counts"].values()) == len(document["findings"])
    kinds = {(found["path"], found["kind"], found["line"]) for found in document["findings"]}
    assert ("copy.md", "orphan", 1) in kinds


def test_an_orphan_is_no_broken_link_unless_strict(run, notes):
    (notes / "lonely.md").write_text("# Lonely\n", encoding="utf-8")
    assert run("check", notes).code == 0
    done = run("check", notes, "--strict")
    assert done.code == 1
    assert "no broken links" in done.out


def test_a_long_group_is_cut_for_a_person_and_whole_with_all(run, notes):
    for number in range(15):
        (notes / f"lonely{number}.md").write_text(f"# L{number}\n", encoding="utf-8")
    assert " more; --all prints them" in run("check", notes).out
    whole = run("check", notes, "--all").out
    assert all(f"lonely{number}.md:1" in whole for number in range(15))


def test_a_language_that_is_none_is_refused_with_what_to_write(run, notes, tmp_path):
    done = run("build", notes, "--out", tmp_path / "out", "--language", "zh_CN")
    assert done.code == 2
    assert "zh-CN" in done.err
    assert not (tmp_path / "out").exists()
