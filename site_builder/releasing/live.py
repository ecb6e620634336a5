"""What a target serves now, and what releases remember there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from manifest.canonical import sha256_hex
from manifest.errors import ErrorCode, NoteBridgeError
from manifest.manifest_file import Manifest, read_manifest
from manifest.references import MANIFEST_PATH
from site_builder.previous_source import ObjectName
from site_builder.releasing.reachable import ReadObjects
from site_builder.releasing.record import (
    HISTORY_PATH,
    RECORD_PREFIX,
    ReplacedRevision,
    is_record_file,
    read_history,
)
from site_builder.releasing.targets import StoredBody, StoredFile, Target


@dataclass(frozen=True, slots=True)
class Live:
    """A target before a release. version: of the manifest; listing, record and history: by path,
    the record being the files that hold marks."""

    manifest: Manifest | None
    version: str | None
    body: bytes
    listing: Mapping[str, StoredFile]
    record: Mapping[str, StoredBody] = field(default_factory=dict)
    history_body: bytes = b""

    @property
    def history(self) -> list[ReplacedRevision]:
        """The revisions that were live before, as far as releases wrote them down."""
        return read_history(self.history_body)


def read_live(target: Target, *, sweeping: bool = False) -> Live:
    """The manifest first, then everything else. sweeping: whether the caller itself sweeps.

    Raises `NoteBridgeError`: MANIFEST_INVALID, SCHEMA_UNSUPPORTED or OBJECT_TOO_LARGE for a
    manifest that is not ours to replace; STORAGE_LOCKED while objects are taken away; what the
    target raises.
    """
    found = target.read(MANIFEST_PATH)
    manifest = read_live_manifest(target, found.body) if found else None
    if not sweeping:
        target.refuse_while_swept()
    listing = {file.path: file for file in target.files()}
    own = [path for path in listing if path.startswith(RECORD_PREFIX)]
    bodies = {path: body for path in own if (body := target.read(path)) is not None}
    history = bodies.get(HISTORY_PATH)
    return Live(
        manifest=manifest,
        version=found.version if found else None,
        body=found.body if found else b"",
        listing=listing,
        record={path: body for path, body in bodies.items() if is_record_file(path)},
        history_body=history.body if history else b"",
    )


def read_live_manifest(target: Target, body: bytes) -> Manifest:
    """A manifest that a target holds.

    Raises `NoteBridgeError`: what `read_manifest` raises, with what that means for a release.
    """
    try:
        return read_manifest(body, name=f"{target.name}/{MANIFEST_PATH}")
    except NoteBridgeError as error:
        newer = error.code is ErrorCode.SCHEMA_UNSUPPORTED
        advice = "Update note-bridge." if newer else "Check the target, or take that file away."
        raise NoteBridgeError(
            error.code,
            error.message,
            hint=f"Nothing was changed. {advice}",
            details=error.details,
        ) from error


def objects_at(*places: Target) -> ReadObjects:
    """Reads objects, each from the first of the places that has it whole; None where none has."""

    def read_one(name: ObjectName) -> bytes | None:
        for place in places:
            found = place.read(name.path)
            if found and sha256_hex(found.body) == name.sha256:
                return found.body
        return None

    def read(names: Sequence[ObjectName]) -> list[bytes | None]:
        with ThreadPoolExecutor(min(place.parallel for place in places)) as pool:
            return list(pool.map(read_one, names))

    return read


def manifest_changed(target: Target) -> NoteBridgeError:
    """The error of whoever finds that somebody else changed the manifest first."""
    return NoteBridgeError(
        ErrorCode.REQUEST_CONFLICT,
        f"Another release, or a collection of garbage, changed the manifest of {target.name} "
        "meanwhile.",
        hint="Nothing is lost. Run it again.",
    )
