"""Files of a site over HTTP, under limits of time and size, within one origin."""

from __future__ import annotations

import asyncio
import secrets
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from http.cookiejar import CookieJar, DefaultCookiePolicy
from importlib.metadata import PackageNotFoundError, version
from typing import TypedDict
from urllib.parse import quote

import httpx2
from hishel import CacheOptions
from hishel.httpx2 import AsyncCacheClient

from bridge_reader.bounded_body import BodyBroken, BoundedBody
from bridge_reader.manifest_store import ManifestStore
from bridge_reader.site_address import SiteUrl, redirect_target
from bridge_reader.transport import Answer, Fetched, Missing, Oversize, TransferCount, is_page
from manifest.errors import ErrorCode, NoteBridgeError
from manifest.references import MANIFEST_PATH

_REDIRECTS = frozenset({301, 302, 303, 307, 308})

_ABSENT = frozenset({403, 404, 410})
"""403 is how object stores say 404 to those who may not list them."""


@dataclass(frozen=True, slots=True)
class HttpLimits:
    """How long and how much: `connect` and `deadline` in seconds, the latter for one file with all
    its redirects; connections at one time; redirects followed."""

    connect: float = 10.0
    deadline: float = 60.0
    connections: int = 8
    redirects: int = 5


class HttpTransport:
    """One site on a host."""

    def __init__(
        self,
        site: SiteUrl,
        limits: HttpLimits | None = None,
        *,
        token: Callable[[], str] = lambda: secrets.token_hex(8),
    ) -> None:
        """token: a word never used before, by which a cache on the way is asked past."""
        self._site = site
        self._limits = limits or HttpLimits()
        self._token = token
        self._objects: httpx2.AsyncClient | None = None
        self._manifest: httpx2.AsyncClient | None = None
        self._tls: ssl.SSLContext | None = None
        self.count = TransferCount()

    @property
    def address(self) -> str:
        return self._site.url

    async def fetch(self, path: str, *, limit: int, fresh: bool = False) -> Answer:
        url = self._url(path)
        try:
            async with asyncio.timeout(self._limits.deadline):
                return await self._follow(path, url, limit, fresh)
        except TimeoutError as error:
            raise _unreachable(url, f"no whole answer in {self._limits.deadline:g} s") from error
        except httpx2.TimeoutException as error:
            raise _unreachable(url, "the connection timed out") from error
        except (httpx2.HTTPError, httpx2.StreamError, OSError) as error:
            raise _unreachable(url, str(error) or type(error).__name__) from error
        except BodyBroken as error:
            raise _unreachable(url, str(error)) from error

    async def close(self) -> None:
        for client in (self._objects, self._manifest):
            if client is not None:
                await client.aclose()
        self._objects = self._manifest = None

    def _url(self, path: str) -> str:
        parts = path.split("/")
        if not path or path.startswith("/") or ".." in parts or "." in parts:
            raise NoteBridgeError(
                ErrorCode.ORIGIN_REFUSED, f"The path {path[:200]!r} would leave the site."
            )
        return self._site.url + quote(path, safe="/")

    async def _follow(self, path: str, url: str, limit: int, fresh: bool) -> Answer:
        client = self._client(path)
        headers = {"cache-control": "no-cache", "pragma": "no-cache"} if fresh else {}
        if fresh and path != MANIFEST_PATH:
            # Many hosts' caches do not listen to a request's headers, but key by the whole address.
            url = f"{url}?past-caches={self._token()}"
        for _ in range(self._limits.redirects + 1):
            response = await self._send(client, url, headers)
            try:
                if response.status_code not in _REDIRECTS:
                    return await self._answer(url, response, limit)
                url = redirect_target(url, response.headers.get("location", ""))
            finally:
                await response.aclose()
        raise _unreachable(url, f"it redirects more than {self._limits.redirects} times")

    async def _send(
        self, client: httpx2.AsyncClient, url: str, headers: dict[str, str]
    ) -> httpx2.Response:
        try:
            response = await client.send(_request(client, url, headers), stream=True)
        except httpx2.RemoteProtocolError:
            # A host may close an idle connection at the very moment it is used again.
            self.count.requests += 1
            response = await client.send(_request(client, url, headers), stream=True)
        self.count.requests += _was_asked(response)
        return response

    async def _answer(self, url: str, response: httpx2.Response, limit: int) -> Answer:
        if response.status_code in _ABSENT:
            return Missing(response.status_code)
        if response.status_code != 200:
            raise _unreachable(url, f"it answers with status {response.status_code}")
        body = BoundedBody(encoding=response.headers.get("content-encoding", ""), limit=limit)
        try:
            async for data in response.aiter_raw():
                body.feed(data)
                if is_page(body.start):
                    return Missing(response.status_code, page=True)
                if body.oversize:
                    return Oversize()
            return Fetched(body.finish())
        finally:
            if not response.extensions.get("caching", {}).get("from_cache", False):
                self.count.bytes += body.transferred

    def _client(self, path: str) -> httpx2.AsyncClient:
        """Made when first needed, and one for the manifest alone, which hishel sees."""
        if path == MANIFEST_PATH:
            if self._manifest is None:
                self._manifest = self._new_client(cached=True)
            return self._manifest
        if self._objects is None:
            self._objects = self._new_client(cached=False)
        return self._objects

    def _new_client(self, *, cached: bool) -> httpx2.AsyncClient:
        settings = _ClientSettings(
            headers={"user-agent": _user_agent(), "accept": "*/*", "accept-encoding": "gzip"},
            timeout=httpx2.Timeout(self._limits.deadline, connect=self._limits.connect),
            limits=httpx2.Limits(
                max_connections=self._limits.connections,
                max_keepalive_connections=self._limits.connections,
            ),
            verify=self._certificates(),
            trust_env=not self._site.is_loopback,
            # Nothing that one answer sets may follow the reader to the next.
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
            follow_redirects=False,
        )
        if not cached:
            return httpx2.AsyncClient(**settings)
        options = CacheOptions(shared=False, allow_stale=False)
        return AsyncCacheClient(storage=ManifestStore(), rfc=options, **settings)

    def _certificates(self) -> ssl.SSLContext:
        if self._tls is None:
            # Plain http needs none, and loading them takes longer than reading a small site.
            plain = self._site.url.startswith("http:")
            self._tls = (
                ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT) if plain else httpx2.create_ssl_context()
            )
        return self._tls


class _ClientSettings(TypedDict):
    headers: dict[str, str]
    timeout: httpx2.Timeout
    limits: httpx2.Limits
    verify: ssl.SSLContext
    trust_env: bool
    cookies: CookieJar
    follow_redirects: bool


def _request(client: httpx2.AsyncClient, url: str, headers: dict[str, str]) -> httpx2.Request:
    return client.build_request("GET", url, headers=headers)


def _was_asked(response: httpx2.Response) -> bool:
    """Whether a request left for this response: hishel may have had it, or asked if it holds."""
    caching = response.extensions.get("caching")
    return caching is None or not caching["from_cache"] or caching["revalidated"]


def _user_agent() -> str:
    try:
        return f"note-bridge/{version('note-bridge')}"
    except PackageNotFoundError:
        return "note-bridge"


def _unreachable(url: str, why: str) -> NoteBridgeError:
    return NoteBridgeError(
        ErrorCode.SITE_UNREACHABLE,
        f"{url} cannot be read: {why}.",
        hint="Check the address and the network, and try again.",
        details={"address": url, "cause": why},
    )
