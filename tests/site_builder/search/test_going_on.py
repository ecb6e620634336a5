"""Going on from what is published: in a folder or on a host, and what single changes do."""

from __future__ import annotations

import functools
import http.server
import shutil
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from bridge_reader.site import Site, open_transport
from bridge_reader.site_address import parse_site_address
from bridge_reader.tools.toolbox import Toolbox
from bridge_reader.verification.verify import verify_site
from manifest.errors import ErrorCode, NoteBridgeError
from manifest.objects import Clusters, read_object
from manifest.references import Kind
from manifest.search_objects import Delta, Segment
from site_builder.previous import load_previous
from storage.reader_cache import ReaderCache


def clock() -> int:
    return 1_800_000_000_000


class Handler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        return None


@pytest.fixture
def serve() -> Iterator[Callable[..., str]]:
    """Serves a folder on loopback."""
    servers: list[http.server.ThreadingHTTPServer] = []

    def start(folder: Path, handler: type[Handler] = Handler) -> str:
        made = functools.partial(handler, directory=str(folder))
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), made)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        servers.append(server)
        return f"http://127.0.0.1:{server.server_address[1]}/"

    yield start
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.fixture
async def toolbox(tmp_path: Path) -> Any:
    """Opens the six tools over a site."""
    opened: list[Site] = []
    with ReaderCache(tmp_path / "cache", clock=clock) as cache:

        async def box(folder: Path) -> Toolbox:
            site = Site.open(str(folder), cache.objects, cache.manifests, clock)
            opened.append(site)
            return Toolbox(await site.bind(), "", clock)

        yield box
        for site in opened:
            await site.close()


def delta_of(state: Any) -> Delta:
    return read_object(Delta, state.read(Kind.DELTA, state.part.delta), name="delta")


async def require_whole(folder: Path) -> None:
    report = await verify_site(open_transport(parse_site_address(str(folder))), clock=clock)
    assert (report.problems, report.unreferenced) == ((), ())


def test_an_edit_rewrites_what_states_it_and_the_delta_alone(
    author: Any, publish: Any, make_doc: Any, tmp_path: Path
) -> None:
    writer = author(80)
    publish(writer.docs, tmp_path)
    doc_id, doc = next(iter(writer.docs.items()))
    writer.docs[doc_id] = make_doc(doc_id, doc.title, ["other words"], [], [])
    state = publish(writer.docs, tmp_path, tmp_path)
    kinds = sorted(path.split("/")[2] for path in state.written)
    assert kinds == ["delta", "doc", "index", "leaf", "root", "toc"]
    assert [row[2] > 0 for row in delta_of(state).drop] == [True]


def test_an_edit_taken_back_leaves_nothing_behind(
    author: Any, publish: Any, tmp_path: Path
) -> None:
    writer = author(30)
    first = publish(writer.docs, tmp_path)
    before = dict(writer.docs)
    writer.edit()
    changed = publish(writer.docs, tmp_path, tmp_path)
    assert changed.manifest.revision != first.manifest.revision
    assert publish(before, tmp_path, tmp_path).manifest == first.manifest


def test_nothing_changed_is_no_new_revision(author: Any, publish: Any, tmp_path: Path) -> None:
    writer = author(30)
    publish(writer.docs, tmp_path)
    writer.edit()
    state = publish(writer.docs, tmp_path, tmp_path)
    again = publish(writer.docs, tmp_path, tmp_path)
    assert (again.manifest, again.written) == (state.manifest, {})


def test_a_full_delta_is_folded_into_a_younger_segment(
    author: Any, publish: Any, tmp_path: Path
) -> None:
    writer = author(200)
    state = publish(writer.docs, tmp_path)
    base = state.part.segments[0]
    for _ in range(13):
        writer.add()
    state = publish(writer.docs, tmp_path, tmp_path)
    assert state.part.segments[0] == base
    assert len(state.part.segments) == 2
    assert delta_of(state).docs == []
    body = state.read(Kind.SEGMENT, state.part.segments[1])
    young = read_object(Segment, body, name="young")
    assert (young.docs, young.pages) == (13, [])
    assert len(set(state.asked)) == 13


@pytest.mark.parametrize("folds", [False, True])
async def test_after_a_deletion_nothing_mentions_the_note(
    author: Any, publish: Any, make_doc: Any, toolbox: Any, tmp_path: Path, folds: bool
) -> None:
    writer = author(120)
    title = "Quixotic zeppelin"
    writer.docs["net/gone"] = make_doc("net/gone", title, ["quixotic words"], [], ["a"])
    linking = make_doc("net/linking", "Linking", ["see there"], ["net/gone"], [])
    publish({**writer.docs, linking.id: linking}, tmp_path / "site")
    del writer.docs["net/gone"]
    for _ in range(20 if folds else 0):
        writer.add()
    unlinked = linking.model_copy(update={"links": []})
    docs = {**writer.docs, linking.id: unlinked}
    state = publish(docs, tmp_path / "next", tmp_path / "site")
    assert len(state.part.segments) == (2 if folds else 1)
    await require_whole(tmp_path / "next")
    box = await toolbox(tmp_path / "next")
    for call, arguments in [
        ("search_documents", {"query": "quixotic"}),
        ("get_related_documents", {"docId": "net/linking"}),
        ("get_knowledge_network", {"docId": "net/linking"}),
        *[("get_knowledge_network", {"page": page}) for page in (1, 2, 3)],
    ]:
        result = await box.call(call, arguments)
        assert "gone" not in str(result.details)
        assert title not in str(result.details)
    for path in (tmp_path / "next/ai/objects").rglob("*.json"):
        if path.parent.name != "shard":
            assert title.encode() not in path.read_bytes()


