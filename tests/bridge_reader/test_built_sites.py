"""Sites that the project's own publisher built, read to the last word."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from bridge_reader.site import open_transport
from bridge_reader.site_address import parse_site_address
from bridge_reader.tools.toolbox import Toolbox
from bridge_reader.verification.verify import verify_site


async def test_a_built_vault_is_whole(vault_site: Any, clock: Any) -> None:
    transport = open_transport(parse_site_address(str(vault_site.folder)))
    report = await verify_site(transport, clock=clock)
    assert report.problems == ()
    assert report.unreferenced == ()


async def test_every_tool_reads_every_document_of_a_built_vault(
    vault_site: Any, clock: Any, open_site: Callable[..., Any]
) -> None:
    docs = vault_site.docs()
    revision = await open_site(vault_site.folder).bind()
    box = Toolbox(revision, "https://n.example/", clock)
    for doc_id, doc in docs.items():
        read, offset, more = "", 0, True
        while more:
            part = await box.call("get_document", {"docId": doc_id, "offset": offset})
            read += "".join(passage.text for passage in part.passages)
            more, offset = bool(part.details["more"]), int(str(part.details["nextOffset"]))
        assert read == doc["text"]
        toc = await box.call("get_toc", {"docId": doc_id})
        sections: Any = toc.details["sections"]
        assert [each["id"] for each in sections] == [each["id"] for each in doc["sections"]]
        related = await box.call("get_related_documents", {"docId": doc_id})
        assert related.details["source"] == "index"
        network = await box.call("get_knowledge_network", {"docId": doc_id})
        assert network.details["incomingUnknown"] == ""


async def test_every_document_of_a_built_vault_is_found_by_its_title(
    vault_site: Any, clock: Any, open_site: Callable[..., Any]
) -> None:
    revision = await open_site(vault_site.folder).bind()
    box = Toolbox(revision, "", clock)
    for doc_id, doc in vault_site.docs().items():
        result = await box.call("search_documents", {"query": doc["title"], "limit": 10})
        hits: Any = result.details["hits"]
        same_title = [row for row in vault_site.docs().values() if row["title"] == doc["title"]]
        assert doc_id in {hit["docId"] for hit in hits} or len(same_title) > 1


async def test_every_document_is_listed_once_by_the_overview(
    vault_site: Any, clock: Any, open_site: Callable[..., Any]
) -> None:
    revision = await open_site(vault_site.folder).bind()
    box = Toolbox(revision, "", clock)
    result = await box.call("get_knowledge_overview", {})
    rows: Any = result.details["listed"]
    for page in range(2, int(str(result.details["pages"])) + 1):
        more: Any = (await box.call("get_knowledge_overview", {"page": page})).details["listed"]
        rows = rows + more
    assert sorted(row["docId"] for row in rows) == sorted(vault_site.docs())


async def test_a_category_that_goes_on_over_several_objects_is_listed_whole(
    tmp_path: Path, build: Any, clock: Any, open_site: Callable[..., Any]
) -> None:
    notes = tmp_path / "notes"
    (notes / "big").mkdir(parents=True)
    for number in range(240):
        (notes / "big" / f"n{number:03}.md").write_text(f"# Note {number}\n", encoding="utf-8")
    site = build(notes, tmp_path / "site")
    overview = site.object("overview", site.root["overview"]["sha256"])
    assert len(overview["pages"]) > 1
    box = Toolbox(await open_site(site.folder).bind(), "", clock)
    rows: list[Any] = []
    for page in range(2, 99):
        result = await box.call("get_knowledge_overview", {"page": page})
        rows += result.details["listed"]
        if page == result.details["pages"]:
            break
    assert [row["docId"] for row in rows] == [f"big/n{number:03}" for number in range(240)]
