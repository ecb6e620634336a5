"""The list of keys, and keys that act alone."""

from __future__ import annotations

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


async def test_a_question_mark_opens_the_list_and_escape_closes_it(visit, notebook) -> None:
    page = await visit(notebook, "en/locks/")
    await page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Keys")
    await dialog.wait_for()
    assert "This list" in await dialog.inner_text()
    await page.keyboard.press("Escape")
    await dialog.wait_for(state="hidden")


async def test_single_keys_can_be_switched_off_for_good(visit, notebook) -> None:
    page = await visit(notebook, "en/locks/")
    await page.locator("[data-opens-keys]").click()
    await page.get_by_role("checkbox", name="Use single keys").uncheck()
    await page.keyboard.press("Escape")
    await page.keyboard.press("?")
    assert await page.get_by_role("dialog").count() == 0
    await page.reload()
    await page.keyboard.press("?")
    assert await page.get_by_role("dialog").count() == 0
    await page.locator("[data-opens-keys]").click()
    await page.get_by_role("checkbox", name="Use single keys").check()
    await page.keyboard.press("Escape")
    await page.keyboard.press("?")
    await page.get_by_role("dialog", name="Keys").wait_for()


async def test_a_key_that_writes_opens_nothing(visit, notebook) -> None:
    page = await visit(notebook, "en/locks/")
    await page.evaluate("document.querySelector('.prose').append(document.createElement('input'))")
    await page.locator(".prose input").press("?")
    assert await page.locator(".prose input").input_value() == "?"
    assert await page.get_by_role("dialog").count() == 0


async def test_a_choice_that_cannot_be_kept_is_not_shown_as_made(visit, notebook) -> None:
    page = await visit(
        notebook,
        "en/locks/",
        before=lambda page: page.add_init_script(
            "Object.defineProperty(window, 'localStorage', "
            "{ get() { throw new DOMException('no', 'SecurityError'); } });"
        ),
    )
    await page.keyboard.press("?")
    box = page.get_by_role("checkbox", name="Use single keys")
    await box.click()
    assert await box.is_checked()
