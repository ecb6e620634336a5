"""Previews of links: after a while, for a pointer or the keyboard, and never in the way."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Locator, Page, Route

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

PAGE = re.compile(r"/en/(locks|bankers-algorithm)/$")


def card(page: Page) -> Locator:
    return page.locator("nb-preview:popover-open")


def link(page: Page, name: str) -> Locator:
    return page.locator(".prose").get_by_role("link", name=name, exact=True).first


async def test_pointing_at_a_link_shows_title_path_and_first_sentences(visit, notebook) -> None:
    page = await visit(notebook, "en/deadlock/")
    await link(page, "lock").hover()
    await card(page).wait_for()
    assert await card(page).locator("b").inner_text() == "Locks"
    assert (await card(page).locator(".path").inner_text()).lower() in ("en", "english")
    text = await card(page).locator("p").last.inner_text()
    assert text == (
        "A lock lets one thread at a time through a piece of code. Whoever comes second waits."
    )
    assert await link(page, "lock").get_attribute("aria-describedby") == "nb-preview"


async def test_a_link_to_a_section_shows_that_section(visit, notebook) -> None:
    page = await visit(notebook, "en/livelock/")
    await link(page, "deadlock").hover()
    await card(page).wait_for()
    assert await card(page).locator("b").inner_text() == "Deadlock › The four conditions"
    assert "Four things must hold" in await card(page).inner_text()


async def test_a_footnote_is_read_where_it_is_called(visit, notebook) -> None:
    page = await visit(notebook, "en/deadlock/")
    await page.locator("[role=doc-noteref]").hover()
    await card(page).wait_for()
    words = "A spooler makes the printer look shareable; the queue is the resource then."
    assert await card(page).inner_text() == words


async def test_a_passing_pointer_fetches_nothing(visit, notebook) -> None:
    page = await visit(notebook, "en/deadlock/")
    await page.wait_for_load_state("networkidle")
    notebook.answered.clear()
    await page.clock.install()
    await link(page, "lock").hover()
    await page.clock.run_for(250)
    await page.locator("h1").hover()
    await page.clock.run_for(1000)
    assert [each.path for each in notebook.answered if PAGE.search(each.path)] == []
    assert await card(page).count() == 0


async def test_the_keyboard_shows_it_too_and_escape_closes_it_alone(visit, notebook) -> None:
    page = await visit(notebook, "en/deadlock/")
    await page.locator(".prose").evaluate("it => { it.tabIndex = -1; it.focus(); }")
    await page.keyboard.press("Tab")
    while await page.evaluate("!document.activeElement.closest('.prose a[href*=locks]')"):
        await page.keyboard.press("Tab")
    await card(page).wait_for()
    await page.keyboard.press("Escape")
    await card(page).wait_for(state="detached")
    assert await page.evaluate("document.activeElement.textContent") == "lock"
    assert await page.evaluate("document.activeElement.hasAttribute('aria-describedby')") is False


async def test_the_pointer_may_move_onto_it_and_away(visit, notebook) -> None:
    page = await visit(notebook, "en/deadlock/")
    await link(page, "lock").hover()
    await card(page).wait_for()
    await page.clock.install()
    await card(page).hover()
    await page.clock.run_for(1000)
    assert await card(page).count() == 1
    await page.locator("h1").hover()
    await page.clock.run_for(1000)
    assert await card(page).count() == 0


async def test_nothing_comes_for_a_finger(visit, notebook) -> None:
    page = await visit(notebook, "en/deadlock/", width=390, has_touch=True, is_mobile=True)
    await page.evaluate("document.addEventListener('click', (press) => press.preventDefault())")
    await page.wait_for_load_state("networkidle")
    notebook.answered.clear()
    await page.clock.install()
    await link(page, "lock").tap()
    await page.clock.run_for(1000)
    await page.wait_for_load_state("networkidle")
    assert await card(page).count() == 0
    assert notebook.answered == []


async def test_a_page_that_cannot_be_had_shows_nothing(visit, notebook) -> None:
    failed: list[str] = []

    async def fail(page: Page) -> None:
        async def answer(route: Route) -> None:
            failed.append(route.request.url)
            await route.fulfill(status=500, body="no")

        await page.route("**/en/locks/", answer)

    page = await visit(notebook, "en/deadlock/", before=fail)
    async with page.expect_response("**/en/locks/"):
        await link(page, "lock").hover()
    await page.wait_for_load_state("networkidle")
    assert failed
    assert await card(page).count() == 0


async def test_nothing_moves_and_the_card_stays_in_the_window(visit, notebook) -> None:
    page = await visit(notebook, "en/deadlock/", width=700, height=420)
    await page.locator(".colophon").scroll_into_view_if_needed()
    await page.locator("nb-related li").first.wait_for()
    target = link(page, "livelock")
    await target.scroll_into_view_if_needed()
    places = "[document.documentElement.scrollHeight, document.querySelector('.prose').offsetTop]"
    before = await page.evaluate(places)
    await target.hover()
    await card(page).wait_for()
    assert await page.evaluate(places) == before
    box = await card(page).bounding_box()
    assert box["x"] >= 0
    assert box["y"] >= 0
    assert box["x"] + box["width"] <= 700
    assert box["y"] + box["height"] <= 420


async def test_words_of_another_page_stay_words(visit, notebook) -> None:
    hostile = "<html lang=en><article class=note><h1>&lt;img src=x onerror=window.pwned=1&gt;</h1>"
    hostile += "<nb-article class=prose><p>&lt;script&gt;window.pwned=1&lt;/script&gt; a</p>"

    async def forge(page: Page) -> None:
        async def answer(route: Route) -> None:
            await route.fulfill(status=200, content_type="text/html", body=hostile)

        await page.route("**/en/locks/", answer)

    page = await visit(notebook, "en/deadlock/", before=forge)
    await link(page, "lock").hover()
    await card(page).wait_for()
    assert await card(page).locator("img, script").count() == 0
    assert "<script>" in await card(page).inner_text()
    assert await page.evaluate("window.pwned") is None


async def test_chinese_and_arabic_keep_their_language_and_direction(visit, notebook) -> None:
    page = await visit(notebook, "")
    await link(page, "العربية").hover()
    await card(page).wait_for()
    assert await card(page).get_attribute("lang") == "ar"
    assert await card(page).get_attribute("dir") == "rtl"
    await link(page, "中文").hover()
    await page.locator("nb-preview:popover-open[lang=zh-Hans]").wait_for()
