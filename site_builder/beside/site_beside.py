"""Everything beside the pages of one build, put together: what notes say, then files and heads."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from site_builder.beside.addresses import twin_url
from site_builder.beside.feed import FEED_PATH, Feed, FeedLink, feed_files, feed_links, feeds
from site_builder.beside.head_elements import (
    IMAGE_KEYS,
    HeadFacts,
    head_elements,
    plain_head_elements,
    stated_image,
)
from site_builder.beside.llms import LLMS_PATH, llms_files
from site_builder.beside.moves import Moves, followed, moves
from site_builder.beside.redirect_files import HOST_RULES, redirect_files
from site_builder.beside.redirects import (
    ADDRESS_KEYS,
    Redirects,
    read_rules,
    resolve_redirects,
    stated_addresses,
)
from site_builder.beside.robots import ROBOTS_PATH, robots_file
from site_builder.beside.sitemap import SITEMAP_PATH, sitemap_files
from site_builder.beside.translations import (
    TRANSLATION_KEYS,
    TranslationClaim,
    translation_claim,
    translations,
)
from site_builder.beside.twins import has_twin
from site_builder.hosting import HEADERS_PATH, NOT_FOUND_PATH
from site_builder.note import Finding, FindingKind, Meta
from site_builder.note_index import NoteIndex
from site_builder.page_facts import PageFacts, SiteFile, SiteSettings
from site_builder.page_view import Neighbour, Translation

OWN_FILES: Final = frozenset(
    {FEED_PATH, HOST_RULES, LLMS_PATH, ROBOTS_PATH, SITEMAP_PATH, HEADERS_PATH, NOT_FOUND_PATH}
)
"""Files at the top of every site, where no old address can stand."""


KEYS: Final = frozenset({*ADDRESS_KEYS, *IMAGE_KEYS, *TRANSLATION_KEYS})
"""Keys of front matter that say something of things beside a page."""


@dataclass(frozen=True, slots=True)
class Said:
    """What the front matter of one note says of things beside its page."""

    redirects: tuple[str, ...] = ()
    image: str = ""
    claim: TranslationClaim = field(default_factory=TranslationClaim)


@dataclass(frozen=True, slots=True)
class EarlierState:
    """What an earlier published state knew. addresses: by docId. redirects: as `read_list` gives
    them. text_of: the text of a document of then. unchanged: docIds that `addresses` may leave out
    because nothing about them changed."""

    addresses: Mapping[str, str] = field(default_factory=dict)
    redirects: Mapping[str, str] = field(default_factory=dict)
    text_of: Callable[[str], str] = lambda doc_id: ""
    unchanged: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class BesideInput:
    """What a build knows when its notes are collected.

    facts: of every page, `former` still empty. meta: front matter by docId. folders:
    languages by folder. rules: the author's file `redirects`; empty for none. taken: paths of all
    files of the site but the notes' pages. text_of: the text of a document of now; asked for notes
    without an earlier state of their own.
    """

    site: SiteSettings
    knowledge_base_id: str
    facts: Sequence[PageFacts]
    meta: Mapping[str, Mapping[str, Meta]]
    index: NoteIndex
    folders: Mapping[str, str] = field(default_factory=dict)
    rules: str = ""
    taken: Collection[str] = ()
    earlier: EarlierState | None = None
    text_of: Callable[[str], str] = lambda doc_id: ""


@dataclass(frozen=True, slots=True)
class SiteBeside:
    """What stands beside the pages.

    facts: those given, by address, with `former`. versions: a page in all its languages, itself
    among them, by docId. images: pictures that front matter names, by docId: paths, which are to
    be copied, and web addresses. twins: where each note's twin stands, else its page, by docId.
    """

    site: SiteSettings
    facts: tuple[PageFacts, ...]
    versions: Mapping[str, tuple[Translation, ...]]
    images: Mapping[str, str]
    twins: Mapping[str, str]
    findings: tuple[Finding, ...]
    _feeds: tuple[Feed, ...]
    _knowledge_base_id: str

    def translations(self, page: PageFacts) -> tuple[Translation, ...]:
        """The page in its other languages, for `PageView.translations`."""
        versions = self.versions.get(page.doc_id, ())
        return tuple(version for version in versions if version.url != page.url)

    def head(self, page: PageFacts, breadcrumbs: Sequence[Neighbour]) -> str:
        """For `PageView.head` of a note."""
        more = HeadFacts(
            self.images.get(page.doc_id, ""),
            breadcrumbs,
            self.versions.get(page.doc_id, ()),
            self.feeds_of(page),
        )
        return head_elements(self.site, page, more)

    def feeds_of(self, page: PageFacts) -> tuple[FeedLink, ...]:
        """The feeds that a note's page names."""
        return feed_links(self._feeds, page.language)

    def plain_head(self, url: str, title: str) -> str:
        """For `PageView.head` of a page that no note stands behind."""
        links = feed_links(self._feeds, self.site.language)
        return plain_head_elements(self.site, links, url, title)

    def files(
        self, other_urls: Sequence[str] = (), own_host_rules: bytes | None = None
    ) -> Iterator[SiteFile]:
        """All files but the twins. other_urls: pages that no note stands behind. own_host_rules:
        the author's `_redirects`, which these files replace and contain."""
        yield robots_file(self.site)
        yield from sitemap_files(self.site, self.facts, self.versions, other_urls)
        yield from feed_files(self.site, self._feeds, self._knowledge_base_id)
        yield from llms_files(
            self.site, self.facts, self._feeds[0].link.path if self._feeds else ""
        )
        yield from redirect_files(self.site, self.facts, own_host_rules)


