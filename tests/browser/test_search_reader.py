"""The index built by the publisher gives the same documents, in the same order, in the browser and
in the reader: over real notes, from one segment and from several with newer and dropped ones."""

from __future__ import annotations

import json
import random
import re
import shutil
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page

from bridge_reader.passages import PassageCutter
from bridge_reader.search.filters import Filters
from bridge_reader.search.report import SearchReport
from bridge_reader.search.searcher import Searcher
from bridge_reader.site import Site
from site_builder.build import build_site
from site_builder.preview import preview_server, serve_in_background
from site_builder.project import BuildRequest
from storage.reader_cache import ReaderCache

pytestmark = [pytest.mark.browser, pytest.mark.asyncio(loop_scope="session")]

QUESTIONS = Path(__file__).parents[1] / "questions" / "note_zh.json"
CODE = (
    *["c++", "C#", "fetch_all", "HTTPServer", "O(n log n)", "don't", "std::vector<int>", "utf-8"],
    *["redi", "mysqll", "kuberntes", "the", "how to use it", "请问一下", "xyzzyplugh", "?!…"],
)
"""Code words, misspelt ones, fillers alone, and nothing."""

FILTERS = ({"language": "zh"}, {"language": "en"}, {"folder": "操作系统"}, {"tag": "无"})


@dataclass(frozen=True)
class Served:
    """A built site, on loopback and as a folder."""

    url: str
    folder: Path

    def docs(self) -> list[dict[str, Any]]:
        """All published documents, in order of their hashes."""
        bodies = sorted((self.folder / "ai" / "objects" / "doc").iterdir())
        return [json.loads(path.read_bytes()) for path in bodies]

    def delta(self) -> dict[str, Any]:
        """The delta of the newest revision."""
        manifest = json.loads((self.folder / "ai" / "manifest.json").read_bytes())
        root = self._object("root", manifest["revision"])
        return {**self._object("delta", root["delta"]["sha256"]), "segments": root["segments"]}

    def _object(self, kind: str, sha256: str) -> dict[str, Any]:
        path = self.folder / "ai" / "objects" / kind / f"{sha256}.json"
        body: dict[str, Any] = json.loads(path.read_bytes())
        return body


def served(folder: Path) -> Iterator[Served]:
    server = preview_server(folder)
    yield Served(serve_in_background(server), folder)
    server.shutdown()
    server.server_close()


