"""Puts a reader together: a site's address, the cache on this machine, and the six tools."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from bridge_reader.passages import Passage
from bridge_reader.revision import BoundRevision, ChainLink
from bridge_reader.site import Site
from bridge_reader.tools.result import ToolResult
from bridge_reader.tools.spec import ToolSpec
from bridge_reader.tools.toolbox import Toolbox
from note_bridge.places import home
from storage.reader_cache import ReaderCache

T = TypeVar("T")


def now_ms() -> int:
    """Milliseconds since 1970 UTC."""
    return time.time_ns() // 1_000_000


@dataclass(frozen=True, slots=True)
class ReadingRoom:
    """Opens sites over one cache."""

    cache: ReaderCache

    def site(self, address: str) -> Site:
        """A site by URL or folder; nothing is read yet. Raises ORIGIN_REFUSED,
        INVALID_ARGUMENT."""
        return Site.open(address, self.cache.objects, self.cache.manifests, now_ms)


@contextmanager
def reading_room(folder: Path | None = None) -> Iterator[ReadingRoom]:
    """The cache of this machine, open for as long as it is needed."""
    with ReaderCache(folder or home(), clock=now_ms) as cache:
        yield ReadingRoom(cache)


@dataclass(frozen=True, slots=True)
class BoundReading:
    """One revision with its tools, as the agent reads it."""

    bound: BoundRevision
    toolbox: Toolbox

    @property
    def revision(self) -> str:
        """The revision's hash."""
        return self.bound.revision

    @property
    def specs(self) -> tuple[ToolSpec, ...]:
        """The tools."""
        return self.toolbox.specs

    async def call(self, name: str, arguments: Mapping[str, object]) -> ToolResult:
        """Runs a tool."""
        return await self.toolbox.call(name, arguments)

    async def chain(self, doc_id: str) -> Sequence[ChainLink]:
        """The objects from the root to a document."""
        return await self.bound.chain(doc_id)


async def bind_reading(site: Site, revision: str = "") -> BoundReading:
    """Binds a revision of a site, the newest it is known to have if none is named, and lays out
    the tools. A site that was asked already is not asked again."""
    bound = await site.bind(revision or None)
    return BoundReading(bound, Toolbox(bound, site.public_url(bound.manifest), now_ms))


def with_site(address: str, work: Callable[[Site], Awaitable[T]]) -> T:
    """Runs a piece of reading over one site, and closes its connections."""

    async def run(room: ReadingRoom) -> T:
        site = room.site(address)
        try:
            return await work(site)
        finally:
            await site.close()

    with reading_room() as room:
        return asyncio.run(run(room))


def passage_document(passage: Passage) -> dict[str, object]:
    """A passage for a program."""
    return {
        "revision": passage.revision,
        "docId": passage.doc_id,
        "sectionId": passage.section_id,
        "title": passage.title,
        "headingPath": list(passage.heading_path),
        "url": passage.url,
        "docSha256": passage.doc_sha256,
        "sectionSha256": passage.section_sha256,
        "start": passage.start,
        "end": passage.end,
        "text": passage.text,
    }
