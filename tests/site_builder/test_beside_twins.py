"""Markdown twins and `llms.txt` with its lists."""

from __future__ import annotations

import re
import time
from dataclasses import replace
from posixpath import dirname, join, normpath
from urllib.parse import unquote

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from manifest.references import Reference
from site_builder.beside.llms import LLMS_PATH, llms_files
from site_builder.beside.twin_links import TwinLinks
from site_builder.beside.twins import has_twin, twin_file
from site_builder.dialect import compile_note
from site_builder.linking import IndexedNote, NoteIndex, link_note
from site_builder.page_facts import PageFacts, SiteSettings
from site_builder.source import read_source

SITE = SiteSettings("Notes", url="https://notes.example/", description="What I know.")
DOC = Reference(sha256="a" * 64, size=10)

NOTES = {
    "os/deadlock.md": "# Deadlock\n\n## What it is\n",
    "os/Let's (2).md": "# Two\n",
    "index.md": "# Home\n",
}
ASSETS = ("os/pic one.png", "os/talk.mp3")


def twin_of(text: str, path: str = "os/lock.md") -> str:
    """What the twin of a note with this text says, its head left out."""
    sources = {path: text, **{name: body for name, body in NOTES.items() if name != path}}
    compiled = {
        name: compile_note(read_source(name, body.encode())) for name, body in sources.items()
    }
    ids = {name: name.removesuffix(".md") for name in sources}
    urls = {ids[name]: "" if name == "index.md" else f"{ids[name]}/" for name in sources}
    index = NoteIndex.build(
        (IndexedNote.of(note, ids[name], urls[ids[name]]) for name, note in compiled.items()),
        ASSETS,
    )
    linked = link_note(index, compiled[path], ids[path])
    twins = {doc_id: f"{url}index.md" for doc_id, url in urls.items()}
    links = TwinLinks.of(twins[ids[path]], compiled[path].links, linked.links, twins)
    return links.rewritten(compiled[path].text).strip("\n")


@pytest.mark.parametrize(
    ("written", "twin"),
    [
        ("[[deadlock]]", "[deadlock](../deadlock/index.md)"),
        ("[[deadlock|dead `x`]]", r"[dead \`x\`](../deadlock/index.md)"),
        (
            "[[deadlock#What it is]]",
            "[deadlock > What it is](../deadlock/index.md#what-it-is)",
        ),
        ("[[Let's (2)]]", "[Let's (2)](../Let%27s%20%282%29/index.md)"),
        ("[d](deadlock.md#what-it-is)", "[d](../deadlock/index.md#what-it-is)"),
        ("[d](</os/deadlock.md> \"t\")", "[d](../deadlock/index.md \"t\")"),
        ("[d](Let's%20%282%29.md)", "[d](../Let%27s%20%282%29/index.md)"),
        ("[home](../index.md)", "[home](../../index.md)"),
        ("see [d][x]\n\n[x]: deadlock.md", "see [d][x]\n\n[x]: ../deadlock/index.md"),
        ("![a|300](<pic one.png>)", "![a|300](../pic%20one.png)"),
        ("![[pic one.png|300]]", "![pic one.png](../pic%20one.png)"),
        ("![[talk.mp3]]", "[talk.mp3](../talk.mp3)"),
        ("![[deadlock#What it is]]", "[deadlock > What it is](../deadlock/index.md#what-it-is)"),
        ("x\n\n<img src=\"pic one.png\">", "x\n\n<img src=\"../pic%20one.png\">"),
        ("## Here\n\n[[#Here]] [h](#here)", "## Here\n\n[Here](#here) [h](#here)"),
    ],
)  # fmt: skip
def test_a_link_leads_on_from_where_the_twin_stands(written: str, twin: str) -> None:
    assert twin_of(written) == twin


