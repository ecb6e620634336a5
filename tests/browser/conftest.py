"""A real Chromium, and a small site on loopback made from our theme and a hand-written tree.

The site is rendered by the publisher's page renderer from hand-written views; its objects are
written here from the contract alone, so that these tests hold theme and client to the contract,
not to the publisher.
"""

from __future__ import annotations

import functools
import hashlib
import http.server
import json
import os
import shutil
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar
from urllib.parse import quote

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, async_playwright

from site_builder.listing.home import HomeContent, HomeEntry
from site_builder.packing import SITE_SHEET, site_sheet
from site_builder.page_facts import SiteSettings
from site_builder.page_rendering import PageRenderer, html
from site_builder.page_view import Neighbour, PageView, Tag, TocEntry

SITE = Path(__file__).parents[2] / "site"
BROWSER_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
BROWSER_ARGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def _browser_path() -> str:
    found = next(filter(None, map(shutil.which, BROWSER_NAMES)), None)
    if found is None:
        reason = "no Chromium on this machine (looked for " + ", ".join(BROWSER_NAMES) + ")"
        if os.environ.get("NOTE_BRIDGE_REQUIRE_BROWSER") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    return found


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def chromium() -> AsyncIterator[Browser]:
    """The distribution's Chromium; fails without it where NOTE_BRIDGE_REQUIRE_BROWSER=1."""
    path = _browser_path()
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=path, args=BROWSER_ARGS)
        yield browser
        await browser.close()


OpenPage = Callable[..., Awaitable[Page]]


@pytest_asyncio.fixture(loop_scope="session")
async def open_page(chromium: Browser, built_site: BuiltSite) -> AsyncIterator[OpenPage]:
    """Opens pages of the built site, each in its own context: `await open_page("locks/")`.

    `before` is awaited with the page before it goes anywhere; other options go to the context.
    """
    async with AsyncExitStack() as contexts:

        async def open_one(
            path: str,
            *,
            width: int = 1440,
            height: int = 900,
            before: Callable[[Page], Awaitable[object]] | None = None,
            **options: object,
        ) -> Page:
            viewport = {"width": width, "height": height}
            context = await chromium.new_context(viewport=viewport, **options)  # type: ignore[arg-type]
            contexts.push_async_callback(context.close)
            page = await context.new_page()
            page.set_default_timeout(10_000)
            if before:
                await before(page)
            await page.goto(built_site.url + quote(path))
            return page

        yield open_one


@dataclass(frozen=True)
class BuiltSite:
    """A site served on loopback. url ends in a slash; folder is what is served."""

    url: str
    folder: Path


@dataclass(frozen=True)
class Note:
    """A note of the test site: its place in the tree, its view and its HTML."""

    url: str
    html: str
    view: PageView
    category: tuple[str, ...] = ()


def _section(level: int, anchor: str, title: str) -> str:
    sign = f'<a class="sec" href="#{anchor}" aria-label="§ {title}">§</a>' if level == 2 else ""
    return (
        f'<h{level} id="{anchor}">{sign}{title}</h{level}>' + "<p>Words that fill a line.</p>" * 12
    )


