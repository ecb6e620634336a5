"""Atom feeds: valid by RFC 4287, and the same bytes at every build."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from site_builder.beside.feed import FEED_LIMIT, feed_files, feed_links, feeds
from site_builder.page_facts import PageFacts, SiteSettings

SITE = SiteSettings("A & B", url="https://notes.example/", description="On <things>", author="Ada")
ATOM = "{http://www.w3.org/2005/Atom}"
XML_LANG = "{http://www.w3.org/XML/1998/namespace}lang"
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)")


def note(number: int, language: str = "en", **more: object) -> PageFacts:
    facts = PageFacts(
        f"n{number}", f"n{number}.md", f"n{number}/", f"Note {number}", language,
        date=f"2024-01-{number % 28 + 1:02d}", summary="Some words.",
    )  # fmt: skip
    return replace(facts, **more)  # type: ignore[arg-type]


def bodies(facts: list[PageFacts], site: SiteSettings = SITE) -> dict[str, ElementTree.Element]:
    files = feed_files(site, feeds(site, facts), "base")
    return {path: ElementTree.fromstring(body) for path, body in files}


def assert_valid(feed: ElementTree.Element) -> None:
    """What RFC 4287 demands of a feed and its entries."""
    assert feed.tag == f"{ATOM}feed"
    assert feed.find(f"{ATOM}author/{ATOM}name") is not None
    ids = [feed.findtext(f"{ATOM}id")]
    for element in (feed, *feed.findall(f"{ATOM}entry")):
        for name in ("id", "title", "updated"):
            assert len(element.findall(ATOM + name)) == 1
        assert MOMENT.fullmatch(element.findtext(f"{ATOM}updated") or "")
        alternate = [link for link in element.findall(f"{ATOM}link") if link.get("rel") != "self"]
        assert len(alternate) == 1
        assert element.get(XML_LANG)
    ids += [entry.findtext(f"{ATOM}id") for entry in feed.findall(f"{ATOM}entry")]
    assert all(re.match(r"[a-z]+:\S+$", name or "") for name in ids)
    assert len(set(ids)) == len(ids)


def test_the_feed_holds_the_newest_notes_by_their_own_dates() -> None:
    facts = [note(number) for number in range(60)]
    facts[7] = replace(facts[7], updated="2025-05-05")
    (feed,) = bodies(facts).values()
    assert_valid(feed)
    entries = feed.findall(f"{ATOM}entry")
    assert len(entries) == FEED_LIMIT
    assert entries[0].findtext(f"{ATOM}title") == "Note 7"
    assert entries[0].findtext(f"{ATOM}published") == "2024-01-08T00:00:00Z"
    stamps = [entry.findtext(f"{ATOM}updated") or "" for entry in entries]
    assert stamps == sorted(stamps, reverse=True)
    assert feed.findtext(f"{ATOM}updated") == stamps[0] == "2025-05-05T00:00:00Z"


def test_a_note_without_a_date_is_left_out_and_a_site_without_dates_has_no_feed() -> None:
    undated = note(1, date="", updated="some day")
    assert len(bodies([undated, note(2)])["feed.xml"].findall(f"{ATOM}entry")) == 1
    assert feeds(SITE, [undated]) == ()
    assert feed_links((), "en") == ()


def test_an_entry_keeps_its_id_when_note_and_site_move() -> None:
    def entry_id(facts: PageFacts, site: SiteSettings) -> str | None:
        return bodies([facts], site)["feed.xml"].findtext(f"{ATOM}entry/{ATOM}id")

    moved = replace(note(1), url="elsewhere/", path="elsewhere.md", title="New", date="2025-01-01")
    other_host = replace(SITE, url="https://other.example/x/")
    assert entry_id(note(1), SITE) == entry_id(moved, other_host)
    assert entry_id(note(1), SITE) != entry_id(note(2), SITE)


def test_each_of_several_languages_has_a_feed_of_its_own() -> None:
    facts = [note(1), note(2, "zh-CN"), note(3, "zh-CN")]
    found = bodies(facts)
    assert set(found) == {"feed.xml", "feed-en.xml", "feed-zh-cn.xml"}
    for feed in found.values():
        assert_valid(feed)
    assert len(found["feed-zh-cn.xml"].findall(f"{ATOM}entry")) == 2
    assert found["feed-zh-cn.xml"].get(XML_LANG) == "zh-CN"
    links = feed_links(feeds(SITE, facts), "zh-CN")
    assert [link.path for link in links] == ["feed-zh-cn.xml", "feed.xml"]
    assert [link.path for link in feed_links(feeds(SITE, facts), "fr")] == ["feed.xml"]


@pytest.mark.parametrize(
    "title",
    ["]]>", "</title><script>x</script>", "a\x00b\x0bc", "line\nbreak", "\u202eturned", "\"'&lt;"],
)
def test_a_hostile_title_stays_a_title(title: str) -> None:
    facts = note(1, title=title, tags=(title,), summary=title, doc_id=title)
    feed = bodies([facts], replace(SITE, name=title, description=title, license=title))["feed.xml"]
    assert_valid(feed)
    entry = feed.find(f"{ATOM}entry")
    assert entry is not None
    shown = entry.findtext(f"{ATOM}title") or ""
    assert not set(shown) & set("\n\x00\x0b\u202e")
    assert {child.tag for child in entry} == {
        ATOM + name
        for name in ("id", "title", "link", "updated", "published", "category", "summary")
    }


def test_a_site_without_an_address_writes_links_from_the_feed() -> None:
    feed = bodies([note(1)], SiteSettings("Notes"))["feed.xml"]
    links = [link.get("href") for link in feed.iter(f"{ATOM}link")]
    assert links == ["feed.xml", "./", "n1/"]


def test_building_again_gives_the_same_bytes() -> None:
    facts = [note(number, "zh" if number % 2 else "en") for number in range(9)]
    once = list(feed_files(SITE, feeds(SITE, facts), "base"))
    assert once == list(feed_files(SITE, feeds(SITE, facts[::-1]), "base"))
