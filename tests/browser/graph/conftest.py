"""Sites whose lists, graph and groups are looked at: pages by the publisher, objects by hand.

The objects are written from the contract alone: two segments and a delta, with a note that was
edited, one that was deleted and one that moved to the younger segment.
"""

from __future__ import annotations

import functools
import hashlib
import http.server
import json
import shutil
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page

from site_builder.categories import folder_tree
from site_builder.listing.site_lists import site_lists
from site_builder.packing import SITE_SHEET, site_sheet
from site_builder.page_facts import PageFacts, SiteSettings
from site_builder.page_rendering import PageRenderer
from site_builder.page_view import PageView

SITE = Path(__file__).parents[3] / "site"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
ROWS = 32


@dataclass(frozen=True)
class Note:
    """A live note. links: ids, in the order of the text. group: of `Model.groups`, -1 for none."""

    id: str
    title: str
    links: tuple[str, ...] = ()
    group: int = -1
    language: str = "en"
    tags: tuple[str, ...] = ()
    date: str = ""

    @property
    def url(self) -> str:
        return f"{self.id}/"

    @property
    def facts(self) -> PageFacts:
        """What the lists are made from."""
        known = (self.id, f"{self.id}.md", self.url, self.title, self.language, self.tags, ())
        return PageFacts(*known, tuple(self.id.split("/")[:-1]), self.date)

    def doc(self, titles: dict[str, str]) -> dict[str, object]:
        """Its object: a sentence for each link."""
        sentences = [
            f"Nobody reads {self.title} without [{titles[to]}]({to}.md) at hand."
            for to in self.links
        ]
        text = f"# {self.title}\n\n" + " ".join(sentences) + "\n"
        section = {
            "id": "top",
            "anchor": "top",
            "level": 1,
            "title": self.title,
            "path": [self.title],
            "start": 0,
            "end": len(text),
            "sha256": "0" * 64,
            "tokens": 9,
        }
        links = [{"section": 0, "kind": "doc", "to": to, "text": titles[to]} for to in self.links]
        return {
            "id": self.id,
            "title": self.title,
            "language": self.language,
            "url": self.url,
            "meta": {},
            "text": text,
            "sections": [section],
            "links": links,
        }


