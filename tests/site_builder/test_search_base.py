"""The published search base: everything that was indexed comes back, cut where content says."""

from __future__ import annotations

import json
from collections import defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manifest.objects import Doc, TocSection, read_object
from manifest.references import Kind, object_path
from manifest.search_objects import DocRow, Docs, Postings, Segment, Shard, Terms, read_postings
from manifest.unit_terms import UnitTerms, document_terms, impact, unit_terms
from site_builder.object_sink import MemorySink
from site_builder.postings import PostingLists
from site_builder.search_base import POSTINGS_LIMIT, SHARD_CEILING, publish_search_base


def row(doc_id: str, units: int) -> DocRow:
    return DocRow(doc_id, doc_id, "en", "0" * 64, 1, units, [], [], -1)


def read_all(sink: MemorySink, segment: Segment) -> dict[str, list[tuple[int, int, int]]]:
    """Every posting of every term, through both levels of the directory."""
    found: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
    for page in segment.pages:
        terms = read_object(Terms, sink.bodies[object_path(Kind.TERMS, page.sha256)], name="t")
        assert terms.shards[0].first == page.first
        for entry in terms.shards:
            shard = read_object(Shard, sink.bodies[object_path(Kind.SHARD, entry.sha256)], name="s")
            rows = list(shard.rows())
            assert rows[0].term == entry.first
            for shard_row in rows:
                found[shard_row.term] = [tuple(p) for p in read_postings(shard_row.numbers)]
                if shard_row.continuation:
                    body = sink.bodies[object_path(Kind.POSTINGS, shard_row.continuation.sha256)]
                    rest = read_object(Postings, body, name="p")
                    found[shard_row.term] += [
                        (r.ordinal, r.number >> 4, r.number & 15) for r in rest.rows
                    ]
                    assert len(found[shard_row.term]) == shard_row.continuation.count
    return found


words = st.text("abcdeß字é", min_size=1, max_size=3)
units = st.lists(
    st.builds(UnitTerms, st.integers(0, 500), st.dictionaries(words, st.integers(1, 70000))),
    min_size=1,
    max_size=4,
)


@settings(max_examples=60)
@given(st.lists(units, min_size=1, max_size=40))
def test_every_posting_comes_back_with_its_impact(documents):
    lists = PostingLists()
    for document in documents:
        lists.add(document, ["tag:x"])
    sink = MemorySink()
    rows = [row(f"d{number}", len(document)) for number, document in enumerate(documents)]
    base = publish_search_base(lists, rows, sink)
    segment = read_object(
        Segment, sink.bodies[object_path(Kind.SEGMENT, base.reference.sha256)], name="segment"
    )
    wanted: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
    for ordinal, document in enumerate(documents):
        wanted["tag:x"].append((ordinal, 0, 1))
        for number, unit in enumerate(document):
            for term, frequency in unit.frequencies.items():
                weight = impact(min(frequency, 65534), unit.length, segment.pivot)
                wanted[term].append((ordinal, number, weight))
    assert read_all(sink, segment) == wanted


def test_a_very_common_term_keeps_its_best_postings_and_continues_elsewhere():
    lists = PostingLists()
    count = POSTINGS_LIMIT + 500
    for number in range(count):
        lists.add([UnitTerms(10, {"common": 2 + 8 * (number % 7 == 0)})], [])
    sink = MemorySink()
    base = publish_search_base(lists, [row(f"d{n}", 1) for n in range(count)], sink)
    segment = json.loads(sink.bodies[object_path(Kind.SEGMENT, base.reference.sha256)])
    assert segment["hot"] == [["common", count]]
    shard = next(
        json.loads(body) for path, body in sink.bodies.items() if "/objects/shard/" in path
    )
    kept = list(read_postings(shard["terms"][0][2:]))
    strong = [posting for posting in kept if posting.impact > 10]
    assert len(kept) == POSTINGS_LIMIT
    assert len(strong) == len(range(0, count, 7))
    assert kept == sorted(kept)


def test_one_new_term_changes_few_shards():
    def shards(extra: list[str]) -> set[str]:
        lists = PostingLists()
        for number in range(400):
            terms = {f"w{number}-{k}".replace("-", "x"): 2 for k in range(40)}
            lists.add([UnitTerms(40, terms)], [])
        if extra:
            lists.add([UnitTerms(1, dict.fromkeys(extra, 2))], [])
        sink = MemorySink()
        total = 400 + bool(extra)
        publish_search_base(lists, [row(f"d{n}", 1) for n in range(total)], sink)
        return {path for path in sink.bodies if "/objects/shard/" in path}

    before, after = shards([]), shards(["w200x7y"])
    assert len(before) > 10
    assert len(after - before) <= 2


def test_shards_stay_below_their_ceiling_but_for_one_long_row():
    lists = PostingLists()
    for number in range(2000):
        lists.add([UnitTerms(5, {f"t{number % 97}": 2, f"u{number}": 2})], [])
    sink = MemorySink()
    publish_search_base(lists, [row(f"d{n}", 1) for n in range(2000)], sink)
    sizes = [len(body) for path, body in sink.bodies.items() if "/objects/shard/" in path]
    assert max(sizes) <= SHARD_CEILING + 64


def test_document_rows_stand_in_pages_of_thirty_two():
    lists = PostingLists()
    for _ in range(70):
        lists.add([UnitTerms(1, {"x": 2})], [])
    sink = MemorySink()
    base = publish_search_base(lists, [row(f"d{n}", 1) for n in range(70)], sink)
    segment = json.loads(sink.bodies[object_path(Kind.SEGMENT, base.reference.sha256)])
    pages = [
        read_object(Docs, sink.bodies[object_path(Kind.DOCS, sha256)], name="docs")
        for sha256, _ in segment["docPages"]
    ]
    assert [(page.first, len(page.docs)) for page in pages] == [(0, 32), (32, 32), (64, 6)]


@pytest.mark.parametrize("place", ["title", "tags", "aliases", "heading", "ancestor", "body"])
def test_a_word_is_found_wherever_it_stands_in_a_note(place):
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
