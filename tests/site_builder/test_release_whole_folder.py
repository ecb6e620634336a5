"""Folders that are deployed whole: the new site, and earlier revisions from the live one."""

from __future__ import annotations

import importlib.util
import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from manifest.errors import ErrorCode, NoteBridgeError
from manifest.manifest_file import Retention
from site_builder.preview import preview_server, serve_in_background
from site_builder.previous_source import open_source
from site_builder.releasing.task import ReleaseOptions
from site_builder.releasing.whole_folder import WholeFolderReport, release_whole_folder

START = 1_800_000_000.0
DAY = 86_400.0


def load_sites() -> ModuleType:
    path = Path(__file__).parents[1] / "faults" / "release_sites.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


sites = load_sites()


class Host:
    """A host as Pages are: it serves the folder that was deployed last, and nothing older."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.live: Path | None = None
        self.now = START
        self.pauses: list[float] = []

    def build(self, edition: object, retention: Retention | None = None, more: str = "x") -> Path:
        site = self._folder / f"built-{edition}"
        if not site.exists():
            notes = {**sites.FIRST_NOTES, "locks": f"# Locks\nEdition {edition} keeps {more}.\n"}
            sites.write_site(site, notes, sites.FIRST_FILES, retention=retention)
        return site

    def deploy(self, edition: object, retention: Retention | None = None, **options: Any) -> Any:
        """Makes the folder in a fresh place from what is live, and puts it live."""
        out = self._folder / f"deployed-{self.now:.0f}-{edition}"
        report = self.make(self.build(edition, retention), out, self.live, **options)
        self.live = out
        return report

    def make(
        self, site: Path, out: Path, live: Path | str | None, **options: Any
    ) -> WholeFolderReport:
        source = open_source(live) if live is not None else None
        try:
            return release_whole_folder(
                site,
                out,
                source,
                clock=lambda: self.now,
                options=ReleaseOptions(**options),
                pause=self.pauses.append,
            )
        finally:
            if source is not None:
                source.close()


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path)


@contextmanager
def served(folder: Path) -> Iterator[str]:
    server = preview_server(folder)
    try:
        yield serve_in_background(server)
    finally:
        server.shutdown()
        server.server_close()


def previous(folder: Path) -> list[str]:
    return [entry["revision"] for entry in sites.read_manifest(folder)["previous"]]


def whole(folder: Path, revision: str, tmp_path: Path) -> bool:
    """Whether a deployed folder holds an earlier revision to the last object."""
    copy = tmp_path / f"as-{revision[:12]}"
    shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("*.html"))
    manifest = json.loads((folder / sites.MANIFEST).read_bytes())
    root = copy / f"ai/objects/root/{revision}.json"
    manifest |= {
        "revision": revision,
        "root": {"sha256": revision, "size": root.stat().st_size},
        "content": json.loads(root.read_bytes())["tree"]["sha256"],
        "previous": [],
    }
    (copy / sites.MANIFEST).write_text(json.dumps(manifest))
    problems: list[str] = sites.problems(copy)
    shutil.rmtree(copy)
    return problems == []


def code_of(act: Any) -> ErrorCode:
    with pytest.raises(NoteBridgeError) as refused:
        act()
    return refused.value.code


def test_a_first_folder_holds_the_site_and_sequence_one(host: Host) -> None:
    report = host.deploy(1)
    assert host.live is not None
    assert sites.problems(host.live) == []
    assert (report.release.sequence, report.revisions, report.fetched) == (1, 0, 0)
    assert sites.site_files(host.live) == sites.site_files(host.build(1))
    assert not (host.live / ".note-bridge.lock").exists()


def test_the_next_folder_carries_over_what_the_live_site_holds(host: Host, tmp_path: Path) -> None:
    first = host.deploy(1)
    assert host.live is not None
    with served(host.live) as address:
        report = host.make(host.build(2), tmp_path / "out", address)
    assert (report.release.sequence, report.revisions, report.lost) == (2, 1, ())
    assert report.release.replaced == first.release.revision
    assert report.fetched == report.carried.files > 0
    assert sites.problems(tmp_path / "out") == []
    assert previous(tmp_path / "out") == [first.release.revision]
    assert whole(tmp_path / "out", first.release.revision, tmp_path)
    assert report.release.files == len(sites.all_files(tmp_path / "out"))


def test_only_what_the_new_site_lacks_is_fetched(host: Host, tmp_path: Path) -> None:
    host.deploy(1)
    assert host.live is not None
    asked: list[str] = []
    server = preview_server(host.live, answered=lambda request: asked.append(request.path))
    try:
        report = host.make(host.build(2), tmp_path / "out", serve_in_background(server))
    finally:
        server.shutdown()
        server.server_close()
    objects = [path for path in asked if "/ai/objects/" in path]
    assert len(objects) == len(set(objects)) == report.fetched
    shared = sites.all_files(host.build(1)).keys() & sites.all_files(host.build(2)).keys()
    assert not {path.lstrip("/") for path in objects} & shared


def test_earlier_revisions_stay_for_as_long_as_retention_says(host: Host, tmp_path: Path) -> None:
    keep = Retention(revisions=3, days=2)
    released = []
    for edition in range(5):
        released.append(host.deploy(edition, keep).release.revision)
        host.now += 10 * DAY
    assert host.live is not None
    assert previous(host.live) == [released[3], released[2]]
    assert [whole(host.live, revision, tmp_path) for revision in released[2:]] == [True] * 3
    assert not (host.live / f"ai/objects/root/{released[1]}.json").exists()


def test_revisions_beyond_those_the_manifest_names_stay_by_their_days(
    host: Host, tmp_path: Path
) -> None:
    keep = Retention(revisions=1, days=2)
    released = []
    for edition in range(13):
        released.append(host.deploy(edition, keep).release.revision)
        host.now += 60
    assert host.live is not None
    assert len(previous(host.live)) == 10
    assert whole(host.live, released[0], tmp_path)


def test_the_same_site_again_is_no_new_release(host: Host, tmp_path: Path) -> None:
    host.deploy(1)
    host.now += 60
    host.deploy(2)
    before = sites.read_manifest(host.live)
    host.now += 60
    report = host.deploy(2)
    assert (report.release.sequence, report.release.switched) == (2, False)
    assert sites.read_manifest(host.live) == before


def test_a_folder_that_was_made_before_is_brought_up_to_date(host: Host, tmp_path: Path) -> None:
    out = tmp_path / "out"
    keep = Retention(revisions=1, days=0)
    (out / ".git").mkdir(parents=True)
    (out / ".git/HEAD").write_bytes(b"ref")
    (out / "CNAME").write_bytes(b"notes.example")
    host.make(host.build(1, keep), out, None)
    for edition in (2, 3):
        host.now += 60
        host.make(host.build(edition, keep), out, out)
    assert sites.read_manifest(out)["sequence"] == 3
    assert sites.problems(out) == []
    built = {file for file in sites.all_files(host.build(3)) if file.startswith("ai/objects/")}
    assert {file for file in sites.all_files(out) if file.startswith("ai/objects/")} == built
    assert (out / "CNAME").read_bytes() == b"notes.example"


def test_a_revision_that_the_live_site_has_lost_ends_and_is_told(
    host: Host, tmp_path: Path
) -> None:
    first = host.deploy(1)
    host.now += 60
    second = host.deploy(2)
    assert host.live is not None
    mine = sites.all_files(host.build(1)).keys() - sites.all_files(host.build(2)).keys()
    doc = next(path for path in mine if "/objects/doc/" in path)
    (host.live / doc).write_bytes(b"<!doctype html>not found")
    host.now += 60
    report = host.deploy(3)
    assert report.lost == (first.release.revision,)
    assert previous(host.live) == [second.release.revision]
    assert sites.problems(host.live) == []
    assert not (host.live / doc).exists()


def test_more_files_than_the_host_takes_are_refused_before_they_are_fetched(
    host: Host, tmp_path: Path
) -> None:
    host.deploy(1)
    count = len(sites.all_files(host.build(2)))
    out = tmp_path / "out"
    act = lambda: host.make(host.build(2), out, host.live, file_limit=count + 2)  # noqa: E731
    assert code_of(act) is ErrorCode.STORAGE_FULL
    assert sites.read_manifest(out) is None
    docs = {path for path in sites.all_files(out) if "/objects/doc/" in path}
    assert docs == set()


def test_a_dry_run_makes_no_folder(host: Host, tmp_path: Path) -> None:
    host.deploy(1)
    foretold = host.make(host.build(2), tmp_path / "out", host.live, dry_run=True)
    assert not (tmp_path / "out").exists()
    report = host.make(host.build(2), tmp_path / "out", host.live)
    assert (foretold.release.sequence, foretold.carried, foretold.revisions) == (
        report.release.sequence,
        report.carried,
        report.revisions,
    )


def test_a_purge_carries_nothing_over(host: Host, tmp_path: Path) -> None:
    host.deploy(1)
    host.deploy(2, purge=True)
    assert host.live is not None
    assert sites.read_manifest(host.live)["sequence"] == 2
    assert previous(host.live) == []
    built = {path for path in sites.all_files(host.build(2)) if path.startswith("ai/objects/")}
    assert {path for path in sites.all_files(host.live) if path.startswith("ai/objects/")} == built


def test_where_nothing_is_published_a_history_is_not_begun_by_mistake(
    host: Host, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    with served(tmp_path / "empty") as address:
        act = lambda: host.make(host.build(1), tmp_path / "out", address)  # noqa: E731
        assert code_of(act) is ErrorCode.MANIFEST_MISSING
    assert not (tmp_path / "out").exists()


class Flaky(BaseHTTPRequestHandler):
    """Fails every other time, by status or by a cut connection."""

    folder: Path
    asked = 0

    def do_GET(self) -> None:
        type(self).asked += 1
        body = (self.folder / self.path.lstrip("/").partition("?")[0]).read_bytes()
        if self.asked % 4 == 0:
            self.send_response(503)
            self.end_headers()
        elif self.asked % 2 == 0:
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body[: len(body) // 2])
        else:
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Silent."""


