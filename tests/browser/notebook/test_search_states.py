"""What the palette says when something is missing, slow or forged; and what it never does."""

from __future__ import annotations

import asyncio
import json
import re
from typing import Any

import pytest
from playwright.async_api import Locator, Page, Route

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

SHARDS = re.compile(r"/ai/objects/shard/")
SEGMENTS = re.compile(r"/ai/objects/segment/")
WIDTHS = (1440, 820, 390)


def palette(page: Page) -> Locator:
    return page.locator("dialog.palette")


async def ask(page: Page, words: str) -> None:
    await page.keyboard.press("Control+k")
    await palette(page).get_by_role("combobox").fill(words)


async def refuse(route: Route) -> None:
    await route.fulfill(status=404, body="none")


async def forge(route: Route) -> None:
    """Bytes of the right length that are not the right bytes."""
    response = await route.fetch()
    body = await response.body()
    await route.fulfill(response=response, body=body.replace(b"deadlock", b"deadlocj"))


def no_shards(answer: Any) -> Any:
    async def before(page: Page) -> None:
        await page.route(SHARDS, answer)
        await page.route(SEGMENTS, lambda route: route.continue_())

    return before


@pytest.mark.parametrize("answer", [refuse, forge], ids=["missing", "forged"])
async def test_without_a_shard_titles_and_headings_are_compared_and_it_says_so(
    notebook: Any, visit: Any, answer: Any
) -> None:
    page = await visit(notebook, "en/locks/", before=no_shards(answer))
    await ask(page, "deadlock")
    banner = palette(page).locator(".banner")
    await banner.get_by_text("Titles and headings only. Results may be missing.").wait_for()
    assert await palette(page).locator(".doc b").first.inner_text() == "Deadlock"
    await ask(page, "the four conditions")
    option = palette(page).get_by_role("option", name=re.compile("The four conditions"))
    await option.wait_for()
    await page.keyboard.press("Enter")
    await page.wait_for_url(re.compile(r"/en/deadlock/#the-four-conditions$"))


async def test_the_index_is_tried_again_with_the_next_words(notebook: Any, visit: Any) -> None:
    page = await visit(notebook, "en/locks/", before=no_shards(refuse))
    await ask(page, "deadlock")
    await palette(page).locator(".banner").wait_for()
    await page.unroute(SHARDS)
    await ask(page, "deadlock ring")
    await palette(page).locator(".banner").wait_for(state="hidden")
    assert await palette(page).locator(".doc b").first.inner_text() == "Deadlock"


async def test_with_neither_index_nor_titles_it_says_what_still_works(
    notebook: Any, visit: Any
) -> None:
    async def nothing(page: Page) -> None:
        await page.route(re.compile(r"/ai/objects/(shard|leaf|segment)/"), refuse)

    page = await visit(notebook, "en/locks/", before=nothing)
    await ask(page, "deadlock")
    said = palette(page).locator(".said")
    await said.get_by_text("The index cannot be read now.").wait_for()
    assert await said.locator("code").inner_text() == "SEARCH_UNAVAILABLE"
    assert await palette(page).get_by_role("option").count() == 0


async def test_a_note_whose_text_is_forged_is_not_shown(notebook: Any, visit: Any) -> None:
    async def forged(page: Page) -> None:
        await page.route(re.compile(r"/ai/objects/doc/"), forge)

    page = await visit(notebook, "zh/", before=forged)
    await ask(page, "deadlock")
    await page.wait_for_load_state("networkidle")
    assert "deadlocj" not in await palette(page).inner_text()
    names = await palette(page).locator(".doc b").all_inner_texts()
    assert "Deadlock" not in names


async def test_waiting_is_shown_when_it_lasts(notebook: Any, visit: Any) -> None:
    released = asyncio.Event()

    async def hold(page: Page) -> None:
        async def keep(route: Route) -> None:
            await released.wait()
            await route.continue_()

        await page.route(SHARDS, keep)

    page = await visit(notebook, "en/", before=hold)
    await ask(page, "deadlock")
    await palette(page).locator(".waiting .skeleton").first.wait_for()
    assert await palette(page).get_by_role("option").count() == 0
    released.set()
    await palette(page).get_by_role("option").first.wait_for()
    assert not await palette(page).locator(".waiting").is_visible()


async def test_without_a_network_what_was_read_before_is_searched(
    notebook: Any, visit: Any
) -> None:
    page = await visit(notebook, "en/")
    await ask(page, "deadlock")
    await palette(page).get_by_role("option").first.wait_for()
    read = await page.evaluate("performance.getEntriesByType('resource').map(e => e.name)")
    assert any("/ai/objects/shard/" in name for name in read)
    found = await page.evaluate(
        """async () => {
          const { PublishedSite } = await import("/assets/client/knowledge/published-site.js");
          const { Search } = await import("/assets/client/search/search.js");
          const unplugged = (address, options) => options.cache === "force-cache"
            ? fetch(address, options) : Promise.reject(new TypeError("no network"));
          const root = new URL("/", location);
          const site = new PublishedSite({ root, fetch: unplugged, subtle: crypto.subtle });
          const report = await new Search(site).find("deadlock");
          return [site.offline, report.degraded, report.hits.length > 0];
        }"""
    )
    assert found == [True, False, True]


