"""The document tree: documents hang by the base-4 digits of sha256(docId).

Its shape is a function of the set of docIds alone: a leaf splits four ways when it holds more than
64 documents; an index names up to 512 leaves, and beyond that 16 child indexes two digits deeper.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from manifest.objects import BranchRow, Index

LEAF_LIMIT = 64
INDEX_LIMIT = 512
CHILD_DIGITS = 2
"""A child index is two base-4 digits deeper: sixteen of them."""

_QUADS = tuple("".join(str(byte >> shift & 3) for shift in (6, 4, 2, 0)) for byte in range(256))


@lru_cache(maxsize=100_000)
def tree_digits(doc_id: str) -> str:
    """The 128 base-4 digits of sha256(UTF-8 docId), most significant first."""
    return "".join(_QUADS[byte] for byte in hashlib.sha256(doc_id.encode("utf-8")).digest())


@dataclass(frozen=True, slots=True)
class LeafShape:
    """A leaf to be: its prefix, and its docIds in code-point order."""

    prefix: str
    doc_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class IndexShape:
    """An index to be: the leaves it names itself, and its child indexes, by prefix."""

    prefix: str
    leaves: tuple[LeafShape, ...]
    children: tuple[IndexShape, ...]


def tree_shape(doc_ids: Iterable[str]) -> IndexShape:
    """The tree of a set of docIds; empty leaves are omitted."""
    digits = {doc_id: tree_digits(doc_id) for doc_id in doc_ids}
    return _index_shape("", list(_split("", sorted(digits), digits)))


def _split(prefix: str, doc_ids: list[str], digits: dict[str, str]) -> Iterator[LeafShape]:
    if len(doc_ids) > LEAF_LIMIT:
        quarters: dict[str, list[str]] = defaultdict(list)
        for doc_id in doc_ids:
            quarters[digits[doc_id][len(prefix)]].append(doc_id)
        for digit in sorted(quarters):
            yield from _split(prefix + digit, quarters[digit], digits)
    elif doc_ids:
        yield LeafShape(prefix, tuple(doc_ids))


def _index_shape(prefix: str, leaves: list[LeafShape]) -> IndexShape:
    if len(leaves) <= INDEX_LIMIT:
        return IndexShape(prefix, tuple(leaves), ())
    # A leaf that split less deeply than the child indexes stand stays with the parent.
    depth = len(prefix) + CHILD_DIGITS
    own = tuple(leaf for leaf in leaves if len(leaf.prefix) < depth)
    groups: dict[str, list[LeafShape]] = defaultdict(list)
    for leaf in leaves:
        if len(leaf.prefix) >= depth:
            groups[leaf.prefix[:depth]].append(leaf)
    children = tuple(_index_shape(key, groups[key]) for key in sorted(groups))
    return IndexShape(prefix, own, children)


@dataclass(frozen=True, slots=True)
class Branch:
    """Where a lookup goes on: to a leaf, or to a child index."""

    row: BranchRow
    is_leaf: bool


def next_branch(index: Index, digits: str) -> Branch | None:
    """The branch of an index below which a document with these digits must be, if it exists."""
    for row in index.leaves:
        if digits.startswith(row.prefix):
            return Branch(row, is_leaf=True)
    for row in index.children or ():
        if digits.startswith(row.prefix):
            return Branch(row, is_leaf=False)
    return None


def branches(index: Index) -> Iterator[Branch]:
    """All branches of an index, leaves first."""
    yield from (Branch(row, is_leaf=True) for row in index.leaves)
    yield from (Branch(row, is_leaf=False) for row in index.children or ())
