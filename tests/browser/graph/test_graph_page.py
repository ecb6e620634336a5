"""The page of the graph: picture, keys, finding, its twin in words; what is left of it at worst."""

from __future__ import annotations

import asyncio
import re

import pytest
from playwright.async_api import Page, Route, expect

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

WIDTHS = (1440, 820, 390)
PICTURE = """() => {
  const canvas = document.querySelector("canvas");
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let sum = 0;
  for (let at = 0; at < data.length; at += 1) sum = (sum * 31 + data[at]) % 1000000007;
  return sum;
}"""


async def ready(page: Page) -> Page:
    await page.locator("nb-graph[data-complete][data-state=ready]").wait_for()
    return page


async def title(page: Page) -> str:
    return await page.locator(".facet-body h2").first.inner_text()


async def chosen(look, site, doc_id: str = "locks/n0", **options: object) -> Page:
    page = await ready(await look(site, f"graph/?note={doc_id}", **options))
    await page.locator(".facet .acts a[href]").wait_for()
    return page


async def test_groups_in_words_come_first(look, small_site) -> None:
    page = await ready(await look(small_site, "graph/"))
    names = await page.locator(".facet .list button").all_inner_texts()
    assert [name.split("\n")[0] for name in names] == ["Locks and waiting", "Memory"]
    assert await page.locator("h1").count() == 1
    label = await page.locator("canvas").get_attribute("aria-label")
    assert f"{len(small_site.model.notes)} notes" in str(label)


async def test_a_chosen_note_lists_its_links_with_their_sentences(look, small_site) -> None:
    page = await chosen(look, small_site)
    assert await title(page) == "Deadlock"
    links = page.locator(".facet .list").first.locator("li")
    assert await links.locator("button").all_inner_texts() == ["memory/n0 title"]
    sentence = "Nobody reads Deadlock without memory/n0 title at hand."
    assert await links.locator(".sentence").inner_text() == sentence
    assert await links.locator("mark").inner_text() == "memory/n0 title"
    incoming = page.locator(".facet .list").nth(1)
    number = sum(to == "locks/n0" for _, to in small_site.model.edges())
    assert await incoming.locator("li:not(.more)").count() == 8
    await incoming.locator(".more button").click()
    await expect(incoming.locator("li:not(.more)")).to_have_count(16)
    assert f"{number} in" in await page.locator(".facet .prov").inner_text()


async def test_a_note_in_the_list_is_chosen_by_pressing_it(look, small_site) -> None:
    page = await chosen(look, small_site)
    await page.locator(".facet .list button").first.click()
    await expect(page.locator(".facet h2").first).to_have_text("memory/n0 title")
    assert "note=memory" in page.url
    assert await page.evaluate("document.activeElement.classList.contains('facet')")
    assert await page.locator(".facet [role=status]").inner_text() == "memory/n0 title"


async def test_open_note_leads_to_its_page(look, small_site) -> None:
    page = await chosen(look, small_site)
    await page.locator(".facet .acts a").click()
    await page.wait_for_url(f"{small_site.url}locks/n0/")


async def test_arrows_go_to_neighbours_and_enter_opens(look, small_site) -> None:
    page = await chosen(look, small_site)
    await page.locator("canvas").focus()
    seen = set()
    for key in ("ArrowLeft", "ArrowUp", "ArrowRight", "ArrowDown"):
        await page.keyboard.press(key)
        await page.wait_for_timeout(0)
        seen.add(page.url)
    assert len(seen) > 1
    await page.locator(".facet .acts a[href]").wait_for()
    address = str(await page.locator(".facet .acts a").get_attribute("href"))
    await page.locator("canvas").focus()
    await page.keyboard.press("Enter")
    await page.wait_for_url(address)


@pytest.mark.parametrize("key", ["+", "-"])
async def test_plus_and_minus_zoom_and_zero_shows_all(look, small_site, key: str) -> None:
    page = await ready(await look(small_site, "graph/", reduced_motion="reduce"))
    whole = await page.evaluate(PICTURE)
    await page.locator("canvas").focus()
    await page.keyboard.press(key)
    await page.wait_for_function(f"before => ({PICTURE})() !== before", arg=whole)
    await page.keyboard.press("0")
    await page.wait_for_function(f"before => ({PICTURE})() === before", arg=whole)


