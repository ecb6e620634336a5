"""The document tree: a function of the set of docIds, in which each is found again."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manifest import tree
from manifest.objects import BranchRow, Index
from manifest.tree import (
    CHILD_DIGITS,
    INDEX_LIMIT,
    LEAF_LIMIT,
    IndexShape,
    LeafShape,
    branches,
    next_branch,
    tree_digits,
    tree_shape,
)

HASH = "0" * 64
MANY = [f"文件夹/note-{number}" for number in range(40_000)]


def indexes(shape: IndexShape) -> Iterator[IndexShape]:
    yield shape
    for child in shape.children:
        yield from indexes(child)


def leaves(shape: IndexShape) -> list[LeafShape]:
    return [leaf for index in indexes(shape) for leaf in index.leaves]


def published(shape: IndexShape) -> Index:
    return Index(
        prefix=shape.prefix,
        leaves=[BranchRow(leaf.prefix, len(leaf.doc_ids), HASH, 1) for leaf in shape.leaves],
        children=[BranchRow(child.prefix, 1, HASH, 1) for child in shape.children] or None,
    )


def assert_well_formed(shape: IndexShape, doc_ids: set[str], leaf_limit: int, limit: int) -> None:
    found = leaves(shape)
    assert sorted(doc_id for leaf in found for doc_id in leaf.doc_ids) == sorted(doc_ids)
    for leaf in found:
        assert 0 < len(leaf.doc_ids) <= leaf_limit
        assert list(leaf.doc_ids) == sorted(leaf.doc_ids)
        assert all(tree_digits(doc_id).startswith(leaf.prefix) for doc_id in leaf.doc_ids)
        parent = leaf.prefix[:-1]
        below = sum(tree_digits(doc_id).startswith(parent) for doc_id in doc_ids)
        assert not leaf.prefix or below > leaf_limit, "a leaf that need not have split"
    for index in indexes(shape):
        named = [leaf.prefix for leaf in index.leaves]
        assert named == sorted(named)
        assert (len(leaves(index)) > limit) == bool(index.children)
        assert len(index.leaves) <= limit
        assert len(index.children) <= 4**CHILD_DIGITS
        for child in index.children:
            assert len(child.prefix) == len(index.prefix) + CHILD_DIGITS
            assert child.prefix.startswith(index.prefix)
            assert all(leaf.prefix.startswith(child.prefix) for leaf in leaves(child))


def leaf_of(doc_id: str, by_prefix: dict[str, Index]) -> str | None:
    """The prefix of the leaf that a lookup from the root arrives at."""
    digits = tree_digits(doc_id)
    index = by_prefix[""]
    while branch := next_branch(index, digits):
        if branch.is_leaf:
            return branch.row.prefix
        index = by_prefix[branch.row.prefix]
    return None


@given(st.sets(st.text(max_size=4), max_size=150), st.randoms())
def test_the_shape_depends_on_the_set_alone(doc_ids: set[str], randoms: random.Random) -> None:
    shape = tree_shape(sorted(doc_ids))
    again = [*doc_ids, *list(doc_ids)[:5]]
    randoms.shuffle(again)
    assert tree_shape(again) == shape
    assert_well_formed(shape, doc_ids, LEAF_LIMIT, INDEX_LIMIT)


@pytest.mark.parametrize("count", [0, 1, 7, 40, 41, 300])
@pytest.mark.parametrize(("leaf_limit", "index_limit"), [(1, 4), (1, 40), (3, 5)])
def test_small_limits_give_the_same_kind_of_tree(
    monkeypatch: pytest.MonkeyPatch, count: int, leaf_limit: int, index_limit: int
) -> None:
    monkeypatch.setattr(tree, "LEAF_LIMIT", leaf_limit)
    monkeypatch.setattr(tree, "INDEX_LIMIT", index_limit)
    doc_ids = set(random.Random(count).sample(MANY, count))
    shape = tree_shape(doc_ids)
    assert_well_formed(shape, doc_ids, leaf_limit, index_limit)
    by_prefix = {index.prefix: published(index) for index in indexes(shape)}
    assert all(leaf_of(doc_id, by_prefix) is not None for doc_id in doc_ids)


def test_a_leaf_above_the_child_indexes_stays_with_its_parent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tree, "LEAF_LIMIT", 1)
    monkeypatch.setattr(tree, "INDEX_LIMIT", 4)
    by_digit = {digit: [i for i in MANY if tree_digits(i)[0] == digit] for digit in "01"}
    shape = tree_shape([*by_digit["0"][:30], by_digit["1"][0]])
    assert [leaf.prefix for leaf in shape.leaves] == ["1"]
    assert {child.prefix for child in shape.children} == {"00", "01", "02", "03"}


def test_sixty_four_documents_are_one_leaf_and_one_more_splits_it() -> None:
    assert [leaf.prefix for leaf in tree_shape(MANY[:LEAF_LIMIT]).leaves] == [""]
    split = tree_shape(MANY[: LEAF_LIMIT + 1])
    assert [leaf.prefix for leaf in split.leaves] == ["0", "1", "2", "3"]
    assert split.children == ()


def test_one_more_document_changes_one_leaf() -> None:
    before, after = tree_shape(MANY[:5000]), tree_shape(MANY[:5001])
    assert len(set(leaves(after)) - set(leaves(before))) == 1


def test_no_documents_are_an_index_without_leaves() -> None:
    shape = tree_shape([])
    assert shape == IndexShape("", (), ())
    assert next_branch(published(shape), tree_digits("anything")) is None


def test_each_of_forty_thousand_documents_is_found_again() -> None:
    shape = tree_shape(MANY)
    found = leaves(shape)
    assert max(len(leaf.doc_ids) for leaf in found) <= LEAF_LIMIT
    assert len(found) > INDEX_LIMIT
    assert len(shape.children) == 16
    assert all(len(index.leaves) <= INDEX_LIMIT for index in indexes(shape))
    by_prefix = {index.prefix: published(index) for index in indexes(shape)}
    expected = {doc_id: leaf.prefix for leaf in found for doc_id in leaf.doc_ids}
    assert len(expected) == len(MANY)
    for doc_id in MANY[::7]:
        assert leaf_of(doc_id, by_prefix) == expected[doc_id]


@given(st.text())
def test_digits_are_the_bits_of_the_hash_two_by_two(doc_id: str) -> None:
    digest = hashlib.sha256(doc_id.encode("utf-8")).digest()
    assert len(tree_digits(doc_id)) == 128
    assert int(tree_digits(doc_id), 4) == int.from_bytes(digest, "big")


def test_branches_name_leaves_first() -> None:
    index = Index(
        prefix="",
        leaves=[BranchRow("1", 3, HASH, 1)],
        children=[BranchRow("00", 70, HASH, 1), BranchRow("01", 70, HASH, 1)],
    )
    assert [(branch.row.prefix, branch.is_leaf) for branch in branches(index)] == [
        ("1", True),
        ("00", False),
        ("01", False),
    ]
