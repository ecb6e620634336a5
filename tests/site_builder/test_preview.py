"""The preview server: the site and nothing else, with the headers a host should send."""

from __future__ import annotations

import gzip
import http.client
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from site_builder.preview import Answered, preview_server, serve_in_background


@pytest.fixture
def answers() -> list[Answered]:
    return []


@pytest.fixture
def connection(tmp_path: Path, answers: list[Answered]) -> Iterator[http.client.HTTPConnection]:
    site = tmp_path / "site"
    (site / "ai/objects/doc").mkdir(parents=True)
    (site / "死锁").mkdir()
    (site / "index.html").write_text("<h1>Home</h1>" * 200, encoding="utf-8")
    (site / "404.html").write_text("lost", encoding="utf-8")
    (site / "死锁/index.html").write_text("<h1>死锁</h1>", encoding="utf-8")
    (site / "ai/manifest.json").write_text("{}", encoding="utf-8")
    (site / "ai/objects/doc/0.json").write_text("{}", encoding="utf-8")
    (tmp_path / "secret.txt").write_text("secret", encoding="utf-8")
    (site / "way-out").symlink_to(tmp_path / "secret.txt")
    server = preview_server(site, answered=answers.append)
    serve_in_background(server)
    client = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=10)
    yield client
    client.close()
    server.shutdown()
    server.server_close()


def get(
    connection: http.client.HTTPConnection, path: str, method: str = "GET", **headers: str
) -> tuple[int, dict[str, str], bytes]:
    names = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, headers=names)
    response = connection.getresponse()
    return response.status, {k.lower(): v for k, v in response.getheaders()}, response.read()


def test_objects_are_immutable_and_the_manifest_is_always_asked_for(connection):
    _, objects, _ = get(connection, "/ai/objects/doc/0.json")
    _, manifest, _ = get(connection, "/ai/manifest.json")
    assert "immutable" in objects["cache-control"]
    assert manifest["cache-control"] == "no-cache"
    assert manifest["access-control-allow-origin"] == "*"


def test_what_has_not_changed_is_not_sent_again(connection, answers):
    _, headers, _ = get(connection, "/")
    status, _, body = get(connection, "/", If_None_Match=headers["etag"])
    assert (status, body) == (304, b"")
    assert answers[-1].size == 0


def test_text_is_gzipped_for_those_who_take_it(connection, answers):
    _, headers, body = get(connection, "/", Accept_Encoding="gzip")
    assert headers["content-encoding"] == "gzip"
    assert gzip.decompress(body).startswith(b"<h1>Home")
    assert answers[-1].size == len(body) < 200
    _, headers, body = get(connection, "/")
    assert "content-encoding" not in headers


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.txt",
        "/%2e%2e/secret.txt",
        "/way-out",
        "/..%5csecret.txt",
        b"/\x00".hex(),
    ],
)
def test_nothing_outside_the_site_is_served(connection, path):
    status, _, body = get(connection, path)
    assert status == 404
    assert b"secret" not in body


def test_folders_lead_to_their_pages(connection):
    status, headers, _ = get(connection, "/%E6%AD%BB%E9%94%81")
    assert (status, headers["location"]) == (301, "/%E6%AD%BB%E9%94%81/")
    assert "死锁" in get(connection, "/%E6%AD%BB%E9%94%81/")[2].decode()


def test_head_sends_no_body(connection):
    status, headers, body = get(connection, "/", method="HEAD")
    assert (status, body) == (200, b"")
    assert int(headers["content-length"]) > 0


def test_a_redirect_never_leaves_the_host(connection):
    status, headers, _ = get(connection, "//evil.example.org/..")
    assert not headers.get("location", "").startswith("//")
    assert status in (200, 301, 404)


def test_json_says_what_it_is(connection):
    _, headers, body = get(connection, "/ai/manifest.json")
    assert headers["content-type"].startswith("application/json")
    assert json.loads(body) == {}
