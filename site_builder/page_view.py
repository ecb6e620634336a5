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


class HomeEntry(NamedTuple):
    """A category on a generated home page, with the number of its documents."""

    title: str
    url: str | None
    documents: int


class TocEntry(NamedTuple):
    """A heading in the contents."""

    level: int
    anchor: str
    title: str


@dataclass(frozen=True, slots=True)
class PageView:
    """One page. All addresses are relative to the site; empty strings where there is nothing."""

    language: str
    title: str
    doc_id: str = ""
    path: str = ""
    breadcrumbs: tuple[Neighbour, ...] = ()
    toc: tuple[TocEntry, ...] = ()
    updated: str = ""
    minutes: int = 0
    document_sha256: str = ""
    tags: tuple[str, ...] = ()
    previous: Neighbour | None = None
    next: Neighbour | None = None
    show_title: bool = False
    generated_home: tuple[HomeEntry, ...] = ()

    @property
    def direction(self) -> str:
        """`rtl` or `ltr`, by the language."""
        return "rtl" if self.language.split("-")[0].lower() in RTL_LANGUAGES else "ltr"


def reading_minutes(text: str) -> int:
    """How long a person reads a text, at least a minute if there is any."""
    estimate = token_estimate(text)
    return max(1, round(estimate / TOKENS_PER_MINUTE)) if tokens(text[:200]) else 0
