"""Elements of a page's `<head>` for machines: feeds, translations, cards of links, JSON-LD."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from site_builder.beside.addresses import encoded_url, full_url, twin_url
from site_builder.beside.dates import last_change, note_date
from site_builder.beside.escaping import one_line, script_json, xml
from site_builder.beside.feed import FeedLink
from site_builder.beside.translations import alternates
from site_builder.beside.twins import has_twin
from site_builder.front_matter import text_value
from site_builder.linking import relative_url
from site_builder.note import Meta
from site_builder.page_facts import PageFacts, SiteSettings
from site_builder.page_view import Neighbour, Translation

IMAGE_KEYS: Final = ("image", "cover", "banner")
_WEB = re.compile(r"https?://[^\s<>\"']+", re.I)
_LOCALE = re.compile(r"([a-z]{2,3})(?:-[A-Za-z]{4})?-([A-Z]{2})")


@dataclass(frozen=True, slots=True)
class HeadFacts:
    """What the head says of a page beside its facts.

    image: the picture that front matter names, a path below the site or a web address; empty for
    none: none is ever made up. breadcrumbs: categories down to the page. versions: the page in all
    its languages, itself among them.
    """

    image: str = ""
    breadcrumbs: Sequence[Neighbour] = ()
    versions: Sequence[Translation] = ()
    feeds: Sequence[FeedLink] = ()


def stated_image(meta: dict[str, Meta]) -> str:
    """The picture that front matter names, as written: a web address or a name to resolve."""
    written = next((text for key in IMAGE_KEYS if (text := text_value(meta, key))), "")
    return written.removeprefix("!").removeprefix("[[").removesuffix("]]").partition("|")[0]


def head_elements(site: SiteSettings, page: PageFacts, more: HeadFacts) -> str:
    """HTML for the head of a note's page, one element a line; everything in it escaped."""
    return "".join(f"{element}\n" for element in _elements(site, page, more))


def plain_head_elements(site: SiteSettings, feeds: Sequence[FeedLink], url: str, title: str) -> str:
    """The same for a page that no note stands behind."""
    rows = [*_feed_links(url, feeds), _meta("og:title", one_line(title) or one_line(site.name))]
    rows += [_meta("og:type", "website"), _meta("og:site_name", one_line(site.name))]
    return "".join(f"{element}\n" for element in rows)


def _elements(site: SiteSettings, page: PageFacts, more: HeadFacts) -> Iterator[str]:
    def address(url: str) -> str:
        return full_url(site, url) or relative_url(page.url, url)

    for language, there in alternates(site, more.versions, address):
        yield f'<link rel="alternate" hreflang="{xml(language)}" href="{xml(there)}">'
    yield from _feed_links(page.url, more.feeds)
    yield from _open_graph(site, page, _image(site, more.image))
    if site.url:
        yield (
            f'<script type="application/ld+json">{script_json(json_ld(site, page, more))}</script>'
        )


def _feed_links(here: str, feeds: Sequence[FeedLink]) -> Iterator[str]:
    for feed in feeds:
        yield (
            f'<link rel="alternate" type="application/atom+xml" title="{xml(one_line(feed.title))}"'
            f' href="{xml(relative_url(here, feed.path))}">'
        )


def _open_graph(site: SiteSettings, page: PageFacts, image: str) -> Iterator[str]:
    """Source: ogp.me; Twitter reads the same but for the kind of card."""
    yield _meta("og:title", one_line(page.title))
    yield _meta("og:type", "article" if page.url else "website")
    yield _meta("og:site_name", one_line(site.name))
    if site.url:
        yield _meta("og:url", full_url(site, page.url))
    if summary := one_line(page.summary):
        yield _meta("og:description", summary)
    if locale := _LOCALE.fullmatch(page.language):
        yield _meta("og:locale", f"{locale[1]}_{locale[2]}")
    if image:
        yield _meta("og:image", image)
    if page.url:
        if published := note_date(page.date):
            yield _meta("article:published_time", published.w3c())
        if changed := note_date(page.updated):
            yield _meta("article:modified_time", changed.w3c())
        for tag in page.tags:
            yield _meta("article:tag", one_line(tag))
    card = "summary_large_image" if image else "summary"
    yield f'<meta name="twitter:card" content="{card}">'


def _meta(name: str, content: str) -> str:
    return f'<meta property="{name}" content="{xml(content)}">'


def _image(site: SiteSettings, image: str) -> str:
    """The picture's whole address; previews are made elsewhere and follow no relative one."""
    if _WEB.fullmatch(image):
        return image
    return full_url(site, image) if image and ":" not in image else ""


def json_ld(site: SiteSettings, page: PageFacts, more: HeadFacts) -> list[dict[str, object]]:
    """The page in the words of schema.org; for sites with an address, as all its links are whole.

    Absent, never null: what the author did not say is not there.
    """
    whole = full_url(site, page.url)
    found = [_article(site, page, more, whole) if page.url else _website(site, whole)]
    steps = [step for step in more.breadcrumbs if step.url]
    if page.url and steps:
        found.append(_breadcrumbs(site, page, steps))
    for item in found:
        item["@context"] = "https://schema.org"
    return found


def _website(site: SiteSettings, whole: str) -> dict[str, object]:
    values = {
        "@type": "WebSite",
        "url": whole,
        "name": one_line(site.name),
        "description": one_line(site.description),
        "inLanguage": site.language,
        "license": site.license if _WEB.fullmatch(site.license) else "",
    }
    return {name: value for name, value in values.items() if value}


def _article(site: SiteSettings, page: PageFacts, more: HeadFacts, whole: str) -> dict[str, object]:
    published, changed = note_date(page.date), last_change(page.date, page.updated)
    twin = {
        "@type": "MediaObject",
        "encodingFormat": "text/markdown",
        "contentUrl": full_url(site, twin_url(page.url)),
    }
    values: dict[str, object] = {
        "@type": "Article",
        "@id": whole,
        "url": whole,
        "mainEntityOfPage": whole,
        "headline": one_line(page.title, 110),
        "description": one_line(page.summary),
        "inLanguage": page.language,
        "identifier": page.doc_id,
        "datePublished": published.w3c() if published else "",
        "dateModified": changed.w3c() if changed else "",
        "keywords": [one_line(tag) for tag in page.tags],
        "image": _image(site, more.image),
        "author": {"@type": "Person", "name": one_line(site.author)} if site.author else "",
        "license": site.license if _WEB.fullmatch(site.license) else "",
        "isPartOf": {"@type": "WebSite", "name": one_line(site.name), "url": site.url},
        "encoding": twin if has_twin(page) else "",
    }
    return {name: value for name, value in values.items() if value}


def _breadcrumbs(
    site: SiteSettings, page: PageFacts, steps: Sequence[Neighbour]
) -> dict[str, object]:
    """The steps that have an address, then the page itself, which needs none."""
    rows = [
        {
            "@type": "ListItem",
            "position": number,
            "name": one_line(step.title),
            "item": site.url + encoded_url(step.url or ""),
        }
        for number, step in enumerate(steps, 1)
    ]
    last = {"@type": "ListItem", "position": len(rows) + 1, "name": one_line(page.title)}
    return {"@type": "BreadcrumbList", "itemListElement": [*rows, last]}
