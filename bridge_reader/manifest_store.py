"""Where hishel keeps the manifest between requests: one small response, in memory, for seconds.

hishel follows the host's headers, and without any takes a tenth of the file's age for its
lifetime: days, for the one file that must not be stale. It also keeps a 404. So lifetimes are cut
here, and only a whole manifest is kept. What survives a restart is in `KnownManifests`.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from email.utils import formatdate

from hishel import AsyncBaseStorage, Entry, Headers, Request, Response

LIFETIME = 10
"""Seconds for which a manifest may be used without asking again, and only if the host allows it."""

_BODY_LIMIT = 64 * 1024


class ManifestStore(AsyncBaseStorage):
    """hishel's storage for one site: at most one response."""

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        """now: seconds since 1970 UTC."""
        super().__init__(max_stream_size=_BODY_LIMIT)
        self._now = now
        self._kept: tuple[str, Entry, bytes] | None = None

    async def create_entry(
        self,
        request: Request,
        response: Response,
        key: str,
        *,
        ttl: float | None = None,
        tti: float | None = None,
    ) -> Entry:
        entry = Entry(id=uuid.uuid4(), request=request, response=response)
        if response.status_code != 200:
            return entry
        short = replace(response, headers=self._short_lived(response.headers))
        kept = replace(entry, response=short)
        return replace(entry, response=replace(short, stream=self._saved(key, kept)))

    async def get_entries(self, key: str) -> list[Entry]:
        if self._kept is None or self._kept[0] != key:
            return []
        _, entry, body = self._kept
        return [replace(entry, response=replace(entry.response, stream=_once(body)))]

    async def update_headers(self, id: uuid.UUID, headers: Headers) -> None:  # noqa: A002
        if self._kept is not None and self._kept[1].id == id:
            key, entry, body = self._kept
            response = replace(entry.response, headers=self._short_lived(headers))
            self._kept = (key, replace(entry, response=response), body)

    async def remove_entry(self, id: uuid.UUID) -> None:  # noqa: A002
        if self._kept is not None and self._kept[1].id == id:
            self._kept = None

    async def _saved(self, key: str, entry: Entry) -> AsyncIterator[bytes]:
        body = bytearray()
        stream = entry.response.stream
        assert isinstance(stream, AsyncIterator)
        async for chunk in stream:
            if len(body) <= _BODY_LIMIT:
                body += chunk
            yield chunk
        if len(body) <= _BODY_LIMIT:
            self._kept = (key, entry, bytes(body))

    def _short_lived(self, headers: Headers) -> Headers:
        """The headers with a lifetime of seconds, counted from now by our own clock."""
        kept: dict[str, list[str]] = {
            name: headers.get_list(name) or []
            for name in headers
            if name not in ("cache-control", "expires", "date", "age")
        }
        kept["date"] = [formatdate(self._now(), usegmt=True)]
        kept["cache-control"] = [f"max-age={min(LIFETIME, _allowed(headers))}, must-revalidate"]
        return Headers({name: list(values) for name, values in kept.items()})


def _allowed(headers: Headers) -> int:
    """For how many seconds the host lets its answer be used: its max-age, if it says so plainly."""
    directives = [part.strip().lower() for part in headers.get("cache-control", "").split(",")]
    if "no-cache" in directives or "no-store" in directives:
        return 0
    for directive in directives:
        name, _, value = directive.partition("=")
        if name == "max-age" and value.isdecimal():
            return int(value)
    return 0


async def _once(body: bytes) -> AsyncIterator[bytes]:
    yield body
