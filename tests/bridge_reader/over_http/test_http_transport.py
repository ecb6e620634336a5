"""Files over HTTP: what is asked, what is counted, and where reading stops."""

from __future__ import annotations

import asyncio
import gzip
import zlib
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from bridge_reader.http_transport import HttpLimits, HttpTransport
from bridge_reader.site_address import SiteUrl
from bridge_reader.transport import Fetched, Missing, Oversize
from manifest.errors import ErrorCode, NoteBridgeError
from manifest.references import MANIFEST_PATH

Open = Callable[..., HttpTransport]
FILE = "ai/objects/doc/file.json"


@pytest.fixture
async def transport(server: Any) -> AsyncIterator[HttpTransport]:
    opened = HttpTransport(SiteUrl(server.url), HttpLimits(deadline=10), token=lambda: "once")
    yield opened
    await opened.close()


@pytest.fixture
async def hasty(server: Any) -> AsyncIterator[HttpTransport]:
    opened = HttpTransport(SiteUrl(server.url), HttpLimits(deadline=0.3))
    yield opened
    await opened.close()


async def test_a_body_comes_decompressed_and_is_counted_compressed(
    server: Any, transport: HttpTransport
) -> None:
    body = b'{"a":"' + b"x" * 20_000 + b'"}'
    (server.folder / "big.json").write_bytes(body)
    assert await transport.fetch("big.json", limit=len(body)) == Fetched(body)
    assert transport.count.requests == 1
    assert 0 < transport.count.bytes < 1000
    assert server.asked[0].headers["accept-encoding"] == "gzip"
    assert server.asked[0].headers["user-agent"].startswith("note-bridge")


async def test_a_path_is_encoded_and_never_leaves_the_site(
    server: Any, transport: HttpTransport
) -> None:
    (server.folder / "死锁.json").write_bytes(b"{}")
    server.answer("%E6%AD%BB%E9%94%81.json", b"{}")
    assert await transport.fetch("死锁.json", limit=10) == Fetched(b"{}")
    for path in ("../x.json", "a/../../x", "/etc/passwd", "./x", ""):
        with pytest.raises(NoteBridgeError) as refused:
            await transport.fetch(path, limit=10)
        assert refused.value.code is ErrorCode.ORIGIN_REFUSED
    assert len(server.asked) == 1


@pytest.mark.parametrize("status", [403, 404, 410])
async def test_a_file_that_is_not_there_is_missing(
    server: Any, transport: HttpTransport, status: int
) -> None:
    server.answer(FILE, b"nothing here", status=status)
    assert await transport.fetch(FILE, limit=10) == Missing(status)


@pytest.mark.parametrize("page", [b"<!doctype html><p>Home", b"\xef\xbb\xbf\n <html>", b"<?xml?>"])
async def test_a_page_in_place_of_a_file_is_told_apart(
    server: Any, transport: HttpTransport, page: bytes
) -> None:
    server.answer(FILE, page, content_type="text/html")
    assert await transport.fetch(FILE, limit=5) == Missing(200, page=True)


@pytest.mark.parametrize("status", [401, 418, 429, 500, 503])
async def test_any_other_answer_is_none(server: Any, transport: HttpTransport, status: int) -> None:
    server.answer(FILE, b"{}", status=status)
    with pytest.raises(NoteBridgeError) as failed:
        await transport.fetch(FILE, limit=10)
    assert failed.value.code is ErrorCode.SITE_UNREACHABLE
    assert str(status) in failed.value.message


async def test_a_body_over_its_limit_is_given_up(server: Any, transport: HttpTransport) -> None:
    server.answer(FILE, b"x" * 1001)
    assert await transport.fetch(FILE, limit=1000) == Oversize()
    assert await transport.fetch(FILE, limit=1001) == Fetched(b"x" * 1001)


async def test_an_endless_body_is_given_up_at_its_limit(
    server: Any, transport: HttpTransport
) -> None:
    server.begin(FILE, b"x" * 4096, times=100_000)
    assert await transport.fetch(FILE, limit=100_000) == Oversize()
    assert transport.count.bytes < 1_000_000


async def test_a_compressed_body_that_swells_is_given_up_at_its_limit(
    server: Any, transport: HttpTransport
) -> None:
    bomb = gzip.compress(b"\0" * 50_000_000)
    server.answer(FILE, bomb, content_encoding="gzip")
    assert await transport.fetch(FILE, limit=100_000) == Oversize()


