"""What changed between two states of a built site: files and raw bytes, by kind."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TypeAlias

Snapshot: TypeAlias = Mapping[str, tuple[str, int]]
"""By path below the site: SHA-256 and size."""

KNOWLEDGE = "ai/"
DAILY = frozenset({"sitemap.xml.gz"})
"""Left out: MkDocs packs the time of the build into it."""


@dataclass(frozen=True, slots=True)
class SiteChange:
    """Files that are new or have other bytes, with their sizes, and files that are gone."""

    written: Mapping[str, int]
    removed: frozenset[str]

    @property
    def files(self) -> int:
        """How many files must be uploaded."""
        return len(self.written)

    @property
    def size(self) -> int:
        """Their bytes, as they are on disk."""
        return sum(self.written.values())

    def within(self, prefix: str) -> SiteChange:
        """The same of one folder alone."""
        return SiteChange(
            {path: size for path, size in self.written.items() if path.startswith(prefix)},
            frozenset(path for path in self.removed if path.startswith(prefix)),
        )

    def facts(self) -> dict[str, object]:
        """What a report says of it: the whole site, its knowledge apart, and both by kind."""
        knowledge = self.within(KNOWLEDGE)
        files: Counter[str] = Counter()
        sizes: Counter[str] = Counter()
        for path, size in self.written.items():
            files[kind_of_file(path)] += 1
            sizes[kind_of_file(path)] += size
        return {
            "files": self.files,
            "bytes": self.size,
            "removed": len(self.removed),
            "knowledge": {"files": knowledge.files, "bytes": knowledge.size},
            "byKind": {
                kind: {"files": files[kind], "bytes": size} for kind, size in sizes.most_common()
            },
        }


def snapshot(site: Path) -> Snapshot:
    """The state of a site's folder."""
    found: dict[str, tuple[str, int]] = {}
    for file in sorted(site.rglob("*")):
        path = file.relative_to(site).as_posix()
        if file.is_file() and path not in DAILY:
            body = file.read_bytes()
            found[path] = (hashlib.sha256(body).hexdigest(), len(body))
    return found


def change(before: Snapshot, after: Snapshot) -> SiteChange:
    """What must be uploaded and what goes, to get from one state to the other."""
    return SiteChange(
        {path: state[1] for path, state in after.items() if before.get(path) != state},
        frozenset(before.keys() - after.keys()),
    )


def kind_of_file(path: str) -> str:
    """`ai/shard` for an object of that kind, `ai/manifest.json`, `*.html` and the like."""
    place = PurePosixPath(path)
    if place.parts[:2] == ("ai", "objects") and len(place.parts) == 4:
        return f"ai/{place.parts[2]}"
    if place.parts[0] == "ai":
        return path
    return f"*{place.suffix}" if place.suffix else path
