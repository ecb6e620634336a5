"""Pages of the theme: what stands in them, for whom, and what they never do."""

from __future__ import annotations

import pytest
from playwright.async_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

PAGES = ("deadlock/", "死锁/", "jumud/", "", "nowhere/at/all")
WIDTHS = (1440, 820, 390)


@pytest.mark.parametrize("path", PAGES)
async def test_nothing_scrolls_sideways(open_page, path: str) -> None:
    page = await open_page(path)
    await page.locator("nb-nav[data-state=ready], nb-release button").first.wait_for()
    for width in (*WIDTHS, 320):
        await page.set_viewport_size({"width": width, "height": 800})
        wider = await page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wider <= 0, f"{wider} px too wide at {width}"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", PAGES)
async def test_axe_finds_nothing(open_page, path: str, scheme: str) -> None:
    axe = pytest.importorskip(
        "axe_playwright_python.async_playwright", reason="axe-playwright-python is not installed"
    )
    page = await open_page(path, color_scheme=scheme, reduced_motion="reduce")
    await page.locator("nb-nav[data-state=ready], nb-release button").first.wait_for()
    for width in WIDTHS:
        await page.set_viewport_size({"width": width, "height": 800})
        results = await axe.Axe().run(page)
        assert results.violations_count == 0, f"at {width} px: {results.generate_report()}"


@pytest.mark.parametrize("path", PAGES)
async def test_no_page_breaks_a_strict_policy_or_leaves_the_site(
    open_page, built_site, path: str
) -> None:
    addresses: list[str] = []
    complaints: list[str] = []

    async def listen(page: Page) -> None:
        page.on("request", lambda request: addresses.append(request.url))
        page.on("console", lambda line: complaints.append(line.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))

    page = await open_page(path, before=listen)
    await page.wait_for_load_state("networkidle")
    assert addresses
    assert all(address.startswith(built_site.url) for address in addresses)
    assert [line for line in complaints if "404" not in line] == []


async def test_hostile_titles_stay_text(open_page) -> None:
    page = await open_page("hostile/")
    await page.locator("nb-nav[data-state=ready]").first.wait_for()
    assert await page.evaluate("window.pwned") is None
    title = "</a><script>window.pwned=1</script>\"'><img src=x onerror=window.pwned=1>"
    assert await page.locator("h1").inner_text() == title
    assert await page.locator(".side [aria-current=page]").inner_text() == title
    assert await page.locator("main img, main script").count() == 0


@pytest.mark.parametrize("path", PAGES)
async def test_every_page_has_one_first_heading_and_one_main(open_page, path: str) -> None:
    page = await open_page(path)
    assert await page.locator("h1").count() == 1
    assert await page.locator("main").count() == 1


async def test_a_note_with_its_own_title_still_has_its_facts_below_it(open_page) -> None:
    page = await open_page("locks/")
    order = await page.locator("article.note > *").evaluate_all("all => all.map(e => e.localName)")
    assert order[:3] == ["nav", "h1", "p"]
    assert await page.locator("article.note > p.prov").count() == 1


async def test_fewer_than_three_headings_make_no_contents(open_page) -> None:
    page = await open_page("locks/", width=390)
    assert await page.locator("nb-contents").count() == 0
    assert await page.locator(".dock button").all_inner_texts() == ["Notes", "Search"]


async def test_without_script_text_contents_and_index_remain(open_page) -> None:
    page = await open_page("deadlock/", java_script_enabled=False)
    assert await page.locator(".prose h2").first.is_visible()
    assert await page.locator(".toc a").first.is_visible()
    assert await page.get_by_role("link", name="All notes").is_visible()


@pytest.mark.parametrize("width", WIDTHS)
async def test_without_script_no_dead_button_is_shown(open_page, width: int) -> None:
    page = await open_page("deadlock/", width=width, java_script_enabled=False)
    assert await page.locator("button:visible").count() == 0
    assert await page.get_by_role("link", name="All notes").is_visible()


async def test_axe_finds_nothing_in_open_drawers(open_page) -> None:
    axe = pytest.importorskip(
        "axe_playwright_python.async_playwright", reason="axe-playwright-python is not installed"
    )
    for name in ("Notes", "Contents"):
        page = await open_page("deadlock/", width=390, reduced_motion="reduce")
        await page.get_by_role("button", name=name, exact=True).click()
        await page.locator("dialog[open] [aria-current]").wait_for()
        results = await axe.Axe().run(page)
        assert results.violations_count == 0, results.generate_report()


async def test_a_lost_page_says_so_and_leads_to_the_index(open_page, built_site) -> None:
    page = await open_page("nowhere/at/all")
    assert await page.locator("h1").inner_text() == "No note at this address"
    await page.get_by_role("link", name="Open the index").click()
    await page.wait_for_url(built_site.url)


async def test_words_follow_the_language_of_the_page(open_page) -> None:
    chinese = await open_page("死锁/")
    assert await chinese.locator(".prov time").inner_text() == "2026年11月14日"
    assert await chinese.locator("html").get_attribute("lang") == "zh-Hans"
    english = await open_page("deadlock/")
    assert await english.locator(".prov time").inner_text() == "14 Nov 2026"


async def test_a_page_written_from_the_right_is_laid_out_from_the_right(open_page) -> None:
    page = await open_page("jumud/")
    left = "e => e.getBoundingClientRect().left"
    side = await page.locator(".side").evaluate(left)
    text = await page.locator("article").evaluate(left)
    rail = await page.locator(".rail").evaluate(left)
    assert rail < text < side
    assert await page.locator(".prov").get_attribute("lang") == "en"


async def test_the_generated_home_is_an_index_with_release_and_revision(open_page) -> None:
    page = await open_page("")
    assert await page.locator(".index li").all_inner_texts() == ["Concurrency\n2", "Memory\n1"]
    await page.locator("nb-release button").wait_for()
    facts = await page.locator("nb-release > span").all_inner_texts()
    assert facts == ["Released 28 Nov 2026", "6 notes"]


async def test_paper_gets_the_note_alone(open_page) -> None:
    page = await open_page("deadlock/")
    await page.emulate_media(media="print")
    assert await page.locator(".prose h2").first.is_visible()
    for chrome in (".bar", ".side", ".rail", ".neighbours"):
        assert not await page.locator(chrome).is_visible()
