"""What a page's head says to machines."""

from __future__ import annotations

import json
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manifest.references import Reference
from site_builder.beside.feed import FeedLink
from site_builder.beside.head_elements import (
    HeadFacts,
    head_elements,
    plain_head_elements,
    stated_image,
)
from site_builder.page_facts import PageFacts, SiteSettings
from site_builder.page_view import Neighbour, Translation

SITE = SiteSettings("Notes", url="https://notes.example/n/", author="Ada", language="en")
NOTE = PageFacts(
    "os/lock", "os/lock.md", "os/lock/", "Lock", "zh-CN", tags=("os",), date="2024-01-02",
    updated="2024-03-04", summary="Held.", doc=Reference(sha256="a" * 64, size=1),
)  # fmt: skip


class Head(HTMLParser):
    """A head as a browser reads it: elements, and what scripts hold."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.loose = ""
        self._in_script = False
        self.feed(f"<head>\n{html}</head>")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._in_script = tag == "script"

    def handle_endtag(self, tag: str) -> None:
        self._in_script = False

    def handle_data(self, data: str) -> None:
        if self._in_script:
            self.scripts.append(data)
        else:
            self.loose += data.strip()

    def metas(self) -> dict[str, list[str | None]]:
        found: dict[str, list[str | None]] = {}
        for tag, held in self.elements:
            name = held.get("property") or held.get("name")
            if tag == "meta" and name:
                found.setdefault(name, []).append(held.get("content"))
        return found

    def links(self, kind: str) -> list[tuple[str | None, str | None]]:
        return [
            (held.get("hreflang") or held.get("title"), held.get("href"))
            for tag, held in self.elements
            if tag == "link" and (kind in held or held.get("type") == kind)
        ]

    def json_ld(self) -> dict[str, dict[str, object]]:
        return {item["@type"]: item for item in json.loads("".join(self.scripts))}


def head(page: PageFacts = NOTE, site: SiteSettings = SITE, **more: object) -> Head:
    return Head(head_elements(site, page, HeadFacts(**more)))  # type: ignore[arg-type]


def test_previews_of_links_are_told_title_summary_and_dates() -> None:
    assert head().metas() == {
        "og:title": ["Lock"],
        "og:type": ["article"],
        "og:site_name": ["Notes"],
        "og:url": ["https://notes.example/n/os/lock/"],
        "og:description": ["Held."],
        "og:locale": ["zh_CN"],
        "article:published_time": ["2024-01-02"],
        "article:modified_time": ["2024-03-04"],
        "article:tag": ["os"],
        "twitter:card": ["summary"],
    }


def test_no_picture_is_made_up() -> None:
    assert "og:image" not in head().metas()
    assert "og:image" not in head(image="javascript:alert(1)").metas()
    own = head(image="图/a b.png").metas()
    assert own["og:image"] == ["https://notes.example/n/%E5%9B%BE/a%20b.png"]
    assert own["twitter:card"] == ["summary_large_image"]
    assert head(image="https://cdn.example/a.png").metas()["og:image"] == [
        "https://cdn.example/a.png"
    ]


@pytest.mark.parametrize(
    ("written", "image"),
    [
        ("a.png", "a.png"),
        ("[[a b.png]]", "a b.png"),
        ("![[a.png|300]]", "a.png"),
        ("https://x.example/a.png", "https://x.example/a.png"),
    ],
)
def test_front_matter_names_a_picture_in_any_usual_way(written: str, image: str) -> None:
    assert stated_image({"cover": written}) == image
    assert stated_image({"image": [written]}) == ""


def test_json_ld_describes_the_article_and_the_way_to_it() -> None:
    crumbs = [Neighbour("OS", "os/"), Neighbour("Loose", None)]
    found = head(breadcrumbs=crumbs).json_ld()
    article = found["Article"]
    assert article["url"] == "https://notes.example/n/os/lock/"
    assert article["datePublished"] == "2024-01-02"
    assert article["dateModified"] == "2024-03-04"
    assert article["inLanguage"] == "zh-CN"
    assert article["author"] == {"@type": "Person", "name": "Ada"}
    assert article["encoding"] == {
        "@type": "MediaObject",
        "encodingFormat": "text/markdown",
        "contentUrl": "https://notes.example/n/os/lock/index.md",
    }
    steps = found["BreadcrumbList"]["itemListElement"]
    assert isinstance(steps, list)
    assert [(step["position"], step["name"], step.get("item")) for step in steps] == [
        (1, "OS", "https://notes.example/n/os/"),
        (2, "Lock", None),
    ]


def test_what_the_author_did_not_say_is_absent() -> None:
    bare = replace(NOTE, date="", updated="", summary="", tags=(), doc=None)
    found = head(bare, replace(SITE, author="")).json_ld()
    absent = {"datePublished", "dateModified", "description", "keywords", "encoding", "author"}
    assert not absent & found["Article"].keys()
    assert None not in found["Article"].values()
    assert "BreadcrumbList" not in found


def test_the_home_page_is_the_web_site() -> None:
    shown = head(replace(NOTE, url=""))
    assert set(shown.json_ld()) == {"WebSite"}
    assert shown.metas()["og:type"] == ["website"]


def test_translations_and_feeds_are_linked() -> None:
    versions = [Translation("en", "lock/"), Translation("zh-CN", "os/lock/")]
    feeds = [FeedLink("feed-zh-cn.xml", "Notes (zh-CN)", "zh-CN"), FeedLink("feed.xml", "Notes")]
    shown = head(versions=versions, feeds=feeds)
    assert shown.links("hreflang") == [
        ("en", "https://notes.example/n/lock/"),
        ("zh-CN", "https://notes.example/n/os/lock/"),
        ("x-default", "https://notes.example/n/lock/"),
    ]
    assert shown.links("application/atom+xml") == [
        ("Notes (zh-CN)", "../../feed-zh-cn.xml"),
        ("Notes", "../../feed.xml"),
    ]
    plain = Head(plain_head_elements(SITE, feeds, "tags/", "Tags"))
    assert plain.links("application/atom+xml")[1] == ("Notes", "../feed.xml")


def test_a_site_without_an_address_says_what_needs_none() -> None:
    versions = [Translation("en", "lock/"), Translation("zh-CN", "os/lock/")]
    shown = head(site=SiteSettings("Notes"), versions=versions, image="a.png")
    assert shown.scripts == []
    assert not {"og:url", "og:image"} & shown.metas().keys()
    assert shown.links("hreflang")[0] == ("en", "../../lock/")


HOSTILE = ["</script><script>alert(1)</script>", "<!--", "]]>", "\"'><img src=x>", "a\nb\u202ec"]


@given(st.text(st.characters(codec=None), max_size=30) | st.sampled_from(HOSTILE))
def test_no_text_leaves_its_place(text: str) -> None:
    page = replace(NOTE, title=text, summary=text, doc_id=text, tags=(text,), language="en")
    site = replace(SITE, name=text, author=text, license=text)
    feeds = (FeedLink("feed.xml", text),)
    html = head_elements(site, page, HeadFacts(text, [Neighbour(text, "os/")], (), feeds))
    shown = Head(html)
    assert {tag for tag, _ in shown.elements} == {"head", "meta", "link", "script"}
    assert len([tag for tag, _ in shown.elements if tag == "script"]) == 1
    assert shown.loose == ""
    assert "Article" in shown.json_ld()
    assert "\u202e" not in html
