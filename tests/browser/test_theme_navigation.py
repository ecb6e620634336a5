"""The list of notes: loaded on demand, believed only when verified; drawers and keyboard."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Page, Route

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

CATEGORY = re.compile(r"/ai/objects/category/")
OVERVIEW = re.compile(r"/ai/objects/overview/")
READY = ".side nb-nav[data-state=ready]"


def requests_of(page: Page, pattern: re.Pattern[str]) -> list[str]:
    seen: list[str] = []
    page.on("request", lambda request: pattern.search(request.url) and seen.append(request.url))
    return seen


async def test_the_category_of_the_page_is_open_and_the_page_is_marked(open_page) -> None:
    page = await open_page("deadlock/")
    await page.locator(READY).wait_for()
    opened = await page.locator(".side details[open] > summary > span:not(.n)").all_inner_texts()
    assert opened == ["Concurrency", "Waiting"]
    here = page.locator(".side [aria-current=page]")
    assert await here.inner_text() == "Deadlock"
    assert await here.evaluate("a => new URL(a.href).pathname") == "/deadlock/"


async def test_only_the_way_to_this_page_is_fetched_until_more_is_opened(open_page) -> None:
    seen: list[str] = []

    async def listen(page: Page) -> None:
        nonlocal seen
        seen = requests_of(page, CATEGORY)

    page = await open_page("deadlock/", before=listen)
    await page.locator(READY).wait_for()
    # The top, Concurrency, Waiting; each list may go on to where the next one begins.
    assert len(seen) == 5
    await page.locator(".side summary", has_text="Memory").click()
    await page.locator(".side a", has_text="Pages").wait_for()
    assert len(seen) == 6


async def test_a_page_is_found_though_its_path_names_no_category(open_page) -> None:
    async def rename(page: Page) -> None:
        async def answer(route: Route) -> None:
            response = await route.fetch()
            body = (await response.text()).replace('["Concurrency","Waiting"]', '["os","locks"]')
            body = body.replace('["Concurrency", "Waiting"]', '["os", "locks"]')
            assert '"os"' in body
            await route.fulfill(response=response, body=body)

        await page.route("**/deadlock/", answer)

    page = await open_page("deadlock/", before=rename)
    await page.locator(READY).wait_for()
    assert await page.locator(".side [aria-current=page]").inner_text() == "Deadlock"


async def test_bytes_that_do_not_match_are_not_shown(open_page) -> None:
    async def forge(page: Page) -> None:
        async def answer(route: Route) -> None:
            response = await route.fetch()
            forged = (await response.body()).replace(b"Concurrency", b"Concurrencz")
            await route.fulfill(response=response, body=forged)

        await page.route(OVERVIEW, answer)

    page = await open_page("deadlock/", before=forge)
    await page.locator(".side nb-nav[data-state=failed]").wait_for()
    assert await page.locator(".side details").count() == 0
    assert await page.locator(".side").get_by_role("link", name="All notes").is_visible()


async def test_a_host_that_answers_something_else_is_asked_once_more(open_page) -> None:
    asked: list[str] = []

    async def stumble(page: Page) -> None:
        async def answer(route: Route) -> None:
            asked.append(route.request.url)
            if len(asked) == 1:
                await route.fulfill(status=200, content_type="text/html", body="<p>Welcome</p>")
            else:
                await route.continue_()

        await page.route(OVERVIEW, answer)

    page = await open_page("deadlock/", before=stumble)
    await page.locator(READY).wait_for()
    assert len(asked) == 2


async def test_a_category_that_cannot_be_had_leads_to_the_index(open_page) -> None:
    page = await open_page("deadlock/")
    await page.locator(READY).wait_for()
    await page.route(CATEGORY, lambda route: route.abort())
    memory = page.locator(".side details", has=page.locator("summary", has_text="Memory"))
    await memory.locator("summary").click()
    await memory.get_by_role("link", name="All notes").wait_for()


async def test_a_site_without_knowledge_keeps_the_plain_link(open_page) -> None:
    async def without(page: Page) -> None:
        await page.route(re.compile(r"/ai/"), lambda route: route.fulfill(status=404, body="none"))

    page = await open_page("deadlock/", before=without)
    await page.locator(".side nb-nav[data-state=failed]").wait_for()
    assert await page.locator(".side").get_by_role("link", name="All notes").is_visible()
    assert await page.locator("nb-revision button").count() == 0


async def test_an_element_taken_out_while_loading_loads_when_it_comes_back(open_page) -> None:
    held: list[Route] = []

    async def hold(page: Page) -> None:
        async def keep(route: Route) -> None:
            held.append(route)

        await page.route(OVERVIEW, keep)

    page = await open_page("deadlock/", before=hold)
    await page.locator(".side nb-nav[data-state=loading]").wait_for()
    assert await page.locator(".side .skeleton i").count() == 3
    await page.evaluate("window.nav = document.querySelector('.side nb-nav'); nav.remove()")
    assert await page.evaluate("nav.dataset.state") is None
    assert await page.evaluate("nav.querySelector('.skeleton')") is None
    await page.evaluate("document.querySelector('.side').append(nav)")
    await page.locator(".side nb-nav[data-state=loading]").wait_for()
    await held[0].continue_()
    await page.locator(READY).wait_for()
    assert await page.locator(".side nb-nav > ul").count() == 1


async def test_on_a_phone_nothing_is_fetched_before_the_notes_are_opened(open_page) -> None:
    seen: list[str] = []

    async def listen(page: Page) -> None:
        nonlocal seen
        seen = requests_of(page, OVERVIEW)

    page = await open_page("deadlock/", width=390, before=listen)
    await page.wait_for_load_state("networkidle")
    assert seen == []
    await page.get_by_role("button", name="Notes", exact=True).click()
    await page.locator("dialog [aria-current=page]").wait_for()
    assert len(seen) == 1


async def test_escape_closes_the_drawer_and_focus_returns(open_page) -> None:
    page = await open_page("deadlock/", width=820)
    opener = page.get_by_role("button", name="Open the list of notes")
    await opener.click()
    drawer = page.get_by_role("dialog", name="Notes")
    await drawer.wait_for()
    await page.keyboard.press("Escape")
    await drawer.wait_for(state="hidden")
    assert await opener.evaluate("button => button === document.activeElement")


async def test_a_press_beside_the_drawer_closes_it(open_page) -> None:
    page = await open_page("deadlock/", width=820)
    await page.get_by_role("button", name="Open the list of notes").click()
    drawer = page.get_by_role("dialog", name="Notes")
    await drawer.wait_for()
    await page.mouse.click(800, 400)
    await drawer.wait_for(state="hidden")


async def test_contents_on_a_phone_lead_to_the_section_and_close(open_page) -> None:
    page = await open_page("deadlock/", width=390)
    await page.get_by_role("button", name="Contents").click()
    sheet = page.get_by_role("dialog", name="On this page")
    await sheet.get_by_role("link", name="Living with it").click()
    await sheet.wait_for(state="hidden")
    await page.wait_for_function(
        "Math.abs(document.getElementById('living-with-it').getBoundingClientRect().top - 80) < 40"
    )


async def test_the_first_tab_reaches_the_text(open_page) -> None:
    page = await open_page("deadlock/")
    await page.keyboard.press("Tab")
    assert await page.evaluate("document.activeElement.textContent") == "Skip to content"
    await page.keyboard.press("Enter")
    assert await page.evaluate("document.activeElement.id") == "nb-main"


@pytest.mark.parametrize(
    ("url", "path"),
    [
        ("os/死锁/", "/os/%E6%AD%BB%E9%94%81/"),
        ("c#/a?b/50%/", "/c%23/a%3Fb/50%25/"),
        ("", "/"),
        ("//evil.example/", None),
        ("javascript:alert(1)", "/javascript%3Aalert(1)"),
        ("https://evil.example/", "/https%3A//evil.example/"),
    ],
)
async def test_published_addresses_never_leave_the_site(
    open_page, url: str, path: str | None
) -> None:
    page = await open_page("")
    address = await page.evaluate(
        """async (url) => {
          const { pageAddress } = await import("/assets/client/knowledge/addresses.js");
          return pageAddress(new URL("/", location), url);
        }""",
        url,
    )
    origin = await page.evaluate("location.origin")
    assert address == (path and origin + path)
