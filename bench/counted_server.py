"""A built site over real HTTP on loopback, with every answer counted where it is sent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TypeAlias

from site_builder.preview import Answered, preview_server, serve_in_background

Transfer: TypeAlias = list[Answered]
"""Answers as they were sent; `size` counts the bytes of bodies."""


class CountedServer:
    """url: where the site is. Answers pile up until `take` is called."""

    def __init__(self, url: str, answers: list[Answered]) -> None:
        self.url = url
        self._answers = answers

    def take(self) -> Transfer:
        """What was sent since the last call."""
        taken = self._answers[:]
        del self._answers[: len(taken)]
        return taken


@contextmanager
def counted_server(site: Path) -> Iterator[CountedServer]:
    """Serves a site's folder; text is gzipped as a host would."""
    answers: list[Answered] = []
    # The server's threads only append, which is one step.
    server = preview_server(site, port=0, answered=answers.append)
    try:
        yield CountedServer(serve_in_background(server), answers)
    finally:
        server.shutdown()
        server.server_close()


def size_of(transfer: Transfer) -> int:
    """Bytes of bodies as sent."""
    return sum(answer.size for answer in transfer)


def mean_by_kind(transfers: Sequence[Transfer]) -> dict[str, dict[str, float]]:
    """What the bytes are: requests and bytes of each kind of object, the mean over transfers, the
    heaviest kind first; `manifest` for the manifest, `other` for what is no knowledge."""
    requests: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    for transfer in transfers:
        for answer in transfer:
            kind = kind_of(answer.path)
            requests[kind] += 1
            sizes[kind] += answer.size
    return {
        kind: {
            "requests": round(requests[kind] / len(transfers), 2),
            "bytes": round(size / len(transfers)),
        }
        for kind, size in sizes.most_common()
    }


def kind_of(path: str) -> str:
    """The kind of object at an address of a site."""
    parts = path.lstrip("/").split("/")
    if parts[:2] == ["ai", "objects"] and len(parts) == 4:
        return parts[2]
    return "manifest" if parts == ["ai", "manifest.json"] else "other"
