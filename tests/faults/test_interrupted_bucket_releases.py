"""Releases into a bucket, stopped at any point, over a bad line, and several at once."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from manifest.errors import ErrorCode, NoteBridgeError
from site_builder.releasing.bucket_target import BucketTarget
from site_builder.releasing.release import ReleaseReport, release

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


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built") / "first"
    sites.write_site(folder, sites.FIRST_NOTES, sites.FIRST_FILES)
    return folder


@pytest.fixture(scope="module")
def second(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("built") / "second"
    sites.write_site(folder, sites.SECOND_NOTES, sites.SECOND_FILES)
    return folder


@pytest.fixture
def bucket(server: Any, tmp_path: Path) -> Any:
    return s3.Bucket(server, tmp_path)


class Died(Exception):
    """The process that released is no more."""


class DyingBucket(BucketTarget):
    """Dies at its n-th change (from 0), before it or after, and does nothing from then on."""

    parallel = 1
    left = sys.maxsize
    after = False

    def write(self, path: str, body: bytes) -> None:
        self._change(lambda: BucketTarget.write(self, path, body))

    def replace_if(self, path: str, body: bytes, expected: str | None) -> bool:
        done: list[bool] = []
        self._change(lambda: done.append(BucketTarget.replace_if(self, path, body, expected)))
        return done[0]

    def delete(self, paths: Iterable[str]) -> None:
        for path in paths:
            self._change(lambda path=path: BucketTarget.delete(self, [path]))

    def _change(self, act: Callable[[], object]) -> None:
        self.left -= 1
        if self.left < -1 or (self.left == -1 and not self.after):
            raise Died
        act()
        if self.left == -1:
            raise Died


def test_a_release_that_dies_at_a_random_change_leaves_a_whole_site_and_can_be_finished(
    bucket: Any, first: Path, second: Path
) -> None:
    rounds = 1000 if SOAK else 8
    seed = random.SystemRandom().randrange(1 << 32)
    chance = random.Random(seed)
    bucket.release(first)
    old, new = first, second
    died = 0
    for number in range(rounds):
        place = (seed, number)
        target = bucket.target(kind=DyingBucket)
        assert isinstance(target, DyingBucket)
        target.left, target.after = chance.randrange(28), chance.random() < 0.5
        finished = False
        with contextlib.suppress(Died):
            release(new, target, clock=time.time)
            finished = True
        died += not finished
        assert bucket.problems(old, new) == [], place
        if finished or chance.random() < 0.5:
            bucket.release(new)
            bucket.assert_finished(new, place)
            old, new = new, old
    assert died > rounds / 4
    bucket.release(new)
    bucket.assert_finished(new, seed)
    assert bucket.release(new).written == {}


def test_a_first_release_that_dies_before_the_manifest_leaves_no_manifest(
    server: Any, tmp_path: Path, first: Path
) -> None:
    for dies_at in (0, 5, 20):
        bucket = s3.Bucket(server, tmp_path)
        target = bucket.target(kind=DyingBucket)
        assert isinstance(target, DyingBucket)
        target.left = dies_at
        with pytest.raises(Died):
            release(first, target, clock=time.time)
        assert bucket.problems(None, first) == []
        assert bucket.release(first).sequence == 1
        bucket.assert_finished(first, dies_at)


def test_what_a_killed_release_wrote_is_not_written_again(bucket: Any, first: Path) -> None:
    whole = bucket.another().release(first)
    target = bucket.target(kind=DyingBucket)
    assert isinstance(target, DyingBucket)
    target.left = 20
    with pytest.raises(Died):
        release(first, target, clock=time.time)
    report = bucket.release(first)
    count = sum(volume.files for volume in whole.written.values())
    again = sum(volume.files for volume in report.written.values())
    assert 0 < again < count - 10


def test_over_a_line_that_breaks_a_release_succeeds_or_says_so_and_the_site_is_whole(
    bucket: Any, first: Path, second: Path
) -> None:
    rounds = 200 if SOAK else 4
    seed = random.SystemRandom().randrange(1 << 32)
    bucket.release(first)
    old, new = first, second
    cuts = 0
    for number in range(rounds):
        line = s3.BreakingLine(bucket.server.url, seed + number, share=0.3)
        ended = s3.Race()
        ended.run("release", 0, lambda site=new, url=line.url: bucket.release(site, endpoint=url))
        ended.join()
        line.close()
        cuts += line.cuts
        assert ended.ended["release"] in ("done", "SITE_UNREACHABLE"), (seed, number)
        assert bucket.problems(old, new) == [], (seed, number)
        bucket.release(new)
        bucket.assert_finished(new, (seed, number))
        old, new = new, old
    assert cuts > rounds


class Launcher:
    """A process that has everything imported and forks a child for each release."""

    CODE = """
