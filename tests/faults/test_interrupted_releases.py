"""A release stopped at any point leaves the target whole, and releasing again finishes it."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager
from enum import Enum
from pathlib import Path
from types import ModuleType

import pytest

from manifest.errors import ErrorCode, NoteBridgeError
from site_builder.releasing.folder_target import FolderTarget
from site_builder.releasing.release import ReleaseReport, release

NOW = 1_800_000_000.0


def load_sites() -> ModuleType:
    path = Path(__file__).with_name("release_sites.py")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


sites = load_sites()


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
def memory_path() -> Iterator[Path]:
    """A folder in memory where the system has one: hundreds of releases, none for the disk."""
    memory = Path("/dev/shm")
    usable = memory.is_dir() and os.access(memory, os.W_OK)
    with tempfile.TemporaryDirectory(dir=memory if usable else None) as place:
        yield Path(place)


def released(site: Path, target: FolderTarget) -> ReleaseReport:
    return release(site, target, clock=lambda: NOW)


def foreign_file(target: Path) -> None:
    """What somebody else keeps in the same folder must outlive every release."""
    (target / "goes").mkdir(parents=True, exist_ok=True)
    (target / "goes" / "theirs.html").write_bytes(b"not ours")


class Fault(Enum):
    BEFORE = "before"
    TORN = "torn"
    AFTER = "after"


class Died(Exception):
    """The process that released is no more."""


class DyingTarget(FolderTarget):
    """Dies at its n-th change (from 0), and does nothing from then on."""

    parallel = 1

    def __init__(self, folder: Path, dies_at: int, fault: Fault) -> None:
        super().__init__(folder)
        self.left = dies_at
        self.fault = fault
        self.changes: list[str] = []

    def write(self, path: str, body: bytes) -> None:
        self._change(path, body, lambda: FolderTarget.write(self, path, body))

    def delete(self, paths: Iterable[str]) -> None:
        for path in paths:
            self._change(path, b"", lambda path=path: FolderTarget.delete(self, [path]))

    def _change(self, path: str, body: bytes, act: Callable[[], None]) -> None:
        self.changes.append(path)
        self.left -= 1
        if self.left < -1:
            raise Died
        if self.left == -1 and self.fault is not Fault.AFTER:
            if self.fault is Fault.TORN:
                place = self.folder / path
                place.parent.mkdir(parents=True, exist_ok=True)
                torn = place.with_name(".note-bridge-0123456789abcdef.tmp")
                torn.write_bytes(body[: len(body) // 2])
            raise Died
        act()
        if self.left == -1:
            raise Died


def changes_of(site: Path, target: Path) -> list[str]:
    """What a release writes or takes away, in order."""
    counting = DyingTarget(target, sys.maxsize, Fault.BEFORE)
    released(site, counting)
    return counting.changes


@pytest.mark.parametrize("fault", Fault)
def test_a_release_that_dies_at_any_change_leaves_the_earlier_or_the_new_site_whole(
    fault: Fault, first: Path, second: Path, memory_path: Path
) -> None:
    base = memory_path / "base"
    released(first, FolderTarget(base))
    foreign_file(base)
    shutil.copytree(base, memory_path / "counted")
    count = len(changes_of(second, memory_path / "counted"))
    assert count > 20
    for dies_at in range(count):
        target = memory_path / f"{dies_at}"
        shutil.copytree(base, target)
        with pytest.raises(Died):
            released(second, DyingTarget(target, dies_at, fault))
        assert sites.interrupted_problems(target, first, second) == [], dies_at
        report = released(second, FolderTarget(target))
        assert report.sequence == 2, dies_at
        assert_finished(target, second, dies_at)


def test_a_release_that_died_and_is_given_up_leaves_nothing_behind(
    first: Path, second: Path, memory_path: Path
) -> None:
    base = memory_path / "base"
    released(first, FolderTarget(base))
    foreign_file(base)
    shutil.copytree(base, memory_path / "counted")
    for dies_at in range(len(changes_of(second, memory_path / "counted"))):
        target = memory_path / f"{dies_at}"
        shutil.copytree(base, target)
        with pytest.raises(Died):
            released(second, DyingTarget(target, dies_at, Fault.AFTER))
        released(first, FolderTarget(target))
        assert_finished(target, first, dies_at)


@pytest.mark.parametrize("fault", Fault)
def test_a_first_release_that_dies_before_the_manifest_leaves_no_manifest(
    fault: Fault, first: Path, memory_path: Path
) -> None:
    changes = changes_of(first, memory_path / "counted")
    switch, last = changes.index(sites.MANIFEST), len(changes) - 1
    assert switch < last
    for dies_at in (0, 1, switch // 2, switch - 1, switch, last):
        target = memory_path / f"{dies_at}"
        with pytest.raises(Died):
            released(first, DyingTarget(target, dies_at, fault))
        switched = dies_at > switch or (dies_at, fault) == (switch, Fault.AFTER)
        assert (sites.read_manifest(target) is not None) == switched, dies_at
        assert sites.interrupted_problems(target, None, first) == [], dies_at
        assert released(first, FolderTarget(target)).sequence == 1
        assert (sites.problems(target), sites.site_files(target)) == ([], sites.site_files(first))


def assert_finished(target: Path, site: Path, at: object) -> None:
    assert sites.problems(target) == [], at
    expected = {**sites.site_files(site), "goes/theirs.html": b"not ours"}
    assert sites.site_files(target) == expected, at
    assert not [path for path in sites.all_files(target) if path.endswith(".tmp")], at
    again = released(site, FolderTarget(target))
    assert (again.switched, again.written, again.removed) == (False, {}, ()), at


class Launcher:
    """A process that has everything imported and forks a child for each release."""

    CODE = """
