"""A note's page for everyone: without script, on paper, enlarged, from right to left, and light."""

from __future__ import annotations

import pytest
from playwright.async_api import Page

from site_builder.browser_files import browser_files
from site_builder.page_facts import SiteSettings
from site_builder.page_rendering import PageRenderer, html
from site_builder.page_view import PageView, Translation

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

NOTES = ("en/deadlock/", "zh/死锁/", "ar/الجمود/")
WIDTHS = (1440, 820, 390)
LIGHTEST = 60_000
"""Bytes of an article without images at a first visit, as sent."""


async def at_rest(page: Page) -> None:
    """All that comes when it is near has come."""
    await page.locator(".colophon").scroll_into_view_if_needed()
    await page.locator("nb-backlinks li").first.wait_for()
    await page.evaluate("scrollTo(0, 0)")


async def heading(page: Page) -> str:
    """The words of the note's title, without the sign of its link."""
    return (await page.locator("h1").inner_text()).removeprefix("§").strip()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", NOTES)
async def test_axe_finds_nothing_in_a_note_with_all_its_lists(
    visit, notebook, path: str, scheme: str
) -> None:
    axe = pytest.importorskip(
        "axe_playwright_python.async_playwright", reason="axe-playwright-python is not installed"
    )
    page = await visit(notebook, path, color_scheme=scheme, reduced_motion="reduce")
    await at_rest(page)
    for width in WIDTHS:
        await page.set_viewport_size({"width": width, "height": 900})
        results = await axe.Axe().run(page)
        assert results.violations_count == 0, f"at {width} px: {results.generate_report()}"


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_axe_finds_nothing_in_a_preview_and_the_list_of_keys(
    visit, notebook, scheme: str
) -> None:
    axe = pytest.importorskip(
        "axe_playwright_python.async_playwright", reason="axe-playwright-python is not installed"
    )
    page = await visit(notebook, "en/deadlock/", color_scheme=scheme, reduced_motion="reduce")
    await page.locator(".prose a", has_text="lock").first.hover()
    await page.locator("nb-preview:popover-open").wait_for()
    results = await axe.Axe().run(page)
    assert results.violations_count == 0, results.generate_report()
    await page.keyboard.press("Escape")
    await page.keyboard.press("?")
    await page.get_by_role("dialog").wait_for()
    results = await axe.Axe().run(page)
    assert results.violations_count == 0, results.generate_report()


@pytest.mark.parametrize("path", NOTES)
async def test_an_article_is_light_at_a_first_visit(visit, notebook, path: str) -> None:
    notebook.answered.clear()
    page = await visit(notebook, path)
    await page.locator(".side nb-nav[data-state=ready]").wait_for()
    await page.wait_for_load_state("networkidle")
    weight = sum(each.size for each in notebook.answered)
    print(f"{path}: {weight} bytes in {len(notebook.answered)} requests")
    assert weight <= LIGHTEST


async def test_nothing_leaves_the_site_though_everything_is_used(visit, notebook) -> None:
    addresses: list[str] = []
    complaints: list[str] = []

    async def listen(page: Page) -> None:
        page.on("request", lambda request: addresses.append(request.url))
        page.on("console", lambda line: complaints.append(line.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))

    page = await visit(notebook, "en/deadlock/", before=listen)
    await at_rest(page)
    await page.locator(".around > summary").click()
    await page.locator(".prose a", has_text="lock").first.hover()
    await page.locator("nb-preview:popover-open").wait_for()
    await page.keyboard.press("?")
    await page.get_by_role("dialog").wait_for()
    await page.wait_for_load_state("networkidle")
    assert addresses
    assert all(address.startswith(notebook.url) for address in addresses)
    assert complaints == []


@pytest.mark.parametrize("width", WIDTHS)
async def test_without_script_the_note_reads_whole(visit, notebook, width: int) -> None:
    page = await visit(notebook, "en/deadlock/", width=width, java_script_enabled=False)
    assert await heading(page) == "Deadlock"
    assert await page.locator(".prose table").is_visible()
    if width < 1280:
        await page.locator(".contents summary").click()
    await page.locator(".contents a", has_text="Before you ship").click()
    assert page.url.endswith("#before-you-ship")
    await page.locator("[role=doc-noteref]").click()
    assert page.url.endswith("#nb-fn-1")
    await page.locator(".prose a", has_text="lock").first.click()
    assert page.url == f"{notebook.url}en/locks/"
    await page.locator(".bar .links a", has_text="Index").click()
    await page.wait_for_url("**/notes/")
    assert await page.locator("main a").count()


@pytest.mark.parametrize("width", WIDTHS)
async def test_without_script_no_control_is_offered_that_needs_it(
    visit, notebook, width: int
) -> None:
    page = await visit(notebook, "en/deadlock/", width=width, java_script_enabled=False)
    buttons = await page.locator("button").all()
    assert [await button.inner_text() for button in buttons if await button.is_visible()] == []
    wider = await page.locator("html").evaluate("page => page.scrollWidth - page.clientWidth")
    assert wider <= 0


@pytest.mark.parametrize("path", NOTES)
async def test_text_twice_as_large_fits(visit, notebook, path: str) -> None:
    page = await visit(notebook, path, width=1280)
    await at_rest(page)
    await page.add_style_tag(content="html { font-size: 200%; }")
    for width in (1280, 820, 480):
        await page.set_viewport_size({"width": width, "height": 900})
        wider = await page.evaluate("document.documentElement.scrollWidth - innerWidth")
        assert wider <= 0, f"{wider} px too wide at {width}"


