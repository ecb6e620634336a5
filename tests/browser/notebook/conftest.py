"""A notebook in three languages, built by the publisher and served as a host would, with gzip."""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import quote

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page

from manifest.canonical import Json, encode
from site_builder.build import build_site
from site_builder.preview import Answered, preview_server, serve_in_background
from site_builder.project import BuildRequest

SOURCE = Path(__file__).parents[2] / "cases" / "languages" / "mkdocs.yml"


@dataclass
class Notebook:
    """A built site on loopback. answered: every request since it was cleared last."""

    url: str
    folder: Path
    answered: list[Answered] = field(default_factory=list)

    def objects(self, kind: str) -> list[dict[str, Json]]:
        """All published objects of a kind."""
        folder = self.folder / "ai" / "objects" / kind
        return [json.loads(path.read_bytes()) for path in sorted(folder.iterdir())]

    def doc(self, doc_id: str) -> dict[str, Json]:
        """A document's object."""
        return next(doc for doc in self.objects("doc") if doc["id"] == doc_id)

    def put(self, body: dict[str, Json]) -> dict[str, Json]:
        """Publishes one more object and gives its reference."""
        data = encode(body)
        digest = hashlib.sha256(data).hexdigest()
        folder = self.folder / "ai" / "objects" / str(body["kind"])
        (folder / f"{digest}.json").write_bytes(data)
        return {"sha256": digest, "size": len(data)}

    def point_at(self, root: dict[str, Json]) -> None:
        """Makes the manifest name another root."""
        path = self.folder / "ai" / "manifest.json"
        reference = self.put(root)
        manifest = {**json.loads(path.read_bytes()), "root": reference}
        path.write_bytes(encode({**manifest, "revision": reference["sha256"]}))


@pytest.fixture(scope="session")
def built_notebook(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The notebook's site, which no test may change."""
    out = tmp_path_factory.mktemp("languages") / "site"
    build_site(BuildRequest(source=SOURCE, out=out))
    return out


def _served(folder: Path) -> Iterator[Notebook]:
    answered: list[Answered] = []
    server = preview_server(folder, answered=answered.append)
    yield Notebook(serve_in_background(server), folder, answered)
    server.shutdown()
    server.server_close()


@pytest.fixture
def notebook(built_notebook: Path) -> Iterator[Notebook]:
    """The notebook, served."""
    yield from _served(built_notebook)


@pytest.fixture
def own_notebook(built_notebook: Path, tmp_path: Path) -> Iterator[Notebook]:
    """A copy of the notebook that the test may change."""
    shutil.copytree(built_notebook, tmp_path / "site")
    yield from _served(tmp_path / "site")


Visit = Callable[..., Awaitable[Page]]


@pytest_asyncio.fixture(loop_scope="session")
async def visit(chromium: Browser) -> AsyncIterator[Visit]:
    """Opens a page of a notebook in a context of its own: `await visit(notebook, "en/locks/")`.

    `before` is awaited with the page before it goes anywhere; other options go to the context.
    """
    async with AsyncExitStack() as contexts:

        async def open_one(
            site: Notebook,
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
            page.set_default_timeout(20_000)
            if before:
                await before(page)
            await page.goto(site.url + quote(path, safe="/#?=&"))
            return page

        yield open_one
