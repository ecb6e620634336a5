"""Sitemaps, translations and robots.txt."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from site_builder.beside.robots import robots_file
from site_builder.beside.sitemap import SITEMAP_PATH, sitemap_files
from site_builder.beside.translations import (
    TranslationClaim,
    alternates,
    translation_claim,
    translations,
)
from site_builder.page_facts import PageFacts, SiteSettings
from site_builder.page_view import Translation

SITE = SiteSettings("Notes", url="https://notes.example/n/", language="en")
NS = {
    "s": "http://www.sitemaps.org/schemas/sitemap/0.9",
    "x": "http://www.w3.org/1999/xhtml",
}


def page(path: str, language: str = "en", **more: str) -> PageFacts:
    name = path.removesuffix(".md").removesuffix("index")
    url = f"{name.rstrip('/')}/" if name else ""
    return PageFacts(path.removesuffix(".md"), path, url, name, language, **more)  # type: ignore[arg-type]


def urlset(body: bytes) -> dict[str, ElementTree.Element]:
    """The entries of a sitemap by their address."""
    root = ElementTree.fromstring(body)
    found = {}
    for url in root.findall("s:url", NS):
        loc = url.find("s:loc", NS)
        assert loc is not None
        assert loc.text
        found[loc.text] = url
    return found


def test_a_small_sitemap_is_one_file_with_the_notes_own_dates() -> None:
    facts = [
        page("a & b.md", updated="2024-03-04"),
        page("锁.md", date="no date"),
        page("index.md"),
    ]
    (file,) = sitemap_files(SITE, facts, {})
    found = urlset(file.body)
    assert file.path == SITEMAP_PATH
    assert set(found) == {
        "https://notes.example/n/",
        "https://notes.example/n/a%20&%20b/",
        "https://notes.example/n/%E9%94%81/",
    }
    dates = {url: entry.findtext("s:lastmod", None, NS) for url, entry in found.items()}
    assert [date for date in dates.values() if date] == ["2024-03-04"]
    assert dates["https://notes.example/n/a%20&%20b/"] == "2024-03-04"


def test_a_large_sitemap_is_an_index_of_parts_and_a_new_note_changes_one() -> None:
    facts = [page(f"{number}.md") for number in range(2000)]
    before = dict(sitemap_files(SITE, facts, {}))
    index = ElementTree.fromstring(before[SITEMAP_PATH])
    named = [loc.text for loc in index.findall("s:sitemap/s:loc", NS)]
    assert named == [SITE.url + path for path in before if path != SITEMAP_PATH]
    listed = [url for path, body in before.items() if path != SITEMAP_PATH for url in urlset(body)]
    assert len(listed) == len(set(listed)) == 2000
    after = dict(sitemap_files(SITE, [*facts, page("new.md")], {}))
    assert sum(before.get(path) != body for path, body in after.items()) == 1
    assert max(map(len, after.values())) < 64 * 1024


def test_generated_pages_are_listed_too() -> None:
    (file,) = sitemap_files(SITE, [page("a.md")], {}, ["tags/", ""])
    assert set(urlset(file.body)) == {SITE.url + path for path in ("a/", "tags/", "")}


def test_a_site_without_an_address_has_no_sitemap() -> None:
    assert list(sitemap_files(SiteSettings("Notes"), [page("a.md")], {})) == []


def test_translations_name_each_other_in_the_sitemap() -> None:
    facts = [page("guide.md"), page("zh/guide.md", "zh"), page("zh/only.md", "zh")]
    groups = translations(facts, "en", {"zh": "zh"})
    (file,) = sitemap_files(SITE, facts, groups)
    found = urlset(file.body)
    links = {
        (link.get("hreflang"), link.get("href"))
        for link in found[f"{SITE.url}zh/guide/"].findall("x:link", NS)
    }
    assert links == {
        ("en", f"{SITE.url}guide/"),
        ("zh", f"{SITE.url}zh/guide/"),
        ("x-default", f"{SITE.url}guide/"),
    }
    assert found[f"{SITE.url}zh/only/"].findall("x:link", NS) == []


@pytest.mark.parametrize(
    ("paths", "folders"),
    [
        (("x.md", "zh/x.md"), {"zh": "zh"}),
        (("en/x.md", "zh-CN/x.md"), {"en": "en", "zh-CN": "zh-CN"}),
        (("docs/x.md", "docs/zh_CN/x.md"), {"docs/zh_CN": "zh-CN"}),
        (("a/en/b/x.md", "a/zh/b/x.md"), {"a/en": "en", "a/zh/": "zh"}),
    ],
)
def test_parallel_folders_of_languages_hold_translations(
    paths: tuple[str, str], folders: dict[str, str]
) -> None:
    facts = [page(paths[0], "en"), page(paths[1], "zh")]
    found = translations(facts, "en", folders)
    both = tuple(Translation(note.language, note.url) for note in facts)
    assert found == {note.doc_id: both for note in facts}


def test_a_folder_that_only_has_a_language_holds_no_translations() -> None:
    facts = [page("index.md", "zh"), page("blog/index.md", "en")]
    assert translations(facts, "zh", {"blog": "en"}) == {}


def test_front_matter_joins_notes_of_any_path() -> None:
    facts = [page("one.md", "en"), page("zwei.md", "de"), page("三.md", "zh")]
    claims = {
        "one": TranslationClaim(key="count"),
        "zwei": TranslationClaim(key="count"),
        "三": TranslationClaim(of="one"),
    }
    found = translations(facts, "de", {}, claims)
    assert [version.language for version in found["三"]] == ["de", "en", "zh"]


def test_of_two_notes_in_one_language_the_first_by_path_stands() -> None:
    facts = [page("b.md", "en"), page("a.md", "en"), page("c.md", "zh")]
    found = translations(facts, "en", {}, {note.doc_id: TranslationClaim("k") for note in facts})
    assert found.keys() == {"a", "c"}


def test_translations_do_not_depend_on_the_order_of_notes() -> None:
    facts = [page(f"{name}.md", language) for name in "abc" for language in ("en",)]
    facts += [page(f"zh/{name}.md", "zh") for name in "abc"]
    forth = translations(facts, "en", {"zh": "zh"})
    assert forth == translations(facts[::-1], "en", {"zh": "zh"})
    assert len(forth) == 6


def test_what_front_matter_says_of_translations_is_read() -> None:
    assert translation_claim({"translationKey": "k"}) == TranslationClaim(key="k")
    assert translation_claim({"translation_of": "[[a/b|B]]"}) == TranslationClaim(of="a/b")
    assert translation_claim({"translation_of": ["x"]}) == TranslationClaim()


def test_a_page_in_one_language_alone_has_no_alternates() -> None:
    assert list(alternates(SITE, [Translation("en", "a/")])) == []


def test_robots_names_the_sitemap_of_a_site_with_an_address() -> None:
    assert b"Sitemap: https://notes.example/n/sitemap.xml\n" in robots_file(SITE).body
    assert b"Sitemap" not in robots_file(SiteSettings("Notes")).body
