"""Pages that list notes: every note is reached, addresses are safe, small edits change little."""

from __future__ import annotations

import pickle
from collections.abc import Iterable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from site_builder.categories import CategoryNode, folder_tree
from site_builder.listing.addresses import address, free_room, level
from site_builder.listing.category_pages import CategoryContent
from site_builder.listing.home import HomeContent
from site_builder.listing.paging import MOST, WHOLE, cut
from site_builder.listing.recent import RecentContent
from site_builder.listing.rows import NoteRow, Tree, changed_day, tree
from site_builder.listing.site_lists import SiteLists, site_lists
from site_builder.listing.tags import TagContent, TagsContent
from site_builder.page_facts import GeneratedPage, PageFacts, SiteSettings

SITE = SiteSettings("Kernel Notes", languages=("en",))


def note(path: str, **facts: object) -> PageFacts:
    doc_id = path.removesuffix(".md")
    folders = tuple(doc_id.split("/")[:-1])
    given_facts = {"title": doc_id.rpartition("/")[2], "category": folders, "language": "en"}
    return PageFacts(doc_id, path, f"{doc_id}/", **(given_facts | facts))  # type: ignore[arg-type]


def folders_of(notes: Iterable[PageFacts]) -> CategoryNode:
    return folder_tree("Notes", {facts.doc_id: facts.category for facts in notes}).root


def lists_of(notes: list[PageFacts], settings: SiteSettings = SITE, **options: object) -> SiteLists:
    ordered = sorted(notes, key=lambda facts: facts.url)
    return site_lists(settings, ordered, folders_of(notes), graph=True, **options)  # type: ignore[arg-type]


def by_url(lists: SiteLists) -> dict[str, GeneratedPage]:
    pages = list(lists.pages())
    found = {page.url: page for page in pages}
    assert len(found) == len(pages), "two pages have one address"
    return found


def linked(content: object) -> set[str]:
    """Every address that a page links to."""
    if isinstance(content, CategoryContent):
        rows = {row.url for row in content.notes} | {b.url for b in content.tree.branches}
        return rows | {page.url for page in content.pages} | {tag.url for tag in content.trail}
    if isinstance(content, TagsContent):
        return {b.url for b in content.tree.branches} | {page.url for page in content.pages}
    if isinstance(content, TagContent):
        rows = {row.url for row in content.notes} | {b.url for b in content.below}
        return rows | {page.url for page in content.pages} | {tag.url for tag in content.trail}
    if isinstance(content, RecentContent):
        return {row.url for row in content.notes} | {other.url for other in content.languages}
    return set()


def reached(pages: dict[str, GeneratedPage], start: str) -> set[str]:
    seen, waiting = {start}, [start]
    while waiting:
        page = pages.get(waiting.pop())
        for url in linked(page.content) if page else ():
            if url not in seen:
                seen.add(url)
                waiting.append(url)
    return seen


def many(number: int) -> list[PageFacts]:
    return [note(f"big/n{n:04}.md", tags=("all", f"t/{n % 300}")) for n in range(number)]


def test_every_note_is_reached_from_the_index_by_links_alone() -> None:
    notes = [*many(700), note("a/b/c.md"), note("loose.md"), note("a/x.md")]
    pages = by_url(lists_of(notes))
    assert {facts.url for facts in notes} <= reached(pages, "notes/")


def test_a_note_that_the_category_tree_does_not_name_is_reached_too() -> None:
    notes = [note("a/x.md"), note("kept-out.md")]
    lists = site_lists(SITE, notes, folders_of(notes[:1]), graph=False)
    assert "kept-out/" in reached(by_url(lists), "notes/")


def test_every_tag_is_reached_from_the_list_of_tags() -> None:
    lists = lists_of(many(700))
    urls = set(lists.tag_urls.values())
    assert len(urls) == 301
    assert urls <= reached(by_url(lists), "tags/")


def test_a_tag_lists_the_notes_of_tags_below_it() -> None:
    notes = [note("a.md", tags=("os",)), note("b.md", tags=("os/locks",)), note("c.md")]
    page = by_url(lists_of(notes))["tags/os/"]
    assert isinstance(page.content, TagContent)
    assert {row.url for row in page.content.notes} == {"a/", "b/"}
    assert [(b.name, b.url, b.notes) for b in page.content.below] == [
        ("locks", "tags/os/locks/", 1)
    ]


