"""Bodies under a limit before and after decompression, and what is kept of a manifest."""

from __future__ import annotations

import gzip
import tracemalloc
from collections.abc import AsyncIterator

import pytest
from hishel import Headers, Request, Response
from hypothesis import given
from hypothesis import strategies as st

from bridge_reader.bounded_body import BodyBroken, BoundedBody
from bridge_reader.manifest_store import LIFETIME, ManifestStore


@given(st.binary(max_size=3000), st.integers(1, 500), st.booleans())
def test_a_body_within_its_limit_comes_out_whole(body: bytes, step: int, packed: bool) -> None:
    wire = gzip.compress(body) if packed else body
    taken = BoundedBody(encoding="gzip" if packed else "", limit=len(body))
    for start in range(0, len(wire), step):
        taken.feed(wire[start : start + step])
    assert not taken.oversize
    assert taken.finish() == body
    assert taken.transferred == len(wire)


@given(st.binary(min_size=1, max_size=3000), st.integers(1, 500), st.booleans())
def test_one_byte_more_than_the_limit_is_too_much(body: bytes, step: int, packed: bool) -> None:
    wire = gzip.compress(body) if packed else body
    taken = BoundedBody(encoding="gzip" if packed else "identity", limit=len(body) - 1)
    for start in range(0, len(wire), step):
        taken.feed(wire[start : start + step])
    assert taken.oversize


def test_a_body_that_swells_takes_no_memory() -> None:
    bomb = gzip.compress(bytes(30_000_000))
    taken = BoundedBody(encoding="gzip", limit=1000)
    tracemalloc.start()
    taken.feed(bomb)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert taken.oversize
    assert peak < 1_000_000


def test_only_gzip_was_asked_for() -> None:
    for encoding in ("br", "deflate", "gzip, gzip", "zstd"):
        with pytest.raises(BodyBroken):
            BoundedBody(encoding=encoding, limit=10)


async def respond(status: int, body: bytes, **headers: str) -> Response:
    async def stream() -> AsyncIterator[bytes]:
        yield body

    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Response(status_code=status, headers=Headers(named), stream=stream())


REQUEST = Request(method="GET", url="https://n.example/ai/manifest.json")


async def stored(store: ManifestStore, response: Response) -> None:
    entry = await store.create_entry(REQUEST, response, "key")
    assert isinstance(entry.response.stream, AsyncIterator)
    async for _ in entry.response.stream:
        pass


@pytest.mark.parametrize(
    ("cache_control", "seconds"),
    [
        ("", 0),
        ("max-age=600", LIFETIME),
        ("public, max-age=3", 3),
        ("no-cache, max-age=600", 0),
        ("max-age=soon", 0),
        ("s-maxage=600", 0),
    ],
)
async def test_a_lifetime_is_seconds_and_only_what_the_host_says(
    cache_control: str, seconds: int
) -> None:
    store = ManifestStore(now=lambda: 0)
    dated = await respond(
        200, b"{}", cache_control=cache_control, expires="Fri, 01 Jan 2100 00:00:00 GMT", etag="e"
    )
    await stored(store, dated)
    (entry,) = await store.get_entries("key")
    assert entry.response.headers["cache-control"] == f"max-age={seconds}, must-revalidate"
    assert "expires" not in entry.response.headers
    assert entry.response.headers["date"] == "Thu, 01 Jan 1970 00:00:00 GMT"
    assert entry.response.headers["etag"] == "e"


async def test_only_a_whole_manifest_is_kept_and_only_one() -> None:
    store = ManifestStore()
    await stored(store, await respond(404, b"{}"))
    assert await store.get_entries("key") == []
    await stored(store, await respond(200, b"x" * 70_000))
    assert await store.get_entries("key") == []
    begun = await store.create_entry(REQUEST, await respond(200, b"{}"), "key")
    assert begun.response.stream is not None
    assert await store.get_entries("key") == []
    await stored(store, await respond(200, b"{}"))
    assert len(await store.get_entries("key")) == 1
    assert await store.get_entries("other") == []
    (entry,) = await store.get_entries("key")
    await store.remove_entry(entry.id)
    assert await store.get_entries("key") == []
