"""The document tree as objects: leaves, indexes, and the reference that is a site's `content`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from manifest.canonical import encode
from manifest.objects import BranchRow, Index
from manifest.references import Kind, Reference
from manifest.tree import IndexShape, LeafShape, tree_shape
from site_builder.object_sink import ObjectSink, put_object


def publish_tree(rows: Mapping[str, bytes], sink: ObjectSink) -> Reference:
    """Keeps the tree and returns the reference to its top index.

    rows: by docId the canonical bytes of its row of a leaf.
    """
    return _publish_index(tree_shape(rows), rows, sink)


def leaves(shape: IndexShape) -> Iterator[LeafShape]:
    """All leaves of a tree."""
    yield from shape.leaves
    for child in shape.children:
        yield from leaves(child)


def _publish_index(shape: IndexShape, rows: Mapping[str, bytes], sink: ObjectSink) -> Reference:
    leaves = [_publish_leaf(leaf, rows, sink) for leaf in shape.leaves]
    children = [
        _row(child.prefix, _documents(child), _publish_index(child, rows, sink))
        for child in shape.children
    ]
    return put_object(sink, Index(prefix=shape.prefix, leaves=leaves, children=children or None))


def _publish_leaf(shape: LeafShape, rows: Mapping[str, bytes], sink: ObjectSink) -> BranchRow:
    # The canonical body of a `Leaf` whose rows are encoded already: one edit changes one of them.
    docs = b",".join(rows[doc_id] for doc_id in shape.doc_ids)
    body = b'{"docs":[%b],"kind":"leaf","prefix":%b}' % (docs, encode(shape.prefix))
    return _row(shape.prefix, len(shape.doc_ids), sink.put(Kind.LEAF, body))


def _row(prefix: str, documents: int, reference: Reference) -> BranchRow:
    return BranchRow(prefix, documents, reference.sha256, reference.size)


def _documents(shape: IndexShape) -> int:
    return sum(len(leaf.doc_ids) for leaf in shape.leaves) + sum(map(_documents, shape.children))
