"""Following an earlier revision: is everything there that its root leads to?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Protocol

from bridge_reader.verification.inspection import Inspection
from bridge_reader.verification.report import RetainedRevision
from manifest.errors import ErrorCode, NoteBridgeError
from manifest.manifest_file import PreviousRevision
from manifest.objects import (
    Category,
    Clusters,
    Doc,
    Graph,
    GraphPage,
    Index,
    Leaf,
    Overview,
    PublishedObject,
    Root,
    Signatures,
    Toc,
    Vector,
    Vectors,
)
from manifest.references import HashRow, Reference, object_path
from manifest.search_objects import Continuation, Delta, Docs, Postings, Segment, Shard, Terms

Target = tuple[type[PublishedObject], Reference | HashRow]


async def follow(
    inspection: Inspection, previous: PreviousRevision, *, kept: bool
) -> RetainedRevision:
    """Reads what an earlier revision does not share with those verified before.

    kept: whether it must still be whole; else what is missing is only said.
    Raises `NoteBridgeError` (SITE_UNREACHABLE).
    """
    root = Reference(sha256=previous.revision, size=previous.size)
    pending: list[Target] = [(Root, root)]
    objects = 0
    problem = ""
    while pending:
        model, reference = pending.pop()
        if inspection.has(reference.sha256):
            continue
        try:
            value = await inspection.require(model, reference)
            objects += 1
            pending.extend(_below(value))
        except NoteBridgeError as error:
            if error.code is ErrorCode.SITE_UNREACHABLE:
                raise
            problem = problem or error.message
            if kept:
                name = object_path(model.KIND, reference.sha256)
                inspection.report(error.code, name, f"{error.message} Retention promises it.")
    return RetainedRevision(
        previous.revision,
        previous.sequence,
        kept=kept,
        whole=not problem,
        objects=objects,
        problem=problem,
    )


def _below(value: PublishedObject) -> Iterator[Target]:
    """What an object refers to."""
    match value:
        case Root():
            yield from ((Index, value.tree), (Overview, value.overview), (Delta, value.delta))
            yield from ((Segment, reference) for reference in value.segments)
            yield from ((Graph, value.graph), (Clusters, value.clusters))
            yield from [(Vectors, value.vectors)] if value.vectors else []
        case Index():
            yield from _rows(Leaf, value.leaves)
            yield from _rows(Index, value.children or ())
        case Leaf():
            for document in value.docs:
                yield from ((Doc, document.doc), (Toc, document.toc))
        case Overview():
            yield from ((Category, reference) for reference in value.pages)
        case Graph():
            yield from ((GraphPage, reference) for reference in value.pages)
        case Segment():
            yield from _rows(Terms, value.pages)
            yield from _rows(Shard, value.shards or ())
            yield from ((Docs, reference) for reference in value.docPages)
        case Terms():
            yield from _rows(Shard, value.shards)
        case Shard():
            yield from _continuations(value)
        case Delta():
            yield from _rows(Doc, value.docs)
        case Vectors():
            yield from _rows(Signatures, value.leaves)
        case Signatures():
            yield from _rows(Vector, value.rows)
        case _:
            return


class _Row(Protocol):
    """A row that refers to an object, whatever else it says."""

    @property
    def sha256(self) -> str: ...
    @property
    def size(self) -> int: ...


def _rows(model: type[PublishedObject], rows: Iterable[_Row]) -> Iterator[Target]:
    return ((model, HashRow(row.sha256, row.size)) for row in rows)


def _continuations(shard: Shard) -> Iterator[Target]:
    for row in shard.terms:
        for found in row[1:2]:
            if isinstance(found, dict):
                rest = Continuation.model_validate(found)
                yield Postings, HashRow(rest.sha256, rest.size)