def site_beside(given: BesideInput) -> SiteBeside:
    """Decides what stands beside the pages of a build."""
    said = {page.doc_id: note_says(given.meta.get(page.doc_id, {})) for page in given.facts}
    findings: list[Finding] = []
    redirects, more = _redirects(given, said)
    findings.extend((*more, *redirects.findings))
    former = redirects.former()
    facts = tuple(
        replace(page, former=former[page.doc_id]) if page.doc_id in former else page
        for page in sorted(given.facts, key=lambda page: page.url)
    )
    claims = _claims(given, said, findings)
    images = {page.doc_id: _image(given, page, said[page.doc_id], findings) for page in facts}
    return SiteBeside(
        site=given.site,
        facts=facts,
        versions=translations(facts, given.site.language, given.folders, claims),
        images={doc_id: image for doc_id, image in images.items() if image},
        twins={page.doc_id: twin_url(page.url) if has_twin(page) else page.url for page in facts},
        findings=tuple(findings),
        _feeds=feeds(given.site, facts),
        _knowledge_base_id=given.knowledge_base_id,
    )


def note_says(meta: Mapping[str, Meta]) -> Said:
    """What a note's front matter says."""
    if KEYS.isdisjoint(meta):
        return Said()
    return Said(stated_addresses(meta), stated_image(dict(meta)), translation_claim(meta))


def _redirects(
    given: BesideInput, said: Mapping[str, Said]
) -> tuple[Redirects, tuple[Finding, ...]]:
    rules, findings = read_rules(given.rules)
    earlier = given.earlier or EarlierState()
    moved = Moves()
    if given.earlier is not None:
        moved = moves(
            given.facts, earlier.addresses, given.text_of, earlier.text_of, earlier.unchanged
        )
    found = resolve_redirects(
        given.facts,
        stated={doc_id: note.redirects for doc_id, note in said.items()},
        rules=rules,
        moved=moved.addresses,
        earlier=followed(earlier.redirects, moved),
        taken={*given.taken, *OWN_FILES},
        site_url=given.site.url,
    )
    return found, findings


def _claims(
    given: BesideInput, said: Mapping[str, Said], findings: list[Finding]
) -> dict[str, TranslationClaim]:
    """What notes say of translations, with docIds instead of names."""
    claims: dict[str, TranslationClaim] = {}
    for page in given.facts:
        claim = said[page.doc_id].claim
        if claim.of:
            found = given.index.by_name(claim.of, page.path).note
            if found is None:
                message = f"missing note: {claim.of}, which this note translates"
                findings.append(Finding(page.path, 0, FindingKind.MISSING_NOTE, message))
            claim = replace(claim, of=found.doc_id if found else "")
        if claim.key or claim.of:
            claims[page.doc_id] = claim
    return claims


def _image(given: BesideInput, page: PageFacts, said: Said, findings: list[Finding]) -> str:
    """The picture of a note: a web address as it is, else the path of a file among the notes."""
    written = said.image
    if not written or written.startswith(("https://", "http://")):
        return written
    found = (given.index.by_path(written, page.path), given.index.by_name(written, page.path))
    path = next((each.asset for each in found if each.asset), "")
    if not path:
        message = f"missing file: {written}, the picture of this note"
        findings.append(Finding(page.path, 0, FindingKind.MISSING_FILE, message, "add the file"))
    return path
