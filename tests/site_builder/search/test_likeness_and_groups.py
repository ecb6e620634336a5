"""Likeness and clusters: sensible, and as they were where they can be."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from manifest.search_objects import Related
from site_builder.index_card import NoteTerms
from site_builder.search.clustering import groups, numbered, pull
from site_builder.search.groupings import key_terms
from site_builder.search.posting_table import PostingTable, SortedPostings
from site_builder.search.similarity import (
    DocumentTerms,
    document_frequencies,
    related,
    vectors,
)


def terms_of(*words: str) -> NoteTerms:
    """A note of one unit."""
    known = tuple(dict.fromkeys(words))
    ones = np.ones(len(known), np.uint32)
    return NoteTerms(np.array([len(words)], np.uint32), known, ones, ones * 0, ones * 2, (), ())


def postings_of(*documents: str) -> SortedPostings:
    table = PostingTable()
    for document in documents:
        table.add(terms_of(*document.split()), ["tag:x"])
    return table.sorted(table.pivot)


def related_of(*documents: str) -> list[list[Related]]:
    postings = postings_of(*documents)
    found = DocumentTerms.of(postings)
    frequencies = document_frequencies(found, len(postings.terms))
    return related(vectors(found, frequencies, len(documents)))


def test_documents_that_share_rare_words_are_related_and_others_are_not() -> None:
    found = related_of("lock thread mutex", "lock mutex wait", "soup salt", "soup salt pan")
    assert [other.ordinal for other in found[0]] == [1]
    assert [other.ordinal for other in found[2]] == [3]


def test_a_document_is_never_related_to_itself_and_likeness_is_mutual() -> None:
    found = related_of("a b c", "a b d", "a c d", "e f")
    assert found[0]
    for ordinal, others in enumerate(found):
        for other in others:
            assert other.ordinal != ordinal
            assert Related(ordinal, other.score) in found[other.ordinal]


def test_a_document_without_words_is_like_none() -> None:
    assert related_of("", "a b", "a b")[0] == []


def test_two_circles_of_links_are_two_groups() -> None:
    circle = [[1], [2], [0], [4], [5], [3]]
    assert groups(circle, [[] for _ in circle]) == [[0, 1, 2], [3, 4, 5]]


def test_a_bridge_between_circles_does_not_join_them() -> None:
    links = [[1, 2], [0, 2], [0, 1, 3], [4, 5], [3, 5], [3, 4]]
    assert groups(links, [[] for _ in links]) == [[0, 1, 2], [3, 4, 5]]


@given(st.lists(st.lists(st.integers(0, 19), max_size=5), min_size=20, max_size=20))
def test_groups_part_the_documents(links: list[list[int]]) -> None:
    found = groups(links, [[] for _ in links])
    members = [ordinal for group in found for ordinal in group]
    assert len(members) == len(set(members))
    assert all(len(group) >= 3 and group == sorted(group) for group in found)


def test_what_was_together_stays_together_as_long_as_that_is_good() -> None:
    ring = [[(n + 1) % 12] for n in range(12)]
    alone = groups(ring, [[] for _ in ring])
    before = {n: n // 6 for n in range(12)}
    assert groups(ring, [[] for _ in ring], before) == [[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11]]
    assert alone != [[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11]]


def test_groups_keep_the_number_that_most_members_had() -> None:
    before = {0: 7, 1: 7, 2: 7, 3: 4, 4: 4, 5: 4, 6: 4}
    assert numbered([[0, 1, 2, 3], [4, 5, 6], [8, 9]], before) == [7, 4, 0]
    assert numbered([[3, 4, 5], [0, 6], [1, 2]], before) == [4, 0, 7]


def test_a_newer_document_joins_what_it_links_to_or_is_like() -> None:
    group_of = {0: 3, 1: 3, 2: 5}
    assert pull([0, 2], [Related(2, 400)], group_of) == 5
    assert pull([0], [], group_of) == 3
    assert pull([9], [], group_of) is None


def test_key_terms_are_shared_inside_and_rare_outside() -> None:
    phrases = [("lock", "a"), ("lock", "b"), ("intro",), ("intro", "lock"), ("intro",), ("intro",)]
    assert key_terms([[0, 1, 2]], phrases) == [("lock",)]
