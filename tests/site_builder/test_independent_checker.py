"""The independent checker accepts sound hand-made sites and names the damage in all others."""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st


def load(name: str) -> ModuleType:
    path = Path(__file__).with_name(f"{name}.py")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


damage = load("independent_damage")
ZERO = damage.ZERO


@pytest.fixture(scope="module")
def checker() -> ModuleType:
    return load("independent_checker")


@pytest.fixture
def tiny(tmp_path: Path) -> Any:
    return load("independent_tiny").Tiny(tmp_path / "site")


@pytest.fixture(scope="module")
def sound_site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder: Path = load("independent_tiny").Tiny(tmp_path_factory.mktemp("tiny") / "site").build()
    return folder


def problems(checker: ModuleType, tiny: Any) -> str:
    return "\n".join(checker.check_site(tiny.build()).problems)


def test_a_sound_site_has_no_problems_and_is_counted(checker: ModuleType, tiny: Any) -> None:
    report = checker.check_site(tiny.build())
    assert report.problems == []
    assert report.objects == len(list(tiny.folder.rglob("ai/objects/*/*.json")))
    assert report.references >= report.objects
    assert report.unreferenced == 0
    assert [document["id"] for document in report.documents] == ["a", "b", "os/死锁"]
    assert report.documents[1]["sections"] == ["_top", "locks"]


@pytest.mark.parametrize(("kind", "path", "new", "expected"), damage.BROKEN_RULES)
def test_a_broken_rule_is_named(
    checker: ModuleType, tiny: Any, kind: str, path: str, new: object, expected: str
) -> None:
    tiny.change = damage.spoil(kind, path, new)
    assert expected in problems(checker, tiny)


def rewritten(old: bytes, new: bytes) -> Callable[[bytes], bytes]:
    return lambda body: body.replace(old, new)


def unsorted(value: dict[str, object]) -> bytes:
    backwards = dict(sorted(value.items(), reverse=True))
    return json.dumps(backwards, ensure_ascii=False, separators=(",", ":")).encode()


@pytest.mark.parametrize(
    ("rewrite", "expected"),
    [
        (rewritten(b'":', b'": '), "it is not canonical JSON"),
        (lambda body: body + b"\n", "it is not canonical JSON"),
        (lambda body: b"\xef\xbb\xbf" + body, "it is not canonical JSON"),
        (lambda body: body + b"\xff", "it is not canonical JSON"),
        (rewritten(b'"id":', b'"ie":1.5,"id":'), "1.5 is not an integer"),
        (rewritten(b'"id":', b'"ie":NaN,"id":'), "NaN is not an integer"),
        (rewritten(b'"id":', b'"id":"a","id":'), "a key occurs twice"),
        (rewritten(b'"level":1', b'"level":9007199254740992'), "2^53 or more"),
        (rewritten(b'"level":1', b'"level":null'), "null stands where"),
        (rewritten(b'"level":1', b'"level":-0'), "it is not canonical JSON"),
        (rewritten(b'"path":[', b'"path":["\\ud800",'), "it is not canonical JSON"),
        (rewritten(b'"path":[', b'"path":["\\u0041",'), "it is not canonical JSON"),
        (lambda body: unsorted(json.loads(body)), "it is not canonical JSON"),
        (lambda body: b"[" * 100_000, "it is not canonical JSON"),
    ],
)
def test_bytes_that_are_not_canonical_are_refused(
    checker: ModuleType, tiny: Any, rewrite: Callable[[bytes], bytes], expected: str
) -> None:
    encode = tiny.encode
    tiny.encode = lambda kind, value: (
        rewrite(encode(kind, value)) if kind == "toc" else encode(kind, value)
    )
    assert expected in problems(checker, tiny)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_any_flipped_byte_of_an_object_is_found(
    checker: ModuleType, sound_site: Path, data: st.DataObject
) -> None:
    path = data.draw(st.sampled_from(sorted(sound_site.rglob("ai/objects/*/*.json"))))
    body = path.read_bytes()
    place = data.draw(st.integers(0, len(body) - 1))
    flipped = bytes([body[place] ^ data.draw(st.integers(1, 255))])
    path.write_bytes(body[:place] + flipped + body[place + 1 :])
    try:
        found = "\n".join(checker.check_site(sound_site).problems)
    finally:
        path.write_bytes(body)
    assert f"object {path.parent.name}/{path.name}: its bytes have the hash" in found