import os, sys, time
from pathlib import Path
from site_builder.releasing.folder_target import FolderTarget
from site_builder.releasing.release import release
for line in sys.stdin:
    site, target = line.rstrip("\\n").split("\\t")
    child = os.fork()
    if child == 0:
        release(Path(site), FolderTarget(Path(target)), clock=time.time)
        os._exit(0)
    print(child, flush=True)
    _, status = os.waitpid(child, 0)
    print(os.waitstatus_to_exitcode(status), flush=True)
"""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", self.CODE],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def release(self, site: Path, target: Path, *, kill_after: float | None = None) -> int:
        """The exit code of a release; kill_after: seconds until SIGKILL."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{site}\t{target}\n")
        self._process.stdin.flush()
        child = int(self._process.stdout.readline())
        if kill_after is not None:
            time.sleep(kill_after)
            with contextlib.suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        return int(self._process.stdout.readline())

    def close(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=10)
        assert self._process.stdout is not None
        self._process.stdout.close()


@pytest.fixture
def launcher() -> Iterator[Launcher]:
    process = Launcher()
    yield process
    process.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork to start releases quickly")
def test_a_release_killed_at_a_random_moment_leaves_a_whole_site_and_can_be_finished(
    launcher: Launcher, first: Path, second: Path, tmp_path: Path
) -> None:
    kills = 1000 if os.environ.get("NOTE_BRIDGE_SOAK") == "1" else 25
    seed = random.SystemRandom().randrange(1 << 32)
    moments = random.Random(seed)
    target, reference = tmp_path / "target", tmp_path / "reference"
    foreign_file(target)
    assert launcher.release(first, target) == 0
    shutil.copytree(target, reference)
    began = time.monotonic()
    assert launcher.release(second, reference) == 0
    duration = time.monotonic() - began
    killed = 0
    old, new = first, second
    for number in range(kills):
        place = (seed, number)
        code = launcher.release(new, target, kill_after=moments.uniform(0, duration))
        assert code in (0, -signal.SIGKILL), place
        killed += code != 0
        assert sites.interrupted_problems(target, old, new) == [], place
        if code == 0 or moments.random() < 0.5:
            assert launcher.release(new, target) == 0, place
            assert_finished(target, new, place)
            old, new = new, old
    assert killed > 0
    assert launcher.release(new, target) == 0
    assert_finished(target, new, seed)


