"""The values that travel through publishing: source note -> compiled note -> linked note.

Each step is a pure function of what came before, so that a note can be compiled on any executor:
`source.read_source` (bytes in, `SourceNote` out), `dialect.compile_note` (one parse, knows no
other note), `linking.link_notes` (the only step that sees all notes).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

Meta: TypeAlias = "str | list[Meta] | dict[str, Meta]"
"""A front matter value: every scalar is kept as the string the author typed."""


class FindingKind(StrEnum):
    """What a finding is about; stable words for `--json` and for tests."""

    FRONT_MATTER = "front-matter"
    ENCODING = "encoding"
    WITHHELD = "withheld"
    MISSING_NOTE = "missing-note"
    MISSING_ANCHOR = "missing-anchor"
    MISSING_FILE = "missing-file"
    AMBIGUOUS_LINK = "ambiguous-link"
    DUPLICATE_ID = "duplicate-id"
    SAME_ADDRESS = "same-address"
    EMBED = "embed"
    COMMENT = "comment"
    HTML = "html"
    ANCHOR_UNMATCHED = "anchor-unmatched"
    LIMIT = "limit"
    SYNTAX = "syntax"
    DRAWING = "drawing"
    FILE = "file"
    LANGUAGE = "language"
    REDIRECT = "redirect"
    ORPHAN = "orphan"
    DUPLICATE_TITLE = "duplicate-title"
    NEAR_DUPLICATE = "near-duplicate"


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """Something an author should know, never a reason to stop a build.

    line counts from 1 in the author's file; 0 speaks of the whole file.
    message says what is wrong, hint what to do about it.
    """

    path: str
    line: int
    kind: FindingKind
    message: str
    hint: str = ""

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else self.path
        return f"{place}: {self.message}" + (f" ({self.hint})" if self.hint else "")


@dataclass(frozen=True, slots=True)
class SourceNote:
    """A note as read from disk: decoded, newlines normalised, front matter taken off.

    path: POSIX, relative to the folder of notes, NFC.
    body: the text below the front matter; its first line is the author's line `body_line`.
    withheld: why the note must not be published (draft and the like); empty if it may be.
    body_lines: the author's line of each line of `body` where snippets moved them, else empty.
    """

    path: str
    meta: dict[str, Meta]
    body: str
    body_line: int
    withheld: str = ""
    knowledge: bool = True
    findings: tuple[Finding, ...] = ()
    body_lines: tuple[int, ...] = ()

    @property
    def front_matter(self) -> Mapping[str, Meta]:
        """The front matter, for those who only read it."""
        return self.meta


class LinkKind(StrEnum):
    """Where a link leads, as published in `doc.links`."""

    DOC = "doc"
    EMBED = "embed"
    IMAGE = "image"
    FILE = "file"
    EXTERNAL = "external"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class LinkUse:
    """One link, image or embed as written, before anyone knows where it leads.

    section: index of the section it stands in. line: the author's line, from 1.
    target: the note, path or address as written, without fragment, paths percent-decoded; empty for
    this note itself. fragment: what follows `#`, percent-decoded, as written (a heading's text or
    an anchor). wiki: written as `[[...]]`. embed: a picture, medium or note shown in place.
    text: the visible label. external: an address with a scheme, `fragment` left in it.
    """

    section: int
    line: int
    target: str
    fragment: str
    text: str
    wiki: bool
    embed: bool
    external: bool = False


@dataclass(frozen=True, slots=True)
class CompiledSection:
    """A piece of the text under one top-level heading (or before the first one).

    start and end are code points of `CompiledNote.text`; path holds the titles from the
    outermost heading down to this one. level is 0 for the text before the first heading.
    """

    anchor: str
    level: int
    title: str
    path: tuple[str, ...]
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class CompiledNote:
    """What one parse of one note gives; picklable, and a function of the note alone.

    text: the Markdown as published (comments removed).
    html: the article's body; every address in it that `links` describes, unless external, is
        written `nb-link-N` (N an index into `links`), every embed of a note
        `<nb-embed data-n="N"></nb-embed>`.
    ids: what else on the page has an id that a link may name: headings in lists and quotations and
        the author's HTML, both with `nb-` in front, and the author's `{#id}`.
    """

    path: str
    text: str
    html: str
    title: str
    sections: tuple[CompiledSection, ...]
    links: tuple[LinkUse, ...]
    findings: tuple[Finding, ...] = ()
    ids: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Link:
    """A link that knows where it leads.

    to: a docId for `doc` and `embed`, a path below the site for `image` and `file`, an address for
    `external`, the target as written for `missing`. anchor: empty for the whole document.
    """

    section: int
    kind: LinkKind
    to: str
    anchor: str
    text: str


@dataclass(frozen=True, slots=True)
class LinkedNote:
    """A compiled note in the company of all others: final HTML, resolved links."""

    doc_id: str
    compiled: CompiledNote
    html: str
    links: tuple[Link, ...]
    assets: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = field(default=())
