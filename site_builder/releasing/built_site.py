"""A built site as a release finds it: manifest, objects of its revision, other files."""

from __future__ import annotations

from dataclasses import dataclass

from manifest.canonical import sha256_hex
from manifest.errors import ErrorCode, NoteBridgeError
from manifest.manifest_file import Manifest, read_manifest
from manifest.objects import Root, read_object
from manifest.references import MANIFEST_PATH, Kind
from manifest.search_objects import Delta
from site_builder.previous_source import ObjectName
from site_builder.releasing.folder_target import FolderTarget
from site_builder.releasing.plan import is_knowledge
from site_builder.releasing.reachable import reachable
from site_builder.releasing.targets import SiteFile


@dataclass(frozen=True, slots=True)
class BuiltSite:
    """A whole site. objects: those of the manifest's revision and no others, so that nothing an
    earlier build left in the folder is published."""

    manifest: Manifest
    objects: tuple[SiteFile, ...]
    others: tuple[SiteFile, ...]

    @property
    def paths(self) -> set[str]:
        """Of all its files but the manifest."""
        return {file.path for file in (*self.objects, *self.others)}


def read_built_site(folder: FolderTarget) -> BuiltSite:
    """The site in a folder, every byte of it read and hashed.

    Raises `NoteBridgeError`: MANIFEST_MISSING if nothing was built there, MANIFEST_INVALID and the
    like for a manifest that is none, INTEGRITY_MISMATCH for an object that is missing or is not
    what its name says, INVALID_ARGUMENT for symbolic links and other things that are no files.
    """
    manifest = _manifest(folder)
    listing = {file.path: file for file in folder.files()}
    found = reachable([manifest.root], lambda names: [_read(folder, name) for name in names])
    names = {name.path: name for name in found}
    paths = [path for path in listing if path in names or not is_knowledge(path)]
    hashes = folder.hashes(paths)
    for path, name in names.items():
        if path not in hashes or (listing[path].size, hashes[path]) != (name.size, name.sha256):
            raise _not_whole(path, "is damaged" if path in hashes else "is missing")
    for path in paths:
        if path not in hashes:
            raise NoteBridgeError(
                ErrorCode.INVALID_ARGUMENT,
                f"{path} in {folder.name} is no regular file.",
                hint="A release carries files; copy what the link leads to.",
                details={"path": path},
            )
    files = [SiteFile(path, listing[path].size, hashes[path]) for path in sorted(paths)]
    return BuiltSite(
        manifest=manifest,
        objects=tuple(file for file in files if file.path in names),
        others=tuple(file for file in files if file.path not in names),
    )


def require_purged(built: BuiltSite, folder: FolderTarget) -> None:
    """Whether nothing of earlier notes is in a site's search state: then it was built without an
    earlier one.

    Raises `NoteBridgeError` (INVALID_ARGUMENT) if something is.
    """
    root = built.manifest.root
    body = _read(folder, ObjectName(Kind.ROOT, root.sha256, root.size))
    found = read_object(Root, body, name=MANIFEST_PATH)
    name = ObjectName(Kind.DELTA, found.delta.sha256, found.delta.size)
    delta = read_object(Delta, _read(folder, name), name=name.path)
    if len(found.segments) > 1 or delta.docs or delta.drop:
        raise NoteBridgeError(
            ErrorCode.INVALID_ARGUMENT,
            "The site builds on an earlier one, whose words its search index still holds.",
            hint="Build it again without --previous, then release with --purge.",
        )


def _manifest(folder: FolderTarget) -> Manifest:
    found = folder.read(MANIFEST_PATH)
    if found is None:
        raise NoteBridgeError(
            ErrorCode.MANIFEST_MISSING,
            f"{folder.name} holds no {MANIFEST_PATH}.",
            hint="Build the site first, and release the folder it was built into.",
        )
    return read_manifest(found.body, name=f"{folder.name}/{MANIFEST_PATH}")


def _read(folder: FolderTarget, name: ObjectName) -> bytes:
    found = folder.read(name.path)
    if found is None:
        raise _not_whole(name.path, "is missing")
    if (len(found.body), sha256_hex(found.body)) != (name.size, name.sha256):
        raise _not_whole(name.path, "is damaged")
    return found.body


def _not_whole(path: str, what: str) -> NoteBridgeError:
    return NoteBridgeError(
        ErrorCode.INTEGRITY_MISMATCH,
        f"The built site is not whole: {path} {what}.",
        hint="Build it again.",
        details={"object": path},
    )