def test_tags_that_differ_in_case_are_one_tag_under_its_commonest_spelling() -> None:
    tags = ("Linux", "linux", "linux", "LINUX")
    lists = lists_of([note(f"n{n}.md", tags=(tag,)) for n, tag in enumerate(tags)])
    assert set(lists.tag_urls.values()) == {"tags/linux/"}
    page = by_url(lists)["tags/linux/"]
    assert isinstance(page.content, TagContent)
    assert (page.content.name, page.content.count) == ("linux", 4)


def test_a_note_with_two_spellings_of_a_tag_counts_once() -> None:
    page = by_url(lists_of([note("a.md", tags=("OS", "os"))]))["tags/os/"]
    assert isinstance(page.content, TagContent)
    assert page.content.count == 1


@pytest.mark.parametrize(
    ("one", "other"),
    [("C", "C++"), ("C#", "C"), ("a.b", "a b"), ("page-2", "page 2 "), ("..", "."), ("?", "%")],
)
def test_odd_tags_have_addresses_of_their_own(one: str, other: str) -> None:
    if "-".join(one.split()) != "-".join(other.split()):
        assert level(one) != level(other)
    assert level(one) not in ("", ".", "..", "page-2")


ANY_TEXT = st.text(min_size=1, max_size=300).filter(lambda text: text.strip() != "")


@given(ANY_TEXT)
def test_a_level_is_safe_on_any_disk(text: str) -> None:
    found = level(text)
    assert found
    assert found == level(found.upper()) or found != found.lower() or "-" in found
    assert not set(found) & set('/\\:*?"<>|%#\0 ')
    assert not found.startswith(".")
    assert not found.endswith(".")
    assert len(found.encode()) <= 70


@given(st.lists(ANY_TEXT, min_size=1, max_size=40))
def test_an_address_fits_a_disk(parts: list[str]) -> None:
    assert len(address("tags/", [level(part) for part in parts]).encode()) <= 250


@given(st.lists(st.lists(ANY_TEXT, max_size=6), max_size=12))
def test_any_tags_make_pages_of_their_own(tags: list[list[str]]) -> None:
    notes = [note(f"n{n}.md", tags=tuple(own)) for n, own in enumerate(tags)]
    lists = lists_of(notes)
    pages = by_url(lists)
    assert set(lists.tag_urls.values()) <= set(pages)
    for facts in notes:
        for tag in facts.tags:
            content = pages[lists.tag_urls[tag]].content if tag in lists.tag_urls else None
            if content is not None:
                assert isinstance(content, TagContent)
                assert facts.url in {row.url for row in content.notes}


def test_a_tag_of_very_many_levels_makes_few_lists() -> None:
    lists = lists_of([note("a.md", tags=("/".join("abcdefghijkl" * 20),))])
    assert len([url for url in by_url(lists) if url.startswith("tags/")]) == 7


def test_a_note_keeps_its_address_and_the_list_moves_away() -> None:
    assert free_room("tags", {"tags/"}) == "nb-tags/"
    assert free_room("tags", {"tags/x/"}) == "nb-tags/"
    assert free_room("tags", {"tagsoup/"}) == "tags/"
    lists = lists_of([note("Tags.md", tags=("x",)), note("graph/a.md")], taken=("recent/",))
    assert lists.tag_urls == {"x": "nb-tags/x/"}
    assert [link.url for link in lists.links] == ["notes/", "nb-graph/", "nb-tags/"]


def test_what_changed_last_comes_first_by_the_notes_own_dates() -> None:
    notes = [
        note("a.md", date="2024-01-02"),
        note("b.md", date="2020-01-01", updated="2025-3-4 10:00"),
        note("c.md", date="2025-03-04T09:00:00Z"),
        note("d.md", date="yesterday"),
        note("e.md", date="2024-02-30"),
    ]
    page = by_url(lists_of(notes))["recent/"]
    assert isinstance(page.content, RecentContent)
    assert [(row.url, row.day) for row in page.content.notes] == [
        ("b/", "2025-03-04"),
        ("c/", "2025-03-04"),
        ("a/", "2024-01-02"),
    ]


def test_without_dates_there_is_no_list_of_changes_and_no_link_to_it() -> None:
    lists = lists_of([note("a.md")])
    assert not any("recent" in url for url in by_url(lists))
    assert [link.word for link in lists.links] == ["index", "graph"]


