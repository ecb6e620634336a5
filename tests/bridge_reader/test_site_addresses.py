"""Which addresses are read at all, and which redirects are followed."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge_reader.site_address import (
    SiteFolder,
    SiteUrl,
    claimed_site_url,
    page_url,
    parse_site_address,
    redirect_target,
)
from manifest.errors import ErrorCode, NoteBridgeError


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("https://notes.example.org", "https://notes.example.org/"),
        ("https://NOTES.example.org/docs", "https://notes.example.org/docs/"),
        ("https://notes.example.org/docs/index.html", "https://notes.example.org/docs/"),
        ("https://notes.example.org/docs/ai/manifest.json", "https://notes.example.org/docs/"),
        ("https://notes.example.org/docs/#soil", "https://notes.example.org/docs/"),
        ("https://notes.example.org:8443/", "https://notes.example.org:8443/"),
        ("https://notes.example.org/a%3Fb/", "https://notes.example.org/a%3Fb/"),
        ("https://例え.jp/", "https://xn--r8jz45g.jp/"),
        ("http://localhost:8000/", "http://localhost:8000/"),
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000/"),
        ("http://127.3.2.1/", "http://127.3.2.1/"),
        ("http://[::1]:9/notes", "http://[::1]:9/notes/"),
    ],
)
def test_https_anywhere_and_http_on_loopback_are_read(text: str, url: str) -> None:
    assert parse_site_address(text) == SiteUrl(url)


@pytest.mark.parametrize(
    "text",
    [
        "http://notes.example.org/",
        "http://127.0.0.1.evil.example/",
        "http://localhost.evil.example/",
        "http://localhost./",
        "http://127.1/",
        "http://2130706433/",
        "http://0x7f.0.0.1/",
        "http://0.0.0.0/",
        "http://[::ffff:127.0.0.1]/",
        "http://127.0.0.1@evil.example/",
        "http://127.0.0.1\\@evil.example/",
        "http://evil.example#@127.0.0.1/",
        "https://user:secret@notes.example.org/",
        "https://:secret@notes.example.org/",
        "file:///etc/passwd",
        "ftp://notes.example.org/",
        "javascript:alert(1)",
        "data:text/html,x",
        "https:///nowhere",
        "https://notes..example.org/",
        "https://notes.example.org:0/",
        "https://notes.example.org:65536/",
        "https://notes example.org/",
        "https://notes.example.org/\r\nHost: evil.example",
    ],
)
def test_all_other_addresses_are_refused(text: str) -> None:
    with pytest.raises(NoteBridgeError) as refused:
        parse_site_address(text)
    assert refused.value.code is ErrorCode.ORIGIN_REFUSED
    assert "secret" not in str(refused.value) + str(refused.value.details)


@pytest.mark.parametrize(
    "text", ["", "   ", "a\x00b", "a\ud800b", "https://notes.example.org/?token=1"]
)
def test_an_empty_address_or_one_with_a_query_is_a_mistake(text: str) -> None:
    with pytest.raises(NoteBridgeError) as refused:
        parse_site_address(text)
    assert refused.value.code is ErrorCode.INVALID_ARGUMENT


def test_anything_without_a_scheme_is_a_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir("/")
    assert parse_site_address("build/site") == SiteFolder(Path("/build/site"))
    assert parse_site_address("./a/../notes:2026") == SiteFolder(Path("/notes:2026"))


@given(
    st.sampled_from(["", "~", "http:", "http://", "https://", "http://127.0.0.1", "file://"]),
    st.text(max_size=40),
)
def test_whatever_is_accepted_is_https_or_loopback_or_a_folder(start: str, rest: str) -> None:
    text = start + rest
    try:
        address = parse_site_address(text)
    except NoteBridgeError:
        return
    if isinstance(address, SiteUrl):
        assert address.url.startswith("https://") or address.is_loopback
        assert address.url.endswith("/")


@pytest.mark.parametrize(
    ("location", "target"),
    [
        ("/other/file.json", "https://a.example/other/file.json"),
        ("file.json", "https://a.example/x/file.json"),
        ("https://a.example:443/y", "https://a.example/y"),
    ],
)
def test_a_redirect_within_the_origin_is_followed(location: str, target: str) -> None:
    assert redirect_target("https://a.example/x/manifest.json", location) == target


@pytest.mark.parametrize(
    "location",
    [
        "https://b.example/x",
        "//b.example/x",
        "http://a.example/x",
        "https://a.example:444/x",
        "https://user:secret@a.example/x",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "https://a.example.b.example/x",
        "https://[",
    ],
)
def test_a_redirect_to_another_origin_is_refused(location: str) -> None:
    with pytest.raises(NoteBridgeError) as refused:
        redirect_target("https://a.example/x/manifest.json", location)
    assert refused.value.code is ErrorCode.ORIGIN_REFUSED
    assert "secret" not in str(refused.value) + str(refused.value.details)


def test_addresses_of_pages_are_percent_encoded_and_keep_to_the_site() -> None:
    site = "https://notes.example.org/docs/"
    assert page_url(site, "os/死锁/", "a b#c") == (site + "os/%E6%AD%BB%E9%94%81/#a%20b%23c")
    assert page_url(site, "javascript:alert(1)") == site + "javascript%3Aalert%281%29"
    assert page_url(site, "//evil.example/x") == site + "evil.example/x"
    assert page_url(site, "a/../../x", "y") == site + "#y"


@pytest.mark.parametrize(
    ("claimed", "shown"),
    [
        ("https://notes.example.org", "https://notes.example.org/"),
        ("http://notes.example.org/docs/", "http://notes.example.org/docs/"),
        ("javascript:alert(1)", ""),
        ("https://user:secret@notes.example.org/", ""),
        ("notes.example.org", ""),
        ("", ""),
        ("https://[", ""),
    ],
)
def test_only_a_web_address_is_shown_as_the_one_a_site_claims(claimed: str, shown: str) -> None:
    assert claimed_site_url(claimed) == shown
