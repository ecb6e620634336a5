"""Files of a site in a folder of this machine."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

from bridge_reader.site_address import SiteFolder
from bridge_reader.transport import Answer, Fetched, Missing, Oversize, TransferCount, is_page
from manifest.errors import ErrorCode, NoteBridgeError
from manifest.references import OBJECTS_PATH


class FolderTransport:
    """One site in a folder. No path leads out of it, by `..` or by a symbolic link."""

    def __init__(self, site: SiteFolder) -> None:
        self._root = site.folder
        self.count = TransferCount()

    @property
    def address(self) -> str:
        return str(self._root)

    async def fetch(self, path: str, *, limit: int, fresh: bool = False) -> Answer:
        self.count.requests += 1
        answer = await asyncio.to_thread(self._read, path, limit)
        if isinstance(answer, Fetched):
            self.count.bytes += len(answer.body)
        return answer

    async def close(self) -> None:
        """Nothing is held open."""

    def object_paths(self) -> Iterator[str]:
        """The paths, below the site, of all files where objects are kept."""
        folder = self._root / OBJECTS_PATH
        for kind in sorted(folder.iterdir()) if folder.is_dir() else ():
            for file in sorted(kind.iterdir()) if kind.is_dir() else (kind,):
                yield file.relative_to(self._root).as_posix()

    def _read(self, path: str, limit: int) -> Answer:
        try:
            root = self._root.resolve()
            if not root.is_dir():
                raise _unreachable(self._root, "there is no such folder")
            file = (root / path).resolve()
            if not file.is_relative_to(root):
                raise NoteBridgeError(
                    ErrorCode.ORIGIN_REFUSED,
                    f"{path} leads out of the folder {self._root}.",
                    details={"address": str(self._root), "path": path},
                )
            return _read_bounded(file, limit)
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return Missing()
        except OSError as error:
            raise _unreachable(self._root / path, error.strerror or str(error)) from error


def _unreachable(path: Path, why: str) -> NoteBridgeError:
    return NoteBridgeError(
        ErrorCode.SITE_UNREACHABLE,
        f"{path} cannot be read: {why}.",
        hint="Check the folder and its permissions.",
        details={"address": str(path), "cause": why},
    )


def _read_bounded(file: Path, limit: int) -> Answer:
    # Only plain files: a pipe or device in the folder would never end.
    if not file.is_file():
        return Missing()
    with file.open("rb") as stream:
        body = stream.read(limit + 1)
    if is_page(body[:64]):
        return Missing(page=True)
    return Oversize() if len(body) > limit else Fetched(body)
