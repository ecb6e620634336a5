"""Where published objects go: immutable files under names that their hashes imply."""

from __future__ import annotations

from pathlib import Path
from typing import Protocol

from manifest.objects import PublishedObject, reference_to, write_object
from manifest.references import Kind, Reference, object_path


class ObjectSink(Protocol):
    """Takes bodies of objects; the same body twice is one object."""

    def put(self, kind: Kind, body: bytes) -> Reference:
        """Keeps a body and returns the reference to it."""
        ...


def put_object(sink: ObjectSink, value: PublishedObject) -> Reference:
    """Writes an object canonically and keeps it."""
    return sink.put(value.KIND, write_object(value))


class FolderSink:
    """Objects as files below a site's folder; what is there already is not written again."""

    def __init__(self, site: Path) -> None:
        self._site = site
        self._made: set[Path] = set()

    def put(self, kind: Kind, body: bytes) -> Reference:
        reference = reference_to(body)
        path = self._site / object_path(kind, reference.sha256)
        if path.parent not in self._made:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._made.add(path.parent)
        if not path.exists():
            path.write_bytes(body)
        return reference

    def holds(self, kind: Kind, sha256: str) -> bool:
        """Whether an object is there already."""
        return (self._site / object_path(kind, sha256)).exists()


class MemorySink:
    """Objects in memory, by their address below the site; for tests and dry runs."""

    def __init__(self) -> None:
        self.bodies: dict[str, bytes] = {}

    def put(self, kind: Kind, body: bytes) -> Reference:
        reference = reference_to(body)
        self.bodies[object_path(kind, reference.sha256)] = body
        return reference