async def test_dragging_moves_the_picture_and_chooses_nothing(look, small_site) -> None:
    page = await ready(await look(small_site, "graph/", reduced_motion="reduce"))
    before = await page.evaluate(PICTURE)
    await page.mouse.move(400, 500)
    await page.mouse.down()
    await page.mouse.move(520, 560, steps=4)
    await page.mouse.up()
    await page.wait_for_function(f"before => ({PICTURE})() !== before", arg=before)
    assert "?" not in page.url


async def test_the_wheel_zooms_towards_the_pointer(look, small_site) -> None:
    page = await ready(await look(small_site, "graph/", reduced_motion="reduce"))
    before = await page.evaluate(PICTURE)
    await page.mouse.move(400, 500)
    await page.mouse.wheel(0, -400)
    await page.wait_for_function(f"before => ({PICTURE})() !== before", arg=before)
    assert await page.evaluate("scrollY") == 0


async def test_a_tap_chooses_the_note_below_the_finger(look, small_site) -> None:
    page = await chosen(look, small_site, has_touch=True, width=390, height=800)
    await page.locator("[data-zoom=fit]").tap()
    await page.locator(".facet .cap").first.tap()
    await expect(page.locator(".facet h2").first).to_have_text("Locks and waiting")
    box = await page.locator("canvas").bounding_box()
    assert box
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    for step in range(12):
        await page.touchscreen.tap(x + 6 * (step % 4) - 9, y + 9 * (step // 4) - 9)
        if "note=" in page.url:
            break
    assert "note=" in page.url


async def test_finding_names_notes_and_enter_chooses_the_first(look, small_site) -> None:
    page = await ready(await look(small_site, "graph/"))
    field = page.locator("nb-graph input[type=search]")
    await field.fill("dead")
    await expect(page.locator(".facet .list button")).to_have_text(["Deadlock"])
    await field.press("Enter")
    await expect(page.locator(".facet h2").first).to_have_text("Deadlock")
    await field.fill("死锁")
    await expect(page.locator(".facet .list button")).to_have_text(["死锁：谁也不肯先放手"])
    await field.fill("nothing of the kind")
    await expect(page.locator(".facet .hint")).to_contain_text("“nothing of the kind”")


async def test_enter_that_ends_a_composition_chooses_nothing(look, small_site) -> None:
    page = await ready(await look(small_site, "graph/"))
    field = page.locator("nb-graph input[type=search]")
    await field.fill("Deadlock")
    await field.dispatch_event("keydown", {"key": "Enter", "isComposing": True})
    assert "note=" not in page.url
    await field.press("Enter")
    await page.wait_for_url(re.compile("note="))


async def test_orphans_are_listed_and_shown_alone(look, small_site) -> None:
    page = await ready(await look(small_site, "graph/", reduced_motion="reduce"))
    whole = await page.evaluate(PICTURE)
    await page.get_by_role("button", name="Orphans").click()
    await expect(page.locator(".facet .list button")).to_have_text(["Alone"])
    await page.wait_for_function(f"before => ({PICTURE})() !== before", arg=whole)
    await page.get_by_role("button", name="All notes").click()
    await page.wait_for_function(f"before => ({PICTURE})() === before", arg=whole)


async def test_two_steps_need_a_chosen_note_and_show_what_is_near_it(look, small_site) -> None:
    page = await ready(await look(small_site, "graph/", reduced_motion="reduce"))
    steps = page.get_by_role("button", name="Two steps")
    assert await steps.is_disabled()
    await page.locator("nb-graph input[type=search]").fill("new note")
    await page.locator("nb-graph input[type=search]").press("Enter")
    await page.locator(".facet .acts a[href]").wait_for()
    before = await page.evaluate(PICTURE)
    await steps.click()
    await page.wait_for_function(f"before => ({PICTURE})() !== before", arg=before)
    assert await steps.get_attribute("aria-pressed") == "true"


async def test_a_group_can_be_linked_to(look, small_site) -> None:
    page = await ready(await look(small_site, "graph/?group=1"))
    await expect(page.locator(".facet h2").first).to_have_text("Memory")


async def test_a_press_inside_a_group_shows_the_group(look, small_site) -> None:
    page = await ready(await look(small_site, "graph/", reduced_motion="reduce"))
    box = await page.locator("canvas").bounding_box()
    assert box
    heading = page.locator(".facet h2").first
    for step in range(60):
        x, y = 0.3 + 0.04 * (step % 10), 0.25 + 0.1 * (step // 10)
        await page.mouse.click(box["x"] + x * box["width"], box["y"] + y * box["height"])
        if await heading.inner_text() in small_site.model.groups:
            break
    assert await heading.inner_text() in small_site.model.groups
    assert "note=" not in page.url


async def test_a_change_of_theme_repaints(look, small_site) -> None:
    page = await ready(await look(small_site, "graph/", color_scheme="light"))
    light = await page.evaluate(PICTURE)
    await page.evaluate("document.documentElement.dataset.theme = 'dark'")
    await page.wait_for_function(f"before => ({PICTURE})() !== before", arg=light)


async def test_without_a_canvas_the_list_stands_alone(look, small_site) -> None:
    async def take_away(page: Page) -> None:
        await page.add_init_script("HTMLCanvasElement.prototype.getContext = () => null")

    page = await ready(await look(small_site, "graph/?note=locks/n0", before=take_away))
    await expect(page.locator(".facet h2").first).to_have_text("Deadlock")
    assert not await page.locator(".stage").is_visible()


async def test_without_script_a_sentence_leads_to_the_index(look, small_site) -> None:
    page = await look(small_site, "graph/", java_script_enabled=False)
    assert "needs JavaScript" in await page.locator(".unscripted").inner_text()
    await page.locator(".unscripted a").click()
    await page.wait_for_url(f"{small_site.url}notes/")


async def test_hostile_titles_stay_text(look, small_site) -> None:
    page = await chosen(look, small_site, "memory/n9")
    assert await title(page) == small_site.model.notes["memory/n9"].title
    assert await page.locator(".facet img, .facet script").count() == 0
    assert await page.evaluate("window.pwned") is None


async def test_many_notes_are_shown_by_groups_before_their_rows_are_read(look, large_site) -> None:
    """The picture does not wait for the titles of all notes."""
    released = asyncio.Event()
    workers: list[str] = []
    complaints: list[str] = []

    async def hold(page: Page) -> None:
        page.on("worker", lambda worker: workers.append(worker.url))
        page.on("console", lambda line: complaints.append(line.text))

        async def wait(route: Route) -> None:
            await released.wait()
            await route.continue_()

        await page.route("**/ai/objects/docs/*", wait)

    page = await look(large_site, "graph/", before=hold)
    await page.locator("nb-graph[data-state=ready]").wait_for()
    assert await page.locator(".facet .list button").count() == 24
    assert await page.locator("nb-graph[data-complete]").count() == 0
    released.set()
    await ready(page)
    await page.locator("nb-graph input[type=search]").fill("Note 2399")
    await expect(page.locator(".facet .list button")).to_have_text(["Note 2399"])
    assert [url.rpartition("/")[2] for url in workers] == ["layout-worker.js"]
    assert complaints == []


@pytest.mark.parametrize("path", ["graph/", "graph/?note=locks/n0", "graph/?group=0"])
async def test_nothing_scrolls_sideways_and_the_picture_fits_the_window(
    look, small_site, path: str
) -> None:
    page = await ready(await look(small_site, path))
    for width in (*WIDTHS, 320):
        await page.set_viewport_size({"width": width, "height": 800})
        size = await page.evaluate(
            "[document.documentElement.scrollWidth - innerWidth, "
            "document.querySelector('.graph').getBoundingClientRect().bottom - innerHeight, "
            "document.querySelector('canvas').clientHeight]"
        )
        assert size[0] <= 0, f"{size[0]} px too wide at {width}"
        assert size[1] <= 0, f"{size[1]} px too high at {width}"
        assert size[2] >= 240


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", ["graph/", "graph/?note=locks/n0"])
async def test_axe_finds_nothing(look, small_site, path: str, scheme: str) -> None:
    axe = pytest.importorskip(
        "axe_playwright_python.async_playwright", reason="axe-playwright-python is not installed"
    )
    page = await ready(await look(small_site, path, color_scheme=scheme, reduced_motion="reduce"))
    for width in WIDTHS:
        await page.set_viewport_size({"width": width, "height": 800})
        results = await axe.Axe().run(page)
        assert results.violations_count == 0, f"at {width} px: {results.generate_report()}"


async def test_no_request_leaves_the_site_and_no_policy_is_broken(look, small_site) -> None:
    addresses: list[str] = []
    complaints: list[str] = []

    async def listen(page: Page) -> None:
        page.on("request", lambda request: addresses.append(request.url))
        page.on("console", lambda line: complaints.append(line.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))

    await chosen(look, small_site, before=listen)
    assert addresses
    assert all(address.startswith(small_site.url) for address in addresses)
    assert complaints == []
