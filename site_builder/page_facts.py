"""What the parts of a site that list pages know of each: feeds, sitemaps, tag pages, twins."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from manifest.references import Reference


@dataclass(frozen=True, slots=True)
class PageFacts:
    """One published note.

    path: the source, POSIX. url: below the site, NFC, not percent-encoded, `/` at its end; empty
    for the home page. category: titles of the categories down to it, outermost first.
    date and updated: as the author wrote them, empty where he did not. summary: the note's own
    description, else its first words, at most 200 code points of plain text.
    leaf: the prefix of the leaf of the document tree that holds it, in base-4 digits.
    doc: the reference to its document; none for a page that is kept out of the knowledge.
    former: addresses (as `url`) that once led to it and now redirect.
    """

    doc_id: str
    path: str
    url: str
    title: str
    language: str
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    category: tuple[str, ...] = ()
    date: str = ""
    updated: str = ""
    summary: str = ""
    chars: int = 0
    leaf: str = ""
    doc: Reference | None = None
    former: tuple[str, ...] = ()


class Script(NamedTuple):
    """A script that the author adds to every page, with the attributes of its element."""

    path: str
    type: str = ""
    defer: bool = False
    is_async: bool = False


@dataclass(frozen=True, slots=True)
class SiteSettings:
    """What the author set for the whole site. url: empty, or absolute with a `/` at its end.

    languages: those of its notes, the site's own first.
    """

    name: str
    url: str = ""
    description: str = ""
    language: str = "en"
    languages: tuple[str, ...] = ()
    author: str = ""
    license: str = ""
    extra_css: tuple[str, ...] = ()
    extra_javascript: tuple[Script, ...] = ()


class SiteFile(NamedTuple):
    """A file of the site: its path below it (NFC, not encoded) and its bytes."""

    path: str
    body: bytes


@dataclass(frozen=True, slots=True)
class GeneratedPage:
    """A page that no note stands behind, such as a list of tags.

    url: as of a note. template: a partial of the theme that writes its `<main>`; it finds `content`
    as `nb.content`, any value that pickles.
    """

    url: str
    title: str
    template: str
    content: object = field(default=None)
    description: str = ""
