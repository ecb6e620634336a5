"""Likeness, clusters and categories: the same on every machine, and sensible."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from manifest.search_objects import Related
from manifest.unit_terms import UnitTerms
from site_builder.categories import (
    CategoryNode,
    CategoryTree,
    Listed,
    folder_tree,
    publish_overview,
    summary_tree,
)
from site_builder.clustering import groups
from site_builder.object_sink import MemorySink
from site_builder.postings import PostingLists
from site_builder.similarity import related, vectors


def lists_of(*documents: str) -> PostingLists:
    lists = PostingLists()
    for document in documents:
        lists.add([UnitTerms(len(document.split()), dict.fromkeys(document.split(), 2))], [])
    return lists


def test_documents_that_share_rare_words_are_related_and_others_are_not():
    found = related(
        vectors(lists_of("lock thread mutex", "lock mutex wait", "soup salt", "soup salt pan"))
    )
    assert [other.ordinal for other in found[0]] == [1]
    assert [other.ordinal for other in found[2]] == [3]


def test_a_document_is_never_related_to_itself_and_likeness_is_mutual():
    found = related(vectors(lists_of("a b c", "a b d", "a c d", "e f")))
    for ordinal, others in enumerate(found):
        for other in others:
            assert other.ordinal != ordinal
            assert Related(ordinal, other.score) in found[other.ordinal]


def test_two_circles_of_links_are_two_groups():
    circle = [[1], [2], [0], [4], [5], [3]]
    assert groups(circle, [[] for _ in circle]) == [[0, 1, 2], [3, 4, 5]]


def test_a_bridge_between_circles_does_not_join_them():
    links = [[1, 2], [0, 2], [0, 1, 3], [4, 5], [3, 5], [3, 4]]
    assert groups(links, [[] for _ in links]) == [[0, 1, 2], [3, 4, 5]]


@given(st.lists(st.lists(st.integers(0, 19), max_size=5), min_size=20, max_size=20))
def test_groups_part_the_documents(links):
    found = groups(links, [[] for _ in links])
    members = [ordinal for group in found for ordinal in group]
    assert len(members) == len(set(members))
    assert all(len(group) >= 3 and group == sorted(group) for group in found)


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