async def test_a_compressed_body_that_holds_nothing_is_given_up_too(
    server: Any, transport: HttpTransport
) -> None:
    empty_block = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    nothing = empty_block.flush(zlib.Z_FULL_FLUSH)
    header = gzip.compress(b"")[:10]
    server.answer(FILE, header + nothing * 20_000, content_encoding="gzip")
    assert await transport.fetch(FILE, limit=1000) == Oversize()
    assert transport.count.bytes < 80_000


@pytest.mark.parametrize(
    ("body", "encoding"),
    [
        (gzip.compress(b"{}", mtime=0)[:-6], "gzip"),
        (b"not gzip at all", "gzip"),
        (b"{}", "br"),
        (b"{}", "gzip, gzip"),
    ],
)
async def test_a_body_that_is_not_encoded_as_it_says_is_no_answer(
    server: Any, transport: HttpTransport, body: bytes, encoding: str
) -> None:
    server.answer(FILE, body, content_encoding=encoding)
    with pytest.raises(NoteBridgeError) as failed:
        await transport.fetch(FILE, limit=1000)
    assert failed.value.code is ErrorCode.SITE_UNREACHABLE


async def test_a_connection_that_breaks_is_no_answer(server: Any, transport: HttpTransport) -> None:
    (server.folder / "file.json").write_bytes(b"x" * 100)
    server.truncate("file.json", 40)
    with pytest.raises(NoteBridgeError) as failed:
        await transport.fetch("file.json", limit=1000)
    assert failed.value.code is ErrorCode.SITE_UNREACHABLE


async def test_a_host_that_begins_and_does_not_end_is_left_at_the_deadline(
    server: Any, hasty: HttpTransport
) -> None:
    server.begin(FILE, b"{")
    with pytest.raises(NoteBridgeError) as failed:
        await hasty.fetch(FILE, limit=1000)
    assert failed.value.code is ErrorCode.SITE_UNREACHABLE
    assert "0.3 s" in failed.value.message


async def test_a_host_that_says_nothing_is_left_at_the_deadline(
    server: Any, hasty: HttpTransport
) -> None:
    server.hold(FILE)
    with pytest.raises(NoteBridgeError) as failed:
        await hasty.fetch(FILE, limit=1000)
    assert failed.value.code is ErrorCode.SITE_UNREACHABLE


async def test_a_port_where_nobody_listens_is_unreachable(server: Any) -> None:
    url = server.url
    server.stop()
    transport = HttpTransport(SiteUrl(url))
    with pytest.raises(NoteBridgeError) as failed:
        await transport.fetch(FILE, limit=10)
    await transport.close()
    assert failed.value.code is ErrorCode.SITE_UNREACHABLE


async def test_redirects_within_the_origin_are_followed_and_counted(
    server: Any, transport: HttpTransport
) -> None:
    (server.folder / "there.json").write_bytes(b"{}")
    server.answer("one", b"", status=301, location="/two")
    server.answer("two", b"", status=307, location="there.json")
    assert await transport.fetch("one", limit=10) == Fetched(b"{}")
    assert server.paths() == ["one", "two", "there.json"]
    assert transport.count.requests == 3


async def test_a_redirect_elsewhere_is_refused_before_anyone_is_asked(
    server: Any, transport: HttpTransport
) -> None:
    for location in ("http://127.0.0.1:9/x", "https://evil.example/", "http://localhost/x", "//a"):
        server.answer(FILE, b"", status=302, location=location)
        with pytest.raises(NoteBridgeError) as refused:
            await transport.fetch(FILE, limit=10)
        assert refused.value.code is ErrorCode.ORIGIN_REFUSED


async def test_redirects_in_a_circle_end(server: Any, transport: HttpTransport) -> None:
    server.answer(FILE, b"", status=302, location="/" + FILE)
    with pytest.raises(NoteBridgeError) as failed:
        await transport.fetch(FILE, limit=10)
    assert failed.value.code is ErrorCode.SITE_UNREACHABLE
    assert len(server.asked) == 6


async def test_a_fresh_request_goes_past_caches(server: Any, transport: HttpTransport) -> None:
    (server.folder / "file.json").write_bytes(b"{}")
    await transport.fetch("file.json", limit=10, fresh=True)
    assert server.asked[0].headers["cache-control"] == "no-cache"
    assert server.asked[0].path == "file.json?past-caches=once"


