"""Garbage collection and purges in real folders: what goes, what stays, and in which order."""

from __future__ import annotations

import importlib.util
import json
import os
import random
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from manifest.errors import ErrorCode, NoteBridgeError
from manifest.manifest_file import Retention
from site_builder.releasing.folder_target import FolderTarget
from site_builder.releasing.garbage import YOUNG, GarbageReport, collect_garbage
from site_builder.releasing.release import ReleaseReport, release
from site_builder.releasing.task import ReleaseOptions

START = 1_800_000_000.0
DAY = 86_400.0


def load_sites() -> ModuleType:
    path = Path(__file__).parents[1] / "faults" / "release_sites.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


sites = load_sites()


class Place:
    """A target whose time can be moved on, and the sites that are released to it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "target"
        self._built = folder
        self.now = START

    def build(self, edition: object, retention: Retention) -> Path:
        site = self._built / f"edition-{edition}"
        if not site.exists():
            notes = {**sites.FIRST_NOTES, "locks": f"# Locks\nEdition {edition} keeps out.\n"}
            sites.write_site(site, notes, sites.FIRST_FILES, retention=retention)
        return site

    def release(
        self, edition: object, *, revisions: int = 3, days: int = 30, **options: bool
    ) -> ReleaseReport:
        site = self.build(edition, Retention(revisions=revisions, days=days))
        before = set(sites.all_files(self.folder)) if self.folder.exists() else set()
        report = release(
            site, self.target(), clock=lambda: self.now, options=ReleaseOptions(**options)
        )
        self._stamp(set(sites.all_files(self.folder)) - before)
        return report

    def collect(self, **options: bool) -> GarbageReport:
        report = collect_garbage(self.target(), clock=lambda: self.now, **options)
        self._stamp(["ai/manifest.json"])
        return report

    def target(self) -> FolderTarget:
        return FolderTarget(self.folder, clock=lambda: self.now)

    def objects(self) -> set[str]:
        return {path for path in sites.all_files(self.folder) if path.startswith("ai/objects/")}

    def whole(self, revision: str) -> bool:
        """Whether a revision can still be read to its last object."""
        return (self.folder / f"ai/objects/root/{revision}.json").is_file() and not any(
            problem for problem in self._problems_of(revision)
        )

    def _problems_of(self, revision: str) -> list[str]:
        manifest = self.folder / "ai/manifest.json"
        body = manifest.read_bytes()
        root = self.folder / f"ai/objects/root/{revision}.json"
        found = json.loads(body)
        tree = json.loads(root.read_bytes())["tree"]["sha256"]
        found |= {
            "revision": revision,
            "root": {"sha256": revision, "size": root.stat().st_size},
            "content": tree,
            "previous": [],
        }
        manifest.write_text(json.dumps(found, sort_keys=True, separators=(",", ":")))
        try:
            problems: list[str] = sites.knowledge_problems(self.folder)
            return problems
        finally:
            manifest.write_bytes(body)

    def _stamp(self, paths: Iterable[str]) -> None:
        for path in paths:
            os.utime(self.folder / path, (self.now, self.now))


@pytest.fixture
def place() -> Iterator[Place]:
    """In memory where the system has it: dozens of releases, none for the disk."""
    memory = Path("/dev/shm")
    usable = memory.is_dir() and os.access(memory, os.W_OK)
    with tempfile.TemporaryDirectory(dir=memory if usable else None) as folder:
        yield Place(Path(folder))


def previous(place: Place) -> list[str]:
    return [entry["revision"] for entry in sites.read_manifest(place.folder)["previous"]]


def test_objects_of_a_revision_past_retention_go_and_all_others_stay(place: Place) -> None:
    first = place.release(1, revisions=2, days=2)
    place.now += 10 * DAY
    second = place.release(2, revisions=2, days=2)
    place.now += 10 * DAY
    third = place.release(3, revisions=2, days=2)
    before = place.objects()
    report = place.collect()
    assert (report.ended, report.revisions) == (1, 1)
    assert report.removed == len(before - place.objects()) > 0
    assert previous(place) == [second.revision]
    assert place.whole(third.revision)
    assert place.whole(second.revision)
    assert not place.whole(first.revision)
    assert sites.problems(place.folder) == []


def test_a_revision_stays_by_the_day_it_was_replaced(place: Place) -> None:
    first = place.release(1, revisions=0, days=2)
    place.now += 100 * DAY
    place.release(2, revisions=0, days=2)
    place.now += 1.9 * DAY
    assert place.collect().ended == 0
    assert place.whole(first.revision)
    place.now += 0.2 * DAY
    assert place.collect().ended == 1
    assert not place.whole(first.revision)


def test_more_revisions_than_the_manifest_names_stay_by_their_days(place: Place) -> None:
    released = []
    for edition in range(12):
        released.append(place.release(edition, revisions=2, days=5).revision)
        place.now += 3600
    place.now += 2 * DAY
    assert len(previous(place)) == 10
    assert place.collect().removed == 0
    assert all(place.whole(revision) for revision in released)
    place.now += 4 * DAY
    report = place.collect()
    assert report.removed > 0
    assert (previous(place), report.revisions) == ([released[-2]], 1)


def test_what_is_younger_than_a_day_stays_whatever_needs_it(place: Place) -> None:
    place.release(1, revisions=0, days=0)
    place.now += 10 * DAY
    orphan = place.folder / f"ai/objects/doc/{'a' * 64}.json"
    orphan.write_bytes(b"{}")
    os.utime(orphan, (place.now - YOUNG + 1, place.now - YOUNG + 1))
    report = place.collect()
    assert (report.young, report.removed) == (1, 0)
    place.now += 2
    assert place.collect().removed == 1
    assert not orphan.exists()


def test_files_below_the_objects_that_are_none_stay(place: Place) -> None:
    place.release(1)
    odd = [
        place.folder / "ai/objects/README",
        place.folder / f"ai/objects/doc/{'A' * 64}.json",
        place.folder / "ai/objects/doc/short.json",
        place.folder / f"ai/objects/{'b' * 64}.json",
    ]
    for path in odd:
        path.write_bytes(b"theirs")
        os.utime(path, (0, 0))
    assert place.collect().removed == 0
    assert all(path.exists() for path in odd)


def test_a_dry_run_says_what_would_go_and_takes_nothing(place: Place) -> None:
    place.release(1, revisions=0, days=0)
    place.now += 10 * DAY
    place.release(2, revisions=0, days=0)
    place.now += 1
    before = sites.all_files(place.folder)
    foretold = place.collect(dry_run=True)
    assert sites.all_files(place.folder) == before
    report = place.collect()
    assert foretold.dry_run
    assert (foretold.removed, foretold.removed_size, foretold.ended) == (
        report.removed,
        report.removed_size,
        report.ended,
    )
    assert report.removed_size > 0


def test_the_manifest_stops_naming_a_revision_before_its_objects_go(place: Place) -> None:
    first = place.release(1, revisions=0, days=0)
    place.now += 10 * DAY
    place.release(2, revisions=0, days=0)
    place.now += 1
    named_at_first_removal: list[list[str]] = []

    class Watching(FolderTarget):
        def delete(self, paths: Iterable[str]) -> None:
            if any(path.startswith("ai/objects/") for path in paths):
                named_at_first_removal.append(previous(place))
            super().delete(paths)

    assert previous(place) == [first.revision]
    collect_garbage(
        Watching(place.folder, clock=lambda: place.now), clock=lambda: place.now, token=lambda: "t"
    )
    assert named_at_first_removal == [[]]


def test_a_collection_that_has_something_to_take_changes_the_manifest(place: Place) -> None:
    """A release that began before it finds another manifest than it read, and loses."""
    place.release(1, revisions=0, days=0)
    orphan = place.folder / f"ai/objects/doc/{'a' * 64}.json"
    orphan.write_bytes(b"{}")
    os.utime(orphan, (0, 0))
    before = (place.folder / "ai/manifest.json").read_bytes()
    assert place.collect().removed == 1
    changed = (place.folder / "ai/manifest.json").read_bytes()
    assert changed != before
    assert {**json.loads(changed), "sweep": None} == {**json.loads(before), "sweep": None}
    place.collect()
    assert (place.folder / "ai/manifest.json").read_bytes() == changed
    again = place.release(1, revisions=0, days=0)
    assert (again.switched, again.written) == (False, {})


def test_a_live_revision_that_is_not_whole_stops_everything(place: Place) -> None:
    place.release(1, revisions=0, days=0)
    place.now += 10 * DAY
    place.release(2, revisions=0, days=0)
    leaves = (place.folder / "ai/objects/leaf").iterdir()
    next(leaf for leaf in leaves if leaf.stat().st_mtime == place.now).unlink()
    place.now += 1
    before = sites.all_files(place.folder)
    with pytest.raises(NoteBridgeError) as refused:
        place.collect()
    assert refused.value.code is ErrorCode.INTEGRITY_MISMATCH
    assert sites.all_files(place.folder) == before
    place.release(2, revisions=0, days=0)
    assert place.collect().removed > 0


def test_an_earlier_revision_that_is_no_longer_whole_is_told_and_no_obstacle(place: Place) -> None:
    first = place.release(1)
    place.now += DAY
    place.release(2)
    (place.folder / f"ai/objects/root/{first.revision}.json").unlink()
    assert place.collect().missing == 1


def test_a_target_without_a_manifest_is_left_alone(place: Place) -> None:
    path = place.folder / f"ai/objects/doc/{'a' * 64}.json"
    path.parent.mkdir(parents=True)
    path.write_bytes(b"{}")
    os.utime(path, (0, 0))
    with pytest.raises(NoteBridgeError) as refused:
        place.collect()
    assert refused.value.code is ErrorCode.MANIFEST_MISSING
    assert path.exists()


def test_a_collection_waits_for_a_release(place: Place) -> None:
    place.release(1)
    with place.target().hold(), pytest.raises(NoteBridgeError) as refused:
        place.collect()
    assert refused.value.code is ErrorCode.STORAGE_LOCKED


def test_whatever_is_released_and_collected_the_live_and_the_retained_are_whole(
    place: Place,
) -> None:
    seed = random.SystemRandom().randrange(1 << 32)
    chance = random.Random(seed)
    replaced: dict[str, float] = {}
    live = ""
    for step in range(25):
        place.now += chance.choice([600, DAY / 2, 2 * DAY])
        if chance.random() < 0.7:
            report = place.release(chance.randrange(6), revisions=2, days=3)
            if live and live != report.revision:
                replaced[live] = place.now
            live = report.revision
        elif live:
            place.collect()
            assert sites.knowledge_problems(place.folder) == [], (seed, step)
            for revision, time in replaced.items():
                kept = revision == live or place.now - time < 3 * DAY
                assert place.whole(revision) or not kept, (seed, step)


def test_a_purge_ends_all_earlier_revisions_and_takes_their_objects_at_once(place: Place) -> None:
    first = place.release(1)
    place.now += 60
    report = place.release(2, purge=True)
    assert report.purged.files > 0
    assert previous(place) == []
    assert sites.problems(place.folder) == []
    assert not place.whole(first.revision)
    files = sites.all_files(place.folder)
    assert not [path for path, body in files.items() if b"Edition 1" in body]
    lock, history = 1, 1
    assert len(files) - lock <= report.files <= len(files) - lock + history
    place.now += 60
    assert place.release(3).replaced == report.revision
    assert place.collect().removed == 0


def test_a_purge_of_the_live_revision_keeps_its_sequence(place: Place) -> None:
    place.release(1)
    place.release(2)
    report = place.release(2, purge=True)
    assert (report.sequence, report.switched, previous(place)) == (2, True, [])
    assert place.release(2).written == {}


def test_a_dry_run_of_a_purge_takes_nothing_away(place: Place) -> None:
    place.release(1)
    before = sites.all_files(place.folder)
    report = place.release(2, purge=True, dry_run=True)
    assert report.purged.files > 0
    assert sites.all_files(place.folder) == before
    assert place.release(2, purge=True).purged == report.purged


def test_a_site_that_builds_on_an_earlier_one_cannot_purge(place: Place) -> None:
    place.release(1)
    site = place.build(2, Retention(revisions=3, days=30))
    sites.add_second_segment(site)
    before = sites.all_files(place.folder)
    with pytest.raises(NoteBridgeError) as refused:
        place.release(2, purge=True)
    assert refused.value.code is ErrorCode.INVALID_ARGUMENT
    assert "--previous" in refused.value.hint
    assert sites.all_files(place.folder) == before
