"""A body taken off the wire under a limit, before and after decompression. No I/O.

A small compressed body may hold gigabytes, and an endless one may hold nothing at all: so both
sides are counted, and decompression stops at the limit instead of being checked after it.
"""

from __future__ import annotations

import zlib

_GZIP = 16 + zlib.MAX_WBITS
_SLACK = 4096
"""What gzip may add to a body that cannot be compressed: header, name, trailer."""


class BodyBroken(Exception):
    """The body is not what its headers say. Stays inside this room."""


class BoundedBody:
    """Takes what the wire brings until the body is whole or longer than its limit, in bytes."""

    def __init__(self, *, encoding: str, limit: int) -> None:
        """encoding: the Content-Encoding header. Raises BodyBroken unless it is gzip or none."""
        names = encoding.strip().lower()
        if names not in ("", "identity", "gzip", "x-gzip"):
            raise BodyBroken(f"it is encoded as {encoding[:40]!r}, which was not asked for")
        self._inflate = zlib.decompressobj(_GZIP) if names.endswith("gzip") else None
        self._limit = limit
        self._body = bytearray()
        self.transferred = 0
        self.oversize = False

    @property
    def start(self) -> bytes:
        """What the body begins with, as far as it is known."""
        return bytes(self._body[:64])

    def feed(self, data: bytes) -> None:
        """Takes the next bytes; once `oversize`, nothing is kept any more.

        Raises BodyBroken if they cannot be decompressed.
        """
        self.transferred += len(data)
        if self.oversize:
            return
        if self._inflate is None:
            self._body += data
        else:
            self._decompress(self._inflate, data)
        if len(self._body) > self._limit or self._is_bloated():
            self.oversize = True

    def finish(self) -> bytes:
        """The whole body. Raises BodyBroken if it ended early."""
        if self._inflate is not None and not self._inflate.eof:
            raise BodyBroken("its compressed body ends early")
        return bytes(self._body)

    def _decompress(self, inflate: zlib._Decompress, data: bytes) -> None:
        try:
            self._body += inflate.decompress(data, self._limit + 1 - len(self._body))
        except zlib.error as error:
            raise BodyBroken(f"its compressed body is damaged ({error})") from error
        if inflate.unconsumed_tail:
            self.oversize = True

    def _is_bloated(self) -> bool:
        return self.transferred > self._limit + self._limit // 100 + _SLACK
