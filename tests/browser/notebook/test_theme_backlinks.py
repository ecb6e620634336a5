"""What other notes say of a note: read from the published knowledge when it comes near."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Page, Route

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

LINKED = "nb-backlinks .refs > li"
DEADLOCK = "en/deadlock"
OBJECTS = re.compile(r"/ai/objects/(segment|terms|shard|docs|doc|delta)/")


async def to_the_end(page: Page) -> None:
    await page.locator(".colophon").scroll_into_view_if_needed()


async def sentences(page: Page) -> dict[str, str]:
    await to_the_end(page)
    await page.locator(LINKED).first.wait_for()
    items = await page.locator(LINKED).all()
    return {
        await item.locator("a").inner_text(): await item.locator("p").inner_text() for item in items
    }


async def test_every_note_that_links_here_is_named_with_its_sentence(visit, notebook) -> None:
    page = await visit(notebook, "en/deadlock/")
    assert await sentences(page) == {
        "Banker’s algorithm": (
            "He refuses every state from which a deadlock could no longer be avoided."
        ),
        "Kernel Notes": "Begin with deadlock, or with the lock that makes it possible.",
        "Livelock": "A deadlock is silent; a livelock keeps the fans running.",
        "Locks": (
            "No ring can form then, which is why ranks rule out a deadlock by convention alone."
        ),
        "Priority inversion": (
            "Unlike a deadlock, an inversion ends by itself; the harm is that it ends late."
        ),
    }
    assert await page.locator("nb-backlinks .cap").inner_text() == "5 notes"
    assert await page.locator(f"{LINKED} b").all_inner_texts() == ["deadlock"] * 5


async def test_chinese_sentences_end_where_they_end(visit, notebook) -> None:
    page = await visit(notebook, "zh/死锁/")
    found = await sentences(page)
    assert found["银行家算法"] == "凡是以后可能躲不开死锁的状态，它一律拒绝进入。"
    assert found["锁"] == "给锁排好等级，死锁就围不成圈。"


async def test_a_backlink_opens_at_the_section_that_links(visit, notebook) -> None:
    page = await visit(notebook, "en/deadlock/")
    await sentences(page)
    address = await page.locator(f"{LINKED} a", has_text="Locks").get_attribute("href")
    assert address == f"{notebook.url}en/locks/#ranks"


async def test_nothing_is_fetched_for_them_before_they_come_near(visit, notebook) -> None:
    page = await visit(notebook, "en/deadlock/", height=500)
    await page.locator(".side nb-nav[data-state=ready]").wait_for()
    await page.wait_for_load_state("networkidle")
    assert [each.path for each in notebook.answered if OBJECTS.search(each.path)] == []
    await sentences(page)
    assert [each.path for each in notebook.answered if OBJECTS.search(each.path)]


async def test_a_note_that_nobody_links_to_shows_no_list(visit, notebook) -> None:
    page = await visit(notebook, "")
    await to_the_end(page)
    await page.wait_for_load_state("networkidle")
    assert await page.locator("nb-backlinks").evaluate("it => it.childElementCount") == 0
    assert await page.locator("nb-backlinks").evaluate("it => it.offsetHeight") == 0


async def test_a_document_that_does_not_match_its_hash_is_left_out(visit, notebook) -> None:
    async def forge(page: Page) -> None:
        async def answer(route: Route) -> None:
            response = await route.fetch()
            body = await response.body()
            await route.fulfill(response=response, body=body.replace(b"He refuses", b"He invites"))

        await page.route(re.compile(r"/ai/objects/doc/"), answer)

    page = await visit(notebook, "en/deadlock/", before=forge)
    found = await sentences(page)
    assert "Banker’s algorithm" not in found
    assert "Locks" in found


async def test_a_site_without_an_index_shows_nothing_and_says_nothing(visit, notebook) -> None:
    async def without(page: Page) -> None:
        await page.route(OBJECTS, lambda route: route.fulfill(status=404, body="none"))

    page = await visit(notebook, "en/deadlock/", before=without)
    await to_the_end(page)
    await page.wait_for_load_state("networkidle")
    assert await page.locator(LINKED).count() == 0
    assert await page.locator("nb-related li").count() == 0
    assert await page.get_by_role("status").inner_text() == ""


def row_of(notebook, doc_id: str) -> tuple[int, int]:
    """The row of a document of the only segment: its ordinal and its units."""
    rows = [row for page in notebook.objects("docs") for row in page["docs"]]
    ordinal = next(number for number, row in enumerate(rows) if row[0] == doc_id)
    return ordinal, rows[ordinal][5]


async def test_newer_documents_count_and_dropped_rows_do_not(visit, own_notebook) -> None:
    [root] = own_notebook.objects("root")
    edited = own_notebook.doc("en/livelock")
    text = str(edited["text"]).replace("is silent", "makes no sound")
    newer = own_notebook.put({**edited, "text": text})
    gone = row_of(own_notebook, "en/locks")
    old = row_of(own_notebook, "en/livelock")
    row = ["en/livelock", "Livelock", "en", newer["sha256"], newer["size"]]
    delta = own_notebook.put(
        {
            "kind": "delta",
            "base": root["segments"][0]["sha256"],
            "drop": [[0, *gone], [0, *old]],
            "docs": [row],
        }
    )
    own_notebook.point_at({**root, "delta": delta})
    page = await visit(own_notebook, "en/deadlock/")
    found = await sentences(page)
    assert found["Livelock"] == "A deadlock makes no sound; a livelock keeps the fans running."
    assert "Locks" not in found
    assert len(found) == 4


async def test_only_some_are_fetched_until_more_are_wanted(visit, notebook) -> None:
    """The list is long only where the index says so: a row that names one document many times."""
    page = await visit(notebook, "en/deadlock/")
    await sentences(page)
    shown = await page.evaluate(
        """async () => {
          const { thisIndex } = await import("/assets/client/knowledge/this-index.js");
          const index = await thisIndex();
          const few = await index.ordinals("link:en/deadlock");
          index.ordinals = async () => Array.from({ length: 20 }, (_, n) => few[n % few.length]);
          const list = document.createElement("nb-backlinks");
          const words = { title: "t", count: "{n}", more: "{n} more" };
          Object.assign(list.dataset, { docId: "en/deadlock", ...words });
          const shown = () => list.querySelectorAll("li > a").length;
          document.querySelector(".after").append(list);
          while (!list.querySelector("button")) await new Promise(requestAnimationFrame);
          const counts = [shown()];
          while (list.querySelector("button")) {
            const before = shown();
            list.querySelector("button").click();
            while (shown() === before) await new Promise(requestAnimationFrame);
            counts.push(shown());
          }
          return counts;
        }"""
    )
    assert shown == [8, 16, 20]


RELATED = "nb-related .refs > li"


async def test_related_notes_are_alike_of_one_language_and_not_linked_from_twice(
    visit, notebook
) -> None:
    page = await visit(notebook, "en/locks/")
    await to_the_end(page)
    await page.locator(RELATED).first.wait_for()
    pages = "all => all.map((link) => new URL(link.href).pathname)"
    related = await page.locator(f"{RELATED} a").evaluate_all(pages)
    linking = await page.locator(f"{LINKED} a").evaluate_all(pages)
    assert related[0] == "/en/bankers-algorithm/"
    assert not set(related) & set(linking)
    languages = await page.locator(RELATED).evaluate_all("all => all.map((item) => item.lang)")
    assert set(languages) == {"en"}


SENTENCES = [
    ("One. See [[X|the x]] now. Two.", "the x", 0, "See |the x| now."),
    ("- one [x](x.md)\n- two [x](x.md)", "x", 1, "two |x|"),
    ("X first, x.\n\n> quoted *[x](x.md)* **bold**", "x", 0, "quoted |x| bold"),
    ("| a | b |\n|---|---|\n| see [[x]] | c |", "x", 0, "see |x| · c"),
    ("看[[锁]]，再看。后面。", "锁", 0, "看|锁|，再看。"),
    ("第一行\n接着[[锁]]。", "锁", 0, "第一行接着|锁|。"),
    ("Gone.", "x", 0, "|x|"),
]


@pytest.mark.parametrize(("text", "words", "number", "expected"), SENTENCES)
async def test_the_sentence_is_cut_from_the_markdown(
    visit, notebook, text, words, number, expected
) -> None:
    page = await visit(notebook, "")
    found = await page.evaluate(
        """async ([text, words, number]) => {
          const { linkingSentence } = await import("/assets/client/backlinks/linking-sentence.js");
          const links = [{ section: 0, kind: "doc", to: "other", text: words }];
          links.splice(number ? 1 : 0, 0, { section: 0, kind: "doc", to: "x", text: words });
          const sections = [{ anchor: "a", level: 2, start: 0, end: [...text].length }];
          const said = linkingSentence({ text, language: "en", sections, links }, "x");
          return `${said.before}|${said.words}|${said.behind}`;
        }""",
        [text, words, number],
    )
    assert found == expected


async def test_a_hostile_paragraph_costs_no_time(visit, notebook) -> None:
    page = await visit(notebook, "")
    spent = await page.evaluate(
        """async () => {
          const { linkingSentence } = await import("/assets/client/backlinks/linking-sentence.js");
          const links = [{ section: 0, kind: "doc", to: "x", text: "x" }];
          const pieces = ["[", "*", "<a ", "%%", "`", "| ", "(", "_", "!["];
          const start = performance.now();
          for (const piece of pieces) {
            const text = piece.repeat(40000) + " [[x]] " + piece.repeat(40000);
            const sections = [{ anchor: "a", level: 2, start: 0, end: text.length }];
            linkingSentence({ text, language: "en", sections, links }, "x");
          }
          return performance.now() - start;
        }"""
    )
    assert spent < 5000
