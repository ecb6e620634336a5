"""What a template of our theme is given about a page, as `nb`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from manifest.tokens import tokens
from manifest.units import token_estimate

RTL_LANGUAGES = frozenset({"ar", "dv", "fa", "he", "ku", "ps", "sd", "ug", "ur", "yi"})

TOKENS_PER_MINUTE = 400
"""How fast a person reads, in estimated tokens: about 400 Chinese characters or 300 words."""


class Neighbour(NamedTuple):
    """A page one step away: previous, next or on the way here; url below the site."""

    title: str
    url: str | None


class TocEntry(NamedTuple):
    """A heading in the contents."""

    level: int
    anchor: str
    title: str


class Tag(NamedTuple):
    """A tag as a page shows it; url of the list of its notes, empty where there is none."""

    name: str
    url: str = ""


class Translation(NamedTuple):
    """The same page in another language (BCP 47); url below the site."""

    language: str
    url: str


class SiteLink(NamedTuple):
    """A link of the header: `word` names it in the theme's words; url below the site."""

    word: str
    url: str


@dataclass(frozen=True, slots=True)
class PageView:
    """One page. Addresses are below the site, not encoded; empty strings where there is nothing.

    template: the partial that writes the page's `<main>`. content: a note's HTML, or what a
    generated page lists. absolute: addresses are written from the site's root, since the page may
    stand at any depth. canonical: the page's full address. markdown: the address of its twin.
    head: more elements of `<head>`, as HTML.
    """

    language: str
    title: str
    template: str = "partials/note.html"
    url: str = ""
    content: object = ""
    absolute: bool = False
    is_home: bool = False
    description: str = ""
    canonical: str = ""
    markdown: str = ""
    head: str = ""
    doc_id: str = ""
    path: str = ""
    breadcrumbs: tuple[Neighbour, ...] = ()
    toc: tuple[TocEntry, ...] = ()
    date: str = ""
    updated: str = ""
    minutes: int = 0
    document_sha256: str = ""
    tags: tuple[Tag, ...] = ()
    translations: tuple[Translation, ...] = ()
    links: tuple[SiteLink, ...] = ()
    previous: Neighbour | None = None
    next: Neighbour | None = None
    show_title: bool = False

    @property
    def direction(self) -> str:
        """`rtl` or `ltr`, by the language."""
        return "rtl" if self.language.split("-")[0].lower() in RTL_LANGUAGES else "ltr"


def reading_minutes(text: str) -> int:
    """How long a person reads a text, at least a minute if there is any."""
    estimate = token_estimate(text)
    return max(1, round(estimate / TOKENS_PER_MINUTE)) if tokens(text[:200]) else 0
