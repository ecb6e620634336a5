"""Everything beside the pages, put together; and the files for older readers."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import replace

import pytest

from manifest.references import Reference
from site_builder.beside.legacy_endpoints import legacy_document, legacy_id, legacy_lists
from site_builder.beside.site_beside import BesideInput, EarlierState, SiteBeside, site_beside
from site_builder.categories import CategoryNode
from site_builder.note import FindingKind, Link, LinkKind, Meta
from site_builder.note_index import IndexedNote, NoteIndex
from site_builder.page_facts import PageFacts, SiteSettings
from site_builder.page_view import Translation

SITE = SiteSettings("Notes", url="https://notes.example/")
DOC = Reference(sha256="a" * 64, size=1)
TEXT = "Enough of a text to tell this one note from all of the others that there are."


def page(path: str, language: str = "en", **more: object) -> PageFacts:
    stem = path.removesuffix(".md")
    url = "" if stem == "index" else f"{stem}/"
    return replace(PageFacts(stem, path, url, stem, language, doc=DOC), **more)  # type: ignore[arg-type]


def beside(
    facts: list[PageFacts],
    meta: Mapping[str, Mapping[str, Meta]] | None = None,
    assets: tuple[str, ...] = (),
    **more: object,
) -> SiteBeside:
    index = NoteIndex.build(
        (IndexedNote(each.doc_id, each.path, each.url, each.title) for each in facts), assets
    )
    return site_beside(BesideInput(SITE, "base", facts, meta or {}, index, **more))  # type: ignore[arg-type]


def test_a_whole_site_has_every_file_once() -> None:
    facts = [page("a.md", date="2024-01-02"), page("b.md"), page("index.md")]
    found = beside(facts, {"a": {"redirect_from": "/old/"}})
    files = dict(found.files(["tags/"]))
    assert set(files) >= {
        "robots.txt",
        "sitemap.xml",
        "feed.xml",
        "llms.txt",
        "_redirects",
        "old/index.html",
        "ai/redirects.json",
    }
    assert len(files) == len(list(found.files(["tags/"])))
    assert b"https://notes.example/tags/" in files["sitemap.xml"]
    assert b"[Feed](https://notes.example/feed.xml)" in files["llms.txt"]
    assert found.twins == {"a": "a/index.md", "b": "b/index.md", "index": "index.md"}
    assert found.findings == ()


def test_translations_are_named_by_front_matter_and_found_by_name() -> None:
    facts = [page("guide.md"), page("指南.md", "zh"), page("lost.md", "zh")]
    meta: dict[str, dict[str, Meta]] = {
        "指南": {"translation_of": "[[guide]]"},
        "lost": {"translation_of": "nowhere"},
    }
    found = beside(facts, meta)
    by_path = {each.path: each for each in found.facts}
    assert found.translations(by_path["guide.md"]) == (Translation("zh", "指南/"),)
    assert found.translations(by_path["指南.md"]) == (Translation("en", "guide/"),)
    assert [(each.path, each.kind) for each in found.findings] == [
        ("lost.md", FindingKind.MISSING_NOTE)
    ]
    assert 'hreflang="zh"' in found.head(found.facts[0], ())


def test_a_picture_is_a_file_among_the_notes_or_a_web_address() -> None:
    facts = [page("a/x.md"), page("b.md"), page("c.md"), page("d.md")]
    meta: dict[str, dict[str, Meta]] = {
        "a/x": {"image": "pic.png"},
        "b": {"cover": "![[pic.png]]"},
        "c": {"image": "https://cdn.example/p.png"},
        "d": {"image": "gone.png"},
    }
    found = beside(facts, meta, assets=("a/pic.png",))
    assert found.images == {
        "a/x": "a/pic.png",
        "b": "a/pic.png",
        "c": "https://cdn.example/p.png",
    }
    assert [(each.path, each.kind) for each in found.findings] == [
        ("d.md", FindingKind.MISSING_FILE)
    ]
    assert "https://notes.example/a/pic.png" in found.head(found.facts[0], ())


def test_moves_and_earlier_redirects_are_kept() -> None:
    earlier = EarlierState(
        addresses={"a": "was/a/", "gone": "was/gone/", "same": "same/"},
        redirects={"older/": "gone", "oldest/": "a", "dead/": "nobody"},
        text_of=lambda doc_id: TEXT,
    )
    facts = [page("a.md"), page("new.md"), page("same.md")]
    found = beside(facts, earlier=earlier, text_of=lambda doc_id: TEXT)
    assert {each.doc_id: each.former for each in found.facts} == {
        "a": ("oldest/", "was/a/"),
        "new": ("older/", "was/gone/"),
        "same": (),
    }


def test_the_authors_file_moves_notes() -> None:
    found = beside([page("new.md")], rules="old.md -> new.md\nbad line here\n")
    assert found.facts[0].former == ("old/",)
    assert [(each.path, each.line) for each in found.findings] == [("redirects", 2)]


def test_the_same_notes_give_the_same_bytes_in_any_order() -> None:
    facts = [page(f"{n}.md", "zh" if n % 2 else "en", date="2024-01-02") for n in range(40)]
    once = list(beside(facts).files())
    assert once == list(beside(facts).files())
    again = dict(beside(sorted(facts, key=lambda each: each.path)).files())
    assert again == dict(once)


def test_an_edit_of_words_changes_one_list_of_thousands() -> None:
    facts = [page(f"n{n:05d}.md", category=(f"c{n % 40:02d}",)) for n in range(6000)]
    started = time.process_time()
    before = dict(beside(facts).files())
    seconds = time.process_time() - started
    facts[17] = replace(facts[17], summary="Other words.")
    after = dict(beside(facts).files())
    assert len([path for path, body in after.items() if before.get(path) != body]) == 1
    added = [*facts, page("n99999.md", category=("c07",))]
    more = dict(beside(added).files())
    changed = [path for path, body in more.items() if after.get(path) != body]
    assert len(changed) <= 4
    assert sum(len(more[path]) for path in changed) < 60_000
    assert seconds < 10


def test_an_older_reader_knows_a_note_by_its_path() -> None:
    assert legacy_id("操作系统/dead-lock.md") == "操作系统-dead@@lock"
    file = legacy_document(
        page("a/b-c.md", date="2024-01-02"), "# Text\n", {"tags": ["x"], "date": "2024-01-02"}
    )
    assert file.path == "a/b-c.md.json"
    assert json.loads(file.body) == {
        "name": "b-c",
        "id": "a-b@@c",
        "content": "# Text\n",
        "metadata": "tags:\n- x\ndate: '2024-01-02'",
        "commitList": [],
        "hasMoreCommit": False,
        "totalCommits": 0,
        "createTime": "2024-01-02",
    }


def test_older_readers_get_their_three_lists() -> None:
    facts = [page("os/锁.md"), page("os/index.md"), page("loose.md"), page("SUMMARY.md")]
    facts.append(page("private.md", doc=None))
    tree = CategoryNode("Notes", documents=["loose", "private"])
    tree.children.append(CategoryNode("OS", "os/index", ["os/index", "os/锁"]))
    links = {
        "os/锁": (
            Link(0, LinkKind.DOC, "loose", "part", "see"),
            Link(0, LinkKind.EXTERNAL, "https://x.example/", "", "x"),
            Link(0, LinkKind.DOC, "private", "", "p"),
        ),
        "SUMMARY": (Link(0, LinkKind.DOC, "loose", "", "l"),),
    }
    files = dict(legacy_lists(facts, tree, links, [("locks", ["os/锁", "gone"])]))
    read = {path: json.loads(body) for path, body in files.items()}
    assert read["category.json"] == [
        {
            "name": "OS",
            "link": "./os/index.md",
            "chidren": [{"name": "os/锁", "link": "./os/%E9%94%81.md", "chidren": []}],
        },
        {"name": "loose", "link": "./loose.md", "chidren": []},
    ]
    assert read["knowledgeNetwork.json"] == [
        {"id": "os-锁", "links": [{"id": "loose", "headingId": "part", "name": "see"}]}
    ]
    assert read["docCluster.json"] == [
        {
            "name": "",
            "children": [{"name": "locks", "children": [{"name": "os/锁.md", "children": []}]}],
        }
    ]


@pytest.mark.parametrize("title", ["</script>", "\u202e]]>", 'a"b', "x\ny", "\x00"])
def test_no_title_breaks_any_file(title: str) -> None:
    facts = [page("a.md", title=title, summary=title, category=(title,), date="2024-01-02")]
    for path, body in beside(facts).files():
        text = body.decode("utf-8")
        assert "</script><" not in text, path
        assert "\u202e" not in text, path
        assert "\x00" not in text, path