def test_a_host_that_fails_now_and_then_is_asked_again(host: Host, tmp_path: Path) -> None:
    first = host.deploy(1)
    host.deploy(2)
    assert host.live is not None
    handler = type("Handler", (Flaky,), {"folder": host.live, "asked": 0})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    try:
        address = serve_in_background(server)  # type: ignore[arg-type]
        report = host.make(host.build(3), tmp_path / "out", address)
    finally:
        server.shutdown()
        server.server_close()
    assert (report.lost, report.revisions) == ((), 2)
    assert host.pauses
    assert whole(tmp_path / "out", first.release.revision, tmp_path)


def test_a_host_that_does_not_answer_stops_the_release(host: Host, tmp_path: Path) -> None:
    act = lambda: host.make(host.build(1), tmp_path / "out", "http://127.0.0.1:9/")  # noqa: E731
    assert code_of(act) is ErrorCode.SITE_UNREACHABLE
    assert not (tmp_path / "out").exists()


def test_a_page_in_the_place_of_the_manifest_stops_the_release(host: Host, tmp_path: Path) -> None:
    (tmp_path / "other/ai").mkdir(parents=True)
    (tmp_path / "other/ai/manifest.json").write_bytes(b"<!doctype html><title>Home</title>")
    act = lambda: host.make(host.build(1), tmp_path / "out", tmp_path / "other")  # noqa: E731
    assert code_of(act) is ErrorCode.MANIFEST_INVALID


def test_a_file_that_some_hosts_refuse_is_told(host: Host, tmp_path: Path) -> None:
    site = host.build(1)
    with (site / "film.mp4").open("wb") as file:
        file.truncate((25 << 20) + 1)
    report = host.make(site, tmp_path / "out", None)
    assert [warning.split()[0] for warning in report.release.warnings] == ["film.mp4"]