KINDS = (
    "root index leaf doc toc segment terms shard docs delta overview category graph edges clusters"
)


@pytest.mark.parametrize("kind", KINDS.split())
def test_a_missing_object_is_named(checker: ModuleType, tiny: Any, kind: str) -> None:
    path = min((tiny.build() / "ai/objects" / kind).iterdir())
    path.unlink()
    found = checker.check_site(tiny.folder).problems
    assert any(f"the {kind} object {path.stem} is missing" in problem for problem in found)


def test_a_folder_without_a_manifest_is_no_site(checker: ModuleType, tmp_path: Path) -> None:
    assert checker.check_site(tmp_path).problems == ["manifest: ai/manifest.json is missing"]


def test_a_manifest_must_be_strict_json(checker: ModuleType, tiny: Any) -> None:
    path = tiny.build() / "ai" / "manifest.json"
    path.write_bytes(path.read_bytes().replace(b'"sequence":0', b'"sequence":0,"sequence":0'))
    report = checker.check_site(tiny.folder)
    assert report.problems == ["manifest: it is not valid JSON: a key occurs twice"]
    assert report.unreferenced == len(list(tiny.folder.rglob("ai/objects/*/*.json")))


def test_older_objects_are_counted_but_their_bytes_still_checked(
    checker: ModuleType, tiny: Any
) -> None:
    tiny.build()
    tiny.put(
        "doc", json.loads(min(tiny.folder.glob("ai/objects/doc/*")).read_bytes()) | {"id": "z"}
    )
    report = checker.check_site(tiny.folder)
    assert (report.problems, report.unreferenced) == ([], 1)
    (tiny.folder / "ai/objects/doc" / f"{ZERO}.json").write_bytes(b"{}")
    (tiny.folder / "ai/objects/doc/left.tmp").write_bytes(b"{}")
    found = "\n".join(checker.check_site(tiny.folder).problems)
    assert f"object doc/{ZERO}.json: its bytes have the hash" in found
    assert "file doc/left.tmp: not at <kind>/<sha256>.json" in found


def many(count: int) -> dict[str, str]:
    return {f"n{number}": f"# Note\nword{number}\n" for number in range(count)}


@pytest.mark.parametrize("count", [1, 64, 65, 300])
def test_trees_of_all_sizes_are_sound(checker: ModuleType, tiny: Any, count: int) -> None:
    tiny.notes = many(count)
    assert problems(checker, tiny) == ""


@pytest.mark.parametrize(("count", "limit"), [(65, 65), (64, 63), (20, 10)])
def test_a_leaf_splits_above_64_documents_and_not_before(
    checker: ModuleType, tiny: Any, count: int, limit: int
) -> None:
    tiny.notes, tiny.leaf_limit = many(count), limit
    assert "tree: the leaves are" in problems(checker, tiny)


def test_a_row_in_the_wrong_leaf_is_named(checker: ModuleType, tiny: Any) -> None:
    tiny.notes = many(70)
    moved: list[Any] = []

    def change(kind: str, value: Any) -> None:
        if kind == "leaf" and not moved:
            moved.append(value["docs"].pop())
        elif kind == "leaf" and len(moved) == 1:
            value["docs"] = sorted([*value["docs"], *moved], key=lambda row: row["id"])
            moved.append(None)

    tiny.change = change
    found = problems(checker, tiny)
    assert f"{moved[0]['id']} is in the wrong leaf" in found


