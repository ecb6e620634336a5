"""Releases into real folders, from the first to the one that takes a page away."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from manifest.errors import ErrorCode, NoteBridgeError
from site_builder.progress import Progress, no_progress
from site_builder.releasing.built_site import read_built_site
from site_builder.releasing.folder_target import FolderTarget
from site_builder.releasing.plan import REWRITE_AGE
from site_builder.releasing.reachable import reachable
from site_builder.releasing.release import ReleaseOptions, ReleaseReport, release
from site_builder.releasing.targets import StoredFile

NOW = 1_800_000_000.0


def load_sites() -> ModuleType:
    path = Path(__file__).parents[1] / "faults" / "release_sites.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


sites = load_sites()


@pytest.fixture
def first(tmp_path: Path) -> Path:
    sites.write_site(tmp_path / "first", sites.FIRST_NOTES, sites.FIRST_FILES)
    return tmp_path / "first"


@pytest.fixture
def second(tmp_path: Path) -> Path:
    sites.write_site(tmp_path / "second", sites.SECOND_NOTES, sites.SECOND_FILES)
    return tmp_path / "second"


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "target"


def released(
    site: Path, target: Path, progress: Progress = no_progress, **options: Any
) -> ReleaseReport:
    return release(
        site,
        FolderTarget(target),
        clock=lambda: NOW,
        progress=progress,
        options=ReleaseOptions(**options),
    )


def refusal(site: Path, target: Path, **options: Any) -> NoteBridgeError:
    with pytest.raises(NoteBridgeError) as refused:
        released(site, target, **options)
    return refused.value


def spoil_manifest(folder: Path, **members: object) -> None:
    path = folder / "ai/manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_bytes()), **members}), "utf-8")


def test_a_first_release_brings_the_whole_site_and_sequence_one(first: Path, target: Path) -> None:
    report = released(first, target)
    assert sites.problems(target) == []
    assert sites.site_files(target) == sites.site_files(first)
    assert (report.sequence, report.replaced, report.switched) == (1, "", True)
    assert report.revision == sites.read_manifest(first)["revision"]
    counts = {name: volume.files for name, volume in report.written.items()}
    assert counts["pages"] == 7
    assert sum(counts.values()) == len(sites.all_files(first)) - 1
    assert (report.removed, report.unchanged, report.foreign) == ((), 0, 0)


def test_a_second_release_writes_what_differs_and_takes_stale_files_away(
    first: Path, second: Path, target: Path
) -> None:
    before = released(first, target)
    objects = {path for path in sites.all_files(target) if path.startswith("ai/objects/")}
    report = released(second, target)
    assert sites.problems(target) == []
    assert sites.site_files(target) == sites.site_files(second)
    assert (report.sequence, report.replaced) == (2, before.revision)
    assert report.removed == ("assets/old.js", "goes/index.html")
    assert report.written["pages"].files == 3
    assert objects <= set(sites.all_files(target)), "earlier revisions stay readable"
    assert sites.read_manifest(target)["previous"][0]["revision"] == before.revision


def test_the_earlier_revision_is_whole_after_the_next_one_is_live(
    first: Path, second: Path, target: Path, tmp_path: Path
) -> None:
    released(first, target)
    earlier = (target / "ai/manifest.json").read_bytes()
    released(second, target)
    shutil.copytree(target, tmp_path / "then", ignore=shutil.ignore_patterns("*.html"))
    (tmp_path / "then/ai/manifest.json").write_bytes(earlier)
    assert sites.problems(tmp_path / "then") == []


def test_releasing_the_same_again_writes_nothing(first: Path, target: Path) -> None:
    released(first, target)
    before = {path: path.stat().st_mtime_ns for path in target.rglob("*") if path.is_file()}
    report = released(first, target)
    assert (report.sequence, report.switched, report.written) == (1, False, {})
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_new_pages_for_the_live_revision_do_not_count_as_a_release(
    first: Path, target: Path
) -> None:
    released(first, target)
    (first / "index.html").write_bytes(b"another theme")
    report = released(first, target)
    assert (report.sequence, report.switched) == (1, False)
    assert {name: volume.files for name, volume in report.written.items()} == {"pages": 1}
    assert (target / "index.html").read_bytes() == b"another theme"


def test_an_earlier_site_released_again_counts_on_and_says_so(
    first: Path, second: Path, target: Path
) -> None:
    released(first, target)
    released(second, target)
    report = released(first, target)
    assert (report.sequence, report.returns_to) == (3, 1)
    assert "objects" not in report.written
    assert sites.problems(target) == []
    assert sites.site_files(target) == sites.site_files(first)


def test_files_that_no_release_put_there_are_left_alone(
    first: Path, second: Path, target: Path
) -> None:
    (target / ".git").mkdir(parents=True)
    theirs = {".git/HEAD": b"ref", "old-blog.html": b"theirs", "CNAME": b"notes.example"}
    for path, body in theirs.items():
        (target / path).write_bytes(body)
    assert released(first, target).foreign == 3
    report = released(second, target)
    assert report.foreign == 3
    assert {path: (target / path).read_bytes() for path in theirs} == theirs


def test_a_dry_run_says_what_a_release_would_do_and_does_nothing(
    first: Path, second: Path, target: Path
) -> None:
    assert released(first, target, dry_run=True).sequence == 1
    assert not target.exists()
    released(first, target)
    before = sites.all_files(target)
    foretold = released(second, target, dry_run=True)
    assert sites.all_files(target) == before
    report = released(second, target)
    assert foretold.dry_run
    assert (foretold.written, foretold.removed) == (report.written, report.removed)
    assert (foretold.sequence, foretold.switched) == (report.sequence, True)


def test_a_damaged_page_and_a_cut_object_are_mended(first: Path, target: Path) -> None:
    released(first, target)
    root = target / f"ai/objects/root/{sites.read_manifest(first)['revision']}.json"
    root.write_bytes(root.read_bytes()[:-1])
    (target / "locks/index.html").unlink()
    report = released(first, target)
    assert {name: volume.files for name, volume in report.written.items()} == {
        "objects": 1,
        "pages": 1,
    }
    assert sites.problems(target) == []


def test_an_object_damaged_without_changing_size_is_mended_by_a_thorough_release(
    first: Path, target: Path
) -> None:
    released(first, target)
    root = target / f"ai/objects/root/{sites.read_manifest(first)['revision']}.json"
    root.write_bytes(root.read_bytes()[:-1] + b"?")
    assert released(first, target).written == {}
    assert released(first, target, thorough=True).written["objects"].files == 1
    assert sites.problems(target) == []


def age_objects(target: Path) -> None:
    long_ago = NOW - REWRITE_AGE - 1
    for path in (target / "ai/objects").rglob("*.json"):
        os.utime(path, (long_ago, long_ago))


def objects_written(site: Path, target: Path, **options: Any) -> int:
    place = FolderTarget(target, clock=lambda: NOW)
    report = release(site, place, clock=lambda: NOW, options=ReleaseOptions(**options))
    return report.written["objects"].files if "objects" in report.written else 0


def test_old_objects_of_the_live_revision_are_skipped_other_old_ones_are_written_again(
    first: Path, second: Path, target: Path
) -> None:
    in_first = set(read_built_site(FolderTarget(first)).objects)
    in_second = set(read_built_site(FolderTarget(second)).objects)
    released(first, target)
    age_objects(target)
    assert objects_written(first, target, dry_run=True) == 0
    assert objects_written(second, target) == len(in_second - in_first)
    age_objects(target)
    # Only the first revision has these: garbage collection may be about to take them.
    assert objects_written(first, target) == len(in_first - in_second)


def test_an_unreadable_live_revision_protects_nothing(first: Path, target: Path) -> None:
    released(first, target)
    age_objects(target)
    objects = len(read_built_site(FolderTarget(first)).objects)
    spoil_manifest(target, root={"sha256": "0" * 64, "size": 1}, revision="0" * 64)
    assert objects_written(first, target, dry_run=True) == objects


def test_what_an_earlier_build_left_in_the_folder_is_not_published(
    first: Path, second: Path, target: Path
) -> None:
    shutil.copytree(second / "ai/objects", first / "ai/objects", dirs_exist_ok=True)
    released(first, target)
    built = {file.path for file in read_built_site(FolderTarget(first)).objects}
    there = {path for path in sites.all_files(target) if path.startswith("ai/objects/")}
    assert there == built


def test_a_release_reaches_every_object_that_the_publisher_made(first: Path) -> None:
    manifest = sites.read_manifest(first)
    source = FolderTarget(first)
    built = read_built_site(source)
    made = {path for path in sites.all_files(first) if path.startswith("ai/objects/")}
    assert {file.path for file in built.objects} == made
    names = list(reachable([built.manifest.root], lambda names: [None for _ in names]))
    assert [name.sha256 for name in names] == [manifest["revision"]]


def test_a_folder_without_a_manifest_is_no_built_site(tmp_path: Path, target: Path) -> None:
    (tmp_path / "empty").mkdir()
    error = refusal(tmp_path / "empty", target)
    assert error.code is ErrorCode.MANIFEST_MISSING
    assert not target.exists()


@pytest.mark.parametrize("how", ["missing", "cut", "changed"])
@pytest.mark.parametrize("kind", ["root", "leaf", "doc", "shard", "category"])
def test_a_built_site_that_is_not_whole_is_not_released(
    how: str, kind: str, first: Path, target: Path
) -> None:
    path = next((first / "ai/objects" / kind).iterdir())
    body = path.read_bytes()
    if how == "missing":
        path.unlink()
    else:
        path.write_bytes(body[:-1] if how == "cut" else body.replace(b'"kind"', b'"kinf"'))
    error = refusal(first, target)
    assert error.code is ErrorCode.INTEGRITY_MISMATCH
    assert error.details["object"] == f"ai/objects/{kind}/{path.name}"
    assert not target.exists()


def test_a_link_in_a_built_site_is_refused(first: Path, target: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"secret")
    (first / "img/link.png").symlink_to(tmp_path / "secret")
    assert refusal(first, target).code is ErrorCode.INVALID_ARGUMENT
    assert not target.exists()


@pytest.mark.parametrize(
    ("members", "code"),
    [
        ({"schemaVersion": "2.0"}, ErrorCode.SCHEMA_UNSUPPORTED),
        ({"sequence": "7"}, ErrorCode.MANIFEST_INVALID),
        ({"revision": "0" * 64}, ErrorCode.MANIFEST_INVALID),
        ({"filler": "x" * 5000}, ErrorCode.OBJECT_TOO_LARGE),
        ({"knowledgeBaseId": "another"}, ErrorCode.INVALID_ARGUMENT),
    ],
)
def test_a_manifest_that_is_not_ours_to_replace_stops_a_release_before_it_writes(
    members: dict[str, object], code: ErrorCode, first: Path, second: Path, target: Path
) -> None:
    released(first, target)
    spoil_manifest(target, **members)
    before = sites.all_files(target)
    error = refusal(second, target)
    assert error.code is code
    assert error.hint
    assert sites.all_files(target) == before


def test_a_page_of_a_host_where_the_manifest_belongs_stops_a_release(
    first: Path, target: Path
) -> None:
    (target / "ai").mkdir(parents=True)
    (target / "ai/manifest.json").write_bytes(b"<!doctype html><title>Not here</title>")
    assert refusal(first, target).code is ErrorCode.MANIFEST_INVALID
    assert (target / "ai/manifest.json").read_bytes().startswith(b"<!doctype")


def test_another_knowledge_base_is_replaced_when_forced(
    first: Path, target: Path, tmp_path: Path
) -> None:
    released(first, target)
    sites.write_site(
        tmp_path / "other", {"n": "# N\nx\n"}, sites.FIRST_FILES, knowledge_base_id="b"
    )
    assert released(tmp_path / "other", target, force=True).sequence == 2
    assert sites.problems(target) == []


@pytest.mark.parametrize("place", [".", "below", ".."])
def test_a_target_must_be_apart_from_the_built_site(place: str, first: Path) -> None:
    assert refusal(first, first / place).code is ErrorCode.INVALID_ARGUMENT


def test_a_site_without_hosting_files_is_released_with_warnings(first: Path, target: Path) -> None:
    (first / "404.html").unlink()
    assert ["404.html" in warning for warning in released(first, target).warnings] == [True]


def test_progress_counts_every_file_of_a_class(first: Path, target: Path) -> None:
    told: list[tuple[str, int, int]] = []
    report = released(first, target, progress=lambda what, done, of: told.append((what, done, of)))
    for name, volume in report.written.items():
        counts = [done for what, done, _ in told if what == name]
        assert counts == list(range(1, volume.files + 1))


@pytest.mark.parametrize("page", ["index.html", "assets/site.css"])
def test_a_first_release_does_not_write_over_files_of_others(
    page: str, first: Path, target: Path
) -> None:
    (target / page).parent.mkdir(parents=True, exist_ok=True)
    (target / page).write_bytes(b"theirs")
    before = sites.all_files(target)
    error = refusal(first, target)
    assert error.code is ErrorCode.INVALID_ARGUMENT
    assert (error.details["paths"], "--adopt" in error.hint) == ([page], True)
    assert {**sites.all_files(target), **before} == {**before, ".note-bridge.lock": b""}
    report = released(first, target, adopt=True)
    assert report.switched
    assert sites.site_files(target) == sites.site_files(first)


def test_files_of_others_that_say_the_same_are_no_obstacle(first: Path, target: Path) -> None:
    target.mkdir()
    (target / "index.html").write_bytes((first / "index.html").read_bytes())
    assert released(first, target).switched


def test_a_path_may_become_a_folder_and_a_folder_a_path(
    first: Path, target: Path, tmp_path: Path
) -> None:
    (first / "downloads").write_bytes(b"a file")
    (first / "papers/2026").mkdir(parents=True)
    (first / "papers/2026/one").write_bytes(b"one")
    released(first, target)
    sites.write_site(tmp_path / "turned", sites.FIRST_NOTES, sites.FIRST_FILES)
    (tmp_path / "turned/downloads").mkdir()
    (tmp_path / "turned/downloads/index.html").write_bytes(b"a page")
    (tmp_path / "turned/downloads/index.md").write_bytes(b"its twin")
    (tmp_path / "turned/papers").write_bytes(b"one file")
    for site in (tmp_path / "turned", first, tmp_path / "turned"):
        released(site, target)
        assert sites.site_files(target) == sites.site_files(site)
        assert sites.problems(target) == []


def test_a_folder_of_others_in_the_place_of_a_file_stops_even_a_release_that_adopts(
    first: Path, target: Path
) -> None:
    (target / "index.html").mkdir(parents=True)
    (target / "index.html/theirs").write_bytes(b"theirs")
    error = refusal(first, target, adopt=True)
    assert error.code is ErrorCode.INVALID_ARGUMENT
    assert error.details["paths"] == ["index.html/theirs"]
    assert sites.read_manifest(target) is None


def test_a_release_does_not_pass_the_limit_of_files(
    first: Path, second: Path, target: Path
) -> None:
    count = released(first, target).files
    before = sites.all_files(target)
    error = refusal(second, target, file_limit=count)
    assert error.code is ErrorCode.STORAGE_FULL
    assert error.details["limit"] == count
    assert sites.all_files(target) == before
    assert released(second, target, file_limit=int(str(error.details["files"]))).switched


def test_a_clock_that_went_back_changes_no_order(first: Path, second: Path, target: Path) -> None:
    released(first, target)
    place = FolderTarget(target)
    report = release(second, place, clock=lambda: NOW - 1e6)
    assert report.sequence == 2
    assert sites.problems(target) == []


class CaselessTarget(FolderTarget):
    """A target that spells one path otherwise, as file systems without case do."""

    def files(self, prefix: str = "") -> Iterator[StoredFile]:
        for file in super().files(prefix):
            yield replace(file, path=file.path.replace("Locks/", "locks/"))

    def delete(self, paths: Iterable[str]) -> None:
        super().delete([path.replace("locks/", "Locks/") for path in paths])


def test_a_page_that_only_changed_its_case_survives_on_a_file_system_that_ignores_case(
    first: Path, tmp_path: Path, target: Path
) -> None:
    released(first, target)
    renamed = {name.replace("locks", "Locks"): text for name, text in sites.FIRST_NOTES.items()}
    sites.write_site(tmp_path / "renamed", renamed, sites.FIRST_FILES)
    (target / "locks").rename(target / "Locks")
    release(tmp_path / "renamed", CaselessTarget(target), clock=lambda: NOW)
    assert (target / "Locks/index.html").is_file()


def test_a_page_that_changed_its_case_leaves_no_twin_where_case_counts(
    first: Path, tmp_path: Path, target: Path
) -> None:
    released(first, target)
    renamed = {name.replace("locks", "Locks"): text for name, text in sites.FIRST_NOTES.items()}
    sites.write_site(tmp_path / "renamed", renamed, sites.FIRST_FILES)
    report = released(tmp_path / "renamed", target)
    assert report.removed == ("locks/index.html",)
    assert sites.site_files(target) == sites.site_files(tmp_path / "renamed")
