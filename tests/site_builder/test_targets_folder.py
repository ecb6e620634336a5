"""A folder as a target: whole files or none, inside the folder, one release at a time."""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from manifest.errors import ErrorCode, NoteBridgeError
from site_builder.folder_lock import LOCK_NAME
from site_builder.releasing.folder_target import FolderTarget
from site_builder.releasing.targets import Target

TEMPORARY = ".note-bridge-0123456789abcdef.tmp"


@pytest.fixture
def target(tmp_path: Path) -> FolderTarget:
    return FolderTarget(tmp_path / "target")


def files(target: Target, prefix: str = "") -> dict[str, int]:
    return {file.path: file.size for file in target.files(prefix)}


def code_of(act: Callable[[], object]) -> ErrorCode:
    with pytest.raises(NoteBridgeError) as refused:
        act()
    return refused.value.code


def test_a_folder_is_a_target(target: FolderTarget) -> None:
    as_target: Target = target
    assert as_target.folder == target.folder


def test_what_is_written_can_be_read_listed_and_hashed(target: FolderTarget) -> None:
    target.write("os/死锁/index.html", b"one")
    target.write("os/死锁/index.html", b"other")
    target.write("index.html", b"home")
    found = target.read("os/死锁/index.html")
    assert found is not None
    assert found.body == b"other"
    assert files(target) == {"os/死锁/index.html": 5, "index.html": 4}
    assert files(target, "os/") == {"os/死锁/index.html": 5}
    assert files(target, "ind") == {"index.html": 4}
    assert files(target, "nowhere/at/all") == {}
    assert target.hashes(["index.html", "missing"]) == {
        "index.html": hashlib.sha256(b"home").hexdigest()
    }


def test_a_target_that_does_not_exist_yet_is_empty(target: FolderTarget) -> None:
    assert target.read("ai/manifest.json") is None
    assert files(target) == {}
    target.delete(["index.html"])
    assert not target.folder.exists()


def test_the_age_of_a_file_is_measured_by_the_clock_of_the_target(tmp_path: Path) -> None:
    target = FolderTarget(tmp_path, clock=lambda: 10_000.0)
    target.write("a", b"")
    os.utime(tmp_path / "a", (4_000, 4_000))
    assert [file.age for file in target.files()] == [6_000.0]


def test_a_web_server_may_read_what_was_written(target: FolderTarget) -> None:
    mask = os.umask(0o022)
    try:
        target.write("a/index.html", b"page")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((target.folder / "a/index.html").stat().st_mode) == 0o644
    assert stat.S_IMODE((target.folder / "a").stat().st_mode) == 0o755


def test_taking_away_the_last_file_takes_its_empty_folders_along(target: FolderTarget) -> None:
    target.write("a/b/c/index.html", b"page")
    target.write("a/index.html", b"page")
    target.delete(["a/b/c/index.html"])
    assert [path.name for path in target.folder.iterdir()] == ["a"]
    assert [path.name for path in (target.folder / "a").iterdir()] == ["index.html"]
    target.delete(["a/index.html"])
    assert target.folder.is_dir()


def test_a_file_is_replaced_only_if_its_version_is_the_expected_one(target: FolderTarget) -> None:
    path = "ai/manifest.json"
    assert target.replace_if(path, b"one", None)
    assert not target.replace_if(path, b"two", None)
    first = target.read(path)
    assert first is not None
    assert target.replace_if(path, b"two", first.version)
    assert not target.replace_if(path, b"three", first.version)
    second = target.read(path)
    assert second is not None
    assert second.body == b"two"


