"""Files of a site that belong to no page: the sitemap."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import quote
from xml.sax.saxutils import escape

SAFE = "/:@!$&'()*+,;=~-._"
"""Characters of a path that an address keeps as they are."""


def encoded_url(url: str) -> str:
    """A published URL (NFC, unencoded) as an address writes it."""
    return quote(url, safe=SAFE)


def sitemap(site_url: str, urls: Iterable[str]) -> str:
    """The sitemap of a site: addresses in order, no dates, so that a rebuild changes nothing."""
    base = site_url if site_url.endswith("/") else f"{site_url}/"
    rows = "".join(
        f"<url><loc>{escape(base + encoded_url(url))}</loc></url>\n" for url in sorted(urls)
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n' + rows + "</urlset>\n"
    )