async def test_no_cookie_follows_the_reader(server: Any, transport: HttpTransport) -> None:
    server.answer(FILE, b"{}", set_cookie="id=1; Path=/")
    await transport.fetch(FILE, limit=10)
    await transport.fetch(FILE, limit=10)
    assert "cookie" not in {name.lower() for name in server.asked[1].headers}


async def test_no_proxy_is_asked_for_loopback(server: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (server.folder / "file.json").write_bytes(b"{}")
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    transport = HttpTransport(SiteUrl(server.url))
    assert await transport.fetch("file.json", limit=10) == Fetched(b"{}")
    await transport.close()


async def test_at_most_so_many_connections_are_open(server: Any) -> None:
    for number in range(6):
        (server.folder / f"{number}.json").write_bytes(b"{}")
        server.hold(f"{number}.json")
    transport = HttpTransport(SiteUrl(server.url), HttpLimits(connections=2))
    fetching = [
        asyncio.create_task(transport.fetch(f"{number}.json", limit=10)) for number in range(6)
    ]
    await server.until_asked(2)
    assert len(server.asked) == 2
    server.released.set()
    assert await asyncio.gather(*fetching) == [Fetched(b"{}")] * 6
    await transport.close()


class TestManifest:
    """The one file that hishel keeps for a moment."""

    async def test_an_unchanged_manifest_is_revalidated_not_sent_again(
        self, server: Any, transport: HttpTransport
    ) -> None:
        (server.folder / "ai").mkdir()
        (server.folder / MANIFEST_PATH).write_bytes(b"{}")
        first = await transport.fetch(MANIFEST_PATH, limit=100)
        moved = transport.count.bytes
        assert await transport.fetch(MANIFEST_PATH, limit=100) == first
        assert "if-none-match" in {name.lower() for name in server.asked[1].headers}
        assert transport.count.bytes == moved
        assert transport.count.requests == 2

    async def test_a_changed_manifest_is_seen_at_once_whatever_its_age(
        self, server: Any, transport: HttpTransport
    ) -> None:
        (server.folder / "ai").mkdir()
        server.headers["last-modified"] = "Mon, 01 Jan 2018 00:00:00 GMT"
        (server.folder / MANIFEST_PATH).write_bytes(b'{"a":1}')
        await transport.fetch(MANIFEST_PATH, limit=100)
        (server.folder / MANIFEST_PATH).write_bytes(b'{"a":2}')
        assert await transport.fetch(MANIFEST_PATH, limit=100) == Fetched(b'{"a":2}')

    async def test_a_lifetime_that_the_host_allows_is_used_but_fresh_means_fresh(
        self, server: Any, transport: HttpTransport
    ) -> None:
        (server.folder / "ai").mkdir()
        server.headers["cache-control"] = "public, max-age=600"
        (server.folder / MANIFEST_PATH).write_bytes(b'{"a":1}')
        await transport.fetch(MANIFEST_PATH, limit=100)
        (server.folder / MANIFEST_PATH).write_bytes(b'{"a":2}')
        assert await transport.fetch(MANIFEST_PATH, limit=100) == Fetched(b'{"a":1}')
        assert transport.count.requests == 1
        fresh = await transport.fetch(MANIFEST_PATH, limit=100, fresh=True)
        assert fresh == Fetched(b'{"a":2}')

    async def test_a_manifest_that_was_missing_is_looked_for_again(
        self, server: Any, transport: HttpTransport
    ) -> None:
        server.answer(MANIFEST_PATH, b"", status=404, cache_control="max-age=600")
        assert await transport.fetch(MANIFEST_PATH, limit=100) == Missing(404)
        server.answer(MANIFEST_PATH, b"{}", cache_control="max-age=600")
        assert await transport.fetch(MANIFEST_PATH, limit=100) == Fetched(b"{}")

    async def test_an_oversize_manifest_is_not_kept(
        self, server: Any, transport: HttpTransport
    ) -> None:
        server.answer(MANIFEST_PATH, b"x" * 200, cache_control="max-age=600")
        assert await transport.fetch(MANIFEST_PATH, limit=100) == Oversize()
        server.answer(MANIFEST_PATH, b"{}")
        assert await transport.fetch(MANIFEST_PATH, limit=100) == Fetched(b"{}")
