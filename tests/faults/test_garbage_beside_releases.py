"""Garbage is collected from a bucket while releases go into it, and nothing they need is taken."""

from __future__ import annotations

import importlib.util
import os
import random
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from manifest.errors import ErrorCode, NoteBridgeError
from manifest.manifest_file import Retention
from site_builder.releasing.bucket_target import BucketTarget
from site_builder.releasing.garbage import collect_garbage

SOAK = os.environ.get("NOTE_BRIDGE_SOAK") == "1"
DAY = 86_400


def load(name: str) -> ModuleType:
    path = Path(__file__).with_name(f"{name}.py")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


sites, s3 = load("release_sites"), load("s3_server")


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    with s3.serving() as running:
        yield running


@pytest.fixture
def bucket(server: Any, tmp_path: Path) -> Any:
    return s3.Bucket(server, tmp_path)


class PausingBucket(BucketTarget):
    """Lets something else happen right before the first objects go."""

    meanwhile: Callable[[], object] | None = None

    def delete(self, paths: Iterable[str]) -> None:
        wanted = list(paths)
        act, first = self.meanwhile, any("/objects/" in path for path in wanted)
        if act is not None and first:
            self.meanwhile = None
            act()
        super().delete(wanted)


def test_a_release_that_begins_while_objects_go_is_told_to_wait(
    bucket: Any, tmp_path: Path
) -> None:
    one, two = built_without_retention(tmp_path)
    bucket.release(two)
    bucket.release(one)
    bucket.server.age(bucket.name, 2 * DAY)
    told: list[ErrorCode] = []

    def release_the_other() -> None:
        with pytest.raises(NoteBridgeError) as refused:
            bucket.release(two)
        told.append(refused.value.code)

    collecting = bucket.target(kind=PausingBucket)
    assert isinstance(collecting, PausingBucket)
    collecting.meanwhile = release_the_other
    assert collect_garbage(collecting, clock=time.time).removed > 0
    assert told == [ErrorCode.STORAGE_LOCKED]
    bucket.assert_finished(one, "after the collection")
    bucket.release(two)
    bucket.assert_finished(two, "after the release")


def built_without_retention(folder: Path) -> tuple[Path, Path]:
    """Two sites whose earlier revisions end at once."""
    nothing = Retention(revisions=0, days=0)
    one, two = folder / "one", folder / "two"
    sites.write_site(one, sites.FIRST_NOTES, sites.FIRST_FILES, retention=nothing)
    sites.write_site(two, sites.SECOND_NOTES, sites.SECOND_FILES, retention=nothing)
    return one, two


def test_a_collection_of_garbage_never_takes_what_a_release_beside_it_needs(
    bucket: Any, tmp_path: Path
) -> None:
    rounds = 150 if SOAK else 5
    seed = random.SystemRandom().randrange(1 << 32)
    chance = random.Random(seed)
    one, two = built_without_retention(tmp_path)
    bucket.release(two)
    ends: set[tuple[str, str]] = set()
    for number in range(rounds):
        bucket.release(one)
        # Everything that only the other revision needs is now there, not needed, and old.
        bucket.server.age(bucket.name, 2 * DAY)
        race = s3.Race()
        race.run("release", chance.uniform(0, 1), lambda: bucket.release(two))
        race.run(
            "collection",
            chance.uniform(0, 1),
            lambda: collect_garbage(bucket.target(), clock=time.time),
        )
        race.join()
        ends.add((race.ended["release"], race.ended["collection"]))
        assert sites.knowledge_problems(bucket.export()) == [], (seed, number, race.ended)
        bucket.release(two)
        bucket.assert_finished(two, (seed, number, race.ended))
    told = {"done", "REQUEST_CONFLICT", "STORAGE_LOCKED"}
    assert {end for pair in ends for end in pair} <= told
    print(f"how release and collection ended: {sorted(ends)}")
