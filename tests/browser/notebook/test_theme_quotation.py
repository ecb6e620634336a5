"""Selected words are copied with all that is needed to find and check them later."""

from __future__ import annotations

import json

import pytest
from playwright.async_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

CLIPBOARD = ["clipboard-read", "clipboard-write"]
SELECT = """([from, to]) => {
  const text = document.querySelector("nb-article");
  const blocks = [...text.querySelectorAll("p, li, td")];
  const paragraph = blocks.find((block) => block.textContent.includes(from));
  const walker = document.createTreeWalker(paragraph, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  while (walker.nextNode()) {
    const { data } = walker.currentNode;
    if (data.includes(from)) range.setStart(walker.currentNode, data.indexOf(from));
    if (data.includes(to)) range.setEnd(walker.currentNode, data.indexOf(to) + to.length);
  }
  getSelection().removeAllRanges();
  getSelection().addRange(range);
}"""


async def copied(page: Page, first: str, last: str) -> list[str]:
    await page.evaluate(SELECT, [first, last])
    await page.get_by_role("button", name="Copy as citation").click()
    await page.get_by_role("status").get_by_text("Citation copied").wait_for()
    return (await page.evaluate("navigator.clipboard.readText()")).split("\n")


async def test_a_citation_names_words_section_address_revision_and_document(
    visit, notebook
) -> None:
    page = await visit(notebook, "en/deadlock/", permissions=CLIPBOARD)
    manifest = json.loads((notebook.folder / "ai" / "manifest.json").read_bytes())
    document = await page.locator(".colophon nb-hash").last.get_attribute("data-sha256")
    assert await copied(page, "The ring is", "wish it.") == [
        (
            "“The ring is the only condition that a convention can rule out: give every lock a "
            "rank, and take locks in rising order. The other three belong to the resource, and no "
            "printer becomes shareable because we wish it.”"
        ),
        "Deadlock · The four conditions · Kernel Notes",
        "https://kernel.example/en/deadlock/#the-four-conditions",
        f"Revision {manifest['revision']}",
        f"Document {document}",
    ]


async def test_signs_of_footnotes_and_sections_are_not_quoted(visit, notebook) -> None:
    page = await visit(notebook, "en/deadlock/", permissions=CLIPBOARD)
    await page.locator("figure.code button").wait_for()
    await page.evaluate(
        """() => {
          const range = document.createRange();
          const [from, to] = document.querySelectorAll("nb-article > h2");
          range.setStartBefore(from);
          range.setEndBefore(to);
          getSelection().removeAllRanges();
          getSelection().addRange(range);
        }"""
    )
    await page.get_by_role("button", name="Copy as citation").click()
    await page.get_by_role("status").get_by_text("Citation copied").wait_for()
    quoted = (await page.evaluate("navigator.clipboard.readText()")).split("\n")[0]
    assert quoted.startswith("“The four conditions Four things")
    assert "§" not in quoted
    assert "wish it. A ring" in quoted


async def test_words_before_the_first_section_cite_the_note_alone(visit, notebook) -> None:
    page = await visit(notebook, "zh/死锁/", permissions=CLIPBOARD)
    await page.evaluate(SELECT, ["没有哪里坏掉", "谁在忙"])
    await page.get_by_role("button", name="复制为引用").click()
    await page.get_by_role("status").get_by_text("引用已复制").wait_for()
    lines = (await page.evaluate("navigator.clipboard.readText()")).split("\n")
    assert lines[:2] == ["“没有哪里坏掉，也没有谁在忙”", "死锁：谁也不肯先放手 · Kernel Notes"]
    assert "#" not in lines[2]


async def test_it_goes_with_the_selection_and_with_escape(visit, notebook) -> None:
    page = await visit(notebook, "en/deadlock/")
    button = page.get_by_role("button", name="Copy as citation")
    await page.evaluate(SELECT, ["Nothing is broken", "busy"])
    await button.wait_for()
    await page.keyboard.press("Escape")
    await button.wait_for(state="hidden")
    await page.evaluate(SELECT, ["Take away", "condition"])
    await page.evaluate(SELECT, ["Take away", "cannot"])
    await button.wait_for()
    await page.evaluate("getSelection().removeAllRanges()")
    await button.wait_for(state="hidden")


async def test_words_outside_the_note_are_no_quotation(visit, notebook) -> None:
    page = await visit(notebook, "en/deadlock/")
    await page.evaluate(SELECT, ["Nothing is broken", "busy"])
    await page.get_by_role("button", name="Copy as citation").wait_for()
    await page.evaluate("getSelection().selectAllChildren(document.querySelector('.colophon'))")
    await page.get_by_role("button", name="Copy as citation").wait_for(state="hidden")


async def test_without_a_manifest_the_revision_is_left_out(visit, notebook) -> None:
    async def without(page: Page) -> None:
        await page.route("**/ai/manifest.json", lambda route: route.fulfill(status=404, body=""))

    page = await visit(notebook, "en/deadlock/", before=without, permissions=CLIPBOARD)
    lines = await copied(page, "Nothing is broken", "busy")
    assert len(lines) == 4
    assert lines[3].startswith("Document ")
