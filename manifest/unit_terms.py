"""Units and their terms: how a document enters the search base, as a pure function of its `doc`.

The publisher indexes documents with it; so do the reader and the browser, for documents newer than
the segments. Source of the impact: BM25 with k1 = 1, b = 1/2, in integers, without idf.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import lru_cache

from manifest.objects import Doc
from manifest.search_objects import Weights
from manifest.search_text import document_tags, meta_list, search_text
from manifest.tokens import tokens
from manifest.units import section_units

WEIGHTS = Weights(title=2, heading=2, path=1, tags=1, aliases=2, body=2)
"""In halves of an occurrence: a word of the body counts 2/2. Measured on 40 questions and 600
headings over 309 Chinese notes: more for titles saturates impacts and ranks no better."""

WEIGHT_UNIT = 2
MAX_IMPACT = 15

NAMES_LIMIT = 100
"""Tags, and aliases, that are searched: they count in every unit of a document."""

SHORT_LIMIT = 1000
"""Code points of a title, a heading or a name that are searched."""

LEVEL_LIMIT = 16
"""Levels of a tag or an address that have a term each: all of them together grow with the square
of their number, and a note may write `#a/a/a/...` for as long as it likes."""


@dataclass(frozen=True, slots=True)
class UnitTerms:
    """A unit's terms with their weighted frequencies (in halves), and its length in body tokens."""

    length: int
    frequencies: dict[str, int]


def unit_terms(doc: Doc, weights: Weights = WEIGHTS) -> list[UnitTerms]:
    """The units of a document, in order."""
    shared: Counter[str] = Counter()
    _add(shared, _short_tokens(doc.title), weights.title)
    for tag in document_tags(meta_list(doc.meta.get("tags")), doc.text)[:NAMES_LIMIT]:
        _add(shared, _short_tokens(tag), weights.tags)
    for alias in meta_list(doc.meta.get("aliases"))[:NAMES_LIMIT]:
        _add(shared, _short_tokens(alias), weights.aliases)
    units: list[UnitTerms] = []
    for number, span in section_units(doc.text, list(doc.sections)):
        section = doc.sections[number]
        found = tokens(search_text(doc.text[span.start : span.end]))
        frequencies: Counter[str] = Counter(found)
        for token in frequencies:
            frequencies[token] *= weights.body
        frequencies.update(shared)
        _add(frequencies, _short_tokens(section.title), weights.heading)
        for ancestor in section.path[:-1]:
            _add(frequencies, _short_tokens(ancestor), weights.path)
        units.append(UnitTerms(len(found), frequencies))
    return units


def document_terms(doc: Doc) -> list[str]:
    """Terms that stand for facts of the document, at its unit 0: `tag:`, `folder:`, `link:`.

    They hold a colon, which no token does. A tag stands for its parents too, and `folder:` for
    every folder on the way to the document's address, both down to `LEVEL_LIMIT` levels.
    """
    links = dict.fromkeys(
        f"link:{link.to}"
        for link in doc.links
        if link.kind in ("doc", "embed") and link.to != doc.id
    )
    return [*tag_terms(doc), *folder_terms(doc.url), *links]


def tag_terms(doc: Doc) -> list[str]:
    """The `tag:` terms of a document, each once, in order."""
    tags = document_tags(meta_list(doc.meta.get("tags")), doc.text)
    return list(dict.fromkeys(f"tag:{level}" for tag in tags for level in _levels(tag.lower())))


def folder_terms(url: str) -> list[str]:
    """The `folder:` terms of a document's address."""
    return [f"folder:{level}" for level in _levels(url.rstrip("/"))]


def _levels(path: str) -> list[str]:
    parts = path.split("/", LEVEL_LIMIT)[:LEVEL_LIMIT] if path else []
    return ["/".join(parts[:count]) for count in range(1, len(parts) + 1)]


def impact(frequency: int, length: int, pivot: int) -> int:
    """The impact (1 to 15) of a weighted frequency (in halves) in a unit of `length` tokens."""
    saturated = 2 * pivot * frequency
    return min(
        MAX_IMPACT,
        1 + 15 * saturated // (saturated + WEIGHT_UNIT * (pivot + length)),
    )


def pivot(total_tokens: int, units: int) -> int:
    """The power of two nearest to floor(tokens / units), ties upward; at least 1."""
    mean = total_tokens // units if units else 1
    power = 1
    while mean - power >= power * 2 - mean:
        power *= 2
    return power


def _add(counter: Counter[str], found: tuple[str, ...] | list[str], weight: int) -> None:
    for token in found:
        counter[token] += weight


@lru_cache(maxsize=4096)
def _short_tokens(text: str) -> tuple[str, ...]:
    """Titles and headings come back with every unit below them."""
    return tuple(tokens(search_text(text[:SHORT_LIMIT])))
