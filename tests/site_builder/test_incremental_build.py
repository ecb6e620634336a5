"""Small steps: whatever an author does, building on what is there equals building from scratch.

A site is a function of the notes and of the published state it goes on from. Caches, memory and
the folder a build writes into make it faster and never another.
"""

from __future__ import annotations

import os
import random
import shutil
import sqlite3
import statistics
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bench.edits import Editor
from bridge_reader.passages import PassageCutter
from bridge_reader.search.searcher import Searcher
from bridge_reader.site import Site
from manifest.errors import ErrorCode, NoteBridgeError
from site_builder.build import build_site, plugin_of
from site_builder.folder_lock import folder_lock
from site_builder.live_build import live_build
from site_builder.note_store import NoteStore
from site_builder.previous_state import previous_site
from site_builder.project import BuildRequest, load_project
from site_builder.site_build import SiteBuild
from site_builder.site_project import site_project
from storage.reader_cache import ReaderCache

SOAK = os.environ.get("NOTE_BRIDGE_SOAK", "") == "1"
EDITS = 300 if SOAK else 14
NOTES = 300 if SOAK else 40
COMPARED_EVERY = 20 if SOAK else 7
QUERIES = 200 if SOAK else 40


def tree(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != ".note-bridge.lock"
    }


def assert_same(one: Path, other: Path, what: object) -> None:
    left, right = tree(one), tree(other)
    different = sorted(
        path for path in left.keys() | right.keys() if left.get(path) != right.get(path)
    )
    assert not different, f"{what}: {different[:8]} of {len(different)}"


def project_of(notes: Path, site: Path) -> Any:
    config = load_project(BuildRequest(source=notes, out=site))
    return site_project(config, plugin_of(config).config)


@pytest.fixture
def some_notes(note_zh: Path, tmp_path: Path) -> Path:
    """Real notes of several folders, chosen by chance."""
    chosen = random.Random(5).sample(sorted(note_zh.rglob("*.md")), min(NOTES, 309))
    for path in chosen:
        target = tmp_path / "notes" / path.relative_to(note_zh)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    return tmp_path / "notes"


async def test_random_edits_give_what_a_build_from_scratch_on_the_same_state_gives(
    some_notes: Path, tmp_path: Path, record_property: Callable[..., None], top_ten: Any
) -> None:
    site = tmp_path / "site"
    editor = Editor(some_notes, seed=7)
    volumes: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
    store = NoteStore(tmp_path / "store.db")
    build = SiteBuild(project_of(some_notes, site), store)
    build.run()
    for number in range(EDITS):
        edit = editor.edit()
        scratch = tmp_path / "scratch"
        build_site(BuildRequest(source=some_notes, out=scratch, name="notes", previous=str(site)))
        with previous_site(str(site)) as previous:
            report = build.run(previous)
        volumes[edit.kind].append(report.changed)
        assert_same(site, scratch, (number, edit))
        shutil.rmtree(scratch)
        if number % COMPARED_EVERY == COMPARED_EVERY - 1:
            clean = tmp_path / "clean"
            build_site(BuildRequest(source=some_notes, out=clean, name="notes"))
            assert await top_ten(site, QUERIES, number) == await top_ten(clean, QUERIES, number)
            shutil.rmtree(clean)
    store.close()
    every = [volume for found in volumes.values() for volume in found]
    for kind, found in sorted(volumes.items()):
        files = statistics.median(volume[0] for volume in found)
        size = statistics.median(volume[1] for volume in found)
        record_property("figure", f"{kind}: {files:.0f} files, {size:.0f} bytes (median)")
    mean = statistics.mean(volume[1] for volume in every)
    record_property("figure", f"all {len(every)} edits, folds included: {mean:.0f} bytes (mean)")


@pytest.fixture
def top_ten(tmp_path: Path, read_site: Any) -> Callable[..., Any]:
    """The ten best documents of a site for queries cut from its own texts."""

    async def ask(folder: Path, count: int, seed: int) -> list[list[str]]:
        with ReaderCache(tmp_path / "reader", clock=lambda: 0) as cache:
            site = Site.open(str(folder), cache.objects, cache.manifests, lambda: 0)
            try:
                revision = await site.bind()
                searcher = Searcher(revision, PassageCutter(revision.revision, "", lambda: 0))
                texts = [doc["text"] for _, doc in sorted(read_site(folder).docs().items())]
                found = []
                for query in queries_of(texts, count, seed):
                    report = await searcher.search(query)
                    found.append([hit.doc_id for hit in report.hits])
                return found
            finally:
                await site.close()

    return ask


def queries_of(texts: list[str], count: int, seed: int) -> list[str]:
    chance = random.Random(seed)
    queries = []
    for number in range(count):
        text = chance.choice([text for text in texts if len(text) > 80])
        start = chance.randrange(len(text) - 40)
        queries.append(text[start : start + 6 + number % 30])
    return queries


