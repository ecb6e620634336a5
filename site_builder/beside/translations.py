"""Which notes are the same note in other languages.

Notes belong together by what they say, `translation_key` or `translation_of`, and by place: where
folders have languages and are named after them (`en/`, `docs/zh-CN/`), notes of one path below
them are translations, and so is the note of that path beside such a folder. So `guide.md`,
`zh/guide.md` and `ja/guide.md` are one note in three languages.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from site_builder.beside.addresses import full_url
from site_builder.front_matter import text_value
from site_builder.note import Meta
from site_builder.page_facts import PageFacts, SiteSettings
from site_builder.page_view import Translation

KEYS = ("translation_key", "translationKey")
OF = "translation_of"
TRANSLATION_KEYS = (*KEYS, OF)


@dataclass(frozen=True, slots=True)
class TranslationClaim:
    """What a note says of its translations. key: a word that all of them share. of: the note it
    translates, as its author names it, later the docId of that note."""

    key: str = ""
    of: str = ""


def translation_claim(meta: Mapping[str, Meta]) -> TranslationClaim:
    """What front matter says; empty where it says nothing."""
    values = dict(meta)
    key = next((text for name in KEYS if (text := text_value(values, name))), "")
    of = text_value(values, OF).removeprefix("[[").removesuffix("]]").partition("|")[0]
    return TranslationClaim(key, of.strip())


def translations(
    facts: Sequence[PageFacts],
    site_language: str,
    folders: Mapping[str, str],
    claims: Mapping[str, TranslationClaim] | None = None,
) -> dict[str, tuple[Translation, ...]]:
    """The translations of each note that has any, itself among them, by docId.

    folders: languages by folder. claims: by docId, `of` a docId. The site's own language comes
    first, others by tag; of several notes in one language the first by path stands.
    """
    named = {folder.strip("/") for folder, tag in folders.items() if _is_named_after(folder, tag)}
    if not named and not claims:
        return {}
    groups = _Groups()
    for page in facts:
        place = _place(page.path, named)
        if place is not None:
            groups.join(("note", page.doc_id), ("place", *place))
        claim = (claims or {}).get(page.doc_id, TranslationClaim())
        if claim.key:
            groups.join(("note", page.doc_id), ("key", claim.key))
        if claim.of:
            groups.join(("note", page.doc_id), ("note", claim.of))
    members: dict[tuple[str, ...], list[PageFacts]] = {}
    for page in facts:
        members.setdefault(groups.root(("note", page.doc_id)), []).append(page)
    found: dict[str, tuple[Translation, ...]] = {}
    for group in members.values():
        found |= _versions(group, site_language)
    return found


def alternates(
    site: SiteSettings,
    versions: Sequence[Translation],
    address: Callable[[str], str] | None = None,
) -> Iterator[tuple[str, str]]:
    """What `hreflang` links say: language and address, `x-default` for the site's own language.

    address: of what stands at a URL below the site; whole addresses by default.
    """
    if len(versions) < 2:
        return
    for language, url in versions:
        yield language, address(url) if address else full_url(site, url)
    own = next((url for language, url in versions if language == site.language), None)
    if own is not None:
        yield "x-default", address(own) if address else full_url(site, own)


def _versions(group: Sequence[PageFacts], site_language: str) -> dict[str, tuple[Translation, ...]]:
    by_language: dict[str, PageFacts] = {}
    for page in sorted(group, key=lambda page: page.path):
        by_language.setdefault(page.language, page)
    if len(by_language) < 2:
        return {}
    order = sorted(by_language, key=lambda language: (language != site_language, language))
    versions = tuple(Translation(language, by_language[language].url) for language in order)
    return {page.doc_id: versions for page in by_language.values()}


def _place(path: str, named: Collection[str]) -> tuple[str, str] | None:
    """The folder in which folders of languages lie, and the path below that or one of these.
    named: the folders of languages."""
    beside = {folder.rpartition("/")[0] for folder in named}
    parts = path.split("/")
    for depth in range(len(parts) - 1, -1, -1):
        folder, rest = "/".join(parts[:depth]), "/".join(parts[depth:])
        if folder in named:
            return folder.rpartition("/")[0], rest
        if folder in beside:
            return folder, rest
    return None


def _is_named_after(folder: str, language: str) -> bool:
    name = folder.strip("/").rpartition("/")[2].replace("_", "-").casefold()
    tag = language.casefold()
    return name in (tag, tag.partition("-")[0])


class _Groups:
    """Things that belong together, by union and find."""

    def __init__(self) -> None:
        self._above: dict[tuple[str, ...], tuple[str, ...]] = {}

    def root(self, thing: tuple[str, ...]) -> tuple[str, ...]:
        above = self._above.get(thing, thing)
        while above != thing:
            further = self._above.get(above, above)
            self._above[thing] = further
            thing, above = above, further
        return thing

    def join(self, one: tuple[str, ...], other: tuple[str, ...]) -> None:
        first, second = sorted((self.root(one), self.root(other)))
        if first != second:
            self._above[second] = first