def test_of_releases_at_once_each_sequence_number_has_one_winner(
    first: Path, second: Path, tmp_path: Path
) -> None:
    target = tmp_path / "target"
    built = [first, second]
    for number in range(4):
        built.append(tmp_path / f"built-{number}")
        notes = {**sites.FIRST_NOTES, "locks": f"# Locks\nEdition {number}.\n"}
        sites.write_site(built[-1], notes, sites.FIRST_FILES)
    start = threading.Barrier(len(built))
    won: list[tuple[int, str]] = []
    lost: list[ErrorCode] = []

    def run(site: Path) -> None:
        start.wait()
        try:
            report = released(site, FolderTarget(target))
            won.append((report.sequence, report.revision))
        except NoteBridgeError as error:
            lost.append(error.code)

    threads = [threading.Thread(target=run, args=(site,)) for site in built]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(sequence for sequence, _ in won) == list(range(1, len(won) + 1))
    assert len(won) + len(lost) == len(built)
    assert set(lost) <= {ErrorCode.STORAGE_LOCKED}
    live = sites.read_manifest(target)
    assert (live["sequence"], live["revision"]) == max(won)
    assert sites.problems(target) == []


class UnheldTarget(FolderTarget):
    """Like a bucket: it cannot keep others out, it can only write conditionally."""

    exclusive = False

    def hold(self) -> AbstractContextManager[None]:
        return contextlib.nullcontext()


def test_without_a_lock_the_slower_of_two_releases_does_not_switch_the_manifest(
    first: Path, second: Path, tmp_path: Path
) -> None:
    target = tmp_path / "target"
    overtaken: list[ReleaseReport] = []

    def overtake(what: str, done: int, of: int) -> None:
        if not overtaken:
            overtaken.append(released(second, UnheldTarget(target)))

    with pytest.raises(NoteBridgeError) as refused:
        release(first, UnheldTarget(target), clock=lambda: NOW, progress=overtake)
    assert refused.value.code is ErrorCode.REQUEST_CONFLICT
    assert sites.read_manifest(target)["revision"] == overtaken[0].revision
    assert sites.knowledge_problems(target) == []
    assert released(first, UnheldTarget(target)).sequence == 2
    assert sites.problems(target) == []


def test_without_a_lock_a_release_of_the_live_revision_notices_that_it_was_overtaken(
    first: Path, second: Path, tmp_path: Path
) -> None:
    target = tmp_path / "target"
    released(first, UnheldTarget(target))
    (target / "index.html").write_bytes(b"tampered with")
    overtaken: list[ReleaseReport] = []

    def overtake(what: str, done: int, of: int) -> None:
        if not overtaken:
            overtaken.append(released(second, UnheldTarget(target)))

    with pytest.raises(NoteBridgeError) as refused:
        release(first, UnheldTarget(target), clock=lambda: NOW, progress=overtake)
    assert refused.value.code is ErrorCode.REQUEST_CONFLICT


class ForgetfulTarget(FolderTarget):
    """Says it has written a file whose bytes it has lost."""

    def __init__(self, folder: Path, forgets: str) -> None:
        super().__init__(folder)
        self.forgets = forgets

    def write(self, path: str, body: bytes) -> None:
        super().write(path, body[:-1] + b"?" if path == self.forgets else body)


@pytest.mark.parametrize("what", ["objects", "page"])
def test_a_target_that_gives_back_other_bytes_never_gets_the_manifest(
    what: str, first: Path, second: Path, tmp_path: Path
) -> None:
    target = tmp_path / "target"
    released(first, FolderTarget(target))
    root = sites.read_manifest(second)["revision"]
    lost = "comes/index.html" if what == "page" else f"ai/objects/root/{root}.json"
    with pytest.raises(NoteBridgeError) as refused:
        released(second, ForgetfulTarget(target, lost))
    assert refused.value.code is ErrorCode.INTEGRITY_MISMATCH
    assert sites.read_manifest(target)["sequence"] == 1
