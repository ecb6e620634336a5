"""The state that a build goes on from: what is published already, and nothing else.

A build needs no cache to know what it did before. It reads the manifest of the site as it stands,
on a host or in a folder, and from there whatever it asks for; so a fresh checkout in continuous
integration takes the same small steps as the author's own machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from manifest.manifest_file import Manifest, read_manifest
from manifest.objects import Clusters, Index, Leaf, LeafDocument, PublishedObject, Root, read_object
from manifest.references import HashRow, Kind, Reference
from manifest.search_objects import Delta, DocRow, Segment
from manifest.tree import branches
from site_builder.previous_source import (
    ObjectName,
    SiteSource,
    open_source,
    read_all,
    read_manifest_body,
    read_verified,
)
from site_builder.search.published import PublishedSegment, doc_rows

FILE_LIMIT = 1024 * 1024

AnyObject = TypeVar("AnyObject", bound=PublishedObject)


DocPages = dict[str, list[DocRow]]
"""Document rows by the SHA-256 of their page."""


def load_previous(where: str | Path, pages: DocPages | None = None) -> PreviousSite | None:
    """The published state at a folder or address; None if nothing is published there yet, which
    whoever asked for it should be told.

    pages: rows known already, to which those that are read are added. Only the manifest and the
    root are read here. Raises `NoteBridgeError`: ORIGIN_REFUSED for an
    address that is not allowed, SITE_UNREACHABLE, MANIFEST_INVALID and SCHEMA_UNSUPPORTED for what
    cannot be gone on from, and as `PreviousSite.read`.
    """
    source = open_source(where)
    try:
        body = read_manifest_body(source)
        if body is None:
            source.close()
            return None
        return PreviousSite(source, read_manifest(body, name=source.address), pages)
    except BaseException:
        source.close()
        raise


class PreviousSite:
    """One published revision, read as far as it is asked for. Close it, or use it in a `with`."""

    def __init__(
        self, source: SiteSource, manifest: Manifest, pages: DocPages | None = None
    ) -> None:
        """pages: rows that were read before; a page is what its hash says."""
        self._source = source
        self._pages = {} if pages is None else pages
        self.manifest = manifest
        self.root = self.read(Root, manifest.root)

    @property
    def address(self) -> str:
        """Where it was read from."""
        return self._source.address

    def read(self, model: type[AnyObject], reference: Reference | HashRow) -> AnyObject:
        """An object of the revision.

        Raises `NoteBridgeError`: REVISION_EXPIRED where it is missing, INTEGRITY_MISMATCH where its
        bytes are others, OBJECT_INVALID where they make no sense, SITE_UNREACHABLE.
        """
        name = ObjectName.of(model.KIND, reference)
        return read_object(model, read_verified(self._source, name), name=name.path)

    def file(self, path: str) -> bytes | None:
        """A file that no hash vouches for, at most 1 MiB of it; None if it is not there."""
        return self._source.file(path, FILE_LIMIT)

    def body(self, kind: Kind, reference: Reference | HashRow) -> bytes:
        """The verified bytes of an object. Raises as `read`."""
        return read_verified(self._source, ObjectName.of(kind, reference))

    def bodies(self, names: list[ObjectName]) -> Iterator[tuple[ObjectName, bytes]]:
        """Many at once, in any order. Raises as `read`."""
        return read_all(self._source, names)

    @cached_property
    def segments(self) -> list[PublishedSegment]:
        """The search base, with the rows of all documents."""
        found: list[PublishedSegment] = []
        first = 0
        for reference in self.root.segments:
            segment = self.read(Segment, reference)
            published = PublishedSegment(reference, segment, self._rows(segment), first)
            found.append(published)
            first += published.capacity
        return found

    @cached_property
    def delta(self) -> Delta:
        """What changed since the segments."""
        return self.read(Delta, self.root.delta)

    @cached_property
    def clusters(self) -> Clusters:
        """The groups of documents."""
        return self.read(Clusters, self.root.clusters)

    def documents(self) -> Iterator[LeafDocument]:
        """The facts of every document, leaf after leaf."""
        pending = [(Kind.INDEX, HashRow(self.root.tree.sha256, self.root.tree.size))]
        while pending:
            kind, reference = pending.pop()
            if kind is Kind.LEAF:
                yield from self.read(Leaf, reference).docs
                continue
            for branch in branches(self.read(Index, reference)):
                below = Kind.LEAF if branch.is_leaf else Kind.INDEX
                pending.append((below, HashRow(branch.row.sha256, branch.row.size)))

    def close(self) -> None:
        """Lets go of connections."""
        self._source.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self.close()

    def _rows(self, segment: Segment) -> list[DocRow]:
        missing = [page for page in segment.docPages if page.sha256 not in self._pages]
        names = [ObjectName.of(Kind.DOCS, page) for page in missing]
        for name, body in self.bodies(names):
            self._pages[name.sha256] = doc_rows(body, name.path)
        return [row for page in segment.docPages for row in self._pages[page.sha256]]
