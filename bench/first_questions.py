"""What the first question costs a reader with an empty cache: bytes and requests at the server."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.counted_server import CountedServer, Transfer, mean_by_kind, size_of
from bench.figures import spread
from bench.questions import Question
from bridge_reader.passages import PassageCutter
from bridge_reader.revision import BoundRevision
from bridge_reader.search.searcher import Searcher
from bridge_reader.site import Site
from storage.reader_cache import ReaderCache


@dataclass(frozen=True, slots=True)
class FirstQuestion:
    """One question and what it took.

    search: until the hits and the texts of the best were there. proofs: besides, for every document
    of which a passage was returned, what proves it to be of the revision; this is stored as
    evidence. seconds: wall time of the search.
    """

    question: Question
    search: Transfer
    proofs: Transfer
    seconds: float


def clock() -> int:
    """Milliseconds since 1970 UTC."""
    return time.time_ns() // 1_000_000


async def ask_first(server: CountedServer, questions: Sequence[Question]) -> list[FirstQuestion]:
    """Every question as somebody's first."""
    return [await _ask(server, question) for question in questions]


async def _ask(server: CountedServer, question: Question) -> FirstQuestion:
    async with unread_site(server.url) as site:
        server.take()
        started = time.perf_counter()
        revision = await site.bind()
        report = await new_searcher(revision).search(question.text)
        seconds = time.perf_counter() - started
        searched = server.take()
        for hit in report.hits:
            if hit.passages:
                await revision.chain(hit.doc_id)
        return FirstQuestion(question, searched, server.take(), seconds)


@asynccontextmanager
async def unread_site(address: str) -> AsyncIterator[Site]:
    """A site, by URL or folder, of which nothing is known yet: its cache is a new database."""
    with (
        TemporaryDirectory(prefix="note-bridge-bench-") as folder,
        ReaderCache(Path(folder), clock=clock) as cache,
    ):
        site = Site.open(address, cache.objects, cache.manifests, clock)
        try:
            yield site
        finally:
            await site.close()


def new_searcher(revision: BoundRevision) -> Searcher:
    """A searcher that has not searched before."""
    return Searcher(revision, PassageCutter(revision.revision, revision.manifest.siteUrl, clock))


def summary(asked: Sequence[FirstQuestion]) -> dict[str, object]:
    """The spread of bytes and requests, of the search alone and with the proofs, and what they are
    by kind of object; empty for no questions."""
    if not asked:
        return {}
    return {
        "questions": len(asked),
        "milliseconds": spread([first.seconds * 1000 for first in asked]),
        "search": transfer_summary([first.search for first in asked]),
        "searchWithProofs": transfer_summary([first.search + first.proofs for first in asked]),
    }


def transfer_summary(transfers: Sequence[Transfer]) -> dict[str, object]:
    """The spread of bytes and requests over transfers, and their mean by kind of object."""
    return {
        "bytes": spread([size_of(transfer) for transfer in transfers]),
        "requests": spread([len(transfer) for transfer in transfers]),
        "meanByKind": mean_by_kind(transfers),
    }
