"""The six tools: what they say, what they hand on as evidence, and what they refuse."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

import jsonschema
import pytest

from bridge_reader.tools.result import ToolResult
from bridge_reader.tools.toolbox import Toolbox
from manifest.errors import ErrorCode, NoteBridgeError
from manifest.objects import Doc

MakeDoc = Callable[..., Doc]
Call = Callable[..., Awaitable[ToolResult]]

NAMES = (
    "get_knowledge_overview",
    "search_documents",
    "get_toc",
    "get_document",
    "get_knowledge_network",
    "get_related_documents",
)


@pytest.fixture
def toolbox(publisher: Any, clock: Any, open_site: Callable[..., Any]) -> Any:
    """Opens the tools over what is published now."""

    async def opened() -> Toolbox:
        site = open_site(publisher.folder)
        return Toolbox(await site.bind(), "https://n.example/", clock)

    return opened


@pytest.fixture
async def call(publisher: Any, garden: list[Doc], toolbox: Any) -> Call:
    """Calls tools over the garden."""
    publisher.related = {"garden/soil": ["garden/worms", "home"]}
    publisher.publish(garden)
    box: Toolbox = await toolbox()

    async def run(name: str, **arguments: object) -> ToolResult:
        return await box.call(name, arguments)

    return run


def text(result: ToolResult) -> str:
    return result.text(lambda passage: f"E{result.passages.index(passage) + 1}")


async def refusal(awaitable: Awaitable[ToolResult]) -> NoteBridgeError:
    with pytest.raises(NoteBridgeError) as refused:
        await awaitable
    return refused.value


async def test_there_are_six_and_their_schemas_are_schemas(
    publisher: Any, garden: list[Doc], toolbox: Any
) -> None:
    publisher.publish(garden)
    specs = (await toolbox()).specs
    assert tuple(spec.name for spec in specs) == NAMES
    for spec in specs:
        jsonschema.Draft202012Validator.check_schema(spec.parameters)
        assert spec.parameters["additionalProperties"] is False
        assert spec.description


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("get_knowledge_overview", {}),
        ("search_documents", {"query": "compost"}),
        ("get_toc", {"docId": "garden/soil"}),
        ("get_document", {"docId": "garden/soil"}),
        ("get_knowledge_network", {"docId": "garden/soil"}),
        ("get_knowledge_network", {}),
        ("get_knowledge_network", {"page": 2}),
        ("get_related_documents", {"docId": "garden/soil"}),
    ],
)
async def test_every_tool_gives_text_and_details_that_are_json(
    call: Call, name: str, arguments: dict[str, object]
) -> None:
    result = await call(name, **arguments)
    assert text(result)
    assert json.loads(json.dumps(result.details)) == result.details


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("search", {}),
        ("search_documents", {}),
        ("search_documents", {"query": "  "}),
        ("search_documents", {"query": 7}),
        ("search_documents", {"query": "x" * 2001}),
        ("search_documents", {"query": "x", "limit": 11}),
        ("search_documents", {"query": "x", "limit": 0}),
        ("search_documents", {"query": "x", "limit": True}),
        ("search_documents", {"query": "x", "limit": "3"}),
        ("search_documents", {"query": "x", "since": "yesterday"}),
        ("search_documents", {"query": "x", "folder": "a\nb"}),
        ("search_documents", {"query": "x", "url": "https://evil.example/"}),
        ("get_toc", {}),
        ("get_toc", {"docId": ["home"]}),
        ("get_document", {"docId": "home", "offset": -1}),
        ("get_document", {"docId": "home", "limit": 0}),
        ("get_document", {"docId": "home", "limit": 1.5}),
        ("get_knowledge_overview", {"page": 0}),
        ("get_knowledge_overview", {"page": 2}),
        ("get_knowledge_network", {"page": 99}),
        ("get_knowledge_network", {"docId": "home", "page": 1}),
        ("get_related_documents", {"docId": ""}),
    ],
)
async def test_arguments_that_make_no_sense_are_refused(
    call: Call, name: str, arguments: dict[str, object]
) -> None:
    assert (await refusal(call(name, **arguments))).code is ErrorCode.INVALID_ARGUMENT


async def test_null_counts_as_left_out(call: Call) -> None:
    result = await call("search_documents", query="compost", limit=None, folder=None)
    assert result.details["matched"] == 2
    assert text(await call("get_knowledge_network", docId=None, page=None))


@pytest.mark.parametrize("name", NAMES[2:])
@pytest.mark.parametrize(
    ("wrong", "near"),
    [
        ("garden/soil.md", "garden/soil"),
        ("/os/死锁/", "os/死锁"),
        ("Earthworm compost", "garden/worms"),
    ],
)
async def test_an_unknown_document_brings_ids_that_may_be_meant(
    call: Call, name: str, wrong: str, near: str
) -> None:
    error = await refusal(call(name, docId=wrong))
    assert error.code is ErrorCode.DOC_NOT_FOUND
    assert near in error.hint
    assert near in error.details["near"]  # type: ignore[operator]


class TestOverview:
    async def test_a_small_site_fits_one_page(self, call: Call) -> None:
        result = await call("get_knowledge_overview")
        shown = text(result)
        assert "Notes: 5 documents" in shown
        assert "- garden (2)" in shown
        assert "- Earthworms (docId: garden/worms)" in shown
        assert result.details["pages"] == 1
        assert {row["docId"] for row in result.details["listed"]} == {  # type: ignore[union-attr,call-overload,index]
            "garden/soil",
            "garden/worms",
            "os/死锁",
            "os/线程",
            "home",
        }

    async def test_a_large_site_comes_in_pages_that_miss_nothing(
        self, publisher: Any, doc: MakeDoc, toolbox: Any
    ) -> None:
        docs = [doc(f"f{n % 7}/n{n}", "Text.\n") for n in range(250)]
        publisher.publish([*docs, doc("alone", "Text.\n")])
        box: Toolbox = await toolbox()
        first = await box.call("get_knowledge_overview", {})
        assert first.details["pages"] == 4
        assert first.details["listed"] == []
        assert "f3 (36)" in text(first)
        listed: list[str] = []
        for page in (2, 3, 4):
            found = await box.call("get_knowledge_overview", {"page": page})
            rows: Any = found.details["listed"]
            assert len(rows) == (100 if page < 4 else 51)
            listed += [row["docId"] for row in rows]
        assert len(listed) == len(set(listed)) == 251
        assert listed[0] == "alone"

    async def test_a_site_without_documents_says_so(self, publisher: Any, toolbox: Any) -> None:
        publisher.publish([], segments=[])
        result = await (await toolbox()).call("get_knowledge_overview", {})
        assert "0 documents" in text(result)


class TestSearch:
    async def test_passages_stand_below_the_documents_they_are_from(self, call: Call) -> None:
        result = await call("search_documents", query="clay nutrients")
        parts = result.parts
        place = next(
            n for n, part in enumerate(parts) if isinstance(part, str) and "1. Soil" in part
        )
        assert result.passages[0].doc_id == "garden/soil"
        assert parts[place + 1] == result.passages[0]
        hits: Any = result.details["hits"]
        assert hits[0]["docId"] == "garden/soil"
        assert result.details["legs"] == [
            {"leg": "lexical", "ran": True},
            {"leg": "vectors", "ran": False, "reason": "The site publishes no vectors."},
        ]

    async def test_filters_are_passed_on(self, call: Call) -> None:
        for arguments, found in (
            ({"folder": "/garden/"}, ["garden/soil", "garden/worms"]),
            ({"tag": "#Animals"}, ["garden/worms"]),
            ({"language": "zh"}, []),
            ({"until": "2026-05-31"}, ["garden/soil"]),
            ({"docId": "garden/worms"}, ["garden/worms"]),
            ({"limit": 1}, ["garden/soil"]),
        ):
            result = await call("search_documents", query="compost", **arguments)
            hits: Any = result.details["hits"]
            assert [hit["docId"] for hit in hits] == found

    async def test_no_match_says_what_was_looked_for(self, call: Call) -> None:
        result = await call("search_documents", query="xylophone concerto")
        assert text(result) == "No document has any of: xylophone, concerto."

    async def test_a_correction_is_said(self, call: Call) -> None:
        assert "'compost' was searched for instead" in text(
            await call("search_documents", query="compsot")
        )

    async def test_an_index_that_cannot_be_used_is_said(
        self, publisher: Any, garden: list[Doc], toolbox: Any
    ) -> None:
        publisher.publish(garden, segments=[])
        result = await (await toolbox()).call("search_documents", {"query": "soil"})
        assert text(result).startswith("The search index could not be used.")
        assert result.details["degraded"]
        assert "1. Soil (docId: garden/soil" in text(result)


class TestToc:
    async def test_sections_are_listed_by_their_ids(self, call: Call) -> None:
        result = await call("get_toc", docId="garden/soil")
        shown = text(result)
        assert "Soil (docId: garden/soil)" in shown
        assert "  - Clay [section: clay," in shown
        assert "tags: ground, ground/earth" in shown
        sections: Any = result.details["sections"]
        assert [section["id"] for section in sections] == ["_top", "soil", "compost", "clay"]

    async def test_a_long_list_is_cut_and_says_where_it_goes_on(
        self, publisher: Any, doc: MakeDoc, toolbox: Any
    ) -> None:
        long = doc("a", "".join(f"# Heading {n}\n\nText.\n\n" for n in range(400)))
        publisher.publish([long])
        result = await (await toolbox()).call("get_toc", {"docId": "a"})
        assert f"(100 more sections, from offset {long.sections[300].start}" in text(result)
        assert len(result.details["sections"]) == 400  # type: ignore[arg-type]


class TestDocument:
    async def test_a_short_document_comes_whole(self, call: Call, garden: list[Doc]) -> None:
        result = await call("get_document", docId="garden/soil")
        assert "".join(passage.text for passage in result.passages) == garden[0].text
        assert result.details["more"] is False
        assert "This is the end." in text(result)

    async def test_a_long_one_comes_in_parts_that_join(
        self, publisher: Any, doc: MakeDoc, toolbox: Any
    ) -> None:
        paragraphs = "".join(f"Paragraph {n}, {'x' * (n % 90)}.\n\n" for n in range(300))
        long = doc("a", f"Intro.\n\n# One\n\n{paragraphs}# Two\n\n{paragraphs}")
        publisher.publish([long])
        box: Toolbox = await toolbox()
        offset, read = 0, ""
        while True:
            result = await box.call("get_document", {"docId": "a", "offset": offset, "limit": 3000})
            part = "".join(passage.text for passage in result.passages)
            assert 0 < len(part) <= 3000
            read += part
            if not result.details["more"]:
                break
            offset = result.details["nextOffset"]  # type: ignore[assignment]
        assert read == long.text

    async def test_a_section_comes_with_all_below_it(self, call: Call, garden: list[Doc]) -> None:
        doc = garden[0]
        result = await call("get_document", docId=doc.id, section="soil")
        assert "".join(p.text for p in result.passages) == doc.text[doc.sections[1].start :]
        result = await call("get_document", docId=doc.id, section="compost")
        assert {passage.section_id for passage in result.passages} == {"compost"}
        result = await call("get_document", docId=doc.id, section="_top")
        assert {passage.section_id for passage in result.passages} == {"_top"}

    async def test_an_offset_within_a_passage_brings_that_passage(
        self, call: Call, garden: list[Doc]
    ) -> None:
        result = await call("get_document", docId="garden/soil", offset=5)
        assert result.passages[0].start == 0

    async def test_beyond_the_end_there_is_no_text(self, call: Call) -> None:
        result = await call("get_document", docId="home", offset=10_000)
        assert result.passages == ()
        assert "no text from there on" in text(result)

    async def test_an_empty_document_has_no_text(
        self, publisher: Any, doc: MakeDoc, toolbox: Any
    ) -> None:
        publisher.publish([doc("a", "")])
        result = await (await toolbox()).call("get_document", {"docId": "a"})
        assert result.passages == ()

    async def test_an_unknown_section_brings_ids_that_may_be_meant(self, call: Call) -> None:
        error = await refusal(call("get_document", docId="garden/soil", section="composts"))
        assert error.code is ErrorCode.SECTION_NOT_FOUND
        assert "compost" in error.hint
        error = await refusal(call("get_document", docId="os/死锁", section="Z"))
        assert error.code is ErrorCode.SECTION_NOT_FOUND


class TestNetwork:
    async def test_around_a_document_both_directions_are_shown(self, call: Call) -> None:
        result = await call("get_knowledge_network", docId="garden/soil")
        outgoing: Any = result.details["outgoing"]
        incoming: Any = result.details["incoming"]
        assert [link["docId"] for link in outgoing] == ["garden/worms"]
        assert {link["docId"] for link in incoming} == {"garden/worms", "home"}
        assert "2 documents link to it" in text(result)

    async def test_links_of_newer_notes_count(
        self, publisher: Any, garden: list[Doc], doc: MakeDoc, toolbox: Any
    ) -> None:
        newer = doc("garden/moss", "Moss.\n", links=["home"])
        publisher.publish([*garden, newer], segments=[garden], newer=[newer])
        box: Toolbox = await toolbox()
        result = await box.call("get_knowledge_network", {"docId": "home"})
        incoming: Any = result.details["incoming"]
        assert {link["docId"] for link in incoming} == {"garden/worms", "garden/moss"}
        whole = await box.call("get_knowledge_network", {})
        assert "1 documents are newer" in text(whole)

    async def test_the_whole_shows_clusters_then_links(self, call: Call) -> None:
        first = await call("get_knowledge_network")
        assert "- All (5 documents): all" in text(first)
        assert first.details["more"] is True
        second = await call("get_knowledge_network", page=2)
        assert "- garden/worms -> garden/soil, home" in text(second)
        assert second.details["more"] is False

    async def test_all_links_of_a_large_network_are_paged(
        self, publisher: Any, doc: MakeDoc, toolbox: Any
    ) -> None:
        publisher.graph_rows = 30
        docs = [doc(f"n{n:03}", "Text.\n", links=[f"n{(n + 1) % 100:03}"]) for n in range(100)]
        publisher.publish(docs)
        box: Toolbox = await toolbox()
        pages = list((publisher.folder / "ai/objects/edges").iterdir())
        last = next(page for page in pages if b"[99," in page.read_bytes())
        body = last.read_bytes()
        last.unlink()
        assert (await box.call("get_knowledge_network", {"page": 2})).details["more"] is True
        last.write_bytes(body)
        found: list[str] = []
        page, more = 2, True
        while more:
            result = await box.call("get_knowledge_network", {"page": page})
            rows: Any = result.details["documents"]
            found += [row["docId"] for row in rows]
            page, more = page + 1, bool(result.details["more"])
        assert sorted(found) == [f"n{n:03}" for n in range(100)]

    async def test_without_an_index_what_links_here_cannot_be_said(
        self, publisher: Any, garden: list[Doc], toolbox: Any
    ) -> None:
        publisher.publish(garden, segments=[])
        result = await (await toolbox()).call("get_knowledge_network", {"docId": "home"})
        assert "cannot be said" in text(result)
        assert result.details["incomingUnknown"]


class TestRelated:
    async def test_the_index_names_the_most_alike(self, call: Call) -> None:
        result = await call("get_related_documents", docId="garden/soil")
        related: Any = result.details["related"]
        assert [each["docId"] for each in related] == ["garden/worms", "home"]
        assert result.details["source"] == "index"
        assert related[0]["likeness"] == 500

    async def test_a_home_page_is_found_by_its_title_words(self, call: Call) -> None:
        result = await call("get_related_documents", docId="home")
        assert result.details["source"] == "index"
        assert "No document is like Home" in text(result)

    async def test_a_folder_page_is_told_from_the_notes_below_it(
        self, publisher: Any, doc: MakeDoc, toolbox: Any
    ) -> None:
        below = [doc(f"guide/n{n}", "Text.\n", title=f"Note {n}") for n in range(90)]
        index = doc("guide/index", "All.\n", title="The whole guide", url="guide/")
        publisher.related = {"guide/index": ["guide/n7"]}
        publisher.publish([*below, index])
        result = await (await toolbox()).call("get_related_documents", {"docId": "guide/index"})
        related: Any = result.details["related"]
        assert [each["docId"] for each in related] == ["guide/n7"]

    async def test_a_newer_note_is_compared_by_search(
        self, publisher: Any, garden: list[Doc], doc: MakeDoc, toolbox: Any
    ) -> None:
        newer = doc("garden/rich", "Rich.\n", title="Rich soil and compost")
        publisher.publish([*garden, newer], segments=[garden], newer=[newer])
        result = await (await toolbox()).call("get_related_documents", {"docId": "garden/rich"})
        related: Any = result.details["related"]
        assert result.details["source"] == "search"
        assert [each["docId"] for each in related] == ["garden/soil", "garden/worms"]
