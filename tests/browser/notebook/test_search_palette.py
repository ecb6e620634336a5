"""The search palette: opened, typed into, walked through and left, over a notebook really built."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.async_api import Locator, Page

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

SEARCH_CODE = re.compile(r"/assets/client/(search|palette)/(?!search-element)")


def palette(page: Page) -> Locator:
    return page.locator("dialog.palette")


def field(page: Page) -> Locator:
    return palette(page).get_by_role("combobox")


async def look_for(page: Page, words: str) -> None:
    """Opens the palette, types and waits for results."""
    await page.keyboard.press("/")
    await field(page).fill(words)
    await palette(page).get_by_role("option").first.wait_for()


async def active(page: Page) -> Locator:
    """The option that the field says is active."""
    return page.locator(f"#{await field(page).get_attribute('aria-activedescendant')}")


async def focused(page: Page, what: str) -> bool:
    return bool(await page.evaluate("what => document.activeElement.matches(what)", what))


@pytest.mark.parametrize("keys", ["/", "Control+k", "Meta+k"])
async def test_keys_open_it_and_escape_gives_focus_back(
    notebook: Any, visit: Any, keys: str
) -> None:
    page = await visit(notebook, "en/deadlock/")
    await page.locator("a.brand").focus()
    await page.keyboard.press(keys)
    await field(page).wait_for()
    assert await focused(page, "dialog.palette input")
    assert await field(page).input_value() == ""
    await page.keyboard.press("Escape")
    await palette(page).wait_for(state="hidden")
    assert await focused(page, "a.brand")


async def test_a_press_on_the_field_in_the_header_opens_it(notebook: Any, visit: Any) -> None:
    page = await visit(notebook, "en/deadlock/")
    opener = page.get_by_role("button", name="Search notes")
    await opener.click()
    await field(page).wait_for()
    await page.get_by_role("button", name="Close search").click()
    await palette(page).wait_for(state="hidden")
    assert await focused(page, "nb-search button")
    await page.set_viewport_size({"width": 390, "height": 780})
    assert not await opener.is_visible()
    await page.locator(".dock").get_by_role("button", name="Search").click()
    await field(page).wait_for()


async def test_no_code_of_search_comes_with_a_page(notebook: Any, visit: Any) -> None:
    page = await visit(notebook, "en/deadlock/")
    await page.wait_for_load_state("networkidle")
    seen = [str(each.path) for each in notebook.answered if SEARCH_CODE.search(str(each.path))]
    assert [path for path in seen if "segment" not in path and "code-points" not in path] == []
    await page.keyboard.press("/")
    await field(page).wait_for()


async def test_all_modules_of_search_are_named_in_one(notebook: Any, visit: Any) -> None:
    """So that they come at once; one that is met later costs a way there and back."""
    page = await visit(notebook, "en/deadlock/")
    before = "performance.getEntriesByType('resource').map(e => e.name)"
    there = set(await page.evaluate(before))
    await page.keyboard.press("/")
    await field(page).wait_for()
    come = {name for name in await page.evaluate(before) if "/assets/client/" in name} - there
    root = notebook.url + "assets/client/"
    client = notebook.folder / "assets" / "client"
    text = (client / "palette" / "registration.js").read_text("utf-8")
    named = {(client / "palette" / found).resolve() for found in re.findall('"(\\.[^"]+)"', text)}
    missing = {name for name in come if (client / name.removeprefix(root)).resolve() not in named}
    assert missing == {root + "palette/registration.js"}
    assert all(path.is_file() for path in named)


async def test_a_slash_in_a_field_is_a_slash(notebook: Any, visit: Any) -> None:
    page = await visit(notebook, "en/deadlock/")
    await page.keyboard.press("/")
    await field(page).wait_for()
    await page.keyboard.type("a/b")
    assert await field(page).input_value() == "a/b"


async def test_results_stand_by_note_with_the_words_marked(notebook: Any, visit: Any) -> None:
    page = await visit(notebook, "en/locks/")
    await look_for(page, "circular wait")
    group = palette(page).get_by_role("group", name="Deadlock").first
    assert await group.locator(".doc b").inner_text() == "Deadlock"
    option = group.get_by_role("option", name=re.compile("The four conditions"))
    assert await option.get_attribute("aria-selected") == "true"
    marked = await option.locator("mark").all_inner_texts()
    assert "Circular wait" in marked
    assert await field(page).get_attribute("aria-expanded") == "true"
    count = await palette(page).locator(".count").inner_text()
    assert re.fullmatch(r"\d+ sections? in \d+ notes?", count)
    assert len(await palette(page).locator(".pal-foot .hash span").inner_text()) == 8


async def test_chinese_words_are_found_and_marked(notebook: Any, visit: Any) -> None:
    page = await visit(notebook, "zh/死锁/")
    await look_for(page, "死锁")
    assert await palette(page).get_attribute("aria-label") == "搜索笔记"
    marks = await palette(page).get_by_role("option").first.locator("mark").all_inner_texts()
    heads = await palette(page).locator(".doc mark").all_inner_texts()
    assert "死锁" in [*marks, *heads]


async def test_arrows_walk_round_and_enter_opens_at_the_section(notebook: Any, visit: Any) -> None:
    page = await visit(notebook, "en/locks/")
    await look_for(page, "lock order code")
    options = palette(page).get_by_role("option")
    first = await (await active(page)).get_attribute("id")
    await page.keyboard.press("ArrowUp")
    assert await (await active(page)).get_attribute("id") == await options.last.get_attribute("id")
    await page.keyboard.press("ArrowDown")
    assert await (await active(page)).get_attribute("id") == first
    target = options.filter(has_text="Lock order in code").first
    while await target.get_attribute("aria-selected") != "true":
        await page.keyboard.press("ArrowDown")
    assert await focused(page, "dialog.palette input")
    await page.keyboard.press("Enter")
    await page.wait_for_url(re.compile(r"/en/deadlock/#lock-order-in-code$"))


async def test_a_result_on_this_page_closes_the_palette_and_goes_there(
    notebook: Any, visit: Any
) -> None:
    page = await visit(notebook, "en/deadlock/")
    await look_for(page, "mutual exclusion circular wait")
    await page.keyboard.press("Enter")
    await palette(page).wait_for(state="hidden")
    assert page.url.endswith("/en/deadlock/#the-four-conditions")


async def test_enter_while_an_input_method_composes_opens_nothing(
    notebook: Any, visit: Any
) -> None:
    page = await visit(notebook, "zh/")
    await look_for(page, "死锁")
    shown = await palette(page).get_by_role("option").count()
    session = await page.context.new_cdp_session(page)
    composed = {"text": "yinhang", "selectionStart": 7, "selectionEnd": 7}
    await field(page).fill("")
    await session.send("Input.imeSetComposition", composed)
    await page.evaluate(
        """() => document.querySelector("dialog.palette input").dispatchEvent(new KeyboardEvent(
          "keydown", { key: "Enter", isComposing: true, bubbles: true, cancelable: true }))"""
    )
    assert await palette(page).is_visible()
    assert page.url.endswith("/zh/")
    await session.send("Input.insertText", {"text": "银行家"})
    await palette(page).locator(".doc", has_text="银行家").first.wait_for()
    assert shown > 0
    await page.keyboard.press("Enter")
    await page.wait_for_url(re.compile("/zh/.+/"))


async def test_nothing_is_searched_while_an_input_method_composes(
    notebook: Any, visit: Any
) -> None:
    page = await visit(notebook, "zh/")
    await page.keyboard.press("/")
    await field(page).wait_for()
    session = await page.context.new_cdp_session(page)
    composed = {"text": "deadlock", "selectionStart": 8, "selectionEnd": 8}
    await session.send("Input.imeSetComposition", composed)
    assert await field(page).input_value() == "deadlock"
    await page.wait_for_load_state("networkidle")
    assert await palette(page).get_by_role("option").count() == 0
    await session.send("Input.insertText", {"text": "deadlock"})
    await palette(page).get_by_role("option").first.wait_for()


async def test_control_enter_is_kept_for_asking(notebook: Any, visit: Any) -> None:
    page = await visit(notebook, "en/locks/")
    await look_for(page, "deadlock")
    await page.keyboard.press("Control+Enter")
    assert await palette(page).is_visible()
    assert page.url.endswith("/en/locks/")


async def test_the_section_stands_beside_the_list_where_there_is_room(
    notebook: Any, visit: Any
) -> None:
    page = await visit(notebook, "en/locks/")
    await look_for(page, "circular wait")
    look = palette(page).get_by_role("region", name="Preview")
    assert await look.locator("h3").inner_text() == "The four conditions"
    assert "Mutual exclusion." in await look.locator("li").first.inner_text()
    assert await look.locator("mark").first.is_visible()
    await page.keyboard.press("End")
    await page.keyboard.press("ArrowRight")
    assert await focused(page, ".look")
    await page.keyboard.press("ArrowLeft")
    assert await focused(page, "dialog.palette input")
    await page.set_viewport_size({"width": 820, "height": 900})
    assert not await look.is_visible()


async def test_the_arrow_moves_the_caret_before_it_leads_to_the_preview(
    notebook: Any, visit: Any
) -> None:
    page = await visit(notebook, "en/locks/")
    await look_for(page, "circular wait")
    await page.keyboard.press("Home")
    await page.keyboard.press("ArrowRight")
    assert await focused(page, "dialog.palette input")
    assert await field(page).evaluate("field => field.selectionStart") == 1


async def test_an_unfinished_word_finds_what_begins_with_it(notebook: Any, visit: Any) -> None:
    page = await visit(notebook, "en/")
    await look_for(page, "livel")
    assert await palette(page).locator(".doc b").first.inner_text() == "Livelock"


async def test_a_misspelt_word_is_told_and_the_one_meant_is_shown(
    notebook: Any, visit: Any
) -> None:
    page = await visit(notebook, "en/")
    await look_for(page, "livelokc ")
    banner = palette(page).locator(".banner")
    assert await banner.inner_text() == "No note says “livelokc”. These say “livelock”."


async def test_words_that_nobody_wrote_are_said_back(notebook: Any, visit: Any) -> None:
    page = await visit(notebook, "en/")
    await page.keyboard.press("/")
    await field(page).fill("xylophone <b>$&")
    said = palette(page).locator(".said")
    await said.filter(has_text="xylophone").wait_for()
    assert await said.inner_text() == "No section says “xylophone <b>$&”. Try fewer words."
    assert await field(page).get_attribute("aria-expanded") == "false"
    assert await field(page).get_attribute("aria-activedescendant") is None


async def test_what_was_opened_last_is_offered_when_nothing_is_typed(
    notebook: Any, visit: Any
) -> None:
    page = await visit(notebook, "en/locks/")
    await page.keyboard.press("/")
    await palette(page).get_by_text("Type words that a note would use.").wait_for()
    await field(page).fill("circular wait")
    await palette(page).get_by_role("option").first.wait_for()
    await page.keyboard.press("Enter")
    await page.wait_for_url(re.compile("the-four-conditions$"))
    await page.keyboard.press("/")
    group = palette(page).get_by_role("group", name="Opened last")
    await group.wait_for()
    assert await group.get_by_role("option").all_inner_texts() == ["Deadlock\nThe four conditions"]
    kept = await page.evaluate("Object.keys(localStorage)")
    assert [key for key in kept if key.startswith("nb-opened:")] == ["nb-opened:/"]


async def test_what_storage_holds_is_not_trusted(notebook: Any, visit: Any) -> None:
    page = await visit(notebook, "en/locks/")
    await page.evaluate(
        """() => localStorage.setItem("nb-opened:/", JSON.stringify([
          { title: "<img src=x>", section: "", url: "//evil.example/", anchor: "", language: "en" },
          { title: "No section" }, null, 7]))"""
    )
    await page.keyboard.press("/")
    await palette(page).get_by_text("Type words that a note would use.").wait_for()
    assert await palette(page).locator("a, .hits img").count() == 0


async def test_an_address_with_a_question_opens_it(notebook: Any, visit: Any) -> None:
    page = await visit(notebook, "en/locks/?q=circular wait")
    await palette(page).get_by_role("option").first.wait_for()
    assert await field(page).input_value() == "circular wait"


async def test_filters_may_be_typed(notebook: Any, visit: Any) -> None:
    page = await visit(notebook, "en/")
    await look_for(page, "folder:en lock")
    await page.wait_for_function(
        "document.querySelectorAll('dialog.palette a[role=option]').length > 0"
    )
    links = palette(page).locator("a[role=option]")
    paths = await links.evaluate_all("all => all.map(a => a.pathname)")
    assert paths
    assert all(path.startswith("/en/") for path in paths)
    assert "lock" in " ".join(await palette(page).locator("mark").all_inner_texts()).lower()


async def test_the_scope_narrows_to_one_language(notebook: Any, visit: Any) -> None:
    page = await visit(notebook, "en/")
    await look_for(page, "lock_pair")
    languages = palette(page).get_by_role("group", name="Which language to search")
    assert await languages.get_by_role("button").all_inner_texts() == [
        "All",
        "English",
        "العربية",
        "中文",
    ]
    shown = palette(page).locator(".hits [role=group]")
    assert await shown.count() > 1
    await languages.get_by_role("button", name="中文").click()
    await page.wait_for_function("document.querySelectorAll('.hits [role=group]').length === 1")
    assert await shown.get_attribute("lang") == "zh-Hans"
    assert await focused(page, "dialog.palette input")
    pressed = languages.locator("[aria-pressed=true]")
    assert await pressed.all_inner_texts() == ["中文"]


async def test_a_note_in_another_direction_stands_in_its_own(notebook: Any, visit: Any) -> None:
    page = await visit(notebook, "en/")
    await look_for(page, "الجمود")
    group = palette(page).locator(".hits [role=group][lang=ar]").first
    assert await group.evaluate("e => getComputedStyle(e).direction") == "rtl"
    shown = palette(page).locator(".look > div")
    assert await shown.evaluate("e => getComputedStyle(e).direction") == "rtl"
    assert await palette(page).evaluate("e => getComputedStyle(e).direction") == "ltr"


async def test_a_search_that_went_stale_shows_nothing(notebook: Any, visit: Any) -> None:
    page = await visit(notebook, "en/")
    await page.keyboard.press("/")
    await field(page).wait_for()
    for words in ("deadlock", "livelock", "bank", "priority inversion"):
        await field(page).fill(words)
    await palette(page).locator(".doc", has_text="Priority inversion").wait_for()
    first = await palette(page).locator(".doc b").first.inner_text()
    assert first == "Priority inversion"


async def test_without_script_search_says_what_it_needs(notebook: Any, visit: Any) -> None:
    page = await visit(notebook, "en/locks/", java_script_enabled=False)
    needed = page.locator(".unsearched")
    assert await needed.inner_text() == "Search needs JavaScript"
    assert await needed.is_visible()
    assert not await page.get_by_role("button", name="Search notes").is_visible()
    with_script = await visit(notebook, "en/locks/")
    assert await with_script.locator(".unsearched").count() == 0


async def test_from_the_right_everything_is_mirrored(notebook: Any, visit: Any) -> None:
    page = await visit(notebook, "ar/الجمود/")
    await look_for(page, "الجمود")
    left: Callable[[Locator], Any] = lambda part: part.evaluate(  # noqa: E731
        "e => e.getBoundingClientRect().left"
    )
    assert await left(palette(page).locator(".look")) < await left(palette(page).locator(".hits"))
    assert await left(palette(page).locator(".ico")) < await left(field(page))