EVERYTHING = (
    "<p>A <a href='../locks/'>link</a>, one <a class='ext' href='https://example.org/'>out</a>, "
    "<span class='missing' title='Not written yet'>one missing</span>, <code>code</code>, "
    "<mark>marked</mark>, <a class='tag' href='#'>#tag</a>."
    "<sup id='nb-fnref-1'><a href='#nb-fn-1' role='doc-noteref'>1</a></sup></p>"
    "<aside class='callout' data-kind='warning'><p class='cap'>Care</p><p>No proof.</p></aside>"
    + _section(2, "conditions", "The four conditions")
    + "<figure class='code'><header><span>lock.c</span></header><pre><code class='language-c'>"
    "if (a) lock(a, 12, 'x');\n// ring\n"
    + "/* a very long line that has to scroll in its own box */ "
    * 4
    + "</code></pre></figure>"
    "<div class='scroll'><table><thead><tr><th>Strategy</th><th>Cost</th></tr></thead>"
    "<tbody><tr><td>Prevention</td><td>Freedom</td></tr></tbody></table></div>"
    + _section(2, "living-with-it", "Living with it")
    + _section(3, "lock-order", "Lock order")
    + "<ul class='tasks'><li class='done'><span class='box'>☑</span> Ranked</li></ul>"
    "<dl><dt>Ring</dt><dd>A cycle.</dd></dl>"
    "<h2 id='last'>Before you ship</h2><p>The end.</p>"
    "<section class='notes' role='doc-endnotes'><ol><li id='nb-fn-1'><p>A note below. "
    "<a href='#nb-fnref-1' role='doc-backlink'>↩</a></p></li></ol></section>"
)
HOSTILE = "</a><script>window.pwned=1</script>\"'><img src=x onerror=window.pwned=1>"

NOTES = (
    Note(
        "deadlock/",
        EVERYTHING,
        PageView(
            language="en",
            title="Deadlock",
            doc_id="concurrency/deadlock",
            toc=(
                (2, "conditions", "The four conditions"),
                (2, "living-with-it", "Living with it"),
                (3, "lock-order", "Lock order"),
                (2, "last", "Before you ship"),
            ),
            updated="2026-11-14",
            minutes=7,
            tags=(Tag("locks"), Tag("kernel/sync")),
        ),
        ("Concurrency", "Waiting"),
    ),
    Note(
        "locks/",
        "<h1 id='locks'>Locks</h1><h2 id='a'>A</h2><p>Short.</p>",
        PageView(
            language="en", title="Locks", doc_id="locks", toc=((2, "a", "A"),), show_title=False
        ),
        ("Concurrency",),
    ),
    Note(
        "pages/",
        "<p>Pages.</p>",
        PageView(language="en", title="Pages", doc_id="pages"),
        ("Memory",),
    ),
    Note(
        "死锁/",
        "<p>一组线程里，每一个都在等另一个手里的东西。</p>" + EVERYTHING,
        PageView(
            language="zh-Hans",
            title="死锁：谁也不肯先放手",
            doc_id="死锁",
            toc=((2, "conditions", "四个条件"), (2, "living-with-it", "办法"), (2, "last", "清单")),
            updated="2026-11-14",
            minutes=6,
        ),
        ("并发",),
    ),
    Note(
        "jumud/",
        "<p>تكون مجموعة من الخيوط في حالة جمود.</p>" + EVERYTHING,
        PageView(
            language="ar",
            title="الجمود",
            doc_id="jumud",
            toc=((2, "conditions", "الشروط"), (2, "living-with-it", "العيش"), (2, "last", "قبل")),
        ),
        ("تزامن",),
    ),
    Note(
        "hostile/",
        "<p>Nothing.</p>",
        PageView(
            language="en",
            title=HOSTILE,
            doc_id=HOSTILE,
            toc=tuple((2, f'a"{n}', HOSTILE) for n in range(3)),
            updated=HOSTILE,
            tags=(Tag(HOSTILE),),
        ),
        (HOSTILE,),
    ),
)


