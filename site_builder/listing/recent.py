"""Pages of what changed last, by the notes' own dates; none where no note has one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from site_builder.listing.addresses import level
from site_builder.listing.rows import NoteRow, changed_day, newest_first, note_row
from site_builder.listing.words import list_title
from site_builder.page_facts import GeneratedPage, PageFacts, SiteSettings
from site_builder.page_view import Translation

RECENT_TEMPLATE: Final = "partials/recent.html"

NEWEST = 50
"""Notes that the list names."""


@dataclass(frozen=True, slots=True)
class RecentContent:
    """The newest notes, newest first. language: whose notes these are, empty for all.

    languages: the same list for each language of the site; none where it has one only.
    """

    notes: tuple[NoteRow, ...]
    language: str = ""
    all_url: str = ""
    languages: tuple[Translation, ...] = ()


def recent_pages(
    settings: SiteSettings, notes: Sequence[PageFacts], room: str
) -> Iterator[GeneratedPage]:
    """The list of all languages, and where the site has several, one of each that has dates."""
    dated = newest(notes)
    if not dated:
        return
    found = {facts.language for facts in notes if changed_day(facts)}
    several = [code for code in settings.languages if code in found]
    urls = tuple(Translation(code, f"{room}{level(code)}/") for code in several)
    links = urls if len(urls) > 1 else ()
    yield _page(room, settings.language, dated, RecentContent((), "", room, links))
    for code, url in links:
        own = newest([facts for facts in notes if facts.language == code])
        yield _page(url, code, own, RecentContent((), code, room, links))


def newest(notes: Sequence[PageFacts], limit: int = NEWEST) -> list[PageFacts]:
    """The dated notes that changed last, newest first."""
    return newest_first(facts for facts in notes if changed_day(facts))[:limit]


def _page(
    url: str, language: str, notes: Sequence[PageFacts], frame: RecentContent
) -> GeneratedPage:
    rows = tuple(note_row(facts, language) for facts in notes)
    content = RecentContent(rows, frame.language, frame.all_url, frame.languages)
    return GeneratedPage(url, list_title("recent", language), RECENT_TEMPLATE, content)
