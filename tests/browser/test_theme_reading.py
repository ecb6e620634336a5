"""Reading a note: position in the contents, copying, revision and hash, light and dark."""

from __future__ import annotations

import hashlib
import json

import pytest
from playwright.async_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

CLIPBOARD = ["clipboard-read", "clipboard-write"]


def current(page: Page, title: str):
    return page.locator(".rail [aria-current=true]", has_text=title)


async def test_contents_follow_the_reader_down_and_back(open_page) -> None:
    page = await open_page("deadlock/")
    await current(page, "The four conditions").wait_for()
    await page.evaluate("scrollTo(0, document.getElementById('lock-order').offsetTop + 400)")
    await current(page, "Lock order").wait_for()
    await page.evaluate("scrollTo(0, 0)")
    await current(page, "The four conditions").wait_for()
    assert await page.locator(".rail [aria-current]").count() == 1


async def test_a_chosen_section_is_marked_though_it_cannot_reach_the_line(open_page) -> None:
    page = await open_page("deadlock/")
    await page.locator(".rail a", has_text="Before you ship").click()
    await current(page, "Before you ship").wait_for()


async def test_contents_are_folded_where_there_is_no_room_beside_the_text(open_page) -> None:
    page = await open_page("deadlock/", width=820)
    link = page.locator(".rail a", has_text="Lock order")
    assert not await link.is_visible()
    await page.locator(".rail summary").click()
    assert await link.is_visible()
    await page.set_viewport_size({"width": 1440, "height": 900})
    assert await link.is_visible()


async def test_code_is_copied_as_it_stands_and_the_button_says_so(open_page) -> None:
    page = await open_page("deadlock/", permissions=CLIPBOARD)
    button = page.locator("figure.code button")
    await button.click()
    await page.locator("figure.code button", has_text="Copied").wait_for()
    copied = await page.evaluate("navigator.clipboard.readText()")
    assert copied == await page.locator("figure.code pre").evaluate("pre => pre.textContent")


async def test_a_section_link_copies_its_own_address(open_page, built_site) -> None:
    page = await open_page("deadlock/", permissions=CLIPBOARD)
    await page.locator("#lock-order").hover()
    await page.get_by_role("link", name="Link to section: Lock order").click()
    await page.get_by_role("status").get_by_text("Link copied").wait_for()
    copied = await page.evaluate("navigator.clipboard.readText()")
    assert copied == f"{built_site.url}deadlock/#lock-order"


async def test_what_the_article_was_given_goes_with_it(open_page) -> None:
    page = await open_page("deadlock/")
    await page.locator("figure.code button").wait_for()
    await page.evaluate("(window.art = document.querySelector('nb-article')).remove()")
    assert await page.evaluate("art.querySelectorAll('button, h3 .sec, [tabindex]').length") == 0
    await page.evaluate("document.querySelector('article.note').append(art)")
    assert await page.locator("figure.code button").count() == 1


async def test_the_revision_is_the_manifests_and_a_click_copies_all_of_it(
    open_page, built_site
) -> None:
    manifest = json.loads((built_site.folder / "ai" / "manifest.json").read_bytes())
    page = await open_page("deadlock/", permissions=CLIPBOARD)
    chip = page.locator(".prov nb-revision button")
    assert await chip.inner_text() == f"rev\n{manifest['revision'][:8]}\n, copy revision"
    await chip.click()
    await page.get_by_role("status").get_by_text("Revision copied").wait_for()
    assert await page.evaluate("navigator.clipboard.readText()") == manifest["revision"]


async def test_no_page_carries_the_revision_itself(built_site) -> None:
    manifest = json.loads((built_site.folder / "ai" / "manifest.json").read_bytes())
    pages = list(built_site.folder.rglob("*.html"))
    assert pages
    assert not any(manifest["revision"][:8] in page.read_text("utf-8") for page in pages)


async def test_a_refused_clipboard_is_said(open_page) -> None:
    page = await open_page("deadlock/")
    await page.evaluate(
        "() => { navigator.clipboard.writeText = () => Promise.reject(new Error('no')); }"
    )
    await page.locator(".colophon nb-hash button").last.click()
    await page.get_by_role("status").get_by_text("does not allow copying").wait_for()


async def test_the_strip_draws_the_first_eight_digits(open_page) -> None:
    page = await open_page("")
    digest = hashlib.sha256(b"strip").hexdigest()
    path = await page.evaluate(
        """async (digest) => {
          const { stripPath } = await import("/assets/client/identity/strip.js");
          return stripPath(digest);
        }""",
        digest,
    )
    bars = path.split("M")[1:]
    assert len(bars) == 8
    for place, (bar, digit) in enumerate(zip(bars, digest, strict=False)):
        x, top = bar.split("h")[0].split()
        assert int(x) == 3 * place
        assert 10 - float(top) == pytest.approx(1 + 9 * int(digit, 16) / 15, abs=0.051)


@pytest.mark.parametrize(
    ("scheme", "order"), [("light", ["dark", "light", None]), ("dark", ["light", "dark", None])]
)
async def test_each_press_changes_the_theme_and_the_third_leads_back(
    open_page, scheme, order
) -> None:
    page = await open_page("deadlock/", color_scheme=scheme)
    for expected in order:
        await page.locator("nb-theme button").click()
        assert await page.locator("html").get_attribute("data-theme") == expected
        assert await page.evaluate("localStorage.getItem('nb-theme')") == expected


async def test_the_chosen_theme_is_there_before_the_page_is_drawn(open_page) -> None:
    page = await open_page("deadlock/", color_scheme="light")
    await page.locator("nb-theme button").click()
    await page.add_init_script(
        """new MutationObserver((_, watch) => {
          if (!document.body) return;
          watch.disconnect();
          window.themeAtFirst = document.documentElement.dataset.theme;
        }).observe(document, { childList: true, subtree: true });"""
    )
    await page.reload()
    assert await page.evaluate("themeAtFirst") == "dark"
    background = await page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert background == "rgb(15, 21, 20)"


async def test_another_tab_follows_the_choice(open_page) -> None:
    page = await open_page("deadlock/", color_scheme="light")
    other = await page.context.new_page()
    await other.goto(page.url)
    await page.locator("nb-theme button").click()
    await other.locator("html[data-theme=dark]").wait_for()


async def test_reduced_motion_moves_nothing(open_page) -> None:
    page = await open_page("deadlock/", reduced_motion="reduce")
    await page.locator("nb-revision nb-hash").first.wait_for()
    moving = await page.evaluate("document.getAnimations().length")
    assert moving == 0