class Writer:
    """Writes the published files of one site."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def put(self, kind: str, body: dict[str, object]) -> dict[str, object]:
        """Keeps an object under its hash and gives its reference."""
        data = _canonical({"kind": kind, **body})
        digest = hashlib.sha256(data).hexdigest()
        self.write(f"ai/objects/{kind}/{digest}.json", data)
        return {"sha256": digest, "size": len(data)}

    def write(self, path: str, data: bytes) -> None:
        """Writes one file below the site."""
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(data)


def _canonical(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def _publish(writer: Writer, notes: tuple[Note, ...]) -> None:
    paths = {note.category[:depth] for note in notes for depth in range(len(note.category) + 1)}
    ids = {path: number for number, path in enumerate(sorted(paths))}
    pages = [
        writer.put(
            "category",
            {
                "rows": [
                    [ids[path], n.view.doc_id, n.view.title, n.url]
                    for n in notes
                    if n.category == path
                ]
            },
        )
        for path in ids
    ]
    categories = [
        [
            number,
            ids[path[:-1]] if path else -1,
            path[-1] if path else "Kernel Notes",
            sum(note.category[: len(path)] == path for note in notes),
            number,
            "",
        ]
        for path, number in ids.items()
    ]
    rows = [[page["sha256"], page["size"]] for page in pages]
    overview = writer.put("overview", {"docs": len(notes), "categories": categories, "pages": rows})
    root = writer.put("root", {"schema": "1.0", "docs": len(notes), "overview": overview})
    manifest = {
        "schemaVersion": "1.0",
        "title": "Kernel Notes",
        "revision": root["sha256"],
        "root": root,
        "sequence": 3,
        "publishedAt": "2026-11-28T09:00:00Z",
        "previous": [],
    }
    writer.write("ai/manifest.json", _canonical(manifest))


def _render(writer: Writer, notes: tuple[Note, ...]) -> None:
    site = SiteSettings(name="Kernel Notes", description="Notes.")
    renderer = PageRenderer(SITE / "theme", site)
    for number, note in enumerate(notes):
        before = notes[number - 1] if number else None
        after = notes[number + 1] if number + 1 < len(notes) else None
        view = replace(
            note.view,
            url=note.url,
            content=html(note.html),
            toc=tuple(TocEntry(*entry) for entry in note.view.toc),
            breadcrumbs=tuple(Neighbour(title, None) for title in note.category),
            document_sha256=hashlib.sha256(note.html.encode()).hexdigest(),
            previous=Neighbour(before.view.title, before.url) if before else None,
            next=Neighbour(after.view.title, after.url) if after else None,
            show_title=not note.html.startswith("<h1"),
        )
        writer.write(f"{note.url}index.html", renderer.render(view))
    home = PageView(
        language="en",
        title="Kernel Notes",
        template="partials/home.html",
        is_home=True,
        content=HomeContent(
            entries=(HomeEntry("Concurrency", "locks/", 2), HomeEntry("Memory", "pages/", 1)),
            loose=(),
            more=False,
            recent=(),
            index_url="notes/",
            recent_url="",
            graph_url="",
            clusters_url="",
        ),
    )
    writer.write("index.html", renderer.render(home))
    lost = PageView(language="en", title="", absolute=True)
    writer.write("404.html", renderer.render(lost, "404.html"))


class _Handler(http.server.SimpleHTTPRequestHandler):
    """Serves a folder under a strict policy, and 404.html where there is nothing."""

    extensions_map: ClassVar[dict[str, str]] = {
        **http.server.SimpleHTTPRequestHandler.extensions_map,
        ".js": "text/javascript",
    }

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", POLICY)
        super().end_headers()

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        if code != http.HTTPStatus.NOT_FOUND:
            super().send_error(code, message, explain)
            return
        body = (Path(self.directory) / "404.html").read_bytes()
        self.send_response(code)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture(scope="session")
def built_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[BuiltSite]:
    """The test site, served over HTTP on loopback for the whole session."""
    folder = tmp_path_factory.mktemp("site")
    shutil.copytree(SITE / "theme" / "assets", folder / "assets")
    (folder / SITE_SHEET).write_bytes(site_sheet(SITE / "theme" / "assets" / "css"))
    shutil.copytree(SITE / "client", folder / "assets" / "client")
    writer = Writer(folder)
    _publish(writer, NOTES)
    _render(writer, NOTES)
    handler = functools.partial(_Handler, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield BuiltSite(f"http://127.0.0.1:{server.server_port}/", folder)
    server.shutdown()
    server.server_close()
    thread.join()
