"""The shapes that the design settled, as they stand there, are read with their meaning."""

from __future__ import annotations

import json
from typing import Any

from manifest.canonical import decode
from manifest.objects import Doc, Index, Leaf, Root, read_object
from manifest.search_objects import Delta, Docs, Segment, Shard, Terms, read_postings

HASH = "0123456789abcdef" * 4
REF = {"sha256": HASH, "size": 100}


def body(value: dict[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode("utf-8")


def test_root() -> None:
    value = {
        "kind": "root",
        "schema": "1.0",
        "docs": 10000,
        **dict.fromkeys(("tree", "overview", "delta", "graph", "clusters"), REF),
        "segments": [REF],
    }
    root = read_object(Root, body(value), name="root")
    assert (root.docs, root.segments[0].size, root.vectors) == (10000, 100, None)


def test_index() -> None:
    value = {"kind": "index", "prefix": "", "leaves": [["0000", 39, HASH, 15031]]}
    (row,) = read_object(Index, body(value), name="index").leaves
    assert (row.prefix, row.docs, row.sha256, row.size) == ("0000", 39, HASH, 15031)


def test_leaf() -> None:
    row = {
        "id": "os/死锁",
        "title": "死锁",
        "path": "os/死锁.md",
        "url": "os/死锁/",
        "language": "zh",
        "tags": ["os"],
        "aliases": [],
        "category": ["os"],
        "doc": REF,
        "toc": REF,
        "sections": 12,
        "chars": 3100,
    }
    leaf = read_object(Leaf, body({"kind": "leaf", "prefix": "0312", "docs": [row]}), name="leaf")
    assert leaf.docs[0].doc.sha256 == HASH
    assert leaf.docs[0].date is None


def test_doc() -> None:
    text = "# 死锁\n" + "字" * 115
    value = {
        "kind": "doc",
        "id": "os/死锁",
        "title": "死锁",
        "language": "zh",
        "url": "os/死锁/",
        "meta": {"date": "2024-01-02"},
        "text": text,
        "sections": [
            {
                "id": "死锁",
                "anchor": "死锁",
                "level": 1,
                "title": "死锁",
                "path": ["死锁"],
                "start": 0,
                "end": 120,
                "sha256": HASH,
                "tokens": 80,
            }
        ],
        "links": [{"section": 0, "kind": "doc", "to": "os/锁", "anchor": "互斥", "text": "锁"}],
    }
    doc = read_object(Doc, body(value), name="doc")
    assert doc.sections[0].path == ["死锁"]
    assert doc.links[0].to == "os/锁"
    assert doc.meta == {"date": "2024-01-02"}


def test_segment_and_its_directory() -> None:
    weights = {"title": 4, "heading": 4, "path": 2, "tags": 2, "aliases": 4, "body": 2}
    value = {
        "kind": "segment",
        "tokens": "nb-1",
        "docs": 10000,
        "units": 86873,
        "pivot": 64,
        "weights": weights,
        "hot": [["数据", 5210]],
        "pages": [["a", HASH, 2800]],
        "docPages": [[HASH, 6000]],
    }
    segment = read_object(Segment, body(value), name="segment")
    assert (segment.hot[0].term, segment.hot[0].units) == ("数据", 5210)
    assert segment.pages[0].first == "a"
    assert segment.docPages[0].size == 6000
    terms = {"kind": "terms", "shards": [["死亡", HASH, 15980]]}
    assert read_object(Terms, body(terms), name="terms").shards[0].first == "死亡"


def test_shard() -> None:
    value = {"kind": "shard", "terms": [["死锁", -4, 17, 35, -12, 4], ["link:os/锁", -4, 1]]}
    first, second = read_object(Shard, body(value), name="shard").rows()
    assert first.term == "死锁"
    # unit * 16 + impact, of documents 3 and 15.
    assert [tuple(posting) for posting in read_postings(first.numbers)] == [
        (3, 1, 1),
        (3, 2, 3),
        (15, 0, 4),
    ]
    assert second.term == "link:os/锁"


def test_docs() -> None:
    row = ["os/死锁", "死锁", "zh", HASH, 8230, 12, [7, 90], [[41, 730]], -1]
    (found,) = read_object(
        Docs, body({"kind": "docs", "first": 32, "docs": [row]}), name="docs"
    ).docs
    assert (found.units, found.links, found.related[0].score) == (12, [7, 90], 730)
    assert found.cluster == -1


def test_a_dropped_document_leaves_an_empty_row() -> None:
    row: list[Any] = ["", "", "", "", 0, 0, [], [], -1]
    (found,) = read_object(
        Docs, body({"kind": "docs", "first": 0, "docs": [row]}), name="docs"
    ).docs
    assert found.id == ""


def test_delta() -> None:
    value = {
        "kind": "delta",
        "base": HASH,
        "drop": [[3, 12]],
        "docs": [["os/死锁", "死锁", "zh", HASH, 8300]],
    }
    delta = read_object(Delta, body(value), name="delta")
    assert (delta.drop[0].segment, delta.drop[0].ordinal) == (3, 12)
    assert delta.docs[0].size == 8300


def test_front_matter_scalars_stay_as_they_were_typed() -> None:
    value = decode(b'{"number":"007","yes":"yes"}', name="meta")
    assert value == {"number": "007", "yes": "yes"}
