"""The sitemap: every page, in files that one new page hardly touches.

Source: sitemaps.org protocol 0.9; `xhtml:link` for translations as search engines document it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from site_builder.beside.addresses import REMEMBERED, full_url
from site_builder.beside.dates import last_change
from site_builder.beside.escaping import xml
from site_builder.beside.parts import Part, by_prefix
from site_builder.beside.translations import alternates
from site_builder.page_facts import PageFacts, SiteFile, SiteSettings
from site_builder.page_view import Translation

SITEMAP_PATH = "sitemap.xml"

_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'
_SCHEMA = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
_XHTML = 'xmlns:xhtml="http://www.w3.org/1999/xhtml"'


def sitemap_files(
    site: SiteSettings,
    facts: Sequence[PageFacts],
    translations: Mapping[str, Sequence[Translation]],
    other_urls: Sequence[str] = (),
) -> Iterator[SiteFile]:
    """`sitemap.xml`, and past some hundred pages the parts that it then names.

    translations: by docId, a page itself among them. other_urls: pages that no note stands behind.
    Dates are the notes' own, so that a rebuild changes nothing. Nothing is made for a site without
    an address, since a sitemap holds whole addresses only.
    """
    if not site.url:
        return
    rows = [(page.doc_id, page.url, _page(site, page, translations)) for page in facts]
    rows += [("", url, f"<url>{_element('loc', full_url(site, url))}</url>") for url in other_urls]
    parts = list(by_prefix(sorted(rows, key=lambda row: row[1]), lambda row: row[0] or row[1]))
    if len(parts) > 1:
        yield SiteFile(SITEMAP_PATH, _index(site, parts))
    for part in parts:
        yield SiteFile(_path(part), _urls(row[2] for row in part.items))


def _path(part: Part[tuple[str, str, str]]) -> str:
    return f"sitemap-{part.name}.xml" if part.name else SITEMAP_PATH


def _index(site: SiteSettings, parts: Sequence[Part[tuple[str, str, str]]]) -> bytes:
    rows = "".join(
        f"<sitemap>{_element('loc', full_url(site, _path(part)))}</sitemap>\n" for part in parts
    )
    return f"{_HEAD}<sitemapindex {_SCHEMA}>\n{rows}</sitemapindex>\n".encode()


def _urls(rows: Iterator[str]) -> bytes:
    body = "".join(f"{row}\n" for row in rows)
    return f"{_HEAD}<urlset {_SCHEMA} {_XHTML}>\n{body}</urlset>\n".encode()


def _page(
    site: SiteSettings, page: PageFacts, translations: Mapping[str, Sequence[Translation]]
) -> str:
    links = "".join(
        f'<xhtml:link rel="alternate" hreflang="{xml(language)}" href="{xml(address)}"/>'
        for language, address in alternates(site, translations.get(page.doc_id, ()))
    )
    return _row(full_url(site, page.url), page.date, page.updated, links)


@lru_cache(maxsize=REMEMBERED)
def _row(address: str, date: str, updated: str, links: str) -> str:
    changed = last_change(date, updated)
    stamp = _element("lastmod", changed.w3c()) if changed else ""
    return f"<url>{_element('loc', address)}{stamp}{links}</url>"


def _element(name: str, text: str) -> str:
    return f"<{name}>{xml(text)}</{name}>"
