"""Lists by category, tag and date, groups, the generated home: for every reader, on every width."""

from __future__ import annotations

from html.parser import HTMLParser
from urllib.parse import unquote, urljoin, urlsplit

import pytest
from playwright.async_api import Page, expect

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

WIDTHS = (1440, 820, 390)
PATHS = ("", "notes/", "notes/locks/", "tags/", "tags/os/", "recent/", "recent/en/", "clusters/")


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        href = dict(attrs).get("href")
        if tag == "a" and href:
            self.found.append(href)


def reached(site, start: str) -> set[str]:
    """Pages that links in the HTML lead to, by their addresses below the site."""
    seen, waiting = {start}, [start]
    while waiting:
        here = waiting.pop()
        file = site.folder / here / "index.html"
        if not file.is_file():
            continue
        links = _Links()
        links.feed(file.read_text("utf-8"))
        for href in links.found:
            address = urlsplit(urljoin(f"{site.url}{here}", href))
            path = unquote(address.path).lstrip("/")
            if f"{address.scheme}://{address.netloc}/" == site.url and path not in seen:
                seen.add(path)
                waiting.append(path)
    return seen


async def settled(page: Page) -> Page:
    await page.wait_for_load_state("networkidle")
    await page.locator("nb-clusters:not([data-state=ready])").first.wait_for(state="detached")
    return page


async def test_every_note_is_reached_from_the_home_page_without_script(small_site) -> None:
    found = reached(small_site, "")
    assert {note.url for note in small_site.model.notes.values()} <= found
    assert {"notes/", "graph/", "tags/", "recent/", "clusters/"} <= found | {"clusters/"}
    missing = [path for path in found if not (small_site.folder / path).exists()]
    assert missing == []


async def test_lists_need_no_script(look, small_site) -> None:
    page = await look(small_site, "tags/os/", java_script_enabled=False)
    await page.get_by_role("link", name="Deadlock").click()
    await page.wait_for_url(f"{small_site.url}locks/n0/")


async def test_what_needs_script_is_not_offered_without_it(look, small_site) -> None:
    page = await look(small_site, "", java_script_enabled=False)
    assert not await page.locator(".big").is_visible()
    page = await look(small_site, "clusters/", java_script_enabled=False)
    assert "need JavaScript" in await page.locator(".unscripted").inner_text()


async def test_the_header_leads_to_every_list_and_marks_this_one(look, small_site) -> None:
    page = await look(small_site, "recent/")
    links = page.locator(".bar .links a")
    assert await links.all_inner_texts() == ["Index", "Graph", "Tags", "Recent"]
    assert await page.locator(".bar .links [aria-current=page]").inner_text() == "Recent"


async def test_what_changed_is_listed_by_year_newest_first(look, small_site) -> None:
    page = await look(small_site, "recent/")
    years = await page.locator("h2.year").all_inner_texts()
    assert years[0] == "2026"
    assert years == sorted(years, reverse=True)
    first = page.locator(".recent li").first
    assert await first.locator("time").inner_text() == "14 Nov"
    assert await first.locator("a").inner_text() == "Deadlock"


async def test_groups_show_their_notes_and_more_on_demand(look, small_site) -> None:
    page = await settled(await look(small_site, "clusters/"))
    cluster = page.locator(".cl").first
    await expect(cluster.locator("h2")).to_have_text("Locks and waiting")
    await expect(cluster.locator(".titles li:not(.more)")).to_have_count(6)
    await cluster.locator(".more button").click()
    await expect(cluster.locator(".titles li:not(.more)")).to_have_count(12)
    assert await cluster.locator("svg circle").count() == 14
    await cluster.locator(".titles a", has_text="Deadlock").click()
    await page.wait_for_url(f"{small_site.url}locks/n0/")


async def test_the_home_page_opens_search_and_shows_groups(look, small_site) -> None:
    page = await settled(await look(small_site, ""))
    assert await page.locator("nb-clusters .cl h3").all_inner_texts() == [
        "Locks and waiting",
        "Memory",
    ]
    await page.locator(".big").click()
    await page.locator("dialog[open] input").wait_for()


async def test_groups_that_cannot_be_verified_are_not_shown(look, own_small_site) -> None:
    for path in own_small_site.objects("clusters"):
        path.write_bytes(path.read_bytes().replace(b"Memory", b"Memery"))
    page = await look(own_small_site, "clusters/")
    await page.locator("nb-clusters[data-state=failed]").wait_for()
    assert "index lists every note" in await page.locator("nb-clusters").inner_text()
    assert await page.locator(".cl").count() == 0


@pytest.mark.parametrize("path", PATHS)
async def test_nothing_scrolls_sideways(look, small_site, path: str) -> None:
    page = await settled(await look(small_site, path))
    for width in (*WIDTHS, 320):
        await page.set_viewport_size({"width": width, "height": 800})
        wider = await page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wider <= 0, f"{wider} px too wide at {width}"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", PATHS)
async def test_axe_finds_nothing(look, small_site, path: str, scheme: str) -> None:
    axe = pytest.importorskip(
        "axe_playwright_python.async_playwright", reason="axe-playwright-python is not installed"
    )
    page = await look(small_site, path, color_scheme=scheme, reduced_motion="reduce")
    await settled(page)
    for width in WIDTHS:
        await page.set_viewport_size({"width": width, "height": 800})
        results = await axe.Axe().run(page)
        assert results.violations_count == 0, f"at {width} px: {results.generate_report()}"


@pytest.mark.parametrize("path", [*PATHS, "tags/memory/"])
async def test_hostile_titles_stay_text_and_no_policy_is_broken(
    look, small_site, path: str
) -> None:
    addresses: list[str] = []
    complaints: list[str] = []

    async def listen(page: Page) -> None:
        page.on("request", lambda request: addresses.append(request.url))
        page.on("console", lambda line: complaints.append(line.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))

    page = await settled(await look(small_site, path, before=listen))
    assert await page.evaluate("window.pwned") is None
    assert all(address.startswith(small_site.url) for address in addresses)
    assert complaints == []


@pytest.mark.parametrize("path", PATHS)
async def test_every_list_has_one_first_heading_and_one_main(look, small_site, path: str) -> None:
    page = await look(small_site, path)
    assert await page.locator("h1").count() == 1
    assert await page.locator("main").count() == 1
