"""Growing notes: exact, repeatable, whole."""

from __future__ import annotations

import posixpath
import re
from collections import Counter
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from bench.grower import Growth, grow_folder, read_notes
from bench.note_parts import moved, source_note
from manifest.search_text import search_text
from manifest.tokens import tokens


def contents(folder: Path) -> dict[str, bytes]:
    return {
        file.relative_to(folder).as_posix(): file.read_bytes()
        for file in folder.rglob("*")
        if file.is_file()
    }


def test_a_grown_folder_has_exactly_as_many_notes_as_asked_for(
    small_notes: Path, tmp_path: Path
) -> None:
    grown = grow_folder(small_notes, tmp_path / "out", 70)

    assert (grown.notes, grown.originals) == (70, 12)
    assert len(list((tmp_path / "out").rglob("*.md"))) == 70
    assert grown.size == sum(file.stat().st_size for file in (tmp_path / "out").rglob("*.md"))


def test_given_notes_and_pictures_stay_as_they_are(small_notes: Path, tmp_path: Path) -> None:
    grow_folder(small_notes, tmp_path / "out", 40)

    grown = contents(tmp_path / "out")
    assert contents(small_notes).items() <= grown.items()


def test_equal_seeds_give_equal_folders_and_others_do_not(
    small_notes: Path, tmp_path: Path
) -> None:
    for name, seed in (("one", 7), ("same", 7), ("other", 8)):
        grow_folder(small_notes, tmp_path / name, 40, seed)

    assert contents(tmp_path / "one") == contents(tmp_path / "same")
    assert contents(tmp_path / "one") != contents(tmp_path / "other")


def test_more_notes_only_add_to_fewer(small_notes: Path, tmp_path: Path) -> None:
    grow_folder(small_notes, tmp_path / "few", 30)
    grow_folder(small_notes, tmp_path / "many", 50)

    assert contents(tmp_path / "few").items() <= contents(tmp_path / "many").items()


def test_fewer_notes_than_given_are_refused(small_notes: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="12 notes already"):
        grow_folder(small_notes, tmp_path / "out", 11)


def test_every_link_of_a_grown_folder_leads_somewhere(
    small_notes: Path, tmp_path: Path, build: Callable[..., Any]
) -> None:
    grow_folder(small_notes, tmp_path / "out", 80)

    site = build(tmp_path / "out", tmp_path / "site", name="grown", language="zh")

    links = [link for doc in site.docs().values() for link in doc["links"]]
    assert not [str(found) for found in site.findings]
    assert len(site.rows()) == 80
    assert len(links) > 200
    assert any(link.get("anchor") for link in links)


def test_links_favour_old_notes(small_notes: Path) -> None:
    incoming: Counter[str] = Counter()
    for note in islice(Growth(read_notes(small_notes)), 400):
        folder = posixpath.dirname(note.path)
        for address in re.findall(r"\]\(([^)#]+\.md)\)", note.text):
            if not address.endswith("a-link.md"):
                incoming[posixpath.normpath(posixpath.join(folder, unquote(address)))] += 1

    given = {file.relative_to(small_notes).as_posix() for file in small_notes.rglob("*.md")}
    to_given = sum(count for path, count in incoming.items() if path in given)
    # Twelve of at most 412 notes: with even chances they would get a tenth at most.
    assert to_given > 0.3 * incoming.total()
    assert len(incoming) > 40


def test_the_vocabulary_grows_with_the_notes(small_notes: Path) -> None:
    texts = [note.text for note in islice(Growth(read_notes(small_notes)), 300)]
    sizes = [
        len({token for text in texts[:count] for token in tokens(search_text(text))})
        for count in (100, 200, 300)
    ]

    assert sizes[1] - sizes[0] > 200
    assert sizes[2] - sizes[1] > 200


def test_titles_and_paths_differ_and_some_notes_have_front_matter(small_notes: Path) -> None:
    notes = list(islice(Growth(read_notes(small_notes)), 200))

    assert len({note.title.casefold() for note in notes}) == 200
    assert len({note.path.casefold() for note in notes}) == 200
    assert 60 < sum(note.text.startswith("---\n") for note in notes) < 180
    assert len({posixpath.dirname(note.path) for note in notes}) > 4


def test_code_and_lists_are_kept(small_notes: Path) -> None:
    texts = "".join(note.text for note in islice(Growth(read_notes(small_notes)), 50))

    assert 'print("[not](a-link.md)")' in texts
    assert "\n- 没有" in texts
    assert "# not a heading" in texts


def test_drafts_are_not_quoted() -> None:
    assert source_note("a.md", b"---\ndraft: true\n---\nsecret\n") is None


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        ("[a](b.md)", "[a](../x/b.md)"),
        ("[a](#here)", "[a](../x/note.md#here)"),
        ("[a](../up.md#there)", "[a](../up.md#there)"),
        ("[a](<with space.md>)", "[a](../x/with%20space.md)"),
        ('![a](p.png "title")', '![a](../x/p.png "title")'),
        ("[a](/root.md)", "[a](/root.md)"),
        ("[a](https://example.org/x)", "[a](https://example.org/x)"),
    ],
)
def test_moved_links_lead_where_they_led(link: str, expected: str) -> None:
    assert moved(link, "x/note.md", "y/other.md") == expected


def test_links_in_code_are_not_moved() -> None:
    code = "```\n[a](b.md)\n```"

    assert moved(code, "x/note.md", "y/z/other.md") == code