def questions_about(docs: Sequence[dict[str, Any]], count: int) -> list[str]:
    """Titles, headings, words of code, single characters and mixtures, always the same."""
    rng = random.Random(count)
    titles = [doc["title"] for doc in docs]
    headings = [section["title"] for doc in docs for section in doc["sections"]]
    words = sorted({word for doc in docs for word in re.findall(r"[A-Za-z_]\w{2,}", doc["text"])})
    characters = sorted(
        {char for title in titles for char in title if "\u4e00" <= char <= "\u9fff"}
    )
    pool = [
        *rng.sample(titles, min(len(titles), count // 4)),
        *rng.sample([heading for heading in headings if heading], count // 4),
        *rng.sample(words, count // 4),
        *rng.sample(characters, count // 8),
    ]
    mixed = [" ".join(rng.sample(words, 4)) for _ in range(count - len(pool))]
    return [*pool, *mixed]


@pytest_asyncio.fixture(loop_scope="session")
async def page(chromium: Browser) -> AsyncIterator[Page]:
    """A page of its own."""
    page = await chromium.new_page()
    yield page
    await page.close()


async def in_browser(page: Page, site: Served, asked: list[tuple[str, dict[str, str]]]) -> Any:
    """What the index client finds, one answer after another."""
    await page.goto(site.url)
    return await page.evaluate(
        """async (asked) => {
          const { Search } = await import("/assets/client/search/search.js");
          const { thisSite } = await import("/assets/client/knowledge/this-site.js");
          const search = new Search(thisSite);
          const answers = [];
          for (const [question, filters] of asked) {
            const report = await search.find(question, { filters });
            answers.push({
              hits: report.hits.map(({ id, units, score }) => [id, units[0]?.unit, score]),
              matched: report.matched,
              corrections: report.corrections.map(({ typed, used }) => [typed, used]),
              degraded: report.degraded,
            });
          }
          return answers;
        }""",
        [list(each) for each in asked],
    )


async def by_reader(site: Served, cache: Path, asked: list[tuple[str, dict[str, str]]]) -> Any:
    """What the reader finds."""
    with ReaderCache(cache, clock=lambda: 0) as store:
        opened = Site.open(str(site.folder), store.objects, store.manifests, lambda: 0)
        revision = await opened.bind()
        searcher = Searcher(revision, PassageCutter(revision.revision, site.url, lambda: 0))
        answers = [await searcher.search(question, Filters(**f)) for question, f in asked]
        await opened.close()
    return [_answer(answer) for answer in answers]


def _answer(report: SearchReport) -> dict[str, Any]:
    return {
        "hits": [[hit.doc_id, hit.unit, hit.score] for hit in report.hits],
        "matched": report.matched,
        "corrections": [[each.typed, each.used] for each in report.corrections],
        "degraded": bool(report.degraded),
    }


@pytest.fixture(scope="module")
def note_zh_served(note_zh_site: Any) -> Iterator[Served]:
    """The real Chinese notes."""
    yield from served(note_zh_site.folder)


async def test_two_hundred_questions_find_what_the_reader_finds(
    note_zh_served: Served, page: Page, tmp_path: Path
) -> None:
    judged = [row["question"] for row in json.loads(QUESTIONS.read_text("utf-8"))]
    questions = [*judged, *CODE, *questions_about(note_zh_served.docs(), 132)]
    asked: list[tuple[str, dict[str, str]]] = [(question, {}) for question in questions]
    asked += [(question, filters) for question in questions[::16] for filters in FILTERS]
    found = await in_browser(page, note_zh_served, asked)
    wanted = await by_reader(note_zh_served, tmp_path / "cache", asked)
    assert len(questions) >= 200
    for each, here, there in zip(asked, found, wanted, strict=True):
        assert here == there, each
    assert sum(bool(answer["hits"]) for answer in wanted) > 180


WORDS = (
    *"ring lock wait thread page cache queue shard unit token".split(),  # noqa: SIM905
    *"死锁 线程 缓存 队列 索引 分片 查询".split(),  # noqa: SIM905
)


def write_note(folder: Path, name: str, seed: int) -> None:
    """A note of words from a small stock, so that terms are in many notes and scores often tie."""
    rng = random.Random(seed)
    sections: list[str] = []
    for _ in range(rng.randrange(1, 6)):
        heading = " ".join(rng.choices(WORDS, k=2))
        sections.append(f"## {heading}\n\n{' '.join(rng.choices(WORDS, k=rng.randrange(3, 90)))}\n")
    tags = f"---\ntags: [{rng.choice(['a', 'a/b', 'c'])}]\n---\n" if seed % 3 else ""
    target = folder / f"{name}.md"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(f"{tags}# {name} {rng.choice(WORDS)}\n\n" + "\n".join(sections), "utf-8")


def write_common(path: Path, count: int) -> None:
    """So many sections with one word that its postings do not all stay in one row."""
    rng = random.Random(count)
    words = (("ring " * rng.randrange(1, 4), "token " * rng.randrange(1, 9)) for _ in range(count))
    sections = "".join(f"## {heading}\n\n{text}\n" for heading, text in words)
    path.write_text(f"# Common {count}\n\n{sections}", "utf-8")


@pytest.fixture(scope="module")
def edited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A site built again and again upon what it published before: segments that overlay each other,
    newer documents, dropped ones."""
    work = tmp_path_factory.mktemp("edited")
    notes, site = work / "notes", work / "site-0"
    for number in range(90):
        write_note(notes, f"part-{number % 4}/note-{number}", number)
    for name, count in (("many", 2600), ("more", 2400)):
        write_common(notes / f"{name}.md", count)
    build_site(BuildRequest(source=notes, out=site, name="Edited"))
    rounds = [range(0, 26, 2), range(0, 8, 2), range(40, 43)]
    for number, edits in enumerate(rounds, 1):
        for edit in edits:
            write_note(notes, f"part-{edit % 4}/note-{edit}", 1000 * number + edit)
        write_note(notes, f"new/note-{number}", 5000 + number)
        (notes / f"part-{(60 + number) % 4}" / f"note-{60 + number}.md").unlink()
        before, site = site, work / f"site-{number}"
        build_site(BuildRequest(source=notes, out=site, name="Edited", previous=str(before)))
    yield from served(site)
    shutil.rmtree(work)


async def test_segments_newer_documents_and_dropped_ones_are_searched_as_one(
    edited: Served, page: Page, tmp_path: Path
) -> None:
    delta = edited.delta()
    assert len(delta["segments"]) > 1
    assert delta["docs"]
    assert delta["drop"]
    assert any((edited.folder / "ai" / "objects" / "postings").iterdir())
    rng = random.Random(5)
    questions = [" ".join(rng.sample(WORDS, rng.randrange(1, 13))) for _ in range(150)]
    questions += [*"锁线缓队", "note-42", "note-61", "thraed", "new note", *WORDS]
    asked: list[tuple[str, dict[str, str]]] = [(question, {}) for question in questions]
    asked += [(q, f) for q in questions[::10] for f in ({"folder": "new"}, {"tag": "a"})]
    found = await in_browser(page, edited, asked)
    wanted = await by_reader(edited, tmp_path / "cache", asked)
    for each, here, there in zip(asked, found, wanted, strict=True):
        assert here == there, each
    assert {hit[0] for answer in found for hit in answer["hits"]} >= {
        "new/note-3",
        "part-2/note-42",
    }
    assert "part-1/note-61" not in {hit[0] for answer in found for hit in answer["hits"]}
