"""Atom feeds of the newest notes, one for the site and one for each of several languages.

Source: RFC 4287. Dates are the notes' own and ids depend on docId and knowledge base alone, so a
rebuild changes no byte, and a note that moves is no new entry.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from site_builder.beside.addresses import encoded_url
from site_builder.beside.dates import NoteDate, last_change, note_date
from site_builder.beside.escaping import one_line, xml
from site_builder.page_facts import PageFacts, SiteFile, SiteSettings

FEED_PATH: Final = "feed.xml"
FEED_LIMIT: Final = 30
_NAMESPACE: Final = uuid.uuid5(uuid.NAMESPACE_URL, "urn:note-bridge:feed")


@dataclass(frozen=True, slots=True)
class FeedLink:
    """A feed as pages name it. language: empty for the feed of all languages."""

    path: str
    title: str
    language: str = ""


@dataclass(frozen=True, slots=True)
class Feed:
    """A feed to be: its entries, newest first."""

    link: FeedLink
    entries: tuple[tuple[NoteDate, PageFacts], ...]


def feeds(site: SiteSettings, facts: Sequence[PageFacts]) -> tuple[Feed, ...]:
    """The feeds of a site; none where no note states a date.

    A language has a feed of its own where dated notes have several.
    """
    dated = [(when, page) for page in facts if (when := last_change(page.date, page.updated))]
    dated.sort(key=lambda row: (-row[0].at.timestamp(), row[1].url))
    if not dated:
        return ()
    name = one_line(site.name)
    found = [Feed(FeedLink(FEED_PATH, name), tuple(dated[:FEED_LIMIT]))]
    languages = sorted({page.language for _, page in dated})
    for language in languages if len(languages) > 1 else ():
        own = [row for row in dated if row[1].language == language]
        link = FeedLink(f"feed-{language.lower()}.xml", f"{name} ({language})", language)
        found.append(Feed(link, tuple(own[:FEED_LIMIT])))
    return tuple(found)


def feed_links(found: Sequence[Feed], language: str) -> tuple[FeedLink, ...]:
    """The feeds that a page in a language names: its own language's first, then that of all."""
    own = [feed.link for feed in found if feed.link.language == language]
    return (*own, *(feed.link for feed in found if not feed.link.language))


def feed_files(
    site: SiteSettings, found: Sequence[Feed], knowledge_base_id: str
) -> Iterator[SiteFile]:
    """The files of the feeds."""
    for feed in found:
        yield SiteFile(feed.link.path, _feed(site, feed, knowledge_base_id))


def _feed(site: SiteSettings, feed: Feed, knowledge_base_id: str) -> bytes:
    link = feed.link
    author = one_line(site.author or site.name) or "?"
    rows = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        (
            '<feed xmlns="http://www.w3.org/2005/Atom"'
            f' xml:lang="{xml(link.language or site.language)}">'
        ),
        _element("id", _urn(knowledge_base_id, link.path)),
        _element("title", link.title),
        _element("updated", feed.entries[0][0].rfc3339()),
        f'<link rel="self" type="application/atom+xml" href="{xml(site.url + link.path)}"/>',
        f'<link rel="alternate" type="text/html" href="{xml(site.url or "./")}"/>',
        f"<author>{_element('name', author)}</author>",
        "<generator>Note Bridge</generator>",
    ]
    if site.description:
        rows.append(_element("subtitle", one_line(site.description)))
    if site.license:
        rows.append(_element("rights", one_line(site.license)))
    for when, page in feed.entries:
        rows.extend(_entry(site, when, page, knowledge_base_id))
    return ("\n".join(rows) + "\n</feed>\n").encode()


def _entry(
    site: SiteSettings, when: NoteDate, page: PageFacts, knowledge_base_id: str
) -> Iterator[str]:
    address = site.url + encoded_url(page.url) or "./"
    yield f'<entry xml:lang="{xml(page.language)}">'
    yield _element("id", _urn(knowledge_base_id, "note", page.doc_id))
    yield _element("title", one_line(page.title) or page.doc_id)
    yield f'<link rel="alternate" type="text/html" href="{xml(address)}"/>'
    yield _element("updated", when.rfc3339())
    if first := note_date(page.date):
        yield _element("published", first.rfc3339())
    for tag in page.tags:
        yield f'<category term="{xml(one_line(tag))}"/>'
    yield _element("summary", one_line(page.summary))
    yield "</entry>"


def _element(name: str, text: str) -> str:
    return f"<{name}>{xml(text)}</{name}>"


def _urn(*parts: str) -> str:
    """A name for ever, whatever host the site moves to: RFC 4122, version 5."""
    return f"urn:uuid:{uuid.uuid5(_NAMESPACE, chr(10).join(parts))}"
