"""Who a note is and where its page stands: docIds and addresses, unique over all notes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from site_builder.front_matter import text_value
from site_builder.note import Finding, FindingKind, Meta

RESERVED: Final = ("ai",)
"""First parts of addresses that belong to what is published beside the pages."""

_LONGEST_ID: Final = 200
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_UNSAFE_IN_PATH = re.compile(r"[\x00-\x1f\x7f\\]")
_CLIMBING: Final = {".": "dot", "..": "dots"}
_SITE_FILES: Final = frozenset(
    {"index.html", "404.html", "sitemap.xml", "feed.xml", "robots.txt", "llms.txt"}
    | {"_headers", "_redirects"}
)
_INDEX: Final = "index"
_README: Final = "README"


class Named(Protocol):
    """What of a note its identity depends on."""

    @property
    def path(self) -> str: ...
    @property
    def front_matter(self) -> Mapping[str, Meta]: ...


@dataclass(frozen=True, slots=True)
class Identity:
    """doc_id: names the document wherever it moves. url: its page, below the site's address, NFC,
    not percent-encoded, with a `/` at its end; empty for the home page."""

    doc_id: str
    url: str


def identify(
    notes: Sequence[Named],
    *,
    assets: Iterable[str] = (),
    reserved: Iterable[str] = RESERVED,
    kept: Mapping[str, str] | None = None,
) -> tuple[tuple[Identity, ...], tuple[Finding, ...]]:
    """The identity of each note, in the order given, and what an author should know of it.

    notes: those that are published (withheld ones must not take a name from others). assets: paths
    of files that are copied beside the pages. kept: by path, the docId that a moved note keeps
    unless it states one. Depends on the set of notes, not on their order,
    except between notes of one and the same path.
    """
    findings: list[Finding] = []
    order = sorted(range(len(notes)), key=lambda index: notes[index].path)
    ids = _doc_ids(notes, order, kept or {}, findings)
    urls = _urls(notes, order, set(assets), set(reserved), findings)
    identities = tuple(Identity(ids[index], urls[index]) for index in range(len(notes)))
    return identities, tuple(findings)


def without_suffix(path: str) -> str:
    """A note's path without `.md` or whatever its name ends in."""
    folder, slash, name = path.rpartition("/")
    stem, point, _ = name.rpartition(".")
    return folder + slash + (stem if point and stem else name)


def _doc_ids(
    notes: Sequence[Named],
    order: Sequence[int],
    kept: Mapping[str, str],
    findings: list[Finding],
) -> list[str]:
    own = _path_ids(notes, order)
    wanted = [
        _given_id(note, findings) or kept.get(note.path) or own[index]
        for index, note in enumerate(notes)
    ]
    while True:
        claims: dict[str, list[int]] = {}
        for index in order:
            claims.setdefault(wanted[index], []).append(index)
        losers = False
        for doc_id, claimants in claims.items():
            keeper = next((index for index in claimants if own[index] == doc_id), claimants[0])
            for index in claimants:
                if index != keeper:
                    losers = True
                    wanted[index] = own[index]
                    findings.append(_duplicate(notes[index], doc_id, notes[keeper]))
        if not losers:
            return wanted


def _path_ids(notes: Sequence[Named], order: Sequence[int]) -> list[str]:
    """The docId that each note has by its path; `a.md` comes before `a.markdown`, which keeps its
    suffix, and twins that differ only in how their letters are composed are numbered."""
    taken: set[str] = set()
    ids = [""] * len(notes)
    for index in sorted(order, key=lambda at: not notes[at].path.endswith(".md")):
        path = notes[index].path
        doc_id = without_suffix(path)
        if doc_id in taken and not path.endswith(".md"):
            doc_id = path
        if doc_id in taken:
            doc_id = _numbered(doc_id, taken.__contains__)
        taken.add(doc_id)
        ids[index] = doc_id
    return ids


def _given_id(note: Named, findings: list[Finding]) -> str:
    given = unicodedata.normalize("NFC", text_value(note.front_matter, "id"))
    if len(given) > _LONGEST_ID or _CONTROL.search(given):
        findings.append(
            Finding(
                note.path,
                0,
                FindingKind.FRONT_MATTER,
                f"its `id` is no docId: 1 to {_LONGEST_ID} characters, no control characters",
                "the path is used instead",
            )
        )
        return ""
    return given


def _duplicate(note: Named, doc_id: str, keeper: Named) -> Finding:
    return Finding(
        note.path,
        0,
        FindingKind.DUPLICATE_ID,
        f"the id `{doc_id}` belongs to {keeper.path}",
        "give it an id of its own; the path is used instead",
    )


def _urls(
    notes: Sequence[Named],
    order: Sequence[int],
    assets: set[str],
    reserved: set[str],
    findings: list[Finding],
) -> list[str]:
    """Every note asks for the address its path suggests; the first by path gets it."""
    paths = {note.path for note in notes}
    holders: dict[str, str] = {_key(asset.removesuffix("/index.html")): asset for asset in assets}
    holders |= {_key(f"{name}/"): f"{name}/, reserved" for name in reserved}
    urls = [_suggested(note.path, paths, reserved) for note in notes]
    late: list[int] = []
    for index in order:
        first = notes[index].path.partition("/")[0]
        if _key(first) in reserved and urls[index].partition("/")[0] != first:
            findings.append(_same_address(notes[index], first, f"{first}/, reserved", urls[index]))
        if _key(urls[index]) in holders:
            late.append(index)
        else:
            holders[_key(urls[index])] = notes[index].path
    for index in late:
        asked = urls[index]
        urls[index] = _numbered(asked.rstrip("/") or _INDEX, lambda url: _key(url) in holders) + "/"
        findings.append(_same_address(notes[index], asked, holders[_key(asked)], urls[index]))
        holders[_key(urls[index])] = notes[index].path
    return urls


def _key(url: str) -> str:
    """What file systems and hosts that fold case would take for the same place."""
    return unicodedata.normalize("NFC", url.casefold()).rstrip("/")


def _suggested(path: str, paths: set[str], reserved: set[str]) -> str:
    """MkDocs' directory URLs: `a/b.md` is `a/b/`, an index is its folder; beside an index, README
    is a page like any other."""
    folder, _, name = without_suffix(path).rpartition("/")
    index = f"{folder}/{_INDEX}.md" if folder else f"{_INDEX}.md"
    parts = folder.split("/") if folder else []
    if name != _INDEX and (name != _README or index in paths):
        parts.append(name)
    parts = [_CLIMBING.get(part, _UNSAFE_IN_PATH.sub("-", part)) for part in parts if part]
    # A folder of such a name would stand where a page or a file of the site does.
    parts = [f"{part}-2" if part.casefold() in _SITE_FILES else part for part in parts]
    if parts and len(parts) > 1 and _key(parts[0]) in reserved:
        parts[0] += "-2"
    return "/".join(parts) + "/" if parts else ""


def _same_address(note: Named, asked: str, holder: str, url: str) -> Finding:
    return Finding(
        note.path,
        0,
        FindingKind.SAME_ADDRESS,
        f"two sources, one address: `{asked}` belongs to {holder}; its page is `{url}`",
        "rename one of them",
    )


def _numbered(name: str, taken: Callable[[str], bool]) -> str:
    number = 2
    while taken(f"{name}-{number}"):
        number += 1
    return f"{name}-{number}"
