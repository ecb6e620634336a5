"""Old addresses in a real Chromium, with JavaScript and without."""

from __future__ import annotations

import functools
import http.server
import shutil
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page

from site_builder.beside.redirect_files import SCRIPT_PATH, redirect_files
from site_builder.page_facts import PageFacts, SiteSettings

CLIENT = Path(__file__).parents[2] / "site" / "client"

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]


class Quiet(http.server.SimpleHTTPRequestHandler):
    """Files of a folder, without a log."""

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture(scope="module")
def moved_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A site with one note that moved, below a path of its host."""
    folder = tmp_path_factory.mktemp("moved")
    below = folder / "n"
    note = PageFacts("锁", "锁 1.md", "os/锁 1/", "锁", "zh", former=("old/lock/", "lock.html"))
    for path, body in redirect_files(SiteSettings("Notes"), [note]):
        (below / path).parent.mkdir(parents=True, exist_ok=True)
        (below / path).write_bytes(body)
    (below / "os" / "锁 1").mkdir(parents=True)
    (below / "os" / "锁 1" / "index.html").write_text("<!doctype html><h1 id=a>here</h1>", "utf-8")
    (below / SCRIPT_PATH).parent.mkdir(parents=True)
    shutil.copy(CLIENT / "moved.js", below / SCRIPT_PATH)
    handler = functools.partial(Quiet, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/n/"
        server.shutdown()


@pytest_asyncio.fixture(loop_scope="session")
async def scripted(chromium: Browser) -> AsyncIterator[Page]:
    context = await chromium.new_context()
    yield await context.new_page()
    await context.close()


@pytest_asyncio.fixture(loop_scope="session")
async def scriptless(chromium: Browser) -> AsyncIterator[Page]:
    context = await chromium.new_context(java_script_enabled=False)
    yield await context.new_page()
    await context.close()


THERE = "os/%E9%94%81%201/"


@pytest.mark.parametrize("old", ["old/lock/", "lock.html"])
async def test_an_old_address_leads_on_and_keeps_query_and_fragment(
    scripted: Page, moved_site: str, old: str
) -> None:
    await scripted.goto(f"{moved_site}{old}?q=1#a")
    await scripted.wait_for_url(f"{moved_site}{THERE}?q=1#a")
    assert await scripted.locator("h1").text_content() == "here"


async def test_an_old_address_leads_on_without_javascript(
    scriptless: Page, moved_site: str
) -> None:
    await scriptless.goto(f"{moved_site}old/lock/")
    await scriptless.wait_for_url(f"{moved_site}{THERE}")
