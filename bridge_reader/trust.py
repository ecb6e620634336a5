"""Whether a manifest is accepted, from it and from what was accepted before. No I/O.

Without signatures the freshness of a manifest rests on HTTPS; what can be held against a host that
was rolled back, or is asked through a stale cache, is the highest sequence ever seen there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from manifest.manifest_file import Manifest
from storage.known_manifests import KnownManifest

NEVER_RELEASED = 0
"""The sequence of a plain build; such manifests replace each other freely."""


@dataclass(frozen=True, slots=True)
class Accept:
    """The manifest is the one to go on with."""


@dataclass(frozen=True, slots=True)
class KeepKnown:
    """The host serves an earlier release: go on with the known one, and say why."""

    known: KnownManifest
    reason: str


@dataclass(frozen=True, slots=True)
class Refuse:
    """Two contents claim to be the same release; neither can be told to be the right one."""

    reason: str


Decision: TypeAlias = Accept | KeepKnown | Refuse


def decide(manifest: Manifest, known: KnownManifest | None) -> Decision:
    """What to do with a manifest, given the one accepted last at the same address."""
    if known is None:
        return Accept()
    if manifest.sequence < known.sequence:
        return KeepKnown(
            known,
            f"The site now serves release {manifest.sequence}, but release {known.sequence} was "
            "seen there before. The known revision is used.",
        )
    if manifest.sequence > known.sequence or manifest.revision == known.revision:
        return Accept()
    if manifest.sequence == NEVER_RELEASED:
        return Accept()
    return Refuse(
        f"Release {manifest.sequence} of the site was revision {known.revision[:12]} and is now "
        f"revision {manifest.revision[:12]}."
    )
