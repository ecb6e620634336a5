"""Folders of our own on local disks only."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from manifest.errors import ErrorCode, NoteBridgeError
from storage.private_files import free_name, mount_type, network_file_system, prepare_folder

MOUNTS = """\
proc /proc proc rw 0 0
/dev/sda1 / ext4 rw 0 0
server:/export /home nfs4 rw 0 0
/dev/sdb1 /home/ana/disk ext4 rw 0 0
//server/share /mnt/with\\040space cifs rw 0 0
/dev/sdc /data ext4 rw 0 0
host:/ /data fuse.sshfs rw 0 0
odd line
"""


@pytest.mark.parametrize(
    ("folder", "kind"),
    [
        ("/var/lib", "ext4"),
        ("/home/ana/notes", "nfs4"),
        ("/home/ana/disk/notes", "ext4"),
        ("/home/ana/disks", "nfs4"),
        ("/homes", "ext4"),
        ("/mnt/with space/x", "cifs"),
        ("/data/x", "fuse.sshfs"),
    ],
)
def test_the_closest_mount_point_says_what_file_system_it_is(folder: str, kind: str) -> None:
    assert mount_type(MOUNTS, Path(folder)) == kind


def test_a_network_file_system_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert network_file_system(tmp_path) is None
    monkeypatch.setattr("storage.private_files.mount_type", lambda mounts, folder: "nfs4")
    with pytest.raises(NoteBridgeError) as caught:
        prepare_folder(tmp_path / "data")
    assert caught.value.code is ErrorCode.INVALID_ARGUMENT
    assert "nfs4" in caught.value.message


@pytest.mark.skipif(os.name != "posix", reason="POSIX permissions")
def test_folders_are_made_private_but_other_peoples_folders_are_left(tmp_path: Path) -> None:
    def mode(folder: Path) -> int:
        return stat.S_IMODE(folder.stat().st_mode)

    prepare_folder(tmp_path / "a" / "b")
    assert (mode(tmp_path / "a"), mode(tmp_path / "a" / "b")) == (0o700, 0o700)
    empty, theirs = tmp_path / "empty", tmp_path / "theirs"
    for folder in (empty, theirs):
        folder.mkdir(mode=0o755)
    (theirs / "letter.txt").touch()
    prepare_folder(empty)
    prepare_folder(theirs)
    assert (mode(empty), mode(theirs)) == (0o700, 0o755)


def test_a_file_in_the_way_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(NoteBridgeError) as caught:
        prepare_folder(tmp_path / "file")
    assert caught.value.code is ErrorCode.INVALID_ARGUMENT


def test_a_free_name_is_not_taken(tmp_path: Path) -> None:
    names = []
    for _ in range(3):
        name = free_name(tmp_path / "x.db")
        name.touch()
        names.append(name.name)
    assert names == ["x.db", "x.db-2", "x.db-3"]
