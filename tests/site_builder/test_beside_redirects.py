"""Old addresses: who may claim them, how they lead on, how later builds know them again."""

from __future__ import annotations

import json
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from site_builder.beside.moves import Moves, followed, moves
from site_builder.beside.redirect_files import (
    HOST_RULES,
    HOST_RULES_LIMIT,
    LIST_PATH,
    read_list,
    redirect_files,
)
from site_builder.beside.redirects import (
    RULES_PATH,
    RedirectRule,
    Redirects,
    kept_ids,
    old_url,
    read_rules,
    resolve_redirects,
    stated_addresses,
)
from site_builder.note import FindingKind
from site_builder.page_facts import PageFacts, SiteSettings

SITE = SiteSettings("Notes", url="https://notes.example/n/")


def page(path: str, **more: object) -> PageFacts:
    name = path.removesuffix(".md")
    url = "" if name == "index" else f"{name.removesuffix('/index')}/"
    return replace(PageFacts(name, path, url, name, "en"), **more)  # type: ignore[arg-type]


def resolved(
    paths: str = "", stated: dict[str, list[str]] | None = None, rules: str = "", **more: object
) -> Redirects:
    facts = [page(path) for path in paths.split()]
    return resolve_redirects(
        facts,
        stated=stated or {},
        rules=read_rules(rules)[0],
        **more,  # type: ignore[arg-type]
    )


@pytest.mark.parametrize(
    ("address", "url"),
    [
        ("/old/page/", "old/page/"),
        ("old/page", "old/page/"),
        ("old/page.md", "old/page/"),
        ("old/index.md", "old/"),
        ("/old/index.html", "old/"),
        ("/old.html", "old.html"),
        ("/%E9%94%81/?q=1#x", "锁/"),
        ("https://notes.example/n/old/", "old/"),
        ("https://elsewhere.example/old/", ""),
        ("//elsewhere.example/old/", ""),
        ("javascript:alert(1)", ""),
        ("/", ""),
        ("../../etc/passwd", ""),
        ("/a/%2e%2e/b", ""),
        ("a//b", ""),
        ("a\\b", ""),
        ("a%00b", ""),
        ("/ai/manifest.json", ""),
        ("/AI/objects/", ""),
        ("/assets/client/main.js", ""),
        ("x" * 201, ""),
    ],
)
def test_an_old_address_is_one_below_the_site_or_none(address: str, url: str) -> None:
    assert old_url(address, SITE.url) == url


@given(st.text(max_size=60))
def test_an_old_address_is_read_again_as_itself(address: str) -> None:
    url = old_url(address)
    assert old_url(url) == url or "%" in url or "?" in url or "#" in url
    assert not url.startswith("/")
    assert ".." not in url.split("/")


def test_front_matter_names_old_addresses() -> None:
    meta = {
        "redirect_from": ["/a/", " b/ "],
        "aliases": ["A name", "/c/"],
        "permalink": "/d/",
    }
    assert stated_addresses(meta) == ("/a/", "b/", "/c/", "/d/")  # type: ignore[arg-type]
    assert stated_addresses({"redirect_from": "/a, b/"}) == ("/a, b/",)
    assert stated_addresses({"redirect_from": {"x": "y"}}) == ()


def test_the_authors_file_is_read_line_by_line() -> None:
    rules, findings = read_rules(
        '# moved\n\nold.md new.md\n a b.md -> c d.md \n"e f.md" g.md\nonly.md\n'
    )
    assert rules == (
        RedirectRule("old.md", "new.md", 3),
        RedirectRule("a b.md", "c d.md", 4),
        RedirectRule("e f.md", "g.md", 5),
    )
    assert [(found.path, found.line) for found in findings] == [(RULES_PATH, 6)]


def test_a_note_that_moved_twice_keeps_its_first_id() -> None:
    rules, _ = read_rules("a.md b.md\nb.md c.md\nd.md c.md\nx.md y.md\ny.md x.md\n/old/ /new/\n")
    kept = kept_ids(rules)
    assert kept["c.md"] == "a"
    assert set(kept) == {"b.md", "c.md", "x.md", "y.md"}


