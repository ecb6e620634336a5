"""A published segment: everything that was indexed comes back, cut where content says."""

from __future__ import annotations

import json
from collections import defaultdict

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manifest.canonical import encode
from manifest.objects import Doc, TocSection, read_object
from manifest.references import Kind, object_path
from manifest.search_objects import (
    DirectoryRow,
    DocRow,
    Docs,
    Postings,
    Segment,
    Shard,
    Terms,
    read_postings,
)
from manifest.unit_terms import document_terms, impact, unit_terms
from site_builder.index_card import NoteTerms
from site_builder.object_sink import MemorySink
from site_builder.search.posting_table import PostingTable
from site_builder.search.segments import INLINED_SHARDS, SegmentPlan, publish_segment
from site_builder.search.shards import BASE_SHARDS, POSTINGS_LIMIT

Unit = tuple[int, dict[str, int]]
"""A unit's length, and its terms with their frequencies."""

Found = dict[str, list[tuple[int, int, int]]]


def packed(units: list[Unit]) -> NoteTerms:
    terms: dict[str, list[tuple[int, int]]] = {}
    for number, (_, frequencies) in enumerate(units):
        for term, frequency in frequencies.items():
            terms.setdefault(term, []).append((number, frequency))
    pairs = [pair for found in terms.values() for pair in found]
    return NoteTerms(
        lengths=np.array([length for length, _ in units], np.uint32),
        terms=tuple(terms),
        counts=np.array([len(found) for found in terms.values()], np.uint32),
        units=np.array([unit for unit, _ in pairs], np.uint32),
        frequencies=np.array([frequency for _, frequency in pairs], np.uint32),
        tags=("tag:x",),
        phrases=(),
    )


def published(documents: list[list[Unit]], sink: MemorySink) -> Segment:
    table = PostingTable()
    for document in documents:
        table.add(packed(document), [])
    postings = table.sorted(table.pivot)
    rows = [
        DocRow(f"d{n}", f"d{n}", "en", "0" * 64, 1, len(document), [], [], -1)
        for n, document in enumerate(documents)
    ]
    reference, segment = publish_segment(postings, rows, SegmentPlan(), sink)
    body = sink.bodies[object_path(Kind.SEGMENT, reference.sha256)]
    assert read_object(Segment, body, name="segment") == segment
    return segment


def directory(sink: MemorySink, segment: Segment) -> list[DirectoryRow]:
    """All shards, through whatever levels there are."""
    if segment.shards is not None:
        return segment.shards
    found: list[DirectoryRow] = []
    for page in segment.pages:
        terms = read_object(Terms, sink.bodies[object_path(Kind.TERMS, page.sha256)], name="t")
        assert terms.shards[0].first == page.first
        found += terms.shards
    return found


def read_all(sink: MemorySink, segment: Segment) -> Found:
    """Every posting of every term."""
    found: Found = defaultdict(list)
    for entry in directory(sink, segment):
        body = sink.bodies[object_path(Kind.SHARD, entry.sha256)]
        # What is written by halves for speed is canonical all the same.
        assert encode(json.loads(body)) == body
        rows = list(read_object(Shard, body, name="s").rows())
        assert rows[0].term == entry.first
        for row in rows:
            found[row.term] = [(p.ordinal, p.unit, p.impact) for p in read_postings(row.numbers)]
            if row.continuation:
                body = sink.bodies[object_path(Kind.POSTINGS, row.continuation.sha256)]
                assert encode(json.loads(body)) == body
                rest = read_object(Postings, body, name="p")
                found[row.term] += [(r.ordinal, r.number >> 4, r.number & 15) for r in rest.rows]
                assert len(found[row.term]) == row.continuation.count
    return found


words = st.text('abcdeß字é"\\\n', min_size=1, max_size=3)
units = st.lists(
    st.tuples(st.integers(0, 500), st.dictionaries(words, st.integers(1, 65534))),
    min_size=1,
    max_size=4,
)


