"""Where an earlier published state is read from: a folder, or a host over HTTP.

Whatever is read by a reference is checked against its hash, so it does not matter who kept it.
"""

from __future__ import annotations

import ipaddress
import re
import ssl
import threading
import zlib
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple, Protocol
from urllib.parse import quote

import httpx2

from manifest.canonical import sha256_hex
from manifest.errors import ErrorCode, NoteBridgeError
from manifest.references import (
    MANIFEST_LIMIT,
    MANIFEST_PATH,
    SIZE_LIMITS,
    HashRow,
    Kind,
    Reference,
    object_path,
)

CONNECTIONS = 8
REDIRECTS = 5
CONNECT_SECONDS = 10.0
READ_SECONDS = 60.0

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
"""At least two letters: `C:\\notes` is a folder."""

_REDIRECTED = frozenset({301, 302, 303, 307, 308})
_ABSENT = frozenset({403, 404, 410})
"""403 is how object stores say 404 to those who may not list them."""

_GZIP = 16 + zlib.MAX_WBITS


class ObjectName(NamedTuple):
    """An object as others refer to it. size: bytes."""

    kind: Kind
    sha256: str
    size: int

    @classmethod
    def of(cls, kind: Kind, reference: Reference | HashRow) -> ObjectName:
        """The name that a reference makes."""
        return cls(kind, reference.sha256, reference.size)

    @property
    def path(self) -> str:
        """Its address below the site's."""
        return object_path(self.kind, self.sha256)


class SiteSource(Protocol):
    """A published site, to be read."""

    @property
    def address(self) -> str:
        """What a person calls it."""
        ...

    def file(self, path: str, limit: int) -> bytes | None:
        """A file's bytes, None if it is not there.

        Raises `NoteBridgeError`: OBJECT_TOO_LARGE past `limit` bytes, SITE_UNREACHABLE and
        ORIGIN_REFUSED where it cannot be read.
        """
        ...

    def close(self) -> None:
        """Lets go of connections."""
        ...


def open_source(where: str | Path) -> SiteSource:
    """A folder, or the address of a site (that of its manifest will do).

    Raises `NoteBridgeError` (ORIGIN_REFUSED) for anything but https, or http on this machine.
    """
    if isinstance(where, Path) or _SCHEME.match(where.strip()) is None:
        return FolderSource(Path(where).expanduser())
    return HttpSource(where.strip())


def read_manifest_body(source: SiteSource) -> bytes | None:
    """The manifest, None where there is none. Raises as `SiteSource.file`."""
    return source.file(MANIFEST_PATH, MANIFEST_LIMIT)


def read_verified(source: SiteSource, name: ObjectName) -> bytes:
    """The body of an object.

    Raises `NoteBridgeError`: OBJECT_TOO_LARGE for a size beyond its kind's limit, REVISION_EXPIRED
    if it is not there, INTEGRITY_MISMATCH if it is another, and as `SiteSource.file`.
    """
    if name.size > SIZE_LIMITS[name.kind]:
        raise _wrong(source, name, ErrorCode.OBJECT_TOO_LARGE, "is larger than its kind allows")
    body = source.file(name.path, name.size)
    if body is None:
        raise _wrong(source, name, ErrorCode.REVISION_EXPIRED, "is missing")
    if len(body) != name.size or sha256_hex(body) != name.sha256:
        raise _wrong(source, name, ErrorCode.INTEGRITY_MISMATCH, "has other bytes than its name")
    return body


def read_all(source: SiteSource, names: Iterable[ObjectName]) -> Iterator[tuple[ObjectName, bytes]]:
    """Many objects, some at a time. Raises as `read_verified`."""
    waiting = list(names)
    if isinstance(source, FolderSource):
        yield from ((name, read_verified(source, name)) for name in waiting)
        return
    with ThreadPoolExecutor(CONNECTIONS, thread_name_prefix="previous") as pool:
        # A few at a time, so that bodies do not pile up where they are taken more slowly.
        for first in range(0, len(waiting), 4 * CONNECTIONS):
            batch = waiting[first : first + 4 * CONNECTIONS]
            bodies = pool.map(lambda name: read_verified(source, name), batch)
            yield from zip(batch, bodies, strict=True)