def test_rules_lead_through_several_moves_to_what_is_there_now() -> None:
    found = resolved("c.md", rules="a.md b.md\nb.md c.md\n")
    assert found.by_url == {"a/": "c", "b/": "c"}
    assert found.former() == {"c": ("a/", "b/")}
    assert found.findings == []


@pytest.mark.parametrize(
    ("rules", "line"), [("a.md gone.md", 1), ("x.md y.md\ny.md x.md", 1), ("c.md c.md", 0)]
)
def test_a_rule_that_leads_nowhere_is_reported(rules: str, line: int) -> None:
    found = resolved("c.md", rules=rules)
    assert found.by_url == {}
    assert {(finding.path, finding.kind) for finding in found.findings} == (
        {(RULES_PATH, FindingKind.REDIRECT)} if line else set()
    )


def test_a_page_is_never_replaced_by_a_redirect() -> None:
    stated = {"new": ["/other/", "/OTHER/", "/index.html", "/feed.xml/", "/pic.png", "/old/"]}
    found = resolved("new.md other.md index.md", stated, taken=["feed.xml", "pic.png/x.png"])
    assert found.by_url == {"pic.png/": "new", "old/": "new"}
    assert len(found.findings) == 4


def test_of_two_notes_that_claim_one_address_the_first_keeps_it() -> None:
    found = resolved("a.md b.md", {"a": ["/old/"], "b": ["/old/", "/Old"]})
    assert found.by_url == {"old/": "a"}
    assert [finding.path for finding in found.findings] == ["b.md", "b.md"]


def test_what_an_author_says_wins_over_what_was_seen() -> None:
    found = resolved(
        "a.md b.md c.md",
        {"a": ["/one/"]},
        "two/ b.md",
        moved={"one/": "c", "two/": "c", "three/": "c"},
        earlier={"three/": "a", "four/": "a", "five/": "gone", "a/": "b"},
    )
    assert found.by_url == {"one/": "a", "two/": "b", "three/": "c", "four/": "a"}
    assert found.findings == []


def test_a_folder_and_a_file_cannot_share_a_name() -> None:
    found = resolved("a.md", {"a": ["/x.html", "/x.html/y/", "/y.html"]}, taken=["y.html/p.png"])
    assert found.by_url == {"x.html": "a"}


TEXT = "A text that is long enough to tell one note from every other note there is."


def moved(
    now: dict[str, str], before: dict[str, str], texts: dict[str, str] | None = None
) -> Moves:
    facts = [page(f"{doc_id}.md", url=url) for doc_id, url in now.items()]
    told = texts or {}
    return moves(facts, before, lambda doc_id: told[doc_id], lambda doc_id: told[doc_id])


def test_a_note_with_an_id_is_known_at_its_new_address() -> None:
    found = moved({"a": "new/", "b": "b/"}, {"a": "old/", "b": "b/"})
    assert found == Moves({"old/": "a"}, {})


def test_a_note_without_an_id_is_known_by_its_text() -> None:
    texts = {"new": TEXT, "old": f"{TEXT}\n", "other": TEXT.upper()}
    found = moved({"new": "new/", "other": "other/"}, {"old": "old/"}, texts)
    assert found == Moves({"old/": "new"}, {"old": "new"})
    assert followed({"older/": "old", "x/": "y"}, found) == {"older/": "new", "x/": "y"}


def test_a_text_that_several_notes_share_gives_nobody_away() -> None:
    texts = {"one": TEXT, "two": TEXT, "old": TEXT}
    assert moved({"one": "1/", "two": "2/"}, {"old": "old/"}, texts) == Moves({}, {})
    assert moved({"one": "1/"}, {"old": "o/", "two": "t/"}, texts) == Moves({}, {})


def test_short_texts_and_the_home_page_are_no_moves() -> None:
    assert moved({"new": "new/"}, {"old": "old/"}, {"new": "x", "old": "x"}) == Moves({}, {})
    assert moved({"index": "home/"}, {"index": ""}) == Moves({}, {})


