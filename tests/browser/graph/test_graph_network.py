"""The network that is drawn: live notes alone, and the links that hold now."""

from __future__ import annotations

import pytest
from playwright.async_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

READ = """async () => {
  const { Network } = await import("/assets/client/graph/network.js");
  const { thisSite } = await import("/assets/client/knowledge/this-site.js");
  const signal = new AbortController().signal;
  const network = await Network.read(thisSite, signal);
  await network.complete(signal);
  const { rows } = network;
  const named = (ordinal) => rows.known(ordinal).id;
  const ids = [...Array(network.size).keys()].filter((o) => network.isLive(o)).map(named);
  const links = [];
  for (let at = 0; at < network.links.length; at += 2) {
    links.push(`${named(network.links[at])} > ${named(network.links[at + 1])}`);
  }
  const groups = network.groups.map(({ members }) => members.map(named).sort());
  return { ids: ids.sort(), links: links.sort(), groups };
}"""


async def network(page: Page) -> dict[str, list[str]]:
    return await page.evaluate(READ)


async def test_every_live_note_stands_once_and_no_other(look, small_site) -> None:
    found = await network(await look(small_site, "notes/"))
    assert found["ids"] == sorted(small_site.model.notes)


async def test_links_are_those_that_the_notes_have_now(look, small_site) -> None:
    """Of an edited note its newest text counts, and links to its old row lead to the new one."""
    found = await network(await look(small_site, "notes/"))
    assert found["links"] == sorted(f"{a} > {b}" for a, b in small_site.model.edges())


async def test_an_edited_note_stays_in_its_group_and_a_new_one_joins_its_links(
    look, small_site
) -> None:
    found = await network(await look(small_site, "notes/"))
    assert {"locks/n1", "locks/n2", "new"} <= set(found["groups"][0])
    assert "memory/n29" not in found["groups"][1]


async def test_a_page_of_links_that_is_not_what_was_promised_is_not_believed(
    look, own_small_site
) -> None:
    for path in own_small_site.objects("edges"):
        path.write_bytes(path.read_bytes().replace(b"[1,", b"[2,", 1))
    page = await look(own_small_site, "graph/")
    await page.locator("nb-graph[data-state=failed]").wait_for()
    assert await page.locator(".unread").is_visible()
    assert await page.locator(".unread a").get_attribute("href") == "../notes/"
