"""Addresses of what is published: how they are written, and which file stands at them."""

from __future__ import annotations

from functools import lru_cache
from typing import Final
from urllib.parse import quote

from site_builder.page_facts import SiteSettings

SAFE: Final = "/:@!$&'()*+,;=~-._"
"""Characters of a path that an address keeps as they are."""

_ENDS_IN_MARKDOWN: Final = str.maketrans({sign: quote(sign, safe="") for sign in "()<>\"' \\"})
PAGE: Final = "index.html"

REMEMBERED: Final = 65536
"""Addresses that a process keeps encoded: a build needs each several times, and while an author
writes, builds follow each other."""


@lru_cache(maxsize=REMEMBERED)
def encoded_url(url: str) -> str:
    """A published URL (NFC, unencoded) as an address writes it."""
    return quote(url, safe=SAFE)


def full_url(site: SiteSettings, url: str) -> str:
    """The whole address of what stands at `url` below the site; empty where the site has none."""
    return site.url + encoded_url(url) if site.url else ""


def markdown_url(address: str) -> str:
    """An encoded address without the characters that end one in Markdown or in an attribute."""
    return address.translate(_ENDS_IN_MARKDOWN)


def page_file(url: str) -> str:
    """The path of the file that answers for a page's address."""
    return f"{url}{PAGE}" if not url or url.endswith("/") else url


def twin_url(url: str) -> str:
    """The address of the Markdown twin of the page at `url`."""
    if not url or url.endswith("/"):
        return f"{url}index.md"
    return f"{url.removesuffix('.html')}.md"
