"""The document tree as objects: leaves, indexes, and the reference that is a site's `content`."""

from __future__ import annotations

from collections.abc import Mapping

from manifest.objects import BranchRow, Index, Leaf, LeafDocument
from manifest.references import Reference
from manifest.tree import IndexShape, LeafShape, tree_shape
from site_builder.object_sink import ObjectSink, put_object


def publish_tree(rows: Mapping[str, LeafDocument], sink: ObjectSink) -> Reference:
    """Keeps the tree over rows by docId and returns the reference to its top index."""
    return _publish_index(tree_shape(rows), rows, sink)


def _publish_index(
    shape: IndexShape, rows: Mapping[str, LeafDocument], sink: ObjectSink
) -> Reference:
    leaves = [_publish_leaf(leaf, rows, sink) for leaf in shape.leaves]
    children = [
        _row(child.prefix, _documents(child), _publish_index(child, rows, sink))
        for child in shape.children
    ]
    return put_object(sink, Index(prefix=shape.prefix, leaves=leaves, children=children or None))


def _publish_leaf(
    shape: LeafShape, rows: Mapping[str, LeafDocument], sink: ObjectSink
) -> BranchRow:
    leaf = Leaf(prefix=shape.prefix, docs=[rows[doc_id] for doc_id in shape.doc_ids])
    return _row(shape.prefix, len(shape.doc_ids), put_object(sink, leaf))


def _row(prefix: str, documents: int, reference: Reference) -> BranchRow:
    return BranchRow(prefix, documents, reference.sha256, reference.size)


def _documents(shape: IndexShape) -> int:
    return sum(len(leaf.doc_ids) for leaf in shape.leaves) + sum(map(_documents, shape.children))
