"""The graph around one note, in its page."""

from __future__ import annotations

import pytest
from playwright.async_api import Page, expect

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

AROUND = """async ([docId, title]) => {
  const { neighbourhood } = await import("/assets/client/graph/neighbourhood.js");
  const { thisSite } = await import("/assets/client/knowledge/this-site.js");
  const { thisIndex } = await import("/assets/client/knowledge/this-index.js");
  const here = { docId, url: `${docId}/`, title };
  const { notes, links } = await neighbourhood(thisSite, await thisIndex(), here, new AbortController().signal);
  const pairs = [];
  for (let at = 0; at < links.length; at += 2) pairs.push(`${notes[links[at]].id} > ${notes[links[at + 1]].id}`);
  return { ids: notes.map(({ id }) => id), pairs };
}"""  # noqa: E501


async def unfolded(look, site, path: str) -> Page:
    page = await look(site, path)
    await page.locator("details.around > summary").scroll_into_view_if_needed()
    await page.locator("details.around > summary").click()
    await page.locator("nb-graph[data-state=ready]").wait_for()
    return page


async def test_it_holds_the_notes_that_link_and_are_linked(look, small_site) -> None:
    model = small_site.model
    page = await look(small_site, "locks/n5/")
    found = await page.evaluate(AROUND, ["locks/n5", "locks/n5 title"])
    around = {b for a, b in model.edges() if a == "locks/n5"}
    around |= {a for a, b in model.edges() if b == "locks/n5"}
    assert found["ids"][0] == "locks/n5"
    assert set(found["ids"][1:]) == around
    assert {tuple(pair.split(" > ")) for pair in found["pairs"]} <= model.edges()


async def test_of_very_many_links_some_are_shown(look, small_site) -> None:
    page = await look(small_site, "locks/n0/")
    found = await page.evaluate(AROUND, ["locks/n0", "Deadlock"])
    assert 10 <= len(found["ids"]) <= 40
    assert "new" in found["ids"], "a newer note that links here"
    assert "memory/n29" not in found["ids"]


async def test_nothing_is_fetched_before_it_is_unfolded(look, small_site) -> None:
    requests: list[str] = []

    async def listen(page: Page) -> None:
        page.on("request", lambda request: requests.append(request.url))

    page = await look(small_site, "locks/n5/", before=listen)
    await page.locator(".around").scroll_into_view_if_needed()
    await page.wait_for_load_state("networkidle")
    assert not any("/graph" in url for url in requests)
    await page.locator("details.around > summary").click()
    await page.locator("nb-graph[data-state=ready]").wait_for()
    assert any("/graph/local-graph.js" in url for url in requests)
    assert all(url.startswith(small_site.url) for url in requests)


async def test_a_note_without_links_says_so(look, small_site) -> None:
    page = await unfolded(look, small_site, "alone/")
    assert await page.locator(".around .hint").is_visible()
    assert not await page.locator(".around .stage").is_visible()


async def test_keys_choose_and_enter_opens(look, small_site) -> None:
    page = await unfolded(look, small_site, "locks/n5/")
    await page.locator(".around summary").focus()
    await page.keyboard.press("Tab")
    said = page.locator(".around [role=status]")
    for key in ("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"):
        await page.keyboard.press(key)
        if await said.inner_text():
            break
    chosen = await said.inner_text()
    ids = [note.id for note in small_site.model.notes.values() if note.title == chosen]
    await page.keyboard.press("Enter")
    await page.wait_for_url(f"{small_site.url}{ids[0]}/")


async def test_the_wheel_stays_the_pages(look, small_site) -> None:
    page = await look(small_site, "locks/n5/", height=460)
    await page.locator("details.around > summary").click()
    await page.locator("nb-graph[data-state=ready]").wait_for()
    await page.locator(".around .whole").scroll_into_view_if_needed()
    await page.locator(".around canvas").hover()
    before = await page.evaluate("scrollY")
    assert before > 0
    await page.mouse.wheel(0, -120)
    await page.wait_for_function("before => scrollY < before", arg=before)


async def test_it_leads_to_the_whole_graph_with_the_note_chosen(look, small_site) -> None:
    page = await unfolded(look, small_site, "locks/n5/")
    await page.locator(".around .whole a").click()
    await expect(page.locator(".facet h2").first).to_have_text("locks/n5 title")
