"""Searching a site published by hand: terms, filters, deltas, segments, and what is fetched."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from bridge_reader.passages import PassageCutter
from bridge_reader.search.filters import Filters
from bridge_reader.search.report import Correction, SearchReport
from bridge_reader.search.searcher import Searcher
from manifest.canonical import text_sha256
from manifest.objects import Doc
from manifest.ranking import tie_key

MakeDoc = Callable[..., Doc]
Search = Callable[..., Awaitable[SearchReport]]


@pytest.fixture
async def searcher(publisher: Any, clock: Any, open_site: Callable[..., Any]) -> Any:
    """Opens the published site anew."""

    async def opened() -> Searcher:
        revision = await open_site(publisher.folder).bind()
        return Searcher(revision, PassageCutter(revision.revision, "https://n.example/", clock))

    return opened


@pytest.fixture
async def search(publisher: Any, garden: list[Doc], searcher: Any) -> Search:
    """Searches the garden."""
    publisher.publish(garden)
    found: Searcher = await searcher()
    return found.search


def ids(report: SearchReport) -> list[str]:
    return [hit.doc_id for hit in report.hits]


async def test_a_word_finds_its_documents_best_first(search: Search) -> None:
    report = await search("compost")
    assert ids(report) == ["garden/soil", "garden/worms"]
    assert report.matched == 2
    assert report.terms_used == ("compost",)
    assert report.degraded == ""
    assert [(leg.leg, leg.ran) for leg in report.legs] == [("lexical", True), ("vectors", False)]
    assert report.legs[1].reason


async def test_a_chinese_question_finds_the_note_that_answers(search: Search) -> None:
    report = await search("什么是死锁？")
    assert ids(report) == ["os/死锁"]
    assert report.hits[0].title == "死锁"
    assert report.hits[0].language == "zh-CN"


async def test_a_single_character_stands_for_all_words_that_begin_with_it(search: Search) -> None:
    assert ids(await search("线")) == ["os/线程"]
    assert ids(await search("锁")) == ["os/死锁"]


async def test_a_hit_brings_the_section_and_passages_that_answer(
    search: Search, garden: list[Doc], publisher: Any
) -> None:
    hit = (await search("what does clay hold")).hits[0]
    assert hit.section is not None
    assert hit.section.id == "clay"
    passage = next(each for each in hit.passages if each.section_id == "clay")
    text = garden[0].text
    assert passage.text == text[passage.start : passage.end]
    assert "holds nutrients" in passage.text
    assert passage.doc_sha256 == hit.doc.sha256
    assert passage.section_sha256 == hit.section.sha256 == text_sha256(passage.text)
    assert passage.heading_path == ("Soil", "Clay")
    assert passage.url == "https://n.example/garden/soil/#clay"
    assert passage.origin == "pinned"


async def test_a_heading_that_matches_brings_what_stands_below_it(
    publisher: Any, doc: MakeDoc, searcher: Any
) -> None:
    publisher.publish([doc("a", "# Quicksand\n\n# What it is\n\nWater under pressure.\n")])
    hit = (await (await searcher()).search("quicksand")).hits[0]
    assert "Water under pressure." in "".join(passage.text for passage in hit.passages)


async def test_a_match_with_text_of_its_own_brings_nothing_of_what_follows(
    publisher: Any, doc: MakeDoc, searcher: Any
) -> None:
    publisher.publish([doc("a", f"# Quicksand\n\n{'Wet sand. ' * 60}\n\n# More\n\nNo.\n")])
    hit = (await (await searcher()).search("quicksand")).hits[0]
    assert {passage.section_id for passage in hit.passages} == {"quicksand"}


async def test_nothing_that_matches_is_no_trouble_of_search(search: Search) -> None:
    report = await search("xylophone")
    assert report.hits == ()
    assert report.matched == 0
    assert report.terms_used == ("xylophone",)
    assert report.degraded == ""


async def test_a_question_without_words_finds_nothing(search: Search) -> None:
    report = await search("?!… 。")
    assert (report.hits, report.terms_used) == ((), ())


async def test_a_misspelt_word_is_corrected_only_when_nothing_matches(search: Search) -> None:
    report = await search("compsot")
    assert report.corrections == (Correction("compsot", "compost"),)
    assert ids(report) == ["garden/soil", "garden/worms"]
    assert (await search("compsot worms")).corrections == ()


async def test_words_of_titles_tags_and_aliases_are_found(
    publisher: Any, doc: MakeDoc, searcher: Any
) -> None:
    publisher.publish(
        [
            doc("a", "Nothing else.\n", title="Rhubarb"),
            doc("b", "Nothing else.\n", tags=["rhubarb"]),
            doc("c", "Nothing else.\n", aliases=["Rhubarb pie"]),
            doc("d", "Nothing else.\n"),
        ]
    )
    assert set(ids(await (await searcher()).search("rhubarb"))) == {"a", "b", "c"}


async def test_equal_scores_are_ordered_by_the_hash_of_the_id(
    publisher: Any, doc: MakeDoc, searcher: Any
) -> None:
    docs = [doc(f"n{number}", "The same words.\n", title="Same") for number in range(70)]
    publisher.publish(docs)
    report = await (await searcher()).search("words", limit=5)
    best = sorted((each.id for each in docs), key=lambda doc_id: tie_key(0, doc_id, 0))[:5]
    assert ids(report) == best
    publisher.publish(docs, segments=[docs[:40], docs[40:60]], newer=docs[60:])
    assert ids(await (await searcher()).search("words", limit=5)) == best
    assert report.matched == 70


class TestFilters:
    async def test_by_language(self, search: Search) -> None:
        assert ids(await search("锁 soil", Filters(language="zh"))) == ["os/死锁"]
        assert ids(await search("锁 soil", Filters(language="zh-CN"))) == ["os/死锁"]
        assert "os/死锁" not in ids(await search("锁 soil", Filters(language="en")))
        assert ids(await search("锁 soil", Filters(language="z"))) == []

    async def test_by_folder(self, search: Search) -> None:
        assert ids(await search("资源 soil", Filters(folder="os"))) == ["os/线程"]
        assert ids(await search("soil", Filters(folder="gard"))) == []

    async def test_by_tag_and_the_tags_above_it(self, search: Search) -> None:
        assert ids(await search("soil", Filters(tag="ground"))) == ["garden/soil"]
        assert ids(await search("soil", Filters(tag="ground/earth"))) == ["garden/soil"]
        assert ids(await search("soil", Filters(tag="earth"))) == []
        assert ids(await search("soil", Filters(tag="ground", folder="os"))) == []

    async def test_by_day(self, search: Search) -> None:
        assert ids(await search("compost", Filters(since="2026-06-01"))) == ["garden/worms"]
        assert ids(await search("compost", Filters(until="2026-05-01"))) == ["garden/soil"]
        assert ids(await search("compost", Filters(since="2027-01-01"))) == []
        assert ids(await search("死锁", Filters(since="2000-01-01"))) == []

    async def test_by_document_finds_its_best_units(self, search: Search) -> None:
        report = await search("drains slowly", Filters(doc_id="garden/soil"))
        assert ids(report) == ["garden/soil"]
        assert report.hits[0].section is not None
        assert report.hits[0].section.id == "clay"
        assert ids(await search("死锁", Filters(doc_id="garden/soil"))) == []
        assert ids(await search("soil", Filters(doc_id="garden/soil", language="zh"))) == []

    async def test_a_filter_looks_beyond_the_best_postings_of_a_common_term(
        self, publisher: Any, doc: MakeDoc, searcher: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        publisher.keep = 3
        monkeypatch.setattr("bridge_reader.search.common_terms.POSTINGS_LIMIT", 3)
        docs = [doc(f"many/n{n}", "Rain and whatever else falls.\n") for n in range(20)]
        docs += [doc(f"rain/n{n}", "Rain.\n", title="Rain", tags=["rain"]) for n in range(3)]
        docs.append(doc("few/one", "Rain, among many other things that fall from the sky.\n"))
        publisher.publish(docs)
        found: Searcher = await searcher()
        assert ids(await found.search("rain", Filters(folder="few"))) == ["few/one"]
        assert (await found.search("rain", limit=3)).matched == 3


class TestSegmentsAndDelta:
    async def test_a_newer_note_is_found_though_no_segment_has_it(
        self, publisher: Any, garden: list[Doc], doc: MakeDoc, searcher: Any
    ) -> None:
        newer = doc("garden/moss", "# Moss\n\nMoss needs no soil.\n", tags=["ground"])
        publisher.publish([*garden, newer], segments=[garden], newer=[newer])
        found: Searcher = await searcher()
        assert ids(await found.search("moss")) == ["garden/moss"]
        assert "garden/moss" in ids(await found.search("soil"))
        assert "garden/moss" in ids(await found.search("soil", Filters(tag="ground")))
        assert (await found.search("moss")).hits[0].passages[0].text.startswith("# Moss")

    async def test_an_edited_note_is_found_by_its_new_words_only(
        self, publisher: Any, garden: list[Doc], doc: MakeDoc, searcher: Any
    ) -> None:
        edited = doc("garden/worms", "# Worms\n\nThey avoid salt.\n", title="Earthworms")
        now = [edited if each.id == edited.id else each for each in garden]
        publisher.publish(now, segments=[garden], newer=[edited])
        found: Searcher = await searcher()
        assert ids(await found.search("salt")) == ["garden/worms"]
        assert ids(await found.search("compost")) == ["garden/soil"]

    async def test_a_deleted_note_is_found_by_nothing(
        self, publisher: Any, garden: list[Doc], searcher: Any
    ) -> None:
        publisher.publish(garden[1:], segments=[garden])
        found: Searcher = await searcher()
        for question in ("clay", "compost", "nutrients", "soil"):
            assert "garden/soil" not in ids(await found.search(question))
        base = await found.base()
        assert await base.ordinals("tag:ground") == set()

    async def test_younger_segments_overlay_the_base(
        self, publisher: Any, garden: list[Doc], doc: MakeDoc, searcher: Any
    ) -> None:
        edited = doc("garden/worms", "# Worms\n\nThey avoid salt, not soil.\n")
        more = [doc(f"n{n}", f"Note {n} on soil.\n") for n in range(40)]
        now = [edited if each.id == edited.id else each for each in garden] + more
        publisher.publish(now, segments=[garden, [edited, *more]])
        found: Searcher = await searcher()
        assert ids(await found.search("salt")) == ["garden/worms"]
        assert ids(await found.search("compost")) == ["garden/soil"]
        assert ids(await found.search("note 39"))[0] == "n39"
        assert (await found.search("soil")).matched == 42

    async def test_a_rebuilt_base_answers_as_base_and_delta_do(
        self, publisher: Any, garden: list[Doc], doc: MakeDoc, searcher: Any
    ) -> None:
        newer = doc("garden/moss", "# Moss\n\nMoss needs no soil, compost or clay.\n")
        now = [*garden, newer]
        questions = ("soil", "compost clay", "moss", "死锁", "预防 soil", "holds water")
        publisher.publish(now, segments=[garden], newer=[newer])
        overlaid = [ids(await (await searcher()).search(question)) for question in questions]
        publisher.publish(now, segments=[now])
        rebuilt = [ids(await (await searcher()).search(question)) for question in questions]
        assert overlaid == rebuilt


async def test_only_what_the_terms_need_is_fetched(
    publisher: Any, doc: MakeDoc, searcher: Any, open_site: Any, clock: Any
) -> None:
    words = [f"{letter}{number:03}" for letter in "bcdfghjk" for number in range(60)]
    docs = [
        doc(f"n{n}", " ".join(words[n * 4 : n * 4 + 12]) + "\n", title=f"t{n}") for n in range(120)
    ]
    publisher.publish(docs)
    shards = len(list((publisher.folder / "ai/objects/shard").iterdir()))
    assert shards > 40
    site = open_site(publisher.folder)
    revision = await site.bind()
    found = Searcher(revision, PassageCutter(revision.revision, "", clock))
    report = await found.search("c017 h030", limit=5)
    assert report.hits
    # Manifest and root; segment and delta; two pages and two shards; rows; five texts.
    assert site.transfers.requests <= 2 + 2 + 4 + 5 + 5
    before = site.transfers.requests
    await found.search("c017 h030", limit=5)
    assert site.transfers.requests == before
