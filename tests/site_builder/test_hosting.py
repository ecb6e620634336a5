"""What hosts are told: the manifest asked for again, objects kept a year, `ai/` open to all."""

from __future__ import annotations

import re

import pytest

from site_builder.hosting import (
    IMMUTABLE,
    REVALIDATED,
    caddy_snippet,
    headers_file,
    hosting_warnings,
    nginx_snippet,
    response_headers,
)

OBJECT = f"ai/objects/doc/{'0' * 64}.json"
PATHS = ["", "index.html", "notes/死锁/", "ai/manifest.json", OBJECT, "ai/released/all.txt", "air/"]


def host_headers(text: str, path: str) -> list[tuple[str, str]]:
    """A host that reads `_headers`: every rule that matches adds its headers."""
    found: list[tuple[str, str]] = []
    applies = False
    for line in text.splitlines():
        if not line.startswith(" "):
            pattern = "".join(".*" if part == "*" else re.escape(part) for part in line)
            applies = re.fullmatch(pattern, f"/{path}") is not None
        elif applies:
            name, _, value = line.strip().partition(": ")
            found.append((name, value))
    return found


@pytest.mark.parametrize("path", PATHS)
def test_no_header_is_given_twice_for_any_path(path: str) -> None:
    names = [name for name, _ in host_headers(headers_file(), path)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("path", PATHS)
def test_the_headers_file_says_what_the_rules_say(path: str) -> None:
    assert dict(host_headers(headers_file(), path)) == response_headers(path)


def test_the_manifest_is_asked_for_again_and_objects_are_kept_for_a_year() -> None:
    assert response_headers("ai/manifest.json")["Cache-Control"] == REVALIDATED == "no-cache"
    assert response_headers(OBJECT)["Cache-Control"] == IMMUTABLE
    assert "max-age=31536000" in IMMUTABLE
    assert "Cache-Control" not in response_headers("index.html")


@pytest.mark.parametrize("path", PATHS)
def test_knowledge_alone_is_open_to_other_origins_and_no_type_is_guessed(path: str) -> None:
    headers = response_headers(path)
    assert ("Access-Control-Allow-Origin" in headers) == path.startswith("ai/")
    assert headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("base", ["", "/notes"])
def test_a_site_below_the_top_of_its_host_has_rules_below_it(base: str) -> None:
    addresses = [line for line in headers_file(base).splitlines() if line.startswith("/")]
    assert all(address.startswith(f"{base}/") for address in addresses)
    assert len(addresses) == 4


def test_every_nginx_location_names_all_its_headers() -> None:
    """A location that adds a header inherits none from the server."""
    locations = dict(re.findall(r"location (?:= )?(\S+) \{(.*?)\}", nginx_snippet(), re.DOTALL))
    missing = locations.pop("@note_bridge_missing")
    assert "always" in missing
    assert "Access-Control-Allow-Origin" in missing
    for location, block in locations.items():
        path = location.removeprefix("/")
        said = dict(re.findall(r'add_header (\S+) "?([^";]+?)"?(?: always)?;', block))
        assert said == response_headers(path), location
    assert set(locations) == {"/", "/ai/", "/ai/manifest.json", "/ai/objects/"}


def test_a_missing_object_is_remembered_nowhere() -> None:
    cached = [line for line in nginx_snippet().splitlines() if "Cache-Control" in line]
    assert len(cached) == 2
    assert not [line for line in cached if "always" in line]
    assert re.search(r"@note_bridge_objects \{\s+path \S+\s+file\s+\}", caddy_snippet())


@pytest.mark.parametrize("snippet", [nginx_snippet, caddy_snippet])
def test_snippets_name_the_base_and_balance_their_braces(snippet: object) -> None:
    assert callable(snippet)
    text = snippet("/notes")
    assert text.count("{") == text.count("}")
    for path in ("/notes/ai/manifest.json", "/notes/ai/objects/", "/notes/404.html"):
        assert path in text


def test_a_site_that_hosts_would_serve_badly_is_warned_of() -> None:
    assert hosting_warnings(["404.html", "_headers", "index.html"]) == ()
    assert "404.html" in hosting_warnings(["_headers"])[0]
    assert "_headers" in hosting_warnings(["404.html"])[0]