class FolderSource:
    """A site in a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.absolute()

    @property
    def address(self) -> str:
        return str(self.folder)

    def file(self, path: str, limit: int) -> bytes | None:
        file = self.folder / path
        try:
            with file.open("rb") as opened:
                body = opened.read(limit + 1)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise _unreachable(str(file), str(error)) from error
        if len(body) > limit:
            raise _too_large(str(file), limit)
        return body

    def close(self) -> None:
        return None


class HttpSource:
    """A site on a host. One client for all threads; redirects stay within the origin."""

    def __init__(self, address: str) -> None:
        """Raises `NoteBridgeError` (ORIGIN_REFUSED) for an address that is not allowed."""
        url = _checked(address)
        path = url.path.removesuffix(MANIFEST_PATH)
        self._url = url.copy_with(path=path if path.endswith("/") else path + "/", fragment=None)
        self._client: httpx2.Client | None = None
        self._lock = threading.Lock()

    @property
    def address(self) -> str:
        return str(self._url)

    def file(self, path: str, limit: int) -> bytes | None:
        url = httpx2.URL(str(self._url) + quote(path, safe="/"))
        try:
            for _ in range(REDIRECTS + 1):
                with self._opened().stream("GET", url) as response:
                    if response.status_code not in _REDIRECTED:
                        return _body(response, limit)
                    url = _redirected(url, response.headers.get("location", ""))
        except httpx2.HTTPError as error:
            raise _unreachable(str(url), str(error) or type(error).__name__) from error
        raise _unreachable(str(url), f"it redirects more than {REDIRECTS} times")

    def close(self) -> None:
        with self._lock:
            if self._client is not None:
                self._client.close()
            self._client = None

    def _opened(self) -> httpx2.Client:
        with self._lock:
            if self._client is None:
                plain = self._url.scheme == "http"
                self._client = httpx2.Client(
                    headers={"accept-encoding": "gzip", "cache-control": "no-cache"},
                    timeout=httpx2.Timeout(READ_SECONDS, connect=CONNECT_SECONDS),
                    limits=httpx2.Limits(max_connections=CONNECTIONS),
                    # No proxy may be asked for this machine's own sites, which need no certificates
                    # either: to load them takes longer than to read a small site.
                    trust_env=not plain,
                    verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
                    if plain
                    else httpx2.create_ssl_context(),
                    follow_redirects=False,
                )
            return self._client


def _body(response: httpx2.Response, limit: int) -> bytes | None:
    """The body, decompressed no further than the limit."""
    address = str(response.url)
    if response.status_code in _ABSENT:
        return None
    if response.status_code != 200:
        raise _unreachable(address, f"it answers with status {response.status_code}")
    encoding = response.headers.get("content-encoding", "").strip().lower()
    if encoding not in ("", "identity", "gzip"):
        raise _unreachable(address, f"it is encoded as {encoding[:40]!r}, which was not asked for")
    inflate = zlib.decompressobj(_GZIP) if encoding == "gzip" else None
    body = bytearray()
    for data in response.iter_raw():
        try:
            body += inflate.decompress(data, limit + 1 - len(body)) if inflate else data
        except zlib.error as error:
            raise _unreachable(address, f"its compressed body is damaged ({error})") from error
        if len(body) > limit:
            raise _too_large(address, limit)
    return bytes(body)


def _checked(address: str) -> httpx2.URL:
    try:
        url = httpx2.URL(address)
    except httpx2.InvalidURL as error:
        raise _refused(address, "it cannot be parsed") from error
    if url.userinfo or url.query:
        raise _refused(address, "it holds a password or a query")
    allowed = url.scheme == "https" or (url.scheme == "http" and _is_loopback(url.host))
    if not allowed or not url.host:
        raise _refused(address, "sites are read over https, or over http on this machine")
    return url


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _redirected(origin: httpx2.URL, location: str) -> httpx2.URL:
    try:
        target = origin.join(location)
    except httpx2.InvalidURL as error:
        raise _refused(location, "a redirect to it cannot be parsed") from error
    if (target.scheme, target.host, target.port) != (origin.scheme, origin.host, origin.port):
        raise _refused(str(target), "a redirect to it leaves the origin")
    return target


def _refused(address: str, why: str) -> NoteBridgeError:
    shown = re.sub(r"//[^/]*@", "//", address)[:200]
    return NoteBridgeError(
        ErrorCode.ORIGIN_REFUSED,
        f"The address {shown} is refused: {why}.",
        hint="Give a folder or an address that begins with https://.",
        details={"address": shown},
    )


def _unreachable(address: str, why: str) -> NoteBridgeError:
    return NoteBridgeError(
        ErrorCode.SITE_UNREACHABLE,
        f"{address} cannot be read: {why}.",
        hint="Check the address of the earlier site, and try again.",
        details={"address": address, "cause": why},
    )


def _too_large(address: str, limit: int) -> NoteBridgeError:
    return NoteBridgeError(
        ErrorCode.OBJECT_TOO_LARGE,
        f"{address} has more than the {limit} bytes it may have.",
        details={"address": address},
    )


def _wrong(source: SiteSource, name: ObjectName, code: ErrorCode, what: str) -> NoteBridgeError:
    return NoteBridgeError(
        code,
        f"{name.path} of {source.address} {what}.",
        hint="The earlier site is not whole: build without it, or from another copy.",
        details={"object": name.path, "address": source.address},
    )