async def test_paper_shows_the_note_unfolded_and_nothing_else(visit, notebook) -> None:
    page = await visit(notebook, "en/deadlock/")
    await at_rest(page)
    folded = "<details><summary>A</summary><p>B</p></details>"
    add = "(it, more) => it.insertAdjacentHTML('beforeend', more)"
    await page.locator("nb-article").evaluate(add, folded)
    await page.emulate_media(media="print")
    shown = await page.evaluate("document.body.innerText")
    assert "The four conditions" in shown
    assert "B" in shown.split("A spooler")[1]
    for absent in ("Linked from", "On this page", "Search notes", "Copy", "Keys", "Next"):
        assert absent not in shown.splitlines()
    assert "Document" in shown


async def test_the_first_tab_leads_past_the_header(visit, notebook) -> None:
    page = await visit(notebook, "en/deadlock/")
    await page.keyboard.press("Tab")
    assert await page.evaluate("document.activeElement.className") == "skip"
    await page.keyboard.press("Enter")
    assert await page.evaluate("document.activeElement.id") == "nb-main"


async def test_arabic_runs_from_right_to_left_and_code_does_not(visit, notebook) -> None:
    page = await visit(notebook, "ar/الجمود/")
    await page.locator(".side nb-nav[data-state=ready]").wait_for()
    tree = await page.locator(".side").bounding_box()
    text = await page.locator(".prose").bounding_box()
    contents = await page.locator(".rail").bounding_box()
    assert contents["x"] < text["x"] < tree["x"]
    for code in (".prose pre", ".prose p code"):
        direction = "it => getComputedStyle(it).direction"
        assert await page.locator(code).first.evaluate(direction) == "ltr"


TREES = [
    ("zh", ["ar", "en", "zh"], ["中文", "العربية", "English"]),
    ("en", ["Start", "中文", "Publish"], ["Start", "Publish", "中文"]),
    ("zh-Hans", ["Start", "中文"], ["中文", "Start"]),
    ("ar", ["It", "ar"], ["العربية", "It"]),
]


@pytest.mark.parametrize(("language", "titles", "expected"), TREES)
async def test_the_tree_begins_with_the_language_of_the_page(
    visit, notebook, language, titles, expected
) -> None:
    page = await visit(notebook, "")
    found = await page.evaluate(
        """async ([language, titles]) => {
          const { byLanguage } = await import("/assets/client/navigation/tree.js");
          const categories = titles.map((title, id) => ({ id, title }));
          const sorted = byLanguage(categories, language, ["en", "zh-Hans", "ar"]);
          return sorted.map(({ title }) => title);
        }""",
        [language, titles],
    )
    assert found == expected


async def test_a_site_in_one_language_keeps_its_order(visit, notebook) -> None:
    page = await visit(notebook, "")
    found = await page.evaluate(
        """async () => {
          const { byLanguage } = await import("/assets/client/navigation/tree.js");
          return byLanguage([{ title: "zh" }, { title: "en" }], "en", ["en"]);
        }"""
    )
    assert found == [{"title": "zh"}, {"title": "en"}]


async def test_forced_colours_keep_every_sign(visit, notebook) -> None:
    page = await visit(notebook, "en/deadlock/", forced_colors="active")
    await at_rest(page)
    sign = page.locator(".callout .cap").first
    paint = await sign.evaluate("it => getComputedStyle(it, '::before').backgroundColor")
    ground = await page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert paint != ground
    here = page.locator(".side [aria-current=page]")
    assert await here.evaluate("it => getComputedStyle(it).borderInlineStartStyle") == "solid"


async def test_the_heading_is_the_notes_own_and_lists_say_its_title(visit, notebook) -> None:
    page = await visit(notebook, "en/livelock/")
    await page.locator(".side nb-nav[data-state=ready]").wait_for()
    assert await heading(page) == "Livelock, or too much courtesy"
    assert await page.title() == "Livelock · Kernel Notes"
    assert await page.locator(".side [aria-current=page]").inner_text() == "Livelock"


async def test_a_translated_note_leads_to_its_translations(visit, notebook) -> None:
    page = await visit(notebook, "en/deadlock/")
    links = page.locator(".bar .links [hreflang]")
    assert sorted(await links.all_inner_texts()) == ["العربية", "中文"]
    await links.filter(has_text="中文").click()
    assert await page.locator("html").get_attribute("lang") == "zh-Hans"
    assert await heading(page) == "死锁：谁也不肯先放手"


async def test_many_languages_open_from_one_word(visit, own_notebook) -> None:
    codes = ("zh-Hans", "ar", "fr", "de")
    view = PageView(
        language="en",
        title="Many",
        url="many/",
        content=html("<p>Words.</p>"),
        translations=tuple(Translation(code, f"{code}/") for code in codes),
    )
    renderer = PageRenderer(browser_files() / "theme", SiteSettings(name="Kernel Notes"))
    (own_notebook.folder / "many").mkdir()
    (own_notebook.folder / "many" / "index.html").write_bytes(renderer.render(view))
    page = await visit(own_notebook, "many/")
    link = page.locator(".bar").get_by_role("link", name="Français")
    assert await link.count() == 0
    await page.get_by_role("button", name="Languages").click()
    assert await link.get_attribute("href") == "../fr/"
    await page.keyboard.press("Escape")
    assert await link.count() == 0
