"""One published example of every kind of object, as the plain JSON value that a site serves."""

from __future__ import annotations

import json

import pytest
from hypothesis import settings

from manifest.canonical import Json
from manifest.references import Kind

# How long an example takes says nothing on a busy machine; `test_hostile_input` measures instead.
settings.register_profile("no-deadline", deadline=None)
settings.load_profile("no-deadline")

HASH = "0123456789abcdef" * 4
REFERENCE: dict[str, Json] = {"sha256": HASH, "size": 15031}
SECTION: dict[str, Json] = {
    "id": "死锁",
    "anchor": "死锁",
    "level": 1,
    "title": "死锁",
    "path": ["死锁"],
    "start": 0,
    "end": 9,
    "sha256": HASH,
    "tokens": 6,
}

_EXAMPLES: dict[Kind, dict[str, Json]] = {
    Kind.ROOT: {
        "schema": "1.0",
        "docs": 2,
        "tree": REFERENCE,
        "overview": REFERENCE,
        "segments": [REFERENCE],
        "delta": REFERENCE,
        "graph": REFERENCE,
        "clusters": REFERENCE,
    },
    Kind.INDEX: {
        "prefix": "",
        "leaves": [["0", 39, HASH, 15031]],
        "children": [["12", 40, HASH, 9]],
    },
    Kind.LEAF: {
        "prefix": "0312",
        "docs": [
            {
                "id": "os/死锁",
                "title": "死锁",
                "path": "os/死锁.md",
                "url": "os/死锁/",
                "language": "zh",
                "tags": ["os"],
                "aliases": [],
                "category": ["os"],
                "date": "2024-01-02",
                "doc": REFERENCE,
                "toc": REFERENCE,
                "sections": 12,
                "chars": 3100,
            }
        ],
    },
    Kind.DOC: {
        "id": "os/死锁",
        "title": "死锁",
        "language": "zh",
        "url": "os/死锁/",
        "meta": {"date": "2024-01-02", "deep": {"list": ["007", ["x"]]}},
        "text": "# 死锁\n\n四个\n",
        "sections": [SECTION],
        "links": [{"section": 0, "kind": "doc", "to": "os/锁", "anchor": "互斥", "text": "锁"}],
        "assets": [{"path": "os/图.png", "sha256": HASH, "size": 7}],
    },
    Kind.TOC: {
        "id": "os/死锁",
        "title": "死锁",
        "language": "zh",
        "url": "os/死锁/",
        "sections": [SECTION],
    },
    Kind.OVERVIEW: {
        "docs": 2,
        "source": "folders",
        "categories": [[0, -1, "", 2, 0, ""], [1, 0, "os", 2, 0, "os/index"]],
        "pages": [[HASH, 900]],
    },
    Kind.CATEGORY: {"rows": [[1, "os/死锁", "死锁", "os/死锁/"]]},
    Kind.SEGMENT: {
        "tokens": "nb-1",
        "docs": 10000,
        "units": 86873,
        "pivot": 64,
        "weights": {"title": 4, "heading": 4, "path": 2, "tags": 2, "aliases": 4, "body": 2},
        "hot": [["数据", 5210]],
        "hotFloor": 868,
        "pages": [["a", HASH, 2800]],
        "docPages": [[HASH, 6000]],
    },
    Kind.TERMS: {"shards": [["死亡", HASH, 15980]]},
    Kind.SHARD: {
        "terms": [
            ["死锁", -4, 17, 35, -12, 4],
            [
                "数据",
                {"sha256": HASH, "size": 40000, "count": 5000, "least": 2, "below": 904},
                -1,
                1,
            ],
            ["link:os/锁", -4, 1],
        ]
    },
    Kind.POSTINGS: {"term": "数据", "rows": [[17, 35], [3, 19]]},
    Kind.DOCS: {
        "first": 32,
        "docs": [["os/死锁", "死锁", "zh", HASH, 8230, 12, [7, 90], [[41, 730]], -1, 3100, 77]],
    },
    Kind.DELTA: {
        "base": HASH,
        "drop": [[0, 12, 7]],
        "hotDropped": [[3]],
        "docs": [["os/死锁", "死锁", "zh", HASH, 8300]],
    },
    Kind.GRAPH: {"pages": [[HASH, 900]]},
    Kind.EDGES: {"rows": [[0, [1, 2]], [3, []]]},
    Kind.CLUSTERS: {"clusters": [{"id": 0, "label": "os", "terms": ["死锁"], "ordinals": [0, 3]}]},
    Kind.VECTORS: {
        "model": "some-model",
        "version": "1",
        "dimension": 384,
        "normalised": True,
        "leaves": [["0312", HASH, 4000]],
    },
    Kind.SIGNATURES: {"prefix": "0312", "rows": [["os/死锁", HASH, 800, "AAAA"]]},
    Kind.VECTOR: {"id": "os/死锁", "units": ["AAAA"]},
}


@pytest.fixture(params=list(Kind), ids=str)
def kind(request: pytest.FixtureRequest) -> Kind:
    """Every kind of object in turn."""
    chosen: Kind = request.param
    return chosen


@pytest.fixture
def examples() -> dict[Kind, dict[str, Json]]:
    """A published value of every kind, free to be changed by the test: no part stands twice."""
    return {
        kind: {"kind": str(kind), **json.loads(json.dumps(value))}
        for kind, value in _EXAMPLES.items()
    }


@pytest.fixture
def example(kind: Kind, examples: dict[Kind, dict[str, Json]]) -> dict[str, Json]:
    """A published value of the kind at hand, free to be changed by the test."""
    return examples[kind]


@pytest.fixture
def manifest_value() -> dict[str, Json]:
    """The JSON value of a complete manifest, free to be changed by the test."""
    return {
        "schemaVersion": "1.0",
        "knowledgeBaseId": "notes.example",
        "title": "笔记",
        "siteUrl": "https://notes.example/",
        "language": "zh",
        "content": "f" * 64,
        "revision": HASH,
        "root": dict(REFERENCE),
        "sequence": 3,
        "publishedAt": "2026-11-30T12:00:00Z",
        "previous": [
            {
                "revision": "e" * 64,
                "size": 400,
                "sequence": 2,
                "publishedAt": "2026-11-29T12:00:00Z",
            }
        ],
        "retention": {"revisions": 10, "days": 30},
        "capabilities": ["overview", "docs", "toc", "search.lexical"],
        "license": "CC BY 4.0",
        "liveSearch": {"provider": "algolia", "settings": {"indexName": "notes", "hits": 5}},
        "signature": "reserved",
    }
