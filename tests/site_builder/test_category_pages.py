"""Pages of the overview: bounded, in order, and cut so that one note changes one of them."""

from __future__ import annotations

import json

from site_builder.categories import Listed, folder_tree, publish_overview
from site_builder.object_sink import MemorySink


def published(names: list[str]) -> tuple[dict, list[list]]:
    folders = {name: (["big"] if name.startswith("n") else ["small"]) for name in names}
    sink = MemorySink()
    listed = {name: Listed(f"Title of {name}", f"{name}/") for name in names}
    reference = publish_overview(folder_tree("Site", folders), listed, sink)

    def read(kind: str, sha256: str) -> dict:
        return json.loads(sink.bodies[f"ai/objects/{kind}/{sha256}.json"])

    overview = read("overview", reference.sha256)
    return overview, [read("category", row[0])["rows"] for row in overview["pages"]]


NAMES = [f"n{number:04}" for number in range(1500)] + ["x1", "x2"]


def test_a_category_of_many_notes_goes_on_over_pages_of_bounded_size():
    _, pages = published(NAMES)
    assert all(len(json.dumps(rows)) < 20_000 for rows in pages)
    rows = [row[1] for page in pages for row in page if row[0] == 1]
    assert rows == [name for name in NAMES if name.startswith("n")]


def test_a_category_begins_on_the_page_its_row_names_and_ends_where_the_next_one_begins():
    overview, pages = published(NAMES)
    starts = [row[4] for row in overview["categories"]] + [len(pages) - 1]
    for (number, *_), start, end in zip(overview["categories"], starts, starts[1:], strict=False):
        where = [n for n, page in enumerate(pages) for row in page if row[0] == number]
        assert not where or (where[0] == start and where[-1] <= max(start, end))


def test_a_new_note_changes_one_or_two_pages():
    before = published(NAMES)[0]["pages"]
    after = published(sorted([*NAMES, "n0700b"]))[0]["pages"]
    changed = {tuple(row) for row in after} - {tuple(row) for row in before}
    assert 1 <= len(changed) <= 2
