"""The home page of a site without one: an index, what changed last, and the ways in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Final, NamedTuple

from site_builder.listing.category_pages import Category, CategoryLists
from site_builder.listing.recent import newest
from site_builder.listing.rows import NoteRow, note_row
from site_builder.page_facts import GeneratedPage, PageFacts, SiteSettings

HOME_TEMPLATE: Final = "partials/home.html"

CATEGORIES = 24
LOOSE = 24
SAMPLES = 3
RECENT = 6
"""What a home page names at most: categories, notes in none, examples of each, what changed."""


class HomeEntry(NamedTuple):
    """A category: its title, its address, how many notes it holds, the first names in it."""

    title: str
    url: str
    notes: int
    samples: tuple[NoteRow, ...] = ()


@dataclass(frozen=True, slots=True)
class HomeContent:
    """What the home page lists. more: the index has entries that are not here. Addresses are empty
    where there is no such page."""

    entries: tuple[HomeEntry, ...]
    loose: tuple[NoteRow, ...]
    more: bool
    recent: tuple[NoteRow, ...]
    index_url: str
    recent_url: str
    graph_url: str
    clusters_url: str


@dataclass(frozen=True, slots=True)
class HomeAddresses:
    """The lists a home page leads to; empty where there is no such page."""

    index: str
    recent: str = ""
    graph: str = ""
    clusters: str = ""


def home_page(
    settings: SiteSettings,
    notes: Sequence[PageFacts],
    categories: CategoryLists,
    addresses: HomeAddresses,
) -> GeneratedPage:
    """The home page; of several languages it shows what changed in the site's own."""
    language = settings.language
    top = [category for category in categories.categories if category.depth == 0]
    loose = categories.loose()
    own = newest([facts for facts in notes if facts.language == language], RECENT)
    content = HomeContent(
        entries=tuple(
            HomeEntry(c.node.title, c.url, c.count, _samples(categories, c, language))
            for c in top[:CATEGORIES]
        ),
        loose=tuple(note_row(facts, language) for facts in loose[:LOOSE]),
        more=len(top) > CATEGORIES or len(loose) > LOOSE,
        recent=tuple(note_row(facts, language) for facts in own or newest(notes, RECENT)),
        index_url=addresses.index,
        recent_url=addresses.recent,
        graph_url=addresses.graph,
        clusters_url=addresses.clusters,
    )
    return GeneratedPage("", settings.name, HOME_TEMPLATE, content, settings.description)


def _samples(categories: CategoryLists, category: Category, language: str) -> tuple[NoteRow, ...]:
    """The first notes in a category, or below it where it has none of its own."""
    below = chain.from_iterable(node.documents for node in category.node.walk())
    return tuple(
        note_row(facts, language) for facts in categories.facts(list(islice(below, SAMPLES)))
    )