import os, sys, time
from pathlib import Path
from manifest.errors import NoteBridgeError
from site_builder.releasing.bucket_access import BucketAccess, BucketAddress
from site_builder.releasing.bucket_target import BucketTarget
from site_builder.releasing.release import release
for line in sys.stdin:
    site, bucket, url, key, secret = line.rstrip("\\n").split("\\t")
    child = os.fork()
    if child == 0:
        access = BucketAccess(url, "us-east-1", key, secret, allow_http=True)
        target = BucketTarget(BucketAddress(bucket, "notes"), access, patience=5)
        try:
            release(Path(site), target, clock=time.time)
        except NoteBridgeError as error:
            os._exit(50 + (error.code == "REQUEST_CONFLICT"))
        os._exit(0)
    print(child, flush=True)
    _, status = os.waitpid(child, 0)
    print(os.waitstatus_to_exitcode(status), flush=True)
"""
    CONFLICT = 51

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", self.CODE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def start(self, site: Path, bucket: Any) -> int:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        words = (str(site), bucket.name, bucket.server.url, s3.KEY, s3.SECRET)
        self._process.stdin.write("\t".join(words) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def wait(self) -> int:
        assert self._process.stdout is not None
        return int(self._process.stdout.readline())

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=10)
        assert self._process.stdout is not None
        self._process.stdout.close()


@pytest.fixture
def launchers() -> Iterator[list[Launcher]]:
    started = [Launcher(), Launcher()]
    yield started
    for launcher in started:
        launcher.close()


needs_fork = pytest.mark.skipif(
    not hasattr(os, "fork"), reason="needs fork to start releases quickly"
)


@needs_fork
def test_a_release_killed_at_a_random_moment_leaves_a_whole_site_and_can_be_finished(
    bucket: Any, launchers: list[Launcher], first: Path, second: Path
) -> None:
    kills = 150 if SOAK else 4
    seed = random.SystemRandom().randrange(1 << 32)
    moments = random.Random(seed)
    launcher = launchers[0]
    launcher.start(first, bucket)
    assert launcher.wait() == 0
    began = time.monotonic()
    launcher.start(second, bucket)
    assert launcher.wait() == 0
    duration = time.monotonic() - began
    old, new = second, first
    killed = 0
    for number in range(kills):
        child = launcher.start(new, bucket)
        time.sleep(moments.uniform(0, duration))
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        code = launcher.wait()
        assert code in (0, -signal.SIGKILL), (seed, number)
        killed += code != 0
        assert bucket.problems(old, new) == [], (seed, number)
        launcher.start(new, bucket)
        assert launcher.wait() == 0
        bucket.assert_finished(new, (seed, number))
        old, new = new, old
    assert killed > 0


@needs_fork
def test_of_two_processes_that_release_at_once_one_wins_or_they_follow_each_other(
    bucket: Any, launchers: list[Launcher], tmp_path: Path, first: Path
) -> None:
    rounds = 100 if SOAK else 4
    seed = random.SystemRandom().randrange(1 << 32)
    chance = random.Random(seed)
    built = [first]
    for number in range(5):
        built.append(tmp_path / f"built-{number}")
        notes = {**sites.FIRST_NOTES, "locks": f"# Locks\nEdition {number}.\n"}
        sites.write_site(built[-1], notes, sites.FIRST_FILES)
    bucket.release(first)
    lost = 0
    for number in range(rounds):
        before = bucket.export()
        live = sites.read_manifest(before)
        rivals = chance.sample(
            [site for site in built if sites.read_manifest(site)["revision"] != live["revision"]], 2
        )
        for launcher, site in zip(launchers, rivals, strict=True):
            launcher.start(site, bucket)
            time.sleep(chance.uniform(0, 0.1))
        codes = [launcher.wait() for launcher in launchers]
        won = codes.count(0)
        lost += codes.count(Launcher.CONFLICT)
        assert won >= 1, (seed, number, codes)
        assert won + codes.count(Launcher.CONFLICT) == 2, (seed, number, codes)
        after = bucket.export()
        manifest = sites.read_manifest(after)
        assert manifest["sequence"] == live["sequence"] + won, (seed, number)
        winners = [site for site, code in zip(rivals, codes, strict=True) if code == 0]
        assert manifest["revision"] in {sites.read_manifest(site)["revision"] for site in winners}
        assert sites.knowledge_problems(after) == [], (seed, number)
    assert lost > 0
    bucket.release(built[-1])
    bucket.assert_finished(built[-1], seed)


def test_a_release_that_lost_leaves_nothing_that_the_next_one_does_not_clear_away(
    bucket: Any, first: Path, second: Path, tmp_path: Path
) -> None:
    bucket.release(first)
    only_loser = tmp_path / "loser"
    sites.write_site(
        only_loser, {**sites.FIRST_NOTES, "draft": "# Draft\nNot yet.\n"}, sites.FIRST_FILES
    )
    overtaken: list[ReleaseReport] = []

    def overtake(what: str, done: int, of: int) -> None:
        if what == "pages" and done == 1 and not overtaken:
            overtaken.append(bucket.release(second))

    with pytest.raises(NoteBridgeError) as refused:
        release(only_loser, bucket.target(), clock=time.time, progress=overtake)
    assert refused.value.code is ErrorCode.REQUEST_CONFLICT
    bucket.server.age(bucket.name, 2 * DAY)
    bucket.release(first)
    bucket.assert_finished(first, "after the loser")
    record = [key for key in bucket.server.keys(bucket.name) if "/pending-" in key]
    assert record == []
