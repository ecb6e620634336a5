"""The publisher of these tests publishes what verification finds whole; and reading a folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bridge_reader.site import open_transport
from bridge_reader.site_address import parse_site_address
from bridge_reader.verification.verify import verify_site
from manifest.errors import ErrorCode, NoteBridgeError
from manifest.objects import Doc, read_object
from manifest.references import Kind, object_path


async def test_a_published_garden_is_whole(publisher: Any, garden: list[Doc], clock: Any) -> None:
    publisher.publish(garden)
    transport = open_transport(parse_site_address(str(publisher.folder)))
    report = await verify_site(transport, clock=clock)
    assert report.problems == ()
    assert report.ok
    assert report.unreferenced == ()


async def test_a_document_is_found_through_the_tree(
    publisher: Any, garden: list[Doc], open_site: Callable[..., Any]
) -> None:
    publisher.publish(garden)
    revision = await open_site(publisher.folder).bind()
    assert await revision.doc("os/死锁") == garden[2]
    assert (await revision.toc("os/死锁")).sections == garden[2].sections
    assert (await revision.leaf_document("home")).title == "Home"
    assert {row.id async for leaf in revision.leaves() for row in leaf.docs} == {
        doc.id for doc in garden
    }


async def test_a_tree_with_child_indexes_is_walked(
    publisher: Any, doc: Callable[..., Doc], open_site: Callable[..., Any]
) -> None:
    from manifest import tree

    docs = [doc(f"n{number}", f"Note {number}.\n") for number in range(150)]
    with pytest.MonkeyPatch.context() as patch:
        # A tree of thousands of notes, in small: two leaves to an index, four notes to a leaf.
        patch.setattr(tree, "LEAF_LIMIT", 4)
        patch.setattr(tree, "INDEX_LIMIT", 2)
        publisher.publish(docs)
    revision = await open_site(publisher.folder).bind()
    for number in (0, 77, 149):
        assert (await revision.doc(f"n{number}")).text == f"Note {number}.\n"
    assert len([row async for leaf in revision.leaves() for row in leaf.docs]) == 150
    chain = await revision.chain("n77")
    kinds = [str(link.kind) for link in chain]
    assert kinds[:3] == ["root", "index", "index"]
    assert kinds[-2:] == ["leaf", "doc"]


async def test_a_chain_holds_the_exact_bodies_from_root_to_document(
    publisher: Any, garden: list[Doc], open_site: Callable[..., Any]
) -> None:
    manifest = publisher.publish(garden)
    chain = await (await open_site(publisher.folder).bind()).chain("home")
    assert [str(link.kind) for link in chain] == ["root", "index", "leaf", "doc"]
    assert chain[0].sha256 == manifest.revision
    for link in chain:
        assert link.body == (publisher.folder / object_path(link.kind, link.sha256)).read_bytes()
    assert read_object(Doc, chain[-1].body, name="home") == garden[4]


async def test_an_unknown_document_is_not_found(
    publisher: Any, garden: list[Doc], open_site: Callable[..., Any]
) -> None:
    publisher.publish(garden)
    revision = await open_site(publisher.folder).bind()
    for read in (revision.doc, revision.toc, revision.leaf_document, revision.chain):
        with pytest.raises(NoteBridgeError) as missing:
            await read("os/死")
        assert missing.value.code is ErrorCode.DOC_NOT_FOUND


async def test_a_row_that_leads_to_another_document_is_not_followed(
    publisher: Any, garden: list[Doc], open_site: Callable[..., Any]
) -> None:
    plain = publisher.put

    def put(value: Any) -> Any:
        if value.KIND is Kind.LEAF:
            there = [row.model_copy(update={"doc": value.docs[0].doc}) for row in value.docs]
            value = value.model_copy(update={"docs": there})
        return plain(value)

    publisher.put = put
    publisher.publish(garden)
    revision = await open_site(publisher.folder).bind()
    assert (await revision.doc("garden/soil")).title == "Soil"
    with pytest.raises(NoteBridgeError) as refused:
        await revision.doc("home")
    assert refused.value.code is ErrorCode.OBJECT_INVALID


async def test_leaves_that_hang_at_each_others_places_are_not_read(
    publisher: Any,
    doc: Callable[..., Doc],
    open_site: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plain = publisher.put

    def put(value: Any) -> Any:
        if value.KIND is Kind.INDEX:
            turned = [*value.leaves[1:], value.leaves[0]]
            rows = zip(value.leaves, turned, strict=True)
            leaves = [row._replace(sha256=o.sha256, size=o.size) for row, o in rows]
            value = value.model_copy(update={"leaves": leaves})
        return plain(value)

    publisher.put = put
    monkeypatch.setattr("manifest.tree.LEAF_LIMIT", 4)
    publisher.publish([doc(f"n{number}", "Text.\n") for number in range(12)])
    revision = await open_site(publisher.folder).bind()
    with pytest.raises(NoteBridgeError) as refused:
        await revision.doc("n1")
    assert refused.value.code is ErrorCode.OBJECT_INVALID


async def test_an_empty_site_reads_as_empty(publisher: Any, open_site: Callable[..., Any]) -> None:
    publisher.publish([], segments=[])
    revision = await open_site(publisher.folder).bind()
    assert [leaf async for leaf in revision.leaves()] == []
    with pytest.raises(NoteBridgeError) as missing:
        await revision.doc("home")
    assert missing.value.code is ErrorCode.DOC_NOT_FOUND


async def test_a_folder_that_is_not_there_and_one_without_a_site_are_told_apart(
    tmp_path: Path, open_site: Callable[..., Any]
) -> None:
    for name in ("nowhere", "~nobody", "x" * 300):
        with pytest.raises(NoteBridgeError) as nowhere:
            await open_site(tmp_path / name).refresh()
        assert nowhere.value.code is ErrorCode.SITE_UNREACHABLE
    with pytest.raises(NoteBridgeError) as empty:
        await open_site(tmp_path).refresh()
    assert empty.value.code is ErrorCode.MANIFEST_MISSING


async def test_no_path_and_no_symbolic_link_leads_out_of_the_folder(
    tmp_path: Path, publisher: Any, garden: list[Doc]
) -> None:
    publisher.publish(garden)
    (tmp_path / "secret.json").write_text("{}")
    (publisher.folder / "link.json").symlink_to(tmp_path / "secret.json")
    transport = open_transport(parse_site_address(str(publisher.folder)))
    for path in ("../secret.json", "link.json", str(tmp_path / "secret.json")):
        with pytest.raises(NoteBridgeError) as refused:
            await transport.fetch(path, limit=100)
        assert refused.value.code is ErrorCode.ORIGIN_REFUSED