def test_of_many_conditional_writes_at_once_one_wins(tmp_path: Path) -> None:
    start = threading.Barrier(8)
    won: list[bytes] = []
    refused: list[ErrorCode] = []

    def run(body: bytes) -> None:
        start.wait()
        try:
            if FolderTarget(tmp_path).replace_if("manifest", body, None):
                won.append(body)
        except NoteBridgeError as error:
            refused.append(error.code)

    threads = [threading.Thread(target=run, args=(bytes([65 + n]),)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [(tmp_path / "manifest").read_bytes()] == won
    assert set(refused) <= {ErrorCode.STORAGE_LOCKED}


UNSAFE = ["", "/", "/etc/passwd", "..", "../x", "a/../../x", "a//b", "a/", "./a", "a/.", "a\0b"]


@pytest.mark.parametrize("path", [*UNSAFE, LOCK_NAME, f"a/{TEMPORARY}"])
def test_a_path_that_is_none_is_refused(path: str, target: FolderTarget) -> None:
    assert code_of(lambda: target.write(path, b"x")) is ErrorCode.INVALID_ARGUMENT
    assert code_of(lambda: target.read(path)) is ErrorCode.INVALID_ARGUMENT
    assert code_of(lambda: target.delete([path])) is ErrorCode.INVALID_ARGUMENT


@given(st.lists(st.sampled_from(["..", ".", "", "a", "..a", "a\\b", "/", "~"]), max_size=5))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_no_path_writes_outside_the_folder(tmp_path: Path, parts: list[str]) -> None:
    site = tmp_path / "outer" / "site"
    with contextlib.suppress(NoteBridgeError):
        FolderTarget(site).write("/".join(parts), b"x")
    outside = {path for path in tmp_path.rglob("*") if not path.is_relative_to(site)}
    assert outside <= {tmp_path / "outer"}


def test_a_folder_that_links_outwards_is_not_followed(tmp_path: Path) -> None:
    outside, site = tmp_path / "outside", tmp_path / "site"
    outside.mkdir()
    site.mkdir()
    (outside / "secret").write_bytes(b"secret")
    (site / "link").symlink_to(outside)
    target = FolderTarget(site)
    assert code_of(lambda: target.read("link/secret")) is ErrorCode.INVALID_ARGUMENT
    assert code_of(lambda: target.write("link/deep/new", b"x")) is ErrorCode.INVALID_ARGUMENT
    assert code_of(lambda: target.delete(["link/secret"])) is ErrorCode.INVALID_ARGUMENT
    assert not [path for path in files(target) if path.startswith("link/")]
    assert [path.name for path in outside.iterdir()] == ["secret"]


def test_a_file_that_is_a_link_is_replaced_and_never_written_through(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_bytes(b"theirs")
    target = FolderTarget(tmp_path / "site")
    target.write("a", b"x")
    (tmp_path / "site" / "page").symlink_to(outside)
    assert target.hashes(["page"]) == {}
    assert code_of(lambda: target.read("page")) is ErrorCode.INVALID_ARGUMENT
    target.write("page", b"ours")
    assert outside.read_bytes() == b"theirs"
    found = target.read("page")
    assert found is not None
    assert found.body == b"ours"


def test_a_target_may_itself_be_reached_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "current").symlink_to(tmp_path / "real")
    FolderTarget(tmp_path / "current").write("a/index.html", b"page")
    assert (tmp_path / "real" / "a" / "index.html").read_bytes() == b"page"


def test_leftovers_of_a_killed_release_are_not_listed_and_go_with_the_next_hold(
    target: FolderTarget,
) -> None:
    target.write("a/index.html", b"page")
    (target.folder / "a" / TEMPORARY).write_bytes(b"pa")
    (target.folder / "a" / ".note-bridge-short.tmp").write_bytes(b"theirs")
    assert files(target) == {"a/index.html": 4, "a/.note-bridge-short.tmp": 6}
    with target.hold():
        pass
    names = {path.name for path in (target.folder / "a").iterdir()}
    assert names == {"index.html", ".note-bridge-short.tmp"}


def test_a_write_that_fails_leaves_the_old_file_and_no_temporary(target: FolderTarget) -> None:
    target.write("taken/index.html", b"page")
    assert code_of(lambda: target.write("taken", b"x")) is ErrorCode.SITE_UNREACHABLE
    assert files(target) == {"taken/index.html": 4}
    assert [path.name for path in target.folder.iterdir()] == ["taken"]


@pytest.mark.skipif(
    os.name == "nt" or os.geteuid() == 0, reason="needs permissions that bind this user"
)
def test_a_folder_that_may_not_be_written_to_is_an_error_that_says_so(
    target: FolderTarget,
) -> None:
    target.write("a/b", b"x")
    (target.folder / "a").chmod(0o555)
    try:
        assert code_of(lambda: target.write("a/c", b"x")) is ErrorCode.SITE_UNREACHABLE
    finally:
        (target.folder / "a").chmod(0o755)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_full_disk_is_an_error_of_its_own(
    target: FolderTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    real_open = os.open

    def open_full(path: object, flags: int, mode: int = 0o777) -> int:
        full = str(path).endswith(".tmp")
        return real_open("/dev/full", os.O_WRONLY) if full else real_open(str(path), flags, mode)

    monkeypatch.setattr(os, "open", open_full)
    assert code_of(lambda: target.write("a", b"x")) is ErrorCode.STORAGE_FULL


def test_the_old_file_stands_whole_until_the_new_one_is_complete(
    target: FolderTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    target.write("page", b"the old one")
    seen: list[tuple[bytes, bytes]] = []
    real_replace = os.replace

    def replace(new: Path, place: Path) -> None:
        seen.append((place.read_bytes(), new.read_bytes()))
        real_replace(new, place)

    monkeypatch.setattr(os, "replace", replace)
    target.write("page", b"the new one")
    assert seen == [(b"the old one", b"the new one")]


def test_one_release_at_a_time_holds_a_folder(target: FolderTarget) -> None:
    other = FolderTarget(target.folder)
    with target.hold():
        assert code_of(other.hold().__enter__) is ErrorCode.STORAGE_LOCKED
        assert code_of(lambda: other.replace_if("m", b"x", None)) is ErrorCode.STORAGE_LOCKED
        assert target.replace_if("m", b"x", None)
    with other.hold():
        pass
    assert files(target) == {"m": 1}


def test_a_killed_process_holds_no_folder(target: FolderTarget) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from site_builder.releasing.folder_target import FolderTarget\n"
        "with FolderTarget(Path(sys.argv[1])).hold():\n"
        "    print('held', flush=True); sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(target.folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        assert code_of(target.hold().__enter__) is ErrorCode.STORAGE_LOCKED
        holder.kill()
        holder.wait()
        with target.hold():
            pass


class Ledger:
    """What the system was asked to do, in order."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.calls: list[tuple[str, str]] = []
        real_sync, real_replace = os.fsync, os.replace

        def fsync(descriptor: int) -> None:
            self.calls.append(("sync", os.readlink(f"/proc/self/fd/{descriptor}")))
            real_sync(descriptor)

        def replace(old: Path, new: Path) -> None:
            self.calls.append(("rename", str(new)))
            real_replace(old, new)

        monkeypatch.setattr(os, "fsync", fsync)
        monkeypatch.setattr(os, "replace", replace)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc to name descriptors")
def test_everything_written_is_on_disk_before_the_manifest_is(
    target: FolderTarget, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger, root = Ledger(monkeypatch), str(target.folder)
    with target.hold():
        target.write("a/x", b"x")
        target.write("b/y", b"y")
        target.replace_if("ai/manifest.json", b"{}", None)
    calls = ledger.calls
    for path in ("a/x", "b/y", "ai/manifest.json"):
        renamed = calls.index(("rename", f"{root}/{path}"))
        kind, synced = calls[renamed - 1]
        assert (kind, Path(synced).name.startswith(".note-bridge-")) == ("sync", True)
    switched = calls.index(("rename", f"{root}/ai/manifest.json"))
    assert {("sync", f"{root}/a"), ("sync", f"{root}/b"), ("sync", root)} <= set(calls[:switched])
    assert ("sync", f"{root}/ai") in calls[switched:]