@pytest.mark.parametrize(
    "text",
    [
        "[[nowhere]] and [x](gone.md) and ![[gone.png]]",
        "[web](https://example.org/deadlock.md) <https://example.org>",
        "`[[deadlock]]` and ``[d](deadlock.md) ` `` stay",
        "```md\n[[deadlock]]\n[d](deadlock.md)\n```",
        "~~~~\n~~~\n[[deadlock]]\n~~~~",
        "<!-- [[deadlock]] -->",
        "no links at all",
    ],
)
def test_what_is_no_link_to_the_notes_stays_as_it_is(text: str) -> None:
    with_link = f"{text}\n\n[[index]]"
    assert twin_of(with_link).partition("\n\n[index]")[0] == text


def test_links_after_code_are_still_found() -> None:
    text = "```\ncode\n```\n\n`x` [[deadlock]]\n"
    assert "[deadlock](../deadlock/index.md)" in twin_of(text)


@pytest.mark.parametrize(
    "hostile",
    [
        "`" * 200000,
        "<!--" * 100000,
        "[[a" * 100000,
        "](" * 100000,
        "~~~\n" * 50000,
        "".join("`" * n + "x" for n in range(1, 1500)),
        "[" * 100000,
        'href="' * 60000,
    ],
)
def test_hostile_text_takes_no_more_time_than_it_is_long(hostile: str) -> None:
    links = one_link()
    started = time.process_time()
    links.rewritten(hostile)
    assert time.process_time() - started < 5


def one_link() -> TwinLinks:
    """The links of a note that has one, so that its text is looked through."""
    compiled = compile_note(read_source("a.md", b"[[b]]"))
    note = IndexedNote.of(compiled, "a", "a/")
    other = IndexedNote.of(compile_note(read_source("b.md", b"# B")), "b", "b/")
    linked = link_note(NoteIndex.build((note, other)), compiled, "a")
    return TwinLinks.of("a/index.md", compiled.links, linked.links, {"b": "b/index.md"})


def facts(**more: object) -> PageFacts:
    page = PageFacts(
        "os/lock", "os/lock.md", "os/lock/", "Lock", "en", doc=DOC, category=("OS",), summary="."
    )  # fmt: skip
    return replace(page, **more)  # type: ignore[arg-type]


NO_LINKS = TwinLinks.of("", (), (), {})


def test_the_head_of_a_twin_says_which_document_it_is() -> None:
    page = facts(tags=("a", "no"), date="2024-01-02", updated="007")
    file = twin_file(replace(SITE, license="CC BY"), page, "# Lock\n\nText\n", NO_LINKS)
    _, head, body = file.body.decode().split("---\n", 2)
    assert file.path == "os/lock/index.md"
    assert body == "\n# Lock\n\nText\n"
    assert yaml.safe_load(head) == {
        "title": "Lock",
        "url": "https://notes.example/os/lock/",
        "docId": "os/lock",
        "documentSha256": "a" * 64,
        "language": "en",
        "category": ["OS"],
        "tags": ["a", "no"],
        "date": "2024-01-02",
        "updated": "007",
        "license": "CC BY",
    }


@given(st.text(max_size=40))
def test_no_title_breaks_the_head(title: str) -> None:
    page = facts(title=title, doc_id=title, tags=(title,))
    text = twin_file(SITE, page, "---\nx", NO_LINKS).body.decode()
    head = yaml.safe_load(text.split("\n---\n", 1)[0].removeprefix("---\n"))
    assert isinstance(head["title"], str)
    assert head["docId"] == re.sub("[\ufffe\uffff]", "\ufffd", title)


def test_a_page_outside_the_knowledge_has_no_twin() -> None:
    assert has_twin(facts())
    assert not has_twin(facts(doc=None))


LINK = re.compile(r"- \[(?P<title>[^\]]+)\]\((?P<url>[^)]+)\)(?:: (?P<notes>.+))?")


