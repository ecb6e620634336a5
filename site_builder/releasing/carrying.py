"""Earlier revisions, carried over from where they are live into a folder that is deployed whole.

Each revision comes whole or not at all. Every object is checked against its hash, so it does not
matter who kept it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from manifest.canonical import sha256_hex
from manifest.errors import ErrorCode, NoteBridgeError
from manifest.manifest_file import Manifest, read_manifest
from manifest.references import MANIFEST_LIMIT, MANIFEST_PATH, SIZE_LIMITS, Reference
from site_builder.previous_source import ObjectName, SiteSource
from site_builder.progress import Progress
from site_builder.releasing.folder_target import FolderTarget
from site_builder.releasing.reachable import reachable
from site_builder.releasing.record import HISTORY_PATH, ReplacedRevision, read_history

PARALLEL = 8
"""Objects asked of a host at once."""

_BATCH = 8 * PARALLEL
_ATTEMPTS = 4
_HISTORY_BYTES = 1 << 20

Pause = Callable[[float], None]
"""Waits so many seconds."""


class LiveSite:
    """A site as it is served now, patiently read: a host that fails is asked again."""

    def __init__(self, source: SiteSource, pause: Pause) -> None:
        self._source = source
        self._pause = pause

    @property
    def address(self) -> str:
        """What a person calls it."""
        return self._source.address

    def manifest(self) -> Manifest | None:
        """None where nothing is published.

        Raises `NoteBridgeError`: what `read_manifest` raises for something else in its place.
        """
        body = self._file(MANIFEST_PATH, MANIFEST_LIMIT)
        if body is None:
            return None
        try:
            return read_manifest(body, name=f"{self._source.address}{MANIFEST_PATH}")
        except NoteBridgeError as error:
            raise NoteBridgeError(
                error.code,
                error.message,
                hint="Check the address with --previous; where nothing is published yet, give "
                "--first without it.",
                details=error.details,
            ) from error

    def history(self) -> list[ReplacedRevision]:
        """The revisions that were live before, as far as releases wrote them down."""
        body = self._file(HISTORY_PATH, _HISTORY_BYTES)
        return read_history(body) if body else []

    def object(self, name: ObjectName) -> bytes | None:
        """The body of an object; None where it is missing or another."""
        if name.size > SIZE_LIMITS[name.kind]:
            return None
        try:
            body = self._file(name.path, name.size)
        except NoteBridgeError as error:
            if error.code is ErrorCode.OBJECT_TOO_LARGE:
                return None
            raise
        return body if body is not None and sha256_hex(body) == name.sha256 else None

    def _file(self, path: str, limit: int) -> bytes | None:
        for attempt in range(1, _ATTEMPTS):
            try:
                return self._source.file(path, limit)
            except NoteBridgeError as error:
                if error.code is not ErrorCode.SITE_UNREACHABLE:
                    raise
                self._pause(2.0 ** (attempt - 1))
        return self._source.file(path, limit)


@dataclass(frozen=True, slots=True)
class Revision:
    """An earlier revision and all the objects it consists of."""

    root: Reference
    names: frozenset[ObjectName]


class Carrier:
    """Brings objects of earlier revisions into a folder, from the nearest place that has them.

    published: paths of the objects that the new site itself brings. keep: whether to write at all;
    otherwise only what leads to other objects is asked for.
    """

    def __init__(
        self,
        live: LiveSite,
        site: FolderTarget,
        out: FolderTarget,
        *,
        published: Set[str],
        keep: bool,
    ) -> None:
        self._live = live
        self._site = site
        self._out = out
        self._published = published
        self._keep = keep
        self._leading: dict[ObjectName, bytes] = {}
        self.fetched: set[ObjectName] = set()

    def survey(self, root: Reference) -> Revision | None:
        """What a revision consists of; None if it cannot be told, because an object that leads to
        others is not to be had.

        Raises `NoteBridgeError` (SITE_UNREACHABLE) if the live site cannot be read.
        """
        try:
            return Revision(root, frozenset(reachable([root], self._bring_leading)))
        except _Lost:
            return None
        except NoteBridgeError as error:
            if error.code is not ErrorCode.OBJECT_INVALID:
                raise
            return None

    def bring(self, names: Iterable[ObjectName], progress: Progress) -> bool:
        """Brings objects; False if one of them is not to be had.

        Raises `NoteBridgeError` (SITE_UNREACHABLE) if the live site cannot be read.
        """
        wanted = sorted(names)
        for start in range(0, len(wanted), _BATCH):
            try:
                self._bring_all(wanted[start : start + _BATCH])
            except _Lost:
                return False
            progress("earlier revisions", min(start + _BATCH, len(wanted)), len(wanted))
        return True

    def _bring_leading(self, names: Sequence[ObjectName]) -> list[bytes]:
        """Revisions share most of what leads to other objects: each is asked for once."""
        missing = [name for name in names if name not in self._leading]
        self._leading.update(zip(missing, self._bring_all(missing), strict=True))
        return [self._leading[name] for name in names]

    def _bring_all(self, names: Sequence[ObjectName]) -> list[bytes]:
        with ThreadPoolExecutor(PARALLEL) as pool:
            return list(pool.map(self._bring, names))

    def _bring(self, name: ObjectName) -> bytes:
        there = _object_in(self._out, name)
        if there is not None:
            return there
        body = _object_in(self._site, name)
        if body is None:
            body = self._live.object(name)
            if body is None:
                raise _Lost
            self.fetched.add(name)
        if self._keep and name.path not in self._published:
            self._out.write(name.path, body)
        return body


def _object_in(folder: FolderTarget, name: ObjectName) -> bytes | None:
    found = folder.read(name.path)
    return found.body if found and sha256_hex(found.body) == name.sha256 else None


class _Lost(Exception):
    """An object of an earlier revision is not to be had. Stays inside this module."""