def test_a_site_of_several_languages_has_a_list_of_changes_for_each() -> None:
    settings = replace(SITE, languages=("en", "zh-Hans", "ar"))
    notes = [
        note("a.md", date="2024-01-02"),
        note("b.md", date="2024-01-03", language="zh-Hans"),
        note("c.md", language="ar"),
    ]
    pages = by_url(lists_of(notes, settings))
    chinese = pages["recent/zh-hans/"]
    assert chinese.title == "最近更新"
    assert isinstance(chinese.content, RecentContent)
    assert [(row.url, row.language) for row in chinese.content.notes] == [("b/", "")]
    assert "recent/ar/" not in pages
    everything = pages["recent/"].content
    assert isinstance(everything, RecentContent)
    assert [row.language for row in everything.notes] == ["zh-Hans", ""]


def test_a_site_with_a_home_note_gets_no_other_home() -> None:
    home = replace(note("index.md"), url="")
    assert "" not in by_url(lists_of([home, note("a.md")]))
    page = by_url(lists_of([note("a/x.md"), note("loose.md")]))[""]
    assert isinstance(page.content, HomeContent)
    assert [(e.title, e.url, e.notes) for e in page.content.entries] == [("a", "notes/a/", 1)]
    assert [row.url for row in page.content.loose] == ["loose/"]


def test_a_home_page_names_a_bounded_number_of_notes() -> None:
    content = by_url(lists_of([note(f"n{n}.md", date="2024-01-01") for n in range(5000)]))[
        ""
    ].content
    assert isinstance(content, HomeContent)
    assert content.more
    assert len(pickle.dumps(content)) < 8000


def test_categories_of_one_title_have_pages_of_their_own() -> None:
    root = CategoryNode("", children=[CategoryNode("A", documents=["x"]), CategoryNode("a")])
    lists = site_lists(SITE, [note("x.md")], root, graph=False)
    assert {"notes/a/", "notes/a-2/"} <= set(by_url(lists))
    assert lists.category_urls == {("A",): "notes/a/", ("a",): "notes/a-2/"}


def changed(before: list[PageFacts], after: list[PageFacts]) -> set[str]:
    old, new = by_url(lists_of(before)), by_url(lists_of(after))
    return {url for url in old | new if old.get(url) != new.get(url)}


def test_an_edit_of_a_notes_words_changes_no_list() -> None:
    before = [*many(900), note("a/x.md", summary="Old words.", chars=10, leaf="0")]
    after = [*many(900), note("a/x.md", summary="New words.", chars=12, leaf="0")]
    assert changed(before, after) == set()


@pytest.mark.parametrize("title", ["n0000a", "n0450a", "n9999"])
def test_one_note_more_changes_few_pages(title: str) -> None:
    """Its category, the counts above it, its tags; wherever in a long list it comes to stand."""
    before = many(2000)
    after = [*before, note(f"big/{title}.md", tags=("all", "t/7"))]
    assert len(changed(before, after)) <= 12


def test_one_title_more_changes_few_pages() -> None:
    before = many(2000)
    after = [replace(before[0], title="Another"), *before[1:]]
    assert len(changed(before, after)) <= 12


@given(st.lists(st.text(max_size=8), max_size=900, unique=True))
def test_cutting_keeps_every_entry_in_order_and_pages_bounded(keys: list[str]) -> None:
    pages = cut(keys, keys)
    assert [key for page in pages for key in page] == keys
    assert all(len(page) <= max(MOST, WHOLE) for page in pages)


def test_tags_stand_below_their_parents() -> None:
    rows = [(0, "a", "", 1), (1, "b", "", 1), (2, "c", "", 1), (1, "d", "", 1), (0, "e", "", 1)]
    found = tree(rows)
    assert [(b.name, b.opens, b.closes) for b in found.branches] == [
        ("a", True, 0),
        ("b", True, 0),
        ("c", True, 0),
        ("d", False, 1),
        ("e", False, 1),
    ]
    assert found.left_open == 1


@given(st.lists(st.integers(0, 5), max_size=30))
def test_a_tree_that_begins_anywhere_opens_and_closes_its_lists_in_pairs(depths: list[int]) -> None:
    found: Tree = tree([(depth, "x", "", 1) for depth in depths])
    standing = 0
    for number, branch in enumerate(found.branches):
        standing += branch.opens - branch.closes
        assert standing >= 1
        assert branch.opens or number
    assert standing == found.left_open


def test_lists_are_plain_values() -> None:
    for page in lists_of(many(10)).pages():
        assert pickle.loads(pickle.dumps(page)) == page
        assert page.title


def test_a_row_says_nothing_of_a_notes_words() -> None:
    assert "summary" not in NoteRow._fields
    assert changed_day(note("a.md", date="2024/1/2")) == "2024-01-02"