def strictly_parsed(text: str) -> dict[str, list[re.Match[str]]]:
    """The sections of an llms.txt by the grammar of llmstxt.org; anything else fails."""
    parts = re.split(r"^## (.+)$", text, flags=re.M)
    head = re.fullmatch(r"# [^\n]+\n\n> [^\n]+\n\n(?P<details>.+)", parts[0].strip(), re.S)
    assert head
    assert not re.search("^#", head["details"], re.M)
    sections = {}
    for title, body in zip(parts[1::2], parts[2::2], strict=True):
        lines = [line for line in body.split("\n") if line.strip()]
        links = [LINK.fullmatch(line) for line in lines]
        assert all(links), lines
        sections[title] = [link for link in links if link]
    return sections


def many(count: int, *category: str) -> list[PageFacts]:
    return [
        facts(doc_id=f"{number}", url=f"{number:05d}/", title=f"Note {number}", category=category)
        for number in range(count)
    ]


def test_llms_txt_is_valid_and_leads_to_every_note() -> None:
    pages = [*many(300, "OS"), facts(url="", doc_id="home", category=())]
    pages += [
        replace(page, doc_id=f"d-{page.doc_id}", url=f"db/{page.url}")
        for page in many(9, "OS", "DB")
    ]
    pages += [facts(url="secret/", doc=None)]
    files = dict(llms_files(SITE, pages, "feed.xml"))
    sections = strictly_parsed(files[LLMS_PATH].decode())
    assert list(sections) == ["Knowledge", "Notes", "Optional"]
    assert sections["Knowledge"][0]["url"] == "https://notes.example/ai/manifest.json"
    assert [link["title"] for link in sections["Notes"]] == ["Notes in no category", "OS"]
    reached = set()
    pending = [link["url"].removeprefix(SITE.url) for link in sections["Notes"]]
    while pending:
        path = pending.pop()
        reached.add(path)
        for link in LINK.finditer(files[path].decode() if path in files else ""):
            there = normpath(join(dirname(path), unquote(link["url"])))
            if there not in reached:
                pending.append(there)
    assert {f"{page.url}index.md" for page in pages if page.doc} <= reached
    assert reached & files.keys() == files.keys() - {LLMS_PATH}
    assert "secret/index.md" not in reached


def test_a_new_note_changes_one_list_and_not_llms_txt() -> None:
    before = dict(llms_files(SITE, many(2000, "OS")))
    added = sorted(
        [*many(2000, "OS"), facts(doc_id="new", url="01000a/", category=("OS",))],
        key=lambda p: p.url,
    )
    after = dict(llms_files(SITE, added))
    changed = [path for path in before.keys() | after.keys() if before.get(path) != after.get(path)]
    assert len(changed) <= 4
    assert LLMS_PATH not in changed
    assert max(map(len, before.values())) < 32 * 1024


def test_categories_of_odd_names_have_lists_of_their_own() -> None:
    names = ["OS", "os", "../x", "a/b", "数据库", "?!", "x" * 300, "]]>", "new\nline"]
    pages = [
        facts(doc_id=name, url=f"{number}/", category=(name,)) for number, name in enumerate(names)
    ]
    files = [file for file in llms_files(SITE, pages) if file.path != LLMS_PATH]
    assert len({file.path.casefold() for file in files}) == len(names) + 1
    for file in files:
        assert re.fullmatch(r"ai/lists/[^/\\\x00-\x20]{1,60}\.md", file.path)
    strictly_parsed(dict(llms_files(SITE, pages))[LLMS_PATH].decode())


@given(st.text(max_size=30), st.text(max_size=30))
def test_llms_txt_is_valid_whatever_the_words(name: str, category: str) -> None:
    site = replace(SITE, name=name, description=category)
    pages = [facts(title=name, summary=category, category=(category,))]
    files = dict(llms_files(site, pages))
    strictly_parsed(files[LLMS_PATH].decode())


def test_an_empty_site_has_a_valid_llms_txt() -> None:
    files = dict(llms_files(SiteSettings("Notes"), []))
    assert strictly_parsed(files[LLMS_PATH].decode())["Notes"][0]["url"] in files
