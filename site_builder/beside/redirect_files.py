"""What makes an old address lead on: a page for any host, rules for some, a list for later builds.

The list names docIds, not addresses, so a note that moves again changes no line of it. It stands
in parts by prefix once it is long. A later build reads it from the published site (`--previous`):
that is the only memory of moves that no author wrote down.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final
from urllib.parse import urlsplit

from manifest.canonical import encode
from site_builder.beside.addresses import encoded_url, full_url, page_file
from site_builder.beside.escaping import one_line, xml
from site_builder.beside.parts import by_prefix
from site_builder.beside.redirects import old_url
from site_builder.linking import relative_url
from site_builder.page_facts import PageFacts, SiteFile, SiteSettings

HOST_RULES: Final = "_redirects"
HOST_RULES_LIMIT: Final = 1000
"""Lines of ours; Cloudflare reads 2,000 in all."""

LIST_PATH: Final = "ai/redirects.json"
LIST_LIMIT: Final = 1024 * 1024
PARTS_LIMIT: Final = 4096
SCRIPT_PATH: Final = "assets/client/moved.js"


def redirect_files(
    site: SiteSettings, facts: Sequence[PageFacts], own_rules: bytes | None = None
) -> Iterator[SiteFile]:
    """All files for the old addresses that `PageFacts.former` names; none if there are none.

    own_rules: the author's `_redirects`, whose lines come first and so win.
    """
    rows = [(url, page) for page in facts for url in page.former]
    if rows or own_rules is not None:
        yield SiteFile(HOST_RULES, _host_rules(site, rows, own_rules or b""))
    for url, page in rows:
        yield SiteFile(page_file(url), _page(site, url, page))
    yield from _list(rows)


def _page(site: SiteSettings, url: str, page: PageFacts) -> bytes:
    """Leads on at once: with JavaScript keeping what follows `#`, else by itself, else by hand."""
    link = xml(relative_url(url, page.url))
    title = xml(one_line(page.title))
    canonical = full_url(site, page.url)
    known = f'<link rel="canonical" href="{xml(canonical)}">\n' if canonical else ""
    return (
        "<!doctype html>\n"
        f'<html lang="{xml(page.language)}">\n'
        f'<meta charset="utf-8">\n<title>{title}</title>\n'
        f'<meta name="robots" content="noindex">\n{known}'
        f'<script src="{xml(relative_url(url, SCRIPT_PATH))}" data-to="{link}"></script>\n'
        f'<meta http-equiv="refresh" content="0; url={link}">\n'
        f'<p><a href="{link}">{title or link}</a></p>\n'
    ).encode("utf-8", "replace")


def _host_rules(
    site: SiteSettings, rows: Sequence[tuple[str, PageFacts]], own_rules: bytes
) -> bytes:
    base = urlsplit(site.url).path or "/"
    lines = [
        f"{base}{encoded_url(url)} {base}{encoded_url(page.url)} 301"
        for url, page in sorted(rows, key=lambda row: row[0])[:HOST_RULES_LIMIT]
    ]
    own = own_rules.rstrip(b"\r\n") + b"\n" if own_rules.strip() else b""
    return own + "".join(f"{line}\n" for line in lines).encode()


def _list(rows: Sequence[tuple[str, PageFacts]]) -> Iterator[SiteFile]:
    pairs = sorted((url, page.doc_id) for url, page in rows)
    parts = list(by_prefix(pairs, lambda pair: pair[0])) if pairs else []
    if len(parts) > 1:
        yield SiteFile(LIST_PATH, encode({"parts": [part.name for part in parts]}))
    for part in parts:
        path = _part_path(part.name) if part.name else LIST_PATH
        yield SiteFile(path, encode({"redirects": dict(part.items)}))


def _part_path(name: str) -> str:
    return f"ai/redirects-{name}.json"


def read_list(read: Callable[[str], bytes | None]) -> dict[str, str]:
    """What an earlier build redirected: docIds by old address; empty where it says nothing.

    read: gives a file of the published site by its path, none if it is not there. The file is not
    covered by a hash, so whatever is no address or no docId is passed over.
    """
    first = _object(read(LIST_PATH))
    found = _pairs(first)
    parts = first.get("parts")
    for name in parts[:PARTS_LIMIT] if isinstance(parts, list) else ():
        if isinstance(name, str) and name and not name.strip("0123"):
            found |= _pairs(_object(read(_part_path(name))))
    return found


def _object(body: bytes | None) -> Mapping[str, object]:
    if body is None or len(body) > LIST_LIMIT:
        return {}
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _pairs(value: Mapping[str, object]) -> dict[str, str]:
    rows = value.get("redirects")
    return {
        url: doc_id
        for url, doc_id in (rows.items() if isinstance(rows, dict) else ())
        if isinstance(url, str) and isinstance(doc_id, str) and old_url(url) == url
    }
