"""What a build says of itself."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from manifest.manifest_file import Manifest
from site_builder.note import Finding
from site_builder.volume import NOTHING, Volume


@dataclass(frozen=True, slots=True)
class BuildReport:
    """What a build made. documents: published as knowledge; withheld: drafts and the like;
    remarks: what MkDocs and other plugins warned of. changed and removed: files and bytes."""

    site: Path
    manifest: Manifest
    documents: int
    withheld: int
    findings: tuple[Finding, ...]
    remarks: tuple[str, ...] = ()
    changed: Volume = NOTHING
    removed: Volume = NOTHING
