"""Categories: from folders and summaries, every document once."""

from __future__ import annotations

import json

from site_builder.categories import (
    CategoryNode,
    CategoryTree,
    Listed,
    folder_tree,
    publish_overview,
    summary_tree,
)
from site_builder.object_sink import MemorySink


def test_folders_become_categories_with_the_notes_that_stand_for_them():
    tree = folder_tree(
        "Site",
        {"index": [], "os/index": ["os"], "os/lock": ["os"], "os/io/disk": ["os", "io"]},
        {"os/index": "os/", "index": "", "os/lock": "os/lock/", "os/io/disk": "os/io/disk/"},
    )
    os = tree.root.children[0]
    assert (os.title, os.doc_id, os.documents) == ("os", "os/index", ["os/index", "os/lock"])
    assert os.children[0].documents == ["os/io/disk"]
    assert tree.root.documents == ["index"]
    assert [node.title for node in tree.root.paths()["os/io/disk"]] == ["os", "io"]


SUMMARY = """# Summary

- [Systems](sys/index.md)
  - [Locks](sys/lock.md)
  - Deep
    - [Disk (old)](sys/disk.md)
- [Alone](alone.md)
- [Gone](gone.md)
- [Systems again](sys/index.md)
"""


def test_a_summary_orders_the_categories_and_nothing_is_left_out():
    known = {"sys/index.md": "sys/index", "sys/lock.md": "lock", "sys/disk.md": "disk"}
    known["alone.md"] = "alone"
    tree = summary_tree("Site", SUMMARY, known.get, [*known.values(), "unlisted"])
    systems = tree.root.children[0]
    assert (systems.title, systems.doc_id) == ("Systems", "sys/index")
    assert systems.documents == ["sys/index", "lock"]
    assert systems.children[0].documents == ["disk"]
    assert tree.root.documents == ["alone", "unlisted"]


def test_every_document_is_on_the_page_its_category_names():
    root = CategoryNode("Site", documents=["d0"])
    for number in range(300):
        root.children.append(CategoryNode(f"c{number}", documents=[f"c{number}/{'x' * 80}"]))
    documents = [doc_id for node in root.walk() for doc_id in node.documents]
    sink = MemorySink()
    publish_overview(
        CategoryTree("folders", root), {d: Listed(d, f"{d}/") for d in documents}, sink
    )
    bodies = {path.split("/")[-1][:64]: json.loads(body) for path, body in sink.bodies.items()}
    overview = next(body for body in bodies.values() if body["kind"] == "overview")
    assert len(overview["pages"]) > 1
    assert overview["categories"][0][:4] == [0, -1, "", 301]
    for number, _, _, count, page, _ in overview["categories"][1:]:
        rows = bodies[overview["pages"][page][0]]["rows"]
        assert len([row for row in rows if row[0] == number]) == count
