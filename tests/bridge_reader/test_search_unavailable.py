"""When the index cannot be used: titles and headings instead, and it is said."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from bridge_reader.passages import PassageCutter
from bridge_reader.search import titles
from bridge_reader.search.filters import Filters
from bridge_reader.search.report import SearchReport
from bridge_reader.search.searcher import Searcher
from manifest.canonical import encode
from manifest.errors import ErrorCode, NoteBridgeError
from manifest.objects import Doc, reference_to
from manifest.references import Kind, object_path

Ask = Callable[..., Awaitable[SearchReport]]


@pytest.fixture
def ask(publisher: Any, clock: Any, open_site: Callable[..., Any]) -> Ask:
    """Searches what is published now."""

    async def search(question: str, filters: Filters | None = None) -> SearchReport:
        revision = await open_site(publisher.folder).bind()
        searcher = Searcher(revision, PassageCutter(revision.revision, "", clock))
        return await searcher.search(question, filters)

    return search


def remove(folder: Path, kind: Kind) -> None:
    for file in (folder / "ai/objects" / kind).iterdir():
        file.unlink()


def spoil(folder: Path, kind: Kind) -> None:
    for file in (folder / "ai/objects" / kind).iterdir():
        file.write_bytes(file.read_bytes()[:-1] + b" ")


@pytest.mark.parametrize("damage", [remove, spoil])
@pytest.mark.parametrize("kind", [Kind.SEGMENT, Kind.TERMS, Kind.SHARD, Kind.DOCS, Kind.DELTA])
async def test_titles_and_headings_are_compared_instead(
    publisher: Any,
    garden: list[Doc],
    ask: Ask,
    damage: Callable[[Path, Kind], None],
    kind: Kind,
) -> None:
    publisher.publish(garden)
    damage(publisher.folder, kind)
    report = await ask("clay and soil")
    assert [hit.doc_id for hit in report.hits] == ["garden/soil"]
    assert report.hits[0].section is not None
    assert "titles of 5 documents" in report.degraded
    assert [(leg.leg, leg.ran) for leg in report.legs] == [
        ("lexical", False),
        ("titles", True),
        ("vectors", False),
    ]
    assert report.legs[0].reason


async def test_no_title_matching_is_told_apart_from_no_match(
    publisher: Any, garden: list[Doc], ask: Ask
) -> None:
    publisher.publish(garden)
    remove(publisher.folder, Kind.SEGMENT)
    report = await ask("nutrients")
    assert report.hits == ()
    assert report.degraded


async def test_a_site_without_an_index_compares_titles(
    publisher: Any, garden: list[Doc], ask: Ask
) -> None:
    publisher.publish(garden, segments=[])
    report = await ask("死锁")
    assert [hit.doc_id for hit in report.hits] == ["os/死锁"]
    assert "no search index" in report.degraded


async def test_token_rules_that_are_not_known_are_not_guessed_at(
    publisher: Any, garden: list[Doc], ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    from manifest import tokens

    publisher.publish(garden)
    monkeypatch.setattr("bridge_reader.search.search_base.VERSION", f"{tokens.VERSION}+")
    assert "token version" in (await ask("soil")).degraded


@pytest.mark.parametrize(
    "rows",
    [
        [["soil", -1, 0]],
        [["soil", 17]],
        [["soil", -99, 17]],
        [["soil", -1, "17"]],
        [["soil", {"sha256": "0", "size": 1, "count": 1}, -1, 17]],
        [[17, "soil"]],
        [[]],
    ],
)
async def test_postings_that_make_no_sense_are_no_postings(
    publisher: Any, garden: list[Doc], ask: Ask, rows: list[Any]
) -> None:
    body = encode({"kind": "shard", "terms": rows})
    name = reference_to(body)
    publisher.shard_rows = 10_000
    plain = publisher.put

    def put(value: Any) -> Any:
        if value.KIND is not Kind.SHARD:
            return plain(value)
        path = publisher.folder / object_path(Kind.SHARD, name.sha256)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
        return name

    publisher.put = put
    publisher.publish(garden)
    report = await ask("soil")
    assert report.degraded
    assert [hit.doc_id for hit in report.hits] == ["garden/soil"]


async def test_filters_hold_for_titles_too(publisher: Any, garden: list[Doc], ask: Ask) -> None:
    publisher.publish(garden, segments=[])
    both = "soil earthworms"
    assert {hit.doc_id for hit in (await ask(both)).hits} == {"garden/soil", "garden/worms"}
    for filters, found in (
        (Filters(tag="animals"), {"garden/worms"}),
        (Filters(tag="ground"), {"garden/soil"}),
        (Filters(folder="os"), set()),
        (Filters(language="en", since="2026-06-01"), {"garden/worms"}),
        (Filters(language="zh"), set()),
    ):
        assert {hit.doc_id for hit in (await ask(both, filters)).hits} == found


async def test_what_is_compared_is_bounded(
    publisher: Any, doc: Callable[..., Doc], ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(titles, "LEAVES", 1)
    monkeypatch.setattr(titles, "TOCS", 3)
    publisher.publish([doc(f"soil {n}", "# Soil\n") for n in range(100)], segments=[])
    report = await ask("soil")
    assert 0 < report.matched <= 64
    assert "of 100 documents" not in report.degraded


async def test_where_nothing_can_be_read_search_is_unavailable(
    publisher: Any, garden: list[Doc], ask: Ask
) -> None:
    publisher.publish(garden)
    remove(publisher.folder, Kind.SEGMENT)
    remove(publisher.folder, Kind.LEAF)
    with pytest.raises(NoteBridgeError) as failed:
        await ask("soil")
    assert failed.value.code is ErrorCode.SEARCH_UNAVAILABLE


async def test_one_text_that_cannot_be_read_does_not_take_the_others_with_it(
    publisher: Any, garden: list[Doc], ask: Ask
) -> None:
    publisher.publish(garden)
    lost = reference_to(publisher.folder.joinpath(_doc_path(publisher, garden[1])).read_bytes())
    (publisher.folder / object_path(Kind.DOC, lost.sha256)).unlink()
    report = await ask("compost")
    assert [hit.doc_id for hit in report.hits] == ["garden/soil", "garden/worms"]
    assert report.hits[0].passages
    assert not report.hits[1].passages
    assert report.unread[0][0] == "garden/worms"
    assert report.unread[0][1].startswith("REVISION_EXPIRED")
    assert report.degraded == ""


def _doc_path(publisher: Any, doc: Doc) -> str:
    return object_path(Kind.DOC, publisher.put(doc).sha256)
