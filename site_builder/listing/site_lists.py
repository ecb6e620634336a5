"""All lists of a site, and where they stand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from site_builder.categories import CategoryNode
from site_builder.listing.addresses import folded, free_room
from site_builder.listing.category_pages import CategoryLists, category_lists
from site_builder.listing.home import HomeAddresses, home_page
from site_builder.listing.recent import recent_pages
from site_builder.listing.rows import changed_day
from site_builder.listing.tags import TagLists, tag_lists
from site_builder.listing.words import list_title
from site_builder.page_facts import GeneratedPage, PageFacts, SiteSettings
from site_builder.page_view import SiteLink

GRAPH_TEMPLATE: Final = "partials/graph.html"
CLUSTERS_TEMPLATE: Final = "partials/clusters.html"


@dataclass(frozen=True, slots=True)
class GroupsContent:
    """What the pages of the graph and of the clusters say before any script runs: where the index
    and each other are."""

    index_url: str
    graph_url: str
    clusters_url: str


@dataclass(frozen=True, slots=True)
class SiteLists:
    """The lists of one build.

    links: the header's, in order, for `PageView.links`. tag_urls: for `PageView.tags`.
    category_urls: by titles from the top down, for breadcrumbs.
    """

    links: tuple[SiteLink, ...]
    tag_urls: Mapping[str, str]
    category_urls: Mapping[tuple[str, ...], str]
    _settings: SiteSettings
    _notes: Sequence[PageFacts]
    _tags: TagLists
    _categories: CategoryLists
    _rooms: Mapping[str, str]

    def pages(self) -> Iterator[GeneratedPage]:
        """Every list, and a home page where no note is one. Depends on the notes' titles,
        addresses, tags, categories, languages and dates alone."""
        rooms, settings = self._rooms, self._settings
        yield from self._categories.pages()
        yield from self._tags.pages()
        yield from recent_pages(settings, self._notes, rooms["recent"])
        graph, clusters = rooms.get("graph", ""), rooms.get("clusters", "")
        if graph:
            content = GroupsContent(rooms["notes"], graph, clusters)
            title = list_title("graph", settings.language)
            yield GeneratedPage(graph, title, GRAPH_TEMPLATE, content)
            title = list_title("clusters", settings.language)
            yield GeneratedPage(clusters, title, CLUSTERS_TEMPLATE, content)
        if all(facts.url for facts in self._notes):
            recent = next((link.url for link in self.links if link.word == "recent"), "")
            addresses = HomeAddresses(rooms["notes"], recent, graph, clusters)
            yield home_page(settings, self._notes, self._categories, addresses)


def site_lists(
    settings: SiteSettings,
    notes: Sequence[PageFacts],
    categories: CategoryNode,
    *,
    graph: bool,
    taken: Iterable[str] = (),
) -> SiteLists:
    """The lists of a site.

    notes: all that have a page, by address. categories: the tree of the overview. graph: the site
    publishes a graph and clusters. taken: addresses besides the notes' own that no list may have,
    such as those of redirects.
    """
    used = {folded(url) for url in (*(facts.url for facts in notes), *taken)}
    names = ("notes", "tags", "recent", *(("graph", "clusters") if graph else ()))
    rooms = {name: free_room(name, used) for name in names}
    tags = tag_lists(settings, notes, rooms["tags"])
    lists = category_lists(settings, notes, categories, rooms["notes"])
    links = [SiteLink("index", rooms["notes"])]
    if graph:
        links.append(SiteLink("graph", rooms["graph"]))
    if tags:
        links.append(SiteLink("tags", rooms["tags"]))
    if any(changed_day(facts) for facts in notes):
        links.append(SiteLink("recent", rooms["recent"]))
    return SiteLists(tuple(links), tags.urls(), lists.urls(), settings, notes, tags, lists, rooms)