def test_beyond_its_limit_an_index_has_children(
    checker: ModuleType, tiny: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checker, "LEAF_LIMIT", 1)
    monkeypatch.setattr(checker, "INDEX_LIMIT", 10)
    tiny.notes, tiny.leaf_limit, tiny.index_limit = many(60), 1, 10
    assert problems(checker, tiny) == ""
    monkeypatch.setattr(checker, "INDEX_LIMIT", 100)
    assert "index '': 60 leaves, 16 children" in checker.check_site(tiny.folder).problems


@pytest.mark.parametrize(
    ("path", "new", "expected"),
    [
        ("leaves.0", lambda row: ["3333", *row[1:]], "'3333' does not belong here"),
        ("indexes.0.0", "000", "'000' is not one of 16 children"),
        ("indexes.0.1", 99, "index '': '00' holds"),
    ],
)
def test_a_damaged_child_index_is_named(
    checker: ModuleType,
    tiny: Any,
    monkeypatch: pytest.MonkeyPatch,
    path: str,
    new: object,
    expected: str,
) -> None:
    monkeypatch.setattr(checker, "LEAF_LIMIT", 1)
    monkeypatch.setattr(checker, "INDEX_LIMIT", 10)
    tiny.notes, tiny.leaf_limit, tiny.index_limit = many(60), 1, 10
    first, *_ = path.split(".")
    change = damage.spoil("index", path, new)
    tiny.change = lambda kind, value: change(kind, value) if first in value else None
    assert expected in problems(checker, tiny)