@settings(max_examples=60, deadline=None)
@given(st.lists(units, min_size=1, max_size=40))
def test_every_posting_comes_back_with_its_impact(documents: list[list[Unit]]) -> None:
    sink = MemorySink()
    segment = published(documents, sink)
    wanted: Found = defaultdict(list)
    for ordinal, document in enumerate(documents):
        wanted["tag:x"].append((ordinal, 0, 1))
        for number, (length, frequencies) in enumerate(document):
            for term, frequency in frequencies.items():
                weight = impact(frequency, length, segment.pivot)
                wanted[term].append((ordinal, number, weight))
    assert read_all(sink, segment) == wanted
    assert segment.units == sum(map(len, documents))


def test_a_very_common_term_keeps_its_best_postings_and_continues_elsewhere() -> None:
    count = POSTINGS_LIMIT + 500
    documents = [[(10, {"common": 2 + 8 * (number % 7 == 0)})] for number in range(count)]
    sink = MemorySink()
    segment = published(documents, sink)
    assert [row for row in segment.hot if row.term == "common"] == [("common", count)]
    (entry,) = directory(sink, segment)
    body = sink.bodies[object_path(Kind.SHARD, entry.sha256)]
    common = next(iter(read_object(Shard, body, name="shard").rows()))
    kept = list(read_postings(common.numbers))
    assert len(kept) == len(range(0, count, 7))
    assert {posting.impact for posting in kept} == {13}
    rest = common.continuation
    assert rest is not None
    assert rest.count == count
    assert (rest.least, rest.below) == (9, count - len(kept))
    assert len(read_all(sink, segment)["common"]) == count


def test_one_new_term_changes_few_shards() -> None:
    def shards(extra: list[str]) -> set[str]:
        documents = [[(40, {f"w{number}x{k}": 2 for k in range(40)})] for number in range(400)]
        if extra:
            documents.append([(1, dict.fromkeys(extra, 2))])
        sink = MemorySink()
        published(documents, sink)
        return {path for path in sink.bodies if "/objects/shard/" in path}

    before, after = shards([]), shards(["w200x7y"])
    assert len(before) > 10
    assert len(after - before) <= 3


def test_shards_stay_below_their_ceiling_but_for_one_long_row() -> None:
    documents = [[(5, {f"t{n % 97}": 2, f"u{n}": 2})] for n in range(2000)]
    sink = MemorySink()
    published(documents, sink)
    sizes = [len(body) for path, body in sink.bodies.items() if "/objects/shard/" in path]
    assert max(sizes) <= BASE_SHARDS.ceiling + 64


def test_a_small_segment_has_no_pages_and_a_large_one_two_levels() -> None:
    sink = MemorySink()
    small = published([[(3, {"x": 2})]], sink)
    assert (small.pages, len(small.shards or [])) == ([], 1)
    large = published([[(9, {f"t{n}x{k}": 2 for k in range(900)})] for n in range(400)], sink)
    assert large.shards is None
    assert len(directory(sink, large)) > INLINED_SHARDS


def test_document_rows_stand_in_pages_of_thirty_two() -> None:
    sink = MemorySink()
    segment = published([[(1, {"x": 2})] for _ in range(70)], sink)
    pages = [
        read_object(Docs, sink.bodies[object_path(Kind.DOCS, sha256)], name="docs")
        for sha256, _ in segment.docPages
    ]
    assert [(page.first, len(page.docs)) for page in pages] == [(0, 32), (32, 32), (64, 6)]


@pytest.mark.parametrize("place", ["title", "tags", "aliases", "heading", "ancestor", "body"])
def test_a_word_is_found_wherever_it_stands_in_a_note(place: str) -> None:
    text = "x body here\n"
    section = TocSection(
        id="a",
        anchor="a",
        level=2,
        title="heading",
        path=["ancestor", "heading"],
        start=0,
        end=len(text),
        sha256="0" * 64,
        tokens=1,
    )
    doc = Doc(
        id="d",
        title="title",
        language="en",
        url="folder/d/",
        meta={"tags": ["tags"], "aliases": "aliases"},
        text=text,
        sections=[section],
    )
    assert place in unit_terms(doc)[0].frequencies
    assert document_terms(doc) == ["tag:tags", "folder:folder", "folder:folder/d"]
