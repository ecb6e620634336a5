"""One owner per folder, known by a lock of the operating system."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from manifest.errors import ErrorCode, NoteBridgeError
from storage.owner_lock import LOCK_NAME, OwnerLock, read_owner

HOLD = """
import sys
from pathlib import Path
from storage.owner_lock import OwnerLock
lock = OwnerLock.acquire(Path(sys.argv[1]))
lock.announce("/run/some.sock")
print("held", flush=True)
sys.stdin.read()
"""


def hold_in_another_process(folder: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "held\n"
    return process


def test_a_second_owner_is_refused_and_told_who_the_first_is(tmp_path: Path) -> None:
    process = hold_in_another_process(tmp_path)
    try:
        with pytest.raises(NoteBridgeError) as caught:
            OwnerLock.acquire(tmp_path)
        assert caught.value.code is ErrorCode.STORAGE_LOCKED
        assert str(process.pid) in caught.value.message
        assert caught.value.details == {"pid": process.pid, "socket": "/run/some.sock"}
        owner = read_owner(tmp_path)
        assert owner is not None
        assert (owner.pid, owner.socket) == (process.pid, "/run/some.sock")
    finally:
        process.communicate("")
    assert read_owner(tmp_path) is None
    OwnerLock.acquire(tmp_path).release()


def test_a_killed_owner_leaves_a_file_but_no_lock(tmp_path: Path) -> None:
    process = hold_in_another_process(tmp_path)
    process.send_signal(signal.SIGKILL if os.name == "posix" else signal.SIGTERM)
    process.communicate()
    assert (tmp_path / LOCK_NAME).exists()
    assert read_owner(tmp_path) is None
    lock = OwnerLock.acquire(tmp_path)
    owner = read_owner(tmp_path)
    assert owner is not None
    assert owner.pid == os.getpid()
    lock.release()


def test_two_owners_in_one_process_exclude_each_other(tmp_path: Path) -> None:
    lock = OwnerLock.acquire(tmp_path)
    with pytest.raises(NoteBridgeError):
        OwnerLock.acquire(tmp_path)
    lock.release()
    lock.release()
    OwnerLock.acquire(tmp_path).release()


def test_the_file_is_never_deleted_or_replaced(tmp_path: Path) -> None:
    identities = set()
    for _ in range(3):
        lock = OwnerLock.acquire(tmp_path)
        identities.add((tmp_path / LOCK_NAME).stat().st_ino)
        lock.release()
        identities.add((tmp_path / LOCK_NAME).stat().st_ino)
    assert len(identities) == 1


@pytest.mark.skipif(os.name != "posix", reason="forks")
def test_a_fork_that_outlives_the_owner_holds_nothing(tmp_path: Path) -> None:
    lock = OwnerLock.acquire(tmp_path)
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(writing)
        os.read(reading, 1)
        os._exit(0)
    os.close(reading)
    try:
        os.close(lock._descriptor or -1)  # as the end of the process would, without LOCK_UN
        lock._descriptor = None
        OwnerLock.acquire(tmp_path).release()
    finally:
        os.close(writing)
        os.waitpid(child, 0)


def test_nobody_owns_a_folder_without_a_lock(tmp_path: Path) -> None:
    assert read_owner(tmp_path) is None
