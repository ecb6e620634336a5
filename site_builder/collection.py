"""All notes of one build in each other's company: who they are, where they stand, what they link.

It holds cards, not texts: six thousand notes are a few dozen megabytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from site_builder.identity import Identity, identify
from site_builder.linking import MISSING_TITLE, IndexedNote, NoteIndex, link_note
from site_builder.note import Finding, FindingKind, LinkedNote, LinkKind
from site_builder.note_card import NoteCard

MISSING_TITLES = {"zh": "还没有写"}
"""What a reader is told of a link that leads nowhere, by primary language; English otherwise."""


@dataclass(frozen=True, slots=True)
class KeptNote:
    """A compiled note: its card, and the key under which its body is kept."""

    key: str
    card: NoteCard


@dataclass(slots=True)
class Entry:
    """A published note. linked: its links, without text or HTML."""

    card: NoteCard
    key: str
    identity: Identity
    language: str
    indexed: IndexedNote
    linked: LinkedNote

    @property
    def doc_id(self) -> str:
        return self.identity.doc_id

    @property
    def url(self) -> str:
        return self.identity.url


@dataclass(slots=True)
class Collection:
    """The notes of one build. entries: by source path, in its order.

    places and assets: what the index was built from. apart: docIds of pages that are no knowledge.
    withheld: how many notes must not be
    published. unplaced: findings that are no single page's.
    """

    entries: dict[str, Entry]
    index: NoteIndex
    places: list[IndexedNote]
    assets: frozenset[str]
    apart: frozenset[str] = frozenset()
    withheld: int = 0
    unplaced: list[Finding] = field(default_factory=list)
    by_id: dict[str, Entry] = field(init=False)

    def __post_init__(self) -> None:
        self.by_id = {entry.doc_id: entry for entry in self.entries.values()}

    def documents(self) -> list[Entry]:
        """The notes that are knowledge too, by docId."""
        found = (entry for entry in self.entries.values() if entry.card.knowledge)
        return sorted(found, key=lambda entry: entry.doc_id)

    def findings(self) -> Iterator[Finding]:
        """What reading, compiling and linking found."""
        yield from self.unplaced
        for entry in self.entries.values():
            yield from entry.linked.findings

    def used_assets(self) -> frozenset[str]:
        """Files that published notes use."""
        return frozenset(path for entry in self.entries.values() for path in entry.linked.assets)

    def within_knowledge(self, entry: Entry) -> LinkedNote:
        """A note's links as the knowledge can state them: a page without knowledge is a path of
        the site, and an id that is no section's anchor leads to the whole document."""
        links = []
        for link in entry.linked.links:
            if link.kind in (LinkKind.DOC, LinkKind.EMBED):
                target = self.by_id[link.to]
                if not target.card.knowledge:
                    link = replace(link, kind=LinkKind.FILE, to=target.url, anchor="")
                elif link.anchor and link.anchor not in target.card.anchors:
                    link = replace(link, anchor="")
            links.append(link)
        return replace(entry.linked, links=tuple(links))


def collect(
    notes: Mapping[str, KeptNote],
    assets: frozenset[str],
    language_of: Languages,
    *,
    urls: Mapping[str, str] | None = None,
    kept_ids: Mapping[str, str] | None = None,
    earlier: Collection | None = None,
) -> Collection:
    """Gives every note its place and finds where its links lead.

    notes: by source path, withheld ones included. assets: paths of all other files. urls: the
    addresses of pages that someone else made, by source path; ours otherwise. kept_ids: the docIds
    that moved notes keep, by the path they have now. earlier: the last
    build's; what cannot have changed since is taken from it.
    """
    published = [note for note in notes.values() if not note.card.withheld]
    identities, findings = identify(
        [note.card for note in published], assets=assets, kept=kept_ids or {}
    )
    unplaced = list(findings)
    for note in notes.values():
        if note.card.withheld:
            unplaced.extend(note.card.findings)
    if urls is not None:
        identities = tuple(
            replace(identity, url=urls[note.card.path])
            for note, identity in zip(published, identities, strict=True)
        )
    known = earlier.entries if earlier else {}
    indexed = [
        _indexed(note, identity, known.get(note.card.path))
        for note, identity in zip(published, identities, strict=True)
    ]
    apart = frozenset(
        identity.doc_id
        for note, identity in zip(published, identities, strict=True)
        if not note.card.knowledge
    )
    same = (
        earlier is not None
        and (earlier.assets, earlier.apart) == (assets, apart)
        and earlier.places == indexed
    )
    index = earlier.index if same and earlier else NoteIndex.build(indexed, assets)
    entries: dict[str, Entry] = {}
    for note, identity, place in zip(published, identities, indexed, strict=True):
        language = language_of(note.card)
        before = known.get(note.card.path)
        unchanged = same and before is not None and before.key == note.key
        if before is not None and unchanged and before.language == language:
            entries[note.card.path] = before
        else:
            linked = _linked(index, note.card, identity.doc_id, language)
            entries[note.card.path] = Entry(note.card, note.key, identity, language, place, linked)
    return Collection(entries, index, indexed, assets, apart, len(notes) - len(published), unplaced)


@dataclass(frozen=True, slots=True)
class Languages:
    """The language of a note: what it says, else its deepest folder that has one, else the
    site's."""

    site: str
    folders: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, card: NoteCard) -> str:
        return card.language or self.of_path(card.path)

    def of_path(self, path: str) -> str:
        """The language of a note that states none."""
        if not self.folders:
            return self.site
        parts = path.split("/")[:-1]
        paths = ("/".join(parts[:depth]) for depth in range(len(parts), 0, -1))
        return next((self.folders[path] for path in paths if path in self.folders), self.site)


def missing_title(language: str) -> str:
    """What a reader is told of a link that leads nowhere, in that language."""
    return MISSING_TITLES.get(language.partition("-")[0].lower(), MISSING_TITLE)


def left_out(path: str, why: str) -> Finding:
    """A file that is not read at all."""
    shown = path.encode("utf-8", "backslashreplace").decode("utf-8")
    hint = "put a plain file into the folder of notes"
    return Finding(shown, 0, FindingKind.FILE, f"left out: {why}", hint)


def _indexed(note: KeptNote, identity: Identity, before: Entry | None) -> IndexedNote:
    if before is not None and before.key == note.key and before.identity == identity:
        return before.indexed
    found = note.card.indexed(identity.doc_id, identity.url)
    # Of a note whose words changed and whose names did not, links need not be looked up again.
    return before.indexed if before is not None and before.indexed == found else found


def _linked(index: NoteIndex, card: NoteCard, doc_id: str, language: str) -> LinkedNote:
    return link_note(index, card.outline(), doc_id, missing_title=missing_title(language))
