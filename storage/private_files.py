"""Files and folders that only their owner may read, on a disk of this machine."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

from manifest.errors import ErrorCode, NoteBridgeError

_NETWORK_TYPES = frozenset(
    {
        "9p",
        "afs",
        "beegfs",
        "ceph",
        "cifs",
        "davfs",
        "fuse.ceph",
        "fuse.davfs",
        "fuse.gcsfuse",
        "fuse.glusterfs",
        "fuse.rclone",
        "fuse.s3fs",
        "fuse.sshfs",
        "gfs2",
        "glusterfs",
        "lustre",
        "ncpfs",
        "nfs",
        "nfs4",
        "smb",
        "smb2",
        "smb3",
        "smbfs",
    }
)


_OUR_FILES = frozenset({"app.lock", "reader.lock"})


def prepare_folder(folder: Path) -> None:
    """Make the folder, private to its owner, and see that it is on a local disk.

    A folder that exists is made private if it is empty or holds our files; a folder of
    somebody's other files is left as it is. Raises INVALID_ARGUMENT for a network file
    system (its locks cannot be trusted) and for what is no folder.
    """
    try:
        for missing in reversed([folder, *folder.parents]):
            if not missing.exists():
                missing.mkdir(mode=0o700, exist_ok=True)
        present = {file.name for file in folder.iterdir()}
        ours = not present or not present.isdisjoint(_OUR_FILES)
        if ours and os.name == "posix":
            folder.chmod(0o700)
    except OSError as error:
        raise NoteBridgeError(
            ErrorCode.INVALID_ARGUMENT, f"{folder} cannot be used for storage: {error.strerror}."
        ) from error
    kind = network_file_system(folder)
    if kind is not None:
        raise NoteBridgeError(
            ErrorCode.INVALID_ARGUMENT,
            f"{folder} is on a network file system ({kind}), where locks do not hold.",
            hint="Choose a folder on a disk of this machine.",
        )


def network_file_system(folder: Path) -> str | None:
    """The kind of network file system the folder is on, or None where it is local."""
    if os.name == "nt":
        return "UNC" if str(folder.resolve()).startswith("\\\\") else None
    try:
        mounts = Path("/proc/self/mounts").read_text("utf-8", errors="surrogateescape")
    except OSError:
        return None
    kind = mount_type(mounts, folder.resolve())
    return kind if kind in _NETWORK_TYPES else None


def mount_type(mounts: str, folder: Path) -> str:
    """The file system type of the mount that holds `folder`, from the text of a mounts table.

    The longest mount point wins, and of equal ones the last, which hides the earlier.
    """
    best, best_type = -1, ""
    for line in mounts.splitlines():
        fields = line.split(" ")
        if len(fields) < 3:
            continue
        point = Path(_unescape(fields[1]))
        if len(point.parts) >= best and folder.is_relative_to(point):
            best, best_type = len(point.parts), fields[2]
    return best_type


def create_private(path: Path) -> bool:
    """Create an empty file that only its owner may read; False if it exists already.

    One that exists is closed to others. A database is prepared this way before SQLite opens
    it: its log files get its permissions.
    """
    try:
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    except FileExistsError:
        if os.name == "posix":
            path.chmod(0o600)
        return False
    os.close(descriptor)
    return True


def set_aside(database: Path, now: int) -> Path:
    """Rename a damaged database and its log, never over another file; the new name.

    The log goes first: were it left behind, SQLite would play it into the next database.
    now: milliseconds since 1970 UTC.
    """
    stamp = datetime.fromtimestamp(now / 1000, UTC).strftime("%Y%m%dT%H%M%SZ")
    target = free_name(database.with_name(f"{database.name}.damaged-{stamp}"))
    for suffix in ("-wal", "-journal", "-shm", ""):
        part = database.with_name(database.name + suffix)
        if part.exists():
            part.rename(target.with_name(target.name + suffix))
    return target


def free_name(path: Path) -> Path:
    """The path itself, or with -2, -3 and so on: the first that is not taken."""
    candidate, count = path, 1
    while candidate.exists():
        count += 1
        candidate = path.with_name(f"{path.name}-{count}")
    return candidate


def _unescape(field: str) -> str:
    """Mounts tables write space, tab, newline and backslash as octal escapes."""
    for escape, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        field = field.replace(escape, character)
    return field
