"""Kinds of object, their size limits, references to them, and the address a reference implies."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Annotated, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, Strict

from manifest.canonical import MAX_INTEGER

SHA256 = re.compile(r"[0-9a-f]{64}")

Sha256 = Annotated[str, Strict(), Field(pattern=r"^[0-9a-f]{64}$")]
Text = Annotated[str, Strict()]
Flag = Annotated[bool, Strict()]
Count = Annotated[int, Strict(), Field(ge=0, le=MAX_INTEGER)]
Integer = Annotated[int, Strict(), Field(ge=-MAX_INTEGER, le=MAX_INTEGER)]


class Kind(StrEnum):
    """Every kind of object. It stands in the object itself and in its address."""

    ROOT = "root"
    INDEX = "index"
    LEAF = "leaf"
    DOC = "doc"
    TOC = "toc"
    OVERVIEW = "overview"
    CATEGORY = "category"
    SEGMENT = "segment"
    TERMS = "terms"
    SHARD = "shard"
    POSTINGS = "postings"
    DOCS = "docs"
    DELTA = "delta"
    GRAPH = "graph"
    EDGES = "edges"
    CLUSTERS = "clusters"
    VECTORS = "vectors"
    SIGNATURES = "signatures"
    VECTOR = "vector"


_KIB = 1024
_MIB = 1024 * _KIB

SIZE_LIMITS: dict[Kind, int] = {
    Kind.ROOT: 64 * _KIB,
    Kind.INDEX: 256 * _KIB,
    Kind.LEAF: _MIB,
    Kind.DOC: 32 * _MIB,
    Kind.TOC: 8 * _MIB,
    Kind.OVERVIEW: 4 * _MIB,
    Kind.CATEGORY: 4 * _MIB,
    Kind.SEGMENT: 4 * _MIB,
    Kind.TERMS: 256 * _KIB,
    Kind.SHARD: 512 * _KIB,
    Kind.POSTINGS: 32 * _MIB,
    Kind.DOCS: 4 * _MIB,
    Kind.DELTA: _MIB,
    Kind.GRAPH: _MIB,
    Kind.EDGES: 4 * _MIB,
    Kind.CLUSTERS: 8 * _MIB,
    Kind.VECTORS: _MIB,
    Kind.SIGNATURES: 4 * _MIB,
    Kind.VECTOR: 16 * _MIB,
}
"""The largest body, in bytes, that a reader takes of each kind."""

MANIFEST_LIMIT = 4 * _KIB
"""The largest manifest, in bytes."""

MANIFEST_PATH = "ai/manifest.json"
"""Where the manifest stands, below the site's address."""

OBJECTS_PATH = "ai/objects"


class Reference(BaseModel):
    """What an object is known by: the SHA-256 and the size in bytes of its body."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    sha256: Sha256
    size: Count


class HashRow(NamedTuple):
    """A reference in a row of numbers: [sha256, size]."""

    sha256: Sha256
    size: Count


def object_path(kind: Kind, sha256: str) -> str:
    """An object's address below the site's; derived, never read from data.

    Raises ValueError for anything but 64 lower-case hexadecimal digits.
    """
    if SHA256.fullmatch(sha256) is None:
        raise ValueError("a SHA-256 has 64 lower-case hexadecimal digits")
    return f"{OBJECTS_PATH}/{kind}/{sha256}.json"
