"""Which notes moved since an earlier published state: by docId, else by their text."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from site_builder.page_facts import PageFacts

TEXT_LEAST: Final = 40
"""Characters below which two notes of the same text may well be two notes."""


@dataclass(frozen=True, slots=True)
class Moves:
    """addresses: the docId that each old address leads to now. ids: new docIds by old one, for
    notes that only their text gave away."""

    addresses: Mapping[str, str] = field(default_factory=dict)
    ids: Mapping[str, str] = field(default_factory=dict)


def moves(
    facts: Sequence[PageFacts],
    previous: Mapping[str, str],
    text_of: Callable[[str], str],
    previous_text_of: Callable[[str], str],
    unchanged: Collection[str] = (),
) -> Moves:
    """What moved.

    previous: addresses of the earlier state by docId. text_of and previous_text_of: the text of a
    document; asked only for docIds that came and went, and not at all if none did. unchanged:
    docIds that both states hold alike, so that `previous` need not name them. A text that two
    notes share gives nobody away.
    """
    current = {page.doc_id: page for page in facts}
    addresses = {
        url: doc_id
        for doc_id, url in previous.items()
        if doc_id in current and current[doc_id].url != url
    }
    gone = sorted(previous.keys() - current.keys())
    came = sorted(current.keys() - previous.keys() - set(unchanged))
    ids: dict[str, str] = {}
    if gone and came:
        new = _by_text(came, text_of)
        for text, doc_ids in _by_text(gone, previous_text_of).items():
            if len(doc_ids) == 1 and len(new.get(text, ())) == 1:
                ids[doc_ids[0]] = new[text][0]
    addresses |= {previous[old]: doc_id for old, doc_id in ids.items()}
    return Moves({url: addresses[url] for url in sorted(addresses) if url}, ids)


def followed(earlier: Mapping[str, str], found: Moves) -> dict[str, str]:
    """Earlier redirects, led on to the new docIds of notes that moved."""
    return {url: found.ids.get(doc_id, doc_id) for url, doc_id in earlier.items()}


def _by_text(doc_ids: Iterable[str], text_of: Callable[[str], str]) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for doc_id in doc_ids:
        text = text_of(doc_id).strip()
        if len(text) >= TEXT_LEAST:
            found.setdefault(text, []).append(doc_id)
    return found
