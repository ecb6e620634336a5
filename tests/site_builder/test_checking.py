"""What `check` finds over all notes: orphans, equal titles, near-duplicates, each at its line."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pytest

from site_builder.build import build_site
from site_builder.checking.check_site import check_site
from site_builder.checking.checks import CheckedNote, check_notes
from site_builder.checking.likeness import CROWD, SHORTEST, Pair, alike, percent_alike, sketch
from site_builder.checking.published_notes import title_line
from site_builder.navigation import navigation_paths
from site_builder.note import Finding, FindingKind
from site_builder.project import BuildRequest

WORDS = [f"word{number}" for number in range(4000)]
HAN = [chr(code) for code in range(0x4E00, 0x5E00)]


def words(seed: int, count: int = 400, of: list[str] = WORDS) -> list[str]:
    chance = random.Random(seed)
    return [chance.choice(of) for _ in range(count)]


def note(path: str, text: str = "", links: tuple[str, ...] = (), **more: str) -> CheckedNote:
    stem = path.removesuffix(".md")
    url = "" if stem == "index" else f"{stem}/"
    title, language = more.get("title", stem), more.get("language", "en")
    return CheckedNote(path, stem, url, title, language, links, sketch(text))


def paths(found: tuple[Finding, ...], kind: FindingKind) -> list[str]:
    return [finding.path for finding in found if finding.kind is kind]


def test_a_note_that_nothing_leads_to_is_an_orphan() -> None:
    notes = [
        note("index.md", links=("a",)),
        note("a.md", links=("a",)),
        note("self.md", links=("self",)),
        note("named.md"),
        note("lonely.md", links=("a",)),
        note("folder/index.md"),
        note("folder/README.md"),
        note("SUMMARY.md"),
    ]
    found = check_notes(notes, {"named.md"})
    assert paths(found, FindingKind.ORPHAN) == ["lonely.md", "self.md"]


def test_equal_titles_are_told_with_the_first_note_of_that_title() -> None:
    notes = [
        note("b.md", title="Ｌｏｃｋ"),
        note("a.md", title="lock"),
        note("zh.md", title="Lock", language="zh"),
    ]
    found = check_notes(notes, {"a.md", "b.md", "zh.md"})
    assert paths(found, FindingKind.DUPLICATE_TITLE) == ["b.md"]
    assert "a.md" in found[0].message


@pytest.mark.parametrize("of", [WORDS, HAN], ids=["english", "chinese"])
def test_notes_that_differ_in_a_few_words_are_near_duplicates(of: list[str]) -> None:
    one = words(1, of=of)
    other = [*one[:100], "changed", *one[101:]]
    joined = [" ".join(one), " ".join(other), " ".join(words(2, of=of)), "too short to compare"]
    notes = [note(f"{number}.md", text) for number, text in enumerate(joined)]
    found = check_notes(notes, {each.path for each in notes})
    assert paths(found, FindingKind.NEAR_DUPLICATE) == ["1.md"]
    assert "0.md" in found[0].message


@pytest.mark.parametrize("share", [100, 90, 60, 30, 0])
def test_likeness_estimates_the_share_of_equal_windows(share: int) -> None:
    chance = random.Random(7)
    alphabet = "abcdefghijklmnopqrstuvwxyz"
    common = "".join(chance.choice(alphabet) for _ in range(20_000 * share // 100))
    own = ["".join(chance.choice(alphabet) for _ in range(20_000 - len(common))) for _ in range(2)]
    resemblance = 100 * len(common) / (2 * 20_000 - len(common))
    estimate = percent_alike(*(sketch(common + each) for each in own))
    assert abs(estimate - resemblance) < 14


def test_spaces_signs_and_case_do_not_count() -> None:
    text = " ".join(words(3))
    loud = text.upper().replace(" ", ", ")
    assert percent_alike(sketch(text), sketch(loud)) == 100


def test_a_text_too_short_is_like_no_other() -> None:
    assert len(sketch("x" * (SHORTEST - 1))) == 0
    assert percent_alike(sketch("short"), sketch("short")) == 0
    assert alike([sketch("a"), sketch("a")], 1) == []


def test_many_copies_of_one_text_are_each_told() -> None:
    copies = [sketch(" ".join(words(4)))] * (3 * CROWD)
    assert alike(copies, 80) == [Pair(one, one + 1, 100) for one in range(3 * CROWD - 1)]


def test_thousands_of_notes_are_compared_in_seconds() -> None:
    pieces = [" ".join(words(seed, 60)) for seed in range(900)]
    chance = random.Random(5)
    texts = [" ".join(chance.sample(pieces, chance.randint(2, 8))) for _ in range(3000)]
    started = time.process_time()
    sketches = [sketch(text) for text in texts]
    found = alike([*sketches, sketches[17]], 80)
    assert time.process_time() - started < 15
    assert Pair(17, 3000, 100) in found


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("# A\n", 1),
        ("\n\n# A\n", 3),
        ("---\ntags: [x]\ntitle: A\n---\n# B\n", 3),
        ("---\ntags: [x]\n---\n\n# B\n", 5),
        ("```\n# no\n```\n# A\n", 4),
        ("\ufeff---\r\nx: y\r\n---\r\n# A\r\n", 4),
        ("## Only a second level\n", 1),
        ("", 1),
    ],
)
def test_a_title_stands_on_the_line_an_editor_shows(text: str, line: int) -> None:
    assert title_line(text) == line


def test_paths_of_a_navigation_are_found_at_any_depth() -> None:
    nav = ["a.md", {"B": "b.md"}, {"C": [{"D": "d.md"}, "e.md", {"F": [{"G": "g.md"}]}]}]
    assert set(navigation_paths(nav)) == {"a.md", "b.md", "d.md", "e.md", "g.md"}
    assert list(navigation_paths(None)) == []


def test_a_project_is_checked_as_it_is_published(tmp_path: Path) -> None:
    text = " ".join(words(6))
    folder = tmp_path / "notes"
    folder.mkdir()
    for name, body in {
        "index.md": "# Home\n\n[[one]]\n",
        "one.md": f"# One\n\n{text}\n",
        "two.md": f"---\ntags: [x]\n---\n\n# One\n\n{text} more\n",
        "draft.md": f"---\ndraft: true\n---\n# One\n\n{text}\n",
    }.items():
        (folder / name).write_text(body, encoding="utf-8")
    request = BuildRequest(source=folder, out=tmp_path / "site")
    found = check_site(request, build_site(request).site)
    assert [(each.path, each.line, each.kind) for each in found] == [
        ("two.md", 5, FindingKind.DUPLICATE_TITLE),
        ("two.md", 5, FindingKind.NEAR_DUPLICATE),
        ("two.md", 5, FindingKind.ORPHAN),
    ]


def test_a_note_that_the_navigation_names_is_no_orphan(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    for name in ("index", "a", "b"):
        (tmp_path / "docs" / f"{name}.md").write_text(f"# {name}\n", encoding="utf-8")
    config = tmp_path / "mkdocs.yml"
    config.write_text(
        "site_name: N\nnav: [index.md, {A: a.md}]\n"
        "plugins: [{note-bridge: {theme: note-bridge}}]\n",
        encoding="utf-8",
    )
    request = BuildRequest(source=config, out=tmp_path / "site")
    found = check_site(request, build_site(request).site)
    assert [(each.path, each.kind) for each in found] == [("b.md", FindingKind.ORPHAN)]
