"""A transport: what fetches the files of a site, and what a host or a folder answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeAlias


@dataclass(frozen=True, slots=True)
class Fetched:
    """The file is there; body is what a client sees, any Content-Encoding removed."""

    body: bytes


@dataclass(frozen=True, slots=True)
class Missing:
    """The file is not there. page: an HTML page came in its place, with a status of success."""

    status: int = 404
    page: bool = False


@dataclass(frozen=True, slots=True)
class Oversize:
    """The file is longer than was asked for; nothing of it is kept."""


Answer: TypeAlias = Fetched | Missing | Oversize


@dataclass(slots=True)
class TransferCount:
    """What a transport has moved: requests, and bytes of bodies as they came over the wire."""

    requests: int = 0
    bytes: int = 0


class Transport(Protocol):
    """Fetches files of one site."""

    @property
    def count(self) -> TransferCount:
        """What was moved so far."""
        ...

    @property
    def address(self) -> str:
        """The site's address, for messages."""
        ...

    async def fetch(self, path: str, *, limit: int, fresh: bool = False) -> Answer:
        """The file at a path below the site, if it has at most `limit` bytes.

        fresh: ask past every cache on the way.
        Raises `NoteBridgeError`: SITE_UNREACHABLE if no answer can be had, ORIGIN_REFUSED if the
        host redirects to another origin or the path would leave the site.
        """
        ...

    async def close(self) -> None:
        """Lets go of connections."""
        ...


def is_page(start: bytes) -> bool:
    """Whether a body begins like HTML or XML: JSON of the contract never begins with `<`."""
    return start.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"<"