def test_nothing_is_written_where_nothing_changed(notes: Path, tmp_path: Path) -> None:
    store = NoteStore(tmp_path / "store.db")
    site = tmp_path / "site"
    SiteBuild(project_of(notes, site), store).run()
    before = {path: path.stat().st_mtime_ns for path in site.rglob("*") if path.is_file()}
    report = SiteBuild(project_of(notes, site), store).run()
    after = {path: path.stat().st_mtime_ns for path in site.rglob("*") if path.is_file()}
    assert (report.changed.files, report.removed.files) == (0, 0)
    assert after == before


def test_continuations_of_posting_lists_stay_with_their_shards(
    notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("site_builder.search.shards", "site_builder.search.segments"):
        monkeypatch.setattr(f"{module}.POSTINGS_LIMIT", 3)
    for number in range(9):
        (notes / f"n{number}.md").write_text(f"# N{number}\n\nCommon words.\n", encoding="utf-8")
    store = NoteStore(tmp_path / "store.db")
    site = tmp_path / "site"
    build = SiteBuild(project_of(notes, site), store)
    build.run()
    assert list((site / "ai/objects/postings").iterdir())
    for again in (build, SiteBuild(project_of(notes, site), store)):
        with previous_site(str(site)) as previous:
            report = again.run(previous)
        assert (report.changed.files, report.removed.files) == (0, 0)


def test_what_someone_changed_in_the_site_is_put_right(notes: Path, tmp_path: Path) -> None:
    store = NoteStore(tmp_path / "store.db")
    site, right = tmp_path / "site", tmp_path / "right"
    SiteBuild(project_of(notes, site), store).run()
    shutil.copytree(site, right)
    (site / "a" / "index.html").write_text("defaced", encoding="utf-8")
    (site / "b" / "index.md").unlink()
    next((site / "ai/objects/doc").iterdir()).unlink()
    (site / "stray.txt").write_text("stray", encoding="utf-8")
    SiteBuild(project_of(notes, site), store).run()
    assert_same(site, right, "mended")


def test_a_file_that_became_a_folder_and_a_folder_that_became_a_file(
    notes: Path, tmp_path: Path
) -> None:
    store = NoteStore(tmp_path / "store.db")
    site = tmp_path / "site"
    SiteBuild(project_of(notes, site), store).run()
    shutil.rmtree(site / "a")
    (site / "a").write_text("a file", encoding="utf-8")
    (site / "robots.txt").unlink()
    (site / "robots.txt" / "deep").mkdir(parents=True)
    (site / "robots.txt" / "deep" / "x").write_text("x", encoding="utf-8")
    SiteBuild(project_of(notes, site), store).run()
    build_site(BuildRequest(source=notes, out=tmp_path / "right", name="notes"))
    assert_same(site, tmp_path / "right", "mended")


def test_a_store_that_is_no_database_is_begun_anew(notes: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").mkdir()
    request = BuildRequest(source=notes, out=tmp_path / "site", cache=tmp_path / "cache")
    build_site(request)
    (store,) = (tmp_path / "cache").glob("*/notes.db")
    store.write_bytes(b"no database" * 1000)
    (notes / "a.md").write_text("# A\n\nAnother text.\n", encoding="utf-8")
    build_site(request)
    build_site(BuildRequest(source=notes, out=tmp_path / "right"))
    assert_same(tmp_path / "site", tmp_path / "right", "begun anew")


def test_files_that_only_look_new_are_not_compiled_again(
    notes: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = NoteStore(tmp_path / "store.db")
    SiteBuild(project_of(notes, tmp_path / "site"), store, "here").run()
    for note in notes.iterdir():
        os.utime(note, (1, 1))

    def compiles(*_: object) -> None:
        raise AssertionError("a note was compiled again")

    monkeypatch.setattr("site_builder.compiling.compile_file", compiles)
    SiteBuild(project_of(notes, tmp_path / "site"), store, "here").run()


def test_a_store_damaged_within_is_removed_and_says_so(notes: Path, tmp_path: Path) -> None:
    request = BuildRequest(source=notes, out=tmp_path / "site", cache=tmp_path / "cache")
    build_site(request)
    (path,) = (tmp_path / "cache").glob("*/notes.db")
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE cards SET card = x'c1'")
    connection.close()
    with pytest.raises(NoteBridgeError) as damaged:
        build_site(request)
    assert damaged.value.code is ErrorCode.STORAGE_DAMAGED
    build_site(request)


def test_a_build_beside_another_does_without_the_cache(notes: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    request = BuildRequest(source=notes, out=tmp_path / "one", name="x", cache=cache)
    build_site(request)
    (folder,) = cache.iterdir()
    with folder_lock(folder):
        build_site(replace(request, out=tmp_path / "two"))
    assert_same(tmp_path / "one", tmp_path / "two", "beside another")


def test_two_builds_share_a_cache(notes: Path, tmp_path: Path) -> None:
    one = BuildRequest(source=notes, out=tmp_path / "one", name="x", cache=tmp_path / "cache")
    other = BuildRequest(source=notes, out=tmp_path / "two", name="x", cache=tmp_path / "cache")
    build_site(one)
    build_site(other)
    assert_same(tmp_path / "one", tmp_path / "two", "two folders")


@pytest.mark.parametrize("executor", ["here", "processes:2"])
def test_every_executor_gives_the_same_bytes(notes: Path, tmp_path: Path, executor: str) -> None:
    build_site(BuildRequest(source=notes, out=tmp_path / "one", name="x"))
    build_site(BuildRequest(source=notes, out=tmp_path / "two", name="x", executor=executor))
    assert_same(tmp_path / "one", tmp_path / "two", executor)


@pytest.mark.parametrize("executor", ["moon", "processes:0", "processes:x", "dask:nowhere:1"])
def test_an_executor_that_is_none_is_refused(notes: Path, tmp_path: Path, executor: str) -> None:
    with pytest.raises(NoteBridgeError) as refused:
        build_site(BuildRequest(source=notes, out=tmp_path / "one", executor=executor))
    assert refused.value.code is ErrorCode.INVALID_ARGUMENT


def test_a_cluster_of_two_worker_processes_gives_the_same_bytes(
    notes: Path, tmp_path: Path
) -> None:
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    build_site(BuildRequest(source=notes, out=tmp_path / "one", name="x"))
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        address = f"dask:{cluster.scheduler_address}"
        build_site(BuildRequest(source=notes, out=tmp_path / "two", name="x", executor=address))
    assert_same(tmp_path / "one", tmp_path / "two", "Dask")


def test_a_snippet_that_changes_changes_the_notes_that_put_it_in(
    notes: Path, tmp_path: Path
) -> None:
    (notes / "part.txt").write_text("first words\n", encoding="utf-8")
    (notes / "host.md").write_text('# Host\n\n--8<-- "part.txt"\n', encoding="utf-8")
    store = NoteStore(tmp_path / "store.db")
    build = SiteBuild(project_of(notes, tmp_path / "site"), store)
    build.run()
    page = tmp_path / "site" / "host" / "index.html"
    assert "first words" in page.read_text(encoding="utf-8")
    (notes / "part.txt").write_text("second words\n", encoding="utf-8")
    build.run()
    assert "second words" in page.read_text(encoding="utf-8")
    again = SiteBuild(project_of(notes, tmp_path / "site"), store)
    (notes / "part.txt").write_text("third words\n", encoding="utf-8")
    again.run()
    assert "third words" in page.read_text(encoding="utf-8")


def test_a_snippet_may_be_named_from_the_folder_that_holds_the_notes(
    notes: Path, tmp_path: Path, read_site: Any
) -> None:
    (notes / "part.txt").write_text("words of the part\n", encoding="utf-8")
    (notes / "host.md").write_text('# Host\n\n--8<-- "notes/part.txt"\n', encoding="utf-8")
    build_site(BuildRequest(source=notes, out=tmp_path / "site"))
    assert "words of the part" in read_site(tmp_path / "site").page("host/")


def test_an_embedded_note_that_changes_changes_the_page_that_shows_it(
    notes: Path, tmp_path: Path
) -> None:
    (notes / "host.md").write_text("# Host\n\n![[a]]\n", encoding="utf-8")
    build = SiteBuild(project_of(notes, tmp_path / "site"), NoteStore(tmp_path / "store.db"))
    build.run()
    (notes / "a.md").write_text("# A\n\nQuetzal.\n", encoding="utf-8")
    build.run()
    assert "Quetzal" in (tmp_path / "site/host/index.html").read_text(encoding="utf-8")


def test_a_note_that_leaves_the_knowledge_is_a_page_in_the_links_of_others(
    notes: Path, tmp_path: Path, read_site: Any
) -> None:
    build = SiteBuild(project_of(notes, tmp_path / "site"), NoteStore(tmp_path / "store.db"))
    build.run()
    b = (notes / "b.md").read_text(encoding="utf-8")
    (notes / "b.md").write_text(b.replace("---\n", "---\nknowledge: false\n", 1), encoding="utf-8")
    build.run()
    links = read_site(tmp_path / "site").docs()["c"]["links"]
    assert [(link["kind"], link["to"]) for link in links] == [("doc", "a"), ("file", "b/")]


def test_a_live_build_goes_on_from_the_site_it_made(
    notes: Path, tmp_path: Path, read_site: Any
) -> None:
    request = BuildRequest(source=notes, out=tmp_path / "site", name="x")
    with live_build(request) as live:
        first = live.run()
        (notes / "a.md").write_text("# A\n\nOther words.\n", encoding="utf-8")
        second = live.run()
    site = read_site(tmp_path / "site")
    assert second.changed.files < first.changed.files
    assert [row[0] for row in site.object("delta", site.root["delta"]["sha256"])["docs"]] == ["a"]


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for name in "abc":
        text = f"---\ntags: [x/{name}]\n---\n# {name.upper()}\n\nSee [[a]] and [[b]].\n"
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return folder
