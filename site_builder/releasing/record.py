"""What releases remember at a target beside the manifest: which files are theirs, and which
revisions were live.

A target may hold files that are not ours (a host's own, another program's, a whole home folder by
mistake). So releases keep marks of their paths there, in small files of neighbouring marks: one
more page changes one of them, at any size of site. A mark is part of a hash; the record names no
path that the site does not.

Marks of what a release is about to write stand in a file of its own until it has ended: on a host
without locks, two releases at once must not undo each other's marks, or what the slower one wrote
would stay for ever.

The manifest names ten earlier revisions; retention may promise more, by days. So each release
writes down when the revision before it was replaced.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from manifest.references import Reference

RECORD_PREFIX = "ai/released/"
_PENDING = f"{RECORD_PREFIX}pending-"
HISTORY_PATH = f"{RECORD_PREFIX}history.txt"
SWEEP_PATH = f"{RECORD_PREFIX}sweep.txt"
"""Names whoever takes objects away from a target that has no lock."""

PROBE_PATH = f"{RECORD_PREFIX}probe.txt"
"""Written to learn the time of a target and whether it heeds conditions."""

MARK_DIGITS = 16
FILE_LIMIT = 512
"""Marks in one file of the record, in the mean, above which marks are spread more finely."""
HISTORY_LIMIT = 1000
"""Revisions remembered; more than any retention asks of one who releases hourly for a month."""

_MARK = re.compile(rb"^[0-9a-f]{16}$", re.MULTILINE)
_RECORD_FILE = re.compile(rf"{re.escape(RECORD_PREFIX)}(?:all|(?:pending-)?[0-9a-f]+)\.txt")
_HISTORY_LINE = re.compile(rb"^(\d{1,15}) ([0-9a-f]{64}) (\d{1,15})$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ReplacedRevision:
    """A revision that was live once. replaced_at: seconds since the epoch, by the clock of the
    release that replaced it."""

    root: Reference
    replaced_at: int


def path_mark(path: str) -> str:
    """The mark of a path: the first 16 hexadecimal digits of its SHA-256."""
    return hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()[:MARK_DIGITS]


def is_record_file(path: str) -> bool:
    """Whether a file holds marks, of releases that ended or of one under way."""
    return _RECORD_FILE.fullmatch(path) is not None


def pending_path(token: str) -> str:
    """Where one release keeps the marks of what it is about to write."""
    return f"{_PENDING}{token}.txt"


def is_pending(path: str) -> bool:
    """Whether a file holds the marks of a release under way, or of one that was stopped."""
    return path.startswith(_PENDING)


def read_record(bodies: Iterable[bytes]) -> frozenset[str]:
    """The marks in the files of a record. Lines that are none are passed over: a mark too few
    leaves a file standing, which harms less than a mark too many."""
    return frozenset(found.decode() for body in bodies for found in _MARK.findall(body))


def write_record(marks: Iterable[str]) -> dict[str, bytes]:
    """The files of a record, by path: marks that begin with the same digits share a file."""
    ordered = sorted(set(marks))
    digits = 0
    while len(ordered) > FILE_LIMIT * 16**digits:
        digits += 1
    groups: dict[str, list[str]] = defaultdict(list)
    for mark in ordered:
        groups[mark[:digits]].append(mark)
    return {
        f"{RECORD_PREFIX}{prefix or 'all'}.txt": "".join(f"{mark}\n" for mark in group).encode()
        for prefix, group in groups.items()
    }


def read_history(body: bytes) -> list[ReplacedRevision]:
    """The revisions that a history names, newest first. Lines that are none are passed over."""
    found = [
        ReplacedRevision(Reference(sha256=sha256.decode(), size=int(size)), int(replaced_at))
        for replaced_at, sha256, size in _HISTORY_LINE.findall(body)
    ]
    return sorted(found, key=lambda each: (-each.replaced_at, each.root.sha256))


def write_history(revisions: Iterable[ReplacedRevision]) -> bytes:
    """The history's bytes: each revision once, with the last time that it was replaced."""
    last: dict[str, ReplacedRevision] = {}
    for each in revisions:
        known = last.get(each.root.sha256)
        if known is None or known.replaced_at < each.replaced_at:
            last[each.root.sha256] = each
    newest = sorted(last.values(), key=lambda each: (-each.replaced_at, each.root.sha256))
    return "".join(
        f"{each.replaced_at} {each.root.sha256} {each.root.size}\n"
        for each in newest[:HISTORY_LIMIT]
    ).encode()