def test_an_index_lists_no_more_leaves_than_its_limit(
    checker: ModuleType, tiny: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(checker, "INDEX_LIMIT", 3)
    tiny.notes = many(70)
    assert problems(checker, tiny) == "index '': 4 leaves, 0 children"


@pytest.fixture
def one_stays(checker: ModuleType, tiny: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A site whose shards keep one posting of a term, the rest going to its continuation."""
    monkeypatch.setattr(sys.modules[checker.check_search.__module__], "KEPT_POSTINGS", 1)
    tiny.notes, tiny.kept = many(5), 1
    tiny.notes["n0"] += "note note\n"
    tiny.notes["n1"] += "note\n"
    return tiny


def test_a_continuation_holds_the_rest_in_order(checker: ModuleType, one_stays: Any) -> None:
    assert problems(checker, one_stays) == ""


@pytest.mark.parametrize(
    ("kind", "path", "new", "expected"),
    [
        ("postings", "rows", lambda rows: rows[::-1], "not by impact, sha256(docId), unit"),
        ("postings", "rows.0.1", 15, "it is not cut at the impact"),
        ("postings", "rows.0.1", 16, "an impact of the continuation is 0"),
        ("postings", "rows.0.0", 9, "ordinal 9 is out of range"),
        ("postings", "rows", lambda rows: rows[1:], "its true count is 4"),
        ("postings", "term", "other", "its continuation is of other"),
        ("shard", "terms.0.1.count", 9, "its true count is 5"),
        ("shard", "terms.0.1.least", 1, "impacts from 1 on stay, not from 3 on"),
        ("shard", "terms.0.1.below", 9, "postings are just below"),
        ("shard", "terms.0.1.size", 9, "bytes, not 9"),
        ("shard", "terms.0.1.sha256", ZERO, f"the postings object {ZERO} is missing"),
        ("shard", "terms.0.1", {}, "its continuation.sha256 is missing"),
    ],
)
def test_a_damaged_continuation_is_named(
    checker: ModuleType, one_stays: Any, kind: str, path: str, new: object, expected: str
) -> None:
    one_stays.change = damage.spoil(kind, path, new)
    assert expected in problems(checker, one_stays)


def test_postings_beyond_the_limit_need_a_continuation(checker: ModuleType, one_stays: Any) -> None:
    one_stays.kept = 9
    assert "term note: 5 postings in a shard" in problems(checker, one_stays)


def test_a_continuation_only_takes_what_is_beyond_the_limit(
    checker: ModuleType, one_stays: Any
) -> None:
    one_stays.kept = 2
    assert "impacts from 2 on stay, not from 3 on" in problems(checker, one_stays)


def test_docs_pages_hold_32_rows(checker: ModuleType, tiny: Any) -> None:
    tiny.notes = many(40)
    tiny.change = damage.spoil("docs", "docs", lambda rows: rows[1:])
    assert "docs page 0 has 31 rows" in problems(checker, tiny)


def test_a_term_in_many_units_is_hot(checker: ModuleType, tiny: Any) -> None:
    tiny.notes = many(70)
    tiny.change = damage.spoil("segment", "hot", [])
    assert "hot gives note None, counted 70" in problems(checker, tiny)


@pytest.mark.parametrize(
    ("ends", "expected"),
    [
        (None, ""),
        (lambda _term, size: size > 12_000, "for no reason"),
        (lambda _term, size: size > 1_000, "for no reason"),
        (lambda _term, _size: False, "it runs past the cut"),
        (lambda _term, _size: False, "it is larger than 24 kB"),
    ],
)
def test_shards_are_cut_by_content(
    checker: ModuleType, tiny: Any, ends: Callable[[str, int], bool] | None, expected: str
) -> None:
    words = [f"word{number} " * 2 for number in range(4000)]
    parts = [f"# Part {n}\n{''.join(words[n : n + 100])}\n" for n in range(0, 4000, 100)]
    tiny.notes = {"long": "".join(parts)}
    tiny.ends_shard = ends or tiny.ends_shard
    found = problems(checker, tiny)
    assert (expected in found) if expected else (found == "")


def test_a_delta_and_a_younger_segment_overlay_the_base(checker: ModuleType, tiny: Any) -> None:
    tiny.ghosts, tiny.edited, tiny.young = ["gone"], ["a"], ["os/死锁"]
    assert problems(checker, tiny) == ""


def test_what_was_deleted_or_edited_must_not_be_found(checker: ModuleType, tiny: Any) -> None:
    tiny.ghosts, tiny.edited = ["gone"], ["a"]
    drop, docs = (damage.spoil("delta", name, []) for name in ("drop", "docs"))
    tiny.change = lambda kind, value: (drop(kind, value), docs(kind, value))
    found = problems(checker, tiny)
    assert "ordinal 0 () can be found, but is not in the tree" in found
    assert "no row leads to ['a']" in found


def test_a_delta_of_more_than_a_dozen_documents_should_be_folded(
    checker: ModuleType, tiny: Any
) -> None:
    tiny.notes = many(20)
    tiny.edited = list(tiny.notes)[:12]
    assert problems(checker, tiny) == ""
    tiny.edited = list(tiny.notes)[:13]
    assert "it should have been folded" in problems(checker, tiny)


def test_each_anchor_is_on_the_page_once(checker: ModuleType, tiny: Any) -> None:
    page = tiny.build() / "a" / "index.html"
    page.write_text('<h1 id="alpha"></h1><h2 id="alpha"></h2><!-- id="beta" -->', "utf-8")
    found = checker.check_site(tiny.folder).problems
    assert "document a: its page has the id alpha 2 times" in found
    assert "document a: its page has the id beta 0 times" in found
    page.unlink()
    found = checker.check_site(tiny.folder).problems
    assert found == ["document a: its page is missing, while others are there"]


def test_knowledge_without_any_page_is_sound(checker: ModuleType, tiny: Any) -> None:
    for page in list(tiny.build().rglob("index.html")):
        page.unlink()
    assert checker.check_site(tiny.folder).problems == []


def test_the_command_prints_problems_and_exits_with_one(sound_site: Path, tiny: Any) -> None:
    command = [sys.executable, str(Path(__file__).with_name("independent_checker.py"))]
    sound = subprocess.run([*command, str(sound_site)], capture_output=True, text=True, check=False)
    assert (sound.returncode, sound.stdout) == (0, "")
    tiny.change = damage.spoil("root", "docs", 4)
    spoiled = subprocess.run(
        [*command, str(tiny.build())], capture_output=True, text=True, check=False
    )
    assert (spoiled.returncode, spoiled.stdout) == (1, "tree: 3 documents, the root says 4\n")