async def test_links_and_likeness_lead_to_the_present_state_of_an_edited_note(
    author: Any, publish: Any, make_doc: Any, toolbox: Any, tmp_path: Path
) -> None:
    writer = author(60)
    words = "gossamer lattice filigree tracery"
    writer.docs["net/one"] = make_doc("net/one", "One", [words], ["net/two"], [])
    writer.docs["net/two"] = make_doc("net/two", "Two", [words], [], [])
    publish(writer.docs, tmp_path)
    writer.docs["net/two"] = make_doc("net/two", "Second", ["another text"], ["net/one"], [])
    publish(writer.docs, tmp_path, tmp_path)
    for folded in (False, True):
        for _ in range(20 if folded else 0):
            writer.add()
        publish(writer.docs, tmp_path, tmp_path)
        box = await toolbox(tmp_path)
        like = (await box.call("get_related_documents", {"docId": "net/one"})).details["related"]
        assert ("net/two", "Second") in {(row["docId"], row["title"]) for row in like}
        links = {}
        for page in range(2, 6):
            shown = (await box.call("get_knowledge_network", {"page": page})).details
            for row in shown["documents"]:
                assert row["docId"] not in links
                links[row["docId"]] = row["links"]
            if not shown["more"]:
                break
        assert links["net/one"] == ["net/two"]
        assert links["net/two"] == ["net/one"]


def test_a_new_base_keeps_the_clusters_that_there_were(
    author: Any, publish: Any, tmp_path: Path
) -> None:
    writer = author(120)
    first = publish(writer.docs, tmp_path)
    for _ in range(150):
        writer.add()
    second = publish(writer.docs, tmp_path, tmp_path)
    assert len(second.part.segments) == 1
    found = [
        read_object(Clusters, state.read(Kind.CLUSTERS, state.part.clusters), name="c").clusters
        for state in (first, second)
    ]
    labels = [{cluster.id: cluster.label for cluster in clusters} for clusters in found]
    assert labels[0]
    kept = [number for number, label in labels[0].items() if labels[1].get(number) == label]
    assert 2 * len(kept) >= len(labels[0])


async def test_a_fresh_checkout_goes_on_from_a_host(
    author: Any, publish: Any, serve: Callable[..., str], tmp_path: Path
) -> None:
    writer = author(150)
    publish(writer.docs, tmp_path / "live")
    writer.edit()
    writer.delete()
    beside = publish(writer.docs, tmp_path / "beside", tmp_path / "live")
    over_http = publish(writer.docs, tmp_path / "fresh", serve(tmp_path / "live"))
    assert over_http.manifest == beside.manifest
    assert len(over_http.part.segments) == 1
    await require_whole(tmp_path / "fresh")


def test_where_nothing_is_published_yet_there_is_nothing_to_go_on_from(
    serve: Callable[..., str], tmp_path: Path
) -> None:
    assert load_previous(tmp_path / "nowhere") is None
    assert load_previous(str(tmp_path)) is None
    assert load_previous(serve(tmp_path)) is None


@pytest.mark.parametrize(
    "address",
    ["http://example.org/", "ftp://example.org/", "https://me:word@example.org/", "http://[::2]/"],
)
def test_addresses_that_no_site_is_read_from_are_refused(address: str) -> None:
    with pytest.raises(NoteBridgeError) as refused:
        load_previous(address)
    assert refused.value.code is ErrorCode.ORIGIN_REFUSED


class Elsewhere(Handler):
    def do_GET(self) -> None:
        self.send_response(302)
        self.send_header("location", "http://127.0.0.1:9/ai/manifest.json")
        self.end_headers()


class Endless(Handler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b" " * 100_000)


class Failing(Handler):
    def do_GET(self) -> None:
        self.send_error(500)


@pytest.mark.parametrize(
    ("handler", "code"),
    [
        (Elsewhere, ErrorCode.ORIGIN_REFUSED),
        (Endless, ErrorCode.OBJECT_TOO_LARGE),
        (Failing, ErrorCode.SITE_UNREACHABLE),
    ],
)
def test_a_host_that_misbehaves_is_named(
    serve: Callable[..., str], tmp_path: Path, handler: type[Handler], code: ErrorCode
) -> None:
    with pytest.raises(NoteBridgeError) as refused:
        load_previous(serve(tmp_path, handler))
    assert refused.value.code is code


@pytest.mark.parametrize(
    ("damage", "code"),
    [
        (lambda path: path.unlink(), ErrorCode.REVISION_EXPIRED),
        (
            lambda path: path.write_bytes(path.read_bytes()[:-1] + b" "),
            ErrorCode.INTEGRITY_MISMATCH,
        ),
        (lambda path: path.write_bytes(path.read_bytes() + b" "), ErrorCode.OBJECT_TOO_LARGE),
    ],
)
@pytest.mark.parametrize("kind", ["root", "segment", "docs", "shard"])
def test_an_earlier_site_that_is_not_whole_is_not_gone_on_from(
    author: Any,
    publish: Any,
    tmp_path: Path,
    kind: str,
    damage: Callable[[Path], None],
    code: ErrorCode,
) -> None:
    writer = author(20)
    publish(writer.docs, tmp_path / "site")
    for path in (tmp_path / "site/ai/objects" / kind).iterdir():
        damage(path)
    shutil.rmtree(tmp_path / "next", ignore_errors=True)
    with pytest.raises(NoteBridgeError) as refused:
        publish(writer.docs, tmp_path / "next", tmp_path / "site")
    assert refused.value.code is code