def test_no_text_is_read_where_nothing_came_or_went() -> None:
    assert moved({"a": "a/"}, {"a": "a/"}, {}) == Moves({}, {})
    assert moved({"a": "a/", "b": "b/"}, {"a": "a/"}, {}) == Moves({}, {})


class Page(HTMLParser):
    """What a browser makes of a page: its elements with their attributes."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def one(self, tag: str, **attributes: str) -> dict[str, str | None]:
        (found,) = (
            held
            for name, held in self.elements
            if name == tag and attributes.items() <= held.items()
        )
        return found


def files(*pages: PageFacts, own: bytes | None = None) -> dict[str, bytes]:
    return dict(redirect_files(SITE, pages, own))


def test_an_old_address_leads_on_with_and_without_javascript() -> None:
    made = files(page("os/锁 1.md", title='<b>"Lock"</b>', former=("old/place/", "old.html")))
    shown = Page(made["old/place/index.html"].decode())
    there = "../../os/%E9%94%81%201/"
    assert shown.one("a")["href"] == there
    assert shown.one("meta", **{"http-equiv": "refresh"})["content"] == f"0; url={there}"
    assert shown.one("link")["href"] == "https://notes.example/n/os/%E9%94%81%201/"
    assert shown.one("script") == {"src": "../../assets/client/moved.js", "data-to": there}
    assert [tag for tag, _ in shown.elements].count("script") == 1
    assert Page(made["old.html"].decode()).one("a")["href"] == "os/%E9%94%81%201/"


def test_hosts_that_read_rules_get_them_behind_the_authors_own() -> None:
    made = files(page("b.md", former=("a 1/",)), own=b"/x /y 302\r\n")
    assert made[HOST_RULES] == b"/x /y 302\n/n/a%201/ /n/b/ 301\n"
    assert files(page("b.md"), own=b"/x /y") == {HOST_RULES: b"/x /y\n"}


def test_a_site_without_redirects_gets_no_files() -> None:
    assert files(page("a.md")) == {}


@pytest.mark.parametrize("count", [1, 3000])
def test_a_later_build_knows_the_redirects_again(count: int) -> None:
    former = tuple(f"old/{number}/" for number in range(count))
    made = files(page("a.md", former=former))
    assert read_list(made.get) == dict.fromkeys(former, "a")
    assert len(made[HOST_RULES].splitlines()) == min(count, HOST_RULES_LIMIT)
    assert max(len(body) for path, body in made.items() if path.startswith("ai/")) < 32 * 1024


def test_one_more_redirect_changes_one_part_of_a_long_list() -> None:
    former = tuple(f"old/{number}/" for number in range(2000))
    before = files(page("a.md", former=former))
    after = files(page("a.md", former=(*former, "new/")))
    changed = {path for path, body in after.items() if before.get(path) != body}
    lists = {path for path in changed if path.startswith("ai/")}
    assert len(lists) == 1
    assert changed - lists <= {"new/index.html", HOST_RULES}


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"not json",
        b"[]",
        b"[" * 100_000,
        b'{"redirects": {"../x/": "a", "ok/": 1, "/y/": "a", "javascript:x": "a", "ai/x/": "a"}}',
        b'{"parts": ["../../x", "", 3, "4", "0123456789"]}',
        b'{"parts": {"0": 1}, "redirects": []}',
        b'{"redirects": {"a/": "' + b"x" * 1_100_000 + b'"}}',
    ],
)
def test_a_list_that_is_none_redirects_nothing(body: bytes) -> None:
    asked: list[str] = []

    def read(path: str) -> bytes | None:
        asked.append(path)
        return body if path == LIST_PATH else None

    assert read_list(read) == {}
    assert all(path == LIST_PATH or path.strip("ai/redct-0123.json") == "" for path in asked)


def test_the_list_names_documents_and_no_addresses() -> None:
    made = files(page("a.md", url="now/", former=("old/",)))
    assert json.loads(made[LIST_PATH]) == {"redirects": {"old/": "a"}}
