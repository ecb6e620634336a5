"""What releases have put at a target besides objects: the only files a release may take away.

A target may hold files that are not ours (a host's own, another program's, a whole home folder by
mistake). So releases keep marks of their paths there, in small files of neighbouring marks: one
more page changes one of them, at any size of site. A mark is part of a hash; the record names no
path that the site does not.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable

RECORD_PREFIX = "ai/released/"

MARK_DIGITS = 16
FILE_LIMIT = 512
"""Marks in one file of the record, in the mean, above which marks are spread more finely."""

_MARK = re.compile(rb"^[0-9a-f]{16}$", re.MULTILINE)


def path_mark(path: str) -> str:
    """The mark of a path: the first 16 hexadecimal digits of its SHA-256."""
    return hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()[:MARK_DIGITS]


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