async def test_being_offline_is_said_with_the_revision(notebook: Any, visit: Any) -> None:
    page = await visit(notebook, "en/")
    await page.evaluate(
        """async () => {
          const { thisSite } = await import("/assets/client/knowledge/this-site.js");
          Object.defineProperty(thisSite, "offline", { value: true });
        }"""
    )
    await ask(page, "deadlock")
    banner = palette(page).locator(".banner")
    await banner.get_by_text("Offline. This searches the version that was read last.").wait_for()
    revision = json.loads((notebook.folder / "ai/manifest.json").read_bytes())["revision"]
    assert await palette(page).locator(".pal-foot .hash span").inner_text() == revision[:8]


async def test_searching_stays_on_the_site_and_within_a_strict_policy(
    notebook: Any, visit: Any
) -> None:
    addresses: list[str] = []
    complaints: list[str] = []

    async def listen(page: Page) -> None:
        page.on("request", lambda request: addresses.append(request.url))
        page.on("console", lambda line: complaints.append(line.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))

    page = await visit(notebook, "en/locks/", before=listen)
    for words in ("deadlock", "死锁", "livelokc", "xylophone"):
        await ask(page, words)
        await page.wait_for_load_state("networkidle")
    assert any("/ai/objects/shard/" in address for address in addresses)
    assert [address for address in addresses if not address.startswith(notebook.url)] == []
    assert complaints == []


async def test_a_first_search_reads_few_files(notebook: Any, visit: Any) -> None:
    page = await visit(notebook, "en/locks/")
    await ask(page, "circular wait of threads")
    await palette(page).get_by_role("option").first.wait_for()
    await page.wait_for_load_state("networkidle")
    objects = [each.path for each in notebook.answered if "/ai/objects/" in each.path]
    assert any(SHARDS.search(path) for path in objects)
    assert len(objects) == len(set(objects)) <= 40


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("en/locks/", "deadlock"),
        ("zh/死锁/", "死锁"),
        ("ar/الجمود/", "الجمود"),
        ("en/locks/", "livelokc "),
        ("en/locks/", "xylophone"),
        ("en/locks/", ""),
    ],
    ids=["english", "chinese", "arabic", "corrected", "nothing", "untyped"],
)
async def test_axe_finds_nothing_in_the_open_palette(
    notebook: Any, visit: Any, path: str, words: str, scheme: str
) -> None:
    axe = pytest.importorskip(
        "axe_playwright_python.async_playwright", reason="axe-playwright-python is not installed"
    )
    page = await visit(notebook, path, color_scheme=scheme, reduced_motion="reduce")
    await ask(page, words)
    await palette(page).locator("a[role=option], .said:not([hidden])").first.wait_for()
    for width in WIDTHS:
        await page.set_viewport_size({"width": width, "height": 800})
        results = await axe.Axe().run(page)
        assert results.violations_count == 0, f"at {width} px: {results.generate_report()}"


@pytest.mark.parametrize("width", [*WIDTHS, 320])
async def test_the_open_palette_never_scrolls_sideways(
    notebook: Any, visit: Any, width: int
) -> None:
    page = await visit(notebook, "en/locks/", width=width)
    await ask(page, "deadlock lock_pair mutex_lock_nested")
    await palette(page).get_by_role("option").first.wait_for()
    wider = await palette(page).evaluate("e => e.scrollWidth - e.clientWidth")
    assert wider <= 0
    box = await palette(page).bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= width


async def test_on_a_phone_the_field_stands_below_the_results(notebook: Any, visit: Any) -> None:
    page = await visit(notebook, "en/locks/", width=390)
    await page.locator(".dock").get_by_role("button", name="Search").click()
    field = palette(page).get_by_role("combobox")
    await field.fill("deadlock")
    await palette(page).get_by_role("option").first.wait_for()
    below = await field.bounding_box()
    above = await palette(page).get_by_role("option").first.bounding_box()
    assert below is not None
    assert above is not None
    assert below["y"] > above["y"]
    assert below["y"] > 600


async def test_a_lost_page_offers_the_nearest_notes(notebook: Any, visit: Any) -> None:
    page = await visit(notebook, "en/Dead-lock.html")
    near = page.get_by_role("region", name="Did you mean one of these?")
    await near.wait_for()
    links = near.get_by_role("link")
    assert await links.count() <= 5
    await links.filter(has_text="Deadlock").first.click()
    await page.wait_for_url(re.compile(r"/en/deadlock/$"))


async def test_a_lost_page_offers_nothing_where_nothing_is_near(notebook: Any, visit: Any) -> None:
    page = await visit(notebook, "en/zzzz-qqqq/")
    await page.wait_for_load_state("networkidle")
    assert await page.locator("nb-lost section").is_hidden()


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("/en/dead-lock/", "dead lock"),
        ("/zh/%E6%AD%BB%E9%94%81.html", "死锁"),
        ("/a/b_c.d.md", "b c d"),
        ("/deadlock/index.html", "deadlock"),
        ("/%ff/", "%ff"),
        ("/", ""),
    ],
)
async def test_the_words_of_an_address_are_those_of_its_last_part(
    notebook: Any, visit: Any, path: str, words: str
) -> None:
    page = await visit(notebook, "en/locks/")
    found = await page.evaluate(
        "async (path) => (await import('/assets/client/lost/wanted-words.js')).wantedWords(path)",
        path,
    )
    assert found == words
