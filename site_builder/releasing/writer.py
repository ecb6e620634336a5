"""Does to a target what a plan says, and looks at each file again once it is written."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from manifest.canonical import sha256_hex
from manifest.errors import ErrorCode, NoteBridgeError
from manifest.references import MANIFEST_PATH
from site_builder.progress import Progress
from site_builder.releasing.bookkeeping import not_as_written
from site_builder.releasing.folder_target import FolderTarget
from site_builder.releasing.live import Live, manifest_changed
from site_builder.releasing.plan import FileClass, Step, twins
from site_builder.releasing.retention import NextManifest
from site_builder.releasing.targets import SiteFile, Target

_LARGE = 8 << 20
"""Bytes from which files are held in memory one at a time."""

_CHUNK = 64
"""Files that visitors see that are written between two looks at the manifest."""

_SAMPLE = 16
"""Files of each step that are read back whole, at a target that tells by a tag what it holds."""


class Writer:
    """Writes from the folder of a built site to a target."""

    def __init__(
        self, source: FolderTarget, target: Target, live: Live, progress: Progress
    ) -> None:
        self._source = source
        self._target = target
        self._live = live
        self._progress = progress

    def write(self, step: Step) -> None:
        """Writes the files of a step, whatever stands in their way taken away first.

        Raises `NoteBridgeError`: REQUEST_CONFLICT before it writes what visitors see if another
        release has won meanwhile; INTEGRITY_MISMATCH if the target does not keep what it is given.
        """
        self._target.delete(step.obstacles)
        visible = step.file_class is not FileClass.OBJECT and not self._target.exclusive
        done = 0
        for files, parallel in self._portions(step.files):
            if visible:
                self.require_unchanged()
            with ThreadPoolExecutor(parallel) as pool:
                for _ in pool.map(self._write_file, files):
                    done += 1
                    self._progress(step.file_class, done, len(step.files))
        self._check(step.files)

    def require_unchanged(self) -> None:
        """Raises `NoteBridgeError` (REQUEST_CONFLICT) if the manifest is no longer the one that
        the release was planned from."""
        still = self._target.read(MANIFEST_PATH)
        if (still.version if still else None) != self._live.version:
            raise manifest_changed(self._target)

    def switch(self, upcoming: NextManifest) -> None:
        """From here on, readers see the new revision."""
        if upcoming.body == self._live.body:
            self.require_unchanged()
        elif not self._target.replace_if(MANIFEST_PATH, upcoming.body, self._live.version):
            raise manifest_changed(self._target)

    def mend(self, files: Sequence[SiteFile]) -> None:
        """Writes again what a slower release has overwritten before it noticed that it had lost."""
        same = self._kept(files)
        for file in files:
            if file.path not in same:
                self._write_file(file)

    def remove(self, stale: Iterable[str], kept: Iterable[str]) -> list[str]:
        """Takes stale files away, save those that turn out to be a kept file under another
        spelling (file systems that ignore case); these."""
        doubtful = twins(stale, kept)
        listed = {file.path for file in self._target.files()} if doubtful else set()
        spared = [path for path, twin in doubtful.items() if not {path, twin} <= listed]
        self._target.delete([path for path in stale if path not in spared])
        return spared

    def body(self, file: SiteFile) -> bytes:
        """A file of the built site, as it was when the release began.

        Raises `NoteBridgeError` (INTEGRITY_MISMATCH) if it is another one by now.
        """
        found = self._source.read(file.path)
        if found is None or sha256_hex(found.body) != file.sha256:
            raise NoteBridgeError(
                ErrorCode.INTEGRITY_MISMATCH,
                f"{file.path} changed while the site was being released.",
                hint="Release again when the build has finished.",
                details={"path": file.path},
            )
        return found.body

    def _portions(self, files: Sequence[SiteFile]) -> Iterator[tuple[Sequence[SiteFile], int]]:
        """Files to write before the next look at the manifest, and how many of them at once."""
        small = [file for file in files if file.size < _LARGE]
        length = len(small) if self._target.exclusive else _CHUNK
        for start in range(0, len(small), max(1, length)):
            yield small[start : start + length], self._target.parallel
        for file in files:
            if file.size >= _LARGE:
                yield [file], 1

    def _write_file(self, file: SiteFile) -> None:
        self._target.write(file.path, self.body(file))

    def _check(self, files: Sequence[SiteFile]) -> None:
        """All of them as the target lists them, and some read back to the last byte."""
        same = self._kept(files)
        lost = [file.path for file in files if file.path not in same]
        if self._target.folder is None:
            sample = files[:: max(1, len(files) // _SAMPLE)]
            lost += [file.path for file in sample if not self._gives_back(file)]
        if lost:
            self.require_unchanged()
            raise not_as_written(self._target, lost[0])

    def _gives_back(self, file: SiteFile) -> bool:
        found = self._target.read(file.path)
        return found is not None and sha256_hex(found.body) == file.sha256

    def _kept(self, files: Sequence[SiteFile]) -> set[str]:
        by_path = {file.path: file for file in files}
        pairs = [(by_path[there.path], there) for there in self._target.stored(by_path)]
        return self._target.same(pairs, lambda path: self.body(by_path[path]))