@dataclass
class Model:
    """What is published. segments: ids by ordinal, an empty one where a row was emptied.
    stale: links that the row of an edited note still states. newer: ids of the delta.
    """

    notes: dict[str, Note]
    segments: list[list[str]]
    groups: list[str]
    dropped: list[tuple[int, int]] = field(default_factory=list)
    newer: list[str] = field(default_factory=list)
    stale: dict[str, tuple[str, ...]] = field(default_factory=dict)
    settings: SiteSettings = field(default_factory=lambda: SiteSettings("Kernel Notes"))

    def offsets(self) -> list[int]:
        """The first ordinal of each segment."""
        pages = [-(-len(rows) // ROWS) for rows in self.segments]
        return [ROWS * sum(pages[:number]) for number in range(len(pages))]

    def ordinals(self) -> dict[str, int]:
        """The youngest ordinal of each note that stands in a segment."""
        rows = zip(self.offsets(), self.segments, strict=True)
        return {i: first + n for first, ids in rows for n, i in enumerate(ids) if i}

    def edges(self) -> set[tuple[str, str]]:
        """Every link between live notes."""
        return {(note.id, to) for note in self.notes.values() for to in note.links}


@dataclass(frozen=True)
class Published:
    """A site on loopback."""

    url: str
    folder: Path
    model: Model

    def objects(self, kind: str) -> list[Path]:
        """The files of a kind of object."""
        return sorted((self.folder / "ai" / "objects" / kind).iterdir())


@dataclass(frozen=True)
class Writer:
    """Writes objects below a folder."""

    folder: Path

    def put(self, kind: str, body: dict[str, object]) -> list[object]:
        """Keeps an object; [sha256, size]."""
        value = {"kind": kind, **body}
        data = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
        digest = hashlib.sha256(data).hexdigest()
        path = self.folder / "ai" / "objects" / kind / f"{digest}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return [digest, len(data)]


def _reference(row: list[object]) -> dict[str, object]:
    return {"sha256": row[0], "size": row[1]}


def _publish(writer: Writer, model: Model) -> None:
    titles = {note.id: note.title for note in model.notes.values()}
    docs = {note.id: writer.put("doc", note.doc(titles)) for note in model.notes.values()}
    segments = [_reference(_segment(writer, model, rows, docs)) for rows in model.segments]
    delta_rows = [[i, titles[i], model.notes[i].language, *docs[i]] for i in model.newer]
    drop = [[segment, ordinal, 1] for segment, ordinal in model.dropped]
    delta = writer.put("delta", {"base": "0" * 64, "drop": drop, "docs": delta_rows})
    root = {
        "schema": "1.0",
        "docs": len(model.notes),
        "segments": segments,
        "delta": _reference(delta),
        "graph": _reference(_graph(writer, model)),
        "clusters": _reference(_clusters(writer, model)),
        "overview": _reference(_overview(writer, model)),
    }
    reference = _reference(writer.put("root", root))
    manifest = {"schemaVersion": "1.0", "revision": reference["sha256"], "root": reference}
    (writer.folder / "ai" / "manifest.json").write_text(json.dumps(manifest))


def _links_of(model: Model, doc_id: str) -> tuple[str, ...]:
    return model.stale.get(doc_id, model.notes[doc_id].links)


def _segment(
    writer: Writer, model: Model, rows: list[str], docs: dict[str, list[object]]
) -> list[object]:
    first_of = model.ordinals()
    pages = []
    for first in range(0, len(rows), ROWS):
        page = []
        for doc_id in rows[first : first + ROWS]:
            if not doc_id:
                page.append(["", "", "", "", 0, 0, [], [], -1])
                continue
            note = model.notes[doc_id]
            links = [first_of[to] for to in _links_of(model, doc_id) if to in first_of]
            page.append(
                [doc_id, note.title, note.language, *docs[doc_id], 1, links, [], note.group]
            )
        pages.append(writer.put("docs", {"first": first, "docs": page}))
    terms: dict[str, list[int]] = {}
    for ordinal, doc_id in enumerate(rows):
        if doc_id:
            facts = [f"link:{to}" for to in _links_of(model, doc_id)]
            for fact in [*facts, f"folder:{doc_id}"]:
                terms.setdefault(fact, []).append(ordinal)
    shard = writer.put("shard", {"terms": [_postings(t, terms[t]) for t in sorted(terms)]})
    directory = writer.put("terms", {"shards": [["", *shard]]})
    body: dict[str, object] = {
        "tokens": "nb-1",
        "docs": len(rows),
        "units": len(rows),
        "pivot": 8,
        "weights": dict.fromkeys(("title", "heading", "path", "tags", "aliases", "body"), 1),
        "hot": [],
        "pages": [["", *directory]],
        "docPages": pages,
    }
    return writer.put("segment", body)


def _postings(term: str, ordinals: list[int]) -> list[object]:
    row: list[object] = [term]
    last = -1
    for ordinal in ordinals:
        row += [last - ordinal, 1]
        last = ordinal
    return row


def _graph(writer: Writer, model: Model) -> list[object]:
    first_of = model.ordinals()
    rows = []
    for first, ids in zip(model.offsets(), model.segments, strict=True):
        for ordinal, doc_id in enumerate(ids):
            links = _links_of(model, doc_id) if doc_id else ()
            targets = sorted({first_of[to] for to in links if to in first_of})
            if targets:
                rows.append([first + ordinal, targets])
    pages = [writer.put("edges", {"rows": rows[n : n + 512]}) for n in range(0, len(rows), 512)]
    return writer.put("graph", {"pages": pages})


def _clusters(writer: Writer, model: Model) -> list[object]:
    first_of = model.ordinals()
    members: dict[int, list[int]] = {}
    for note in model.notes.values():
        if note.group >= 0 and note.id in first_of:
            members.setdefault(note.group, []).append(first_of[note.id])
    clusters = [
        {
            "id": number,
            "label": label,
            "terms": [f"{label} term", "ring"],
            "ordinals": sorted(members.get(number, [])),
        }
        for number, label in enumerate(model.groups)
    ]
    return writer.put("clusters", {"clusters": clusters})


def _overview(writer: Writer, model: Model) -> list[object]:
    rows = [[0, note.id, note.title, note.url] for note in model.notes.values()]
    page = writer.put("category", {"rows": rows})
    root = [0, -1, "", len(rows), 0, ""]
    return writer.put("overview", {"docs": len(rows), "categories": [root], "pages": [page]})


def _render(folder: Path, model: Model) -> None:
    facts = sorted((note.facts for note in model.notes.values()), key=lambda each: each.url)
    tree = folder_tree("", {each.doc_id: each.category for each in facts}).root
    lists = site_lists(model.settings, facts, tree, graph=True)
    renderer = PageRenderer(SITE / "theme", model.settings)
    language = model.settings.language
    views = [
        PageView(
            language,
            page.title,
            template=page.template,
            url=page.url,
            content=page.content,
            is_home=page.url == "",
            links=lists.links,
        )
        for page in lists.pages()
    ]
    views += [
        PageView(
            each.language,
            each.title,
            url=each.url,
            content="<p>Words.</p>",
            doc_id=each.doc_id,
            document_sha256="0" * 64,
            links=lists.links,
            show_title=True,
        )
        for each in facts
    ]
    for view in views:
        path = folder / view.url / "index.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(renderer.render(view))


class _Handler(http.server.SimpleHTTPRequestHandler):
    """Serves a folder under a strict policy."""

    protocol_version = "HTTP/1.1"
    extensions_map: ClassVar[dict[str, str]] = {
        **http.server.SimpleHTTPRequestHandler.extensions_map,
        ".js": "text/javascript",
    }

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", POLICY)
        super().end_headers()

    def log_message(self, *_: object) -> None: ...


def _served(folder: Path, model: Model) -> Iterator[Published]:
    shutil.copytree(SITE / "theme" / "assets", folder / "assets")
    shutil.copytree(SITE / "client", folder / "assets" / "client")
    (folder / SITE_SHEET).write_bytes(site_sheet(folder / "assets" / "css"))
    _publish(Writer(folder), model)
    _render(folder, model)
    handler = functools.partial(_Handler, directory=str(folder))
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield Published(f"http://127.0.0.1:{server.server_port}/", folder, model)
    server.shutdown()
    server.server_close()
    thread.join()


HOSTILE = "</a><script>window.pwned=1</script>\"'><img src=x onerror=window.pwned=1>"


def small_model() -> Model:
    """Two groups, an orphan; one note edited, one moved to the younger segment, one deleted."""
    ids = [f"locks/n{n}" for n in range(40)] + [f"memory/n{n}" for n in range(30)]
    notes: dict[str, Note] = {}
    for number, doc_id in enumerate(ids):
        group = 0 if doc_id.startswith("locks/") else 1
        hub = "locks/n0" if group == 0 else "memory/n0"
        links = (hub,) if doc_id != hub else ()
        if number % 7 == 3:
            links = (*links, ids[(number * 5) % len(ids)])
        links = tuple(dict.fromkeys(to for to in links if to != doc_id))
        tags = ("os", "os/locks") if group == 0 else ("Memory", "C++")
        day = f"202{number % 5}-03-{number % 27 + 1:02}"
        notes[doc_id] = Note(doc_id, f"{doc_id} title", links, group, "en", tags, day)
    notes["locks/n0"] = Note("locks/n0", "Deadlock", ("memory/n0",), 0, "en", ("os",), "2026-11-14")
    notes["locks/n1"] = Note("locks/n1", "Livelock, edited", ("memory/n2",), 0, "en", ("os",))
    notes["alone"] = Note("alone", "Alone", date="2026-01-01")
    notes["new"] = Note("new", "New note", ("locks/n0",))
    notes["memory/n9"] = Note("memory/n9", HOSTILE, ("memory/n0",), 1, "en", (HOSTILE,))
    chinese = Note("locks/死锁", "死锁：谁也不肯先放手", ("locks/n0",), 0, "zh-Hans")
    notes[chinese.id] = replace(chinese, date="2025-05-05")
    base = [*ids, "alone", "locks/死锁"]
    gone = base.index("memory/n29")
    del notes["memory/n29"]
    notes = {
        key: replace(note, links=tuple(to for to in note.links if to in notes))
        for key, note in notes.items()
    }
    base[gone] = ""
    moved = "locks/n2"
    return Model(
        notes=notes,
        segments=[base, [moved]],
        groups=["Locks and waiting", "Memory"],
        dropped=[(0, base.index("locks/n1")), (0, gone), (0, base.index(moved))],
        newer=["locks/n1", "new"],
        stale={"locks/n1": ("locks/n0",)},
        settings=SiteSettings(
            "Kernel Notes",
            description="Notes on how a kernel keeps its promises.",
            languages=("en", "zh-Hans"),
        ),
    )


def large_model(notes: int = 2400, groups: int = 24) -> Model:
    """More notes than are read before the first picture."""
    found: dict[str, Note] = {}
    for number in range(notes):
        group = number % groups
        links = {
            f"g{group}/n{group}",
            f"g{group}/n{(number * 7 + group) // groups * groups % notes + group}",
        }
        if number % 5 == 0:
            other = (number * 13) % notes
            links.add(f"g{other % groups}/n{other}")
        doc_id = f"g{group}/n{number}"
        kept = tuple(sorted(to for to in links - {doc_id} if int(to.rpartition("n")[2]) < notes))
        found[doc_id] = Note(doc_id, f"Note {number}", kept, group)
    found = {
        key: replace(note, links=tuple(to for to in note.links if to in found))
        for key, note in found.items()
    }
    return Model(found, [list(found)], [f"Group {n}" for n in range(groups)])


@pytest.fixture(scope="session")
def small_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Published]:
    """Seventy notes, served."""
    yield from _served(tmp_path_factory.mktemp("small"), small_model())


@pytest.fixture
def own_small_site(tmp_path: Path) -> Iterator[Published]:
    """The same, for a test that changes its files."""
    yield from _served(tmp_path / "own", small_model())


@pytest.fixture(scope="session")
def large_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Published]:
    """Two thousand four hundred notes, served."""
    yield from _served(tmp_path_factory.mktemp("large"), large_model())


Look = Callable[..., Awaitable[Page]]


@pytest_asyncio.fixture(loop_scope="session")
async def look(chromium: Browser) -> AsyncIterator[Look]:
    """Opens a page of a site in a context of its own: `await look(small_site, "graph/")`."""
    async with AsyncExitStack() as contexts:

        async def open_one(
            site: Published,
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
            await page.goto(site.url + path)
            return page

        yield open_one
