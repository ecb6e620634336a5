"""The Markdown twin of a page: what an agent reads instead of HTML.

The text is the published one, with links in plain Markdown that lead on to other twins. The head
is YAML in which every value is a quoted string or a list of them, for parsers of any strictness;
it speaks of the note alone, so that a twin changes only with its note or the addresses it links.
"""

from __future__ import annotations

from collections.abc import Iterator

from site_builder.beside.addresses import encoded_url, twin_url
from site_builder.beside.escaping import one_line, yaml
from site_builder.beside.twin_links import TwinLinks
from site_builder.page_facts import PageFacts, SiteFile, SiteSettings


def twin_file(site: SiteSettings, page: PageFacts, text: str, links: TwinLinks) -> SiteFile:
    """The twin of a note that is part of the knowledge. text: the Markdown as published."""
    head = "".join(f"{line}\n" for line in _head(site, page))
    body = links.rewritten(text).strip("\n")
    return SiteFile(twin_url(page.url), f"---\n{head}---\n\n{body}\n".encode("utf-8", "replace"))


def has_twin(page: PageFacts) -> bool:
    """Whether a page has a twin: one that is kept out of the knowledge is for people alone."""
    return page.doc is not None


def _head(site: SiteSettings, page: PageFacts) -> Iterator[str]:
    yield f"title: {yaml(one_line(page.title))}"
    yield f"url: {yaml(site.url + encoded_url(page.url))}"
    yield f"docId: {yaml(page.doc_id)}"
    if page.doc is not None:
        yield f"documentSha256: {yaml(page.doc.sha256)}"
    yield f"language: {yaml(page.language)}"
    for name, values in (("category", page.category), ("tags", page.tags)):
        if values:
            yield f"{name}: [{', '.join(yaml(one_line(value)) for value in values)}]"
    for name, value in (
        ("date", page.date),
        ("updated", page.updated),
        ("license", site.license),
    ):
        if value:
            yield f"{name}: {yaml(one_line(value))}"
