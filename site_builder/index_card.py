"""What search needs of a note: a small card of facts, and its terms, packed.

Terms are made wherever the note is compiled, often in another process, and kept by content hash:
they are a pure function of the note alone. What the whole build decides (who it is, where it
stands, whom it links to) is on the card.
"""

from __future__ import annotations

import re
import struct
import zlib
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import orjson

from manifest.objects import Doc
from manifest.references import Reference
from manifest.unit_terms import folder_terms, tag_terms, unit_terms

Numbers = npt.NDArray[np.uint32]
"""Non-negative numbers; all arrays of packed terms are of this type."""

MOST_FREQUENT = 65_534
"""The highest weighted frequency (in halves) that is kept; impacts saturated long before."""

LONGEST_PHRASE = 24
"""Code points of a heading that still reads as a key term."""


@dataclass(frozen=True, slots=True)
class IndexCard:
    """A document as the search base lists it.

    url: relative to the site. doc: its `doc` object. links: the docIds that it links to or
    embeds, each once, without its own.
    """

    id: str
    title: str
    language: str
    url: str
    doc: Reference
    links: tuple[str, ...]

    def facts(self) -> list[str]:
        """The `folder:` and `link:` terms, which hold at the document's unit 0."""
        return [*folder_terms(self.url), *(f"link:{target}" for target in self.links)]


class TermsBroken(ValueError):
    """Packed bytes that are none; whoever kept them makes them anew."""


_HEAD = struct.Struct("<4sIIII")
_MAGIC = b"nbt1"


@dataclass(frozen=True, slots=True)
class NoteTerms:
    """The terms of one note's units, without those that its place in the site decides.

    lengths: body tokens by unit. terms: each once. counts: by term, how many units have it; units
    and frequencies (weighted, in halves): as many for each term, one term after another, units
    ascending. tags: the `tag:` terms. phrases: the note's own words for its subjects.
    """

    lengths: Numbers
    terms: tuple[str, ...]
    counts: Numbers
    units: Numbers
    frequencies: Numbers
    tags: tuple[str, ...]
    phrases: tuple[str, ...]

    @classmethod
    def of(cls, doc: Doc) -> NoteTerms:
        """The terms of a document; its id, address, language and links play no part."""
        units = unit_terms(doc)
        numbers: dict[str, int] = {}
        terms: list[int] = []
        frequencies: list[int] = []
        for unit in units:
            terms += [numbers.setdefault(term, len(numbers)) for term in unit.frequencies]
            frequencies += unit.frequencies.values()
        term_of = np.array(terms, np.uint32)
        by_term = np.argsort(term_of, kind="stable")
        sizes = [len(unit.frequencies) for unit in units]
        return cls(
            lengths=np.array([unit.length for unit in units], np.uint32),
            terms=tuple(numbers),
            counts=np.bincount(term_of, minlength=len(numbers)).astype(np.uint32),
            units=np.repeat(np.arange(len(units), dtype=np.uint32), sizes)[by_term],
            frequencies=np.minimum(np.array(frequencies, np.uint64), MOST_FREQUENT).astype(
                np.uint32
            )[by_term],
            tags=tuple(tag_terms(doc)),
            phrases=tuple(sorted(_phrases(doc))),
        )

    @property
    def length(self) -> int:
        """Body tokens of all units."""
        return int(self.lengths.sum())

    def to_bytes(self) -> bytes:
        """Compact bytes, the same for the same terms."""
        words = orjson.dumps([self.terms, self.tags, self.phrases])
        head = _HEAD.pack(_MAGIC, len(words), len(self.lengths), len(self.counts), len(self.units))
        numbers = (self.lengths, self.counts, self.units, self.frequencies)
        packed = b"".join(part.astype("<u4").tobytes() for part in numbers)
        return zlib.compress(head + words + packed, 1)

    @classmethod
    def from_bytes(cls, body: bytes) -> NoteTerms:
        """The terms that `to_bytes` packed. Raises TermsBroken for any other bytes."""
        try:
            plain = zlib.decompress(body)
            magic, words, lengths, counts, units = _HEAD.unpack_from(plain)
            start = _HEAD.size + words
            terms, tags, phrases = orjson.loads(plain[_HEAD.size : start])
            numbers = np.frombuffer(plain, "<u4", offset=start)
        except (zlib.error, struct.error, ValueError) as error:
            raise TermsBroken("these are no packed terms") from error
        ends = np.cumsum([lengths, counts, units, units])
        if magic != _MAGIC or len(numbers) != ends[-1] or len(terms) != counts:
            raise TermsBroken("these are no packed terms of this version")
        sizes, by_term, places, frequencies = np.split(numbers, ends[:-1])
        return cls(
            lengths=sizes,
            terms=tuple(terms),
            counts=by_term,
            units=places,
            frequencies=frequencies,
            tags=tuple(tags),
            phrases=tuple(phrases),
        )


def _phrases(doc: Doc) -> set[str]:
    """A document's own words for its subjects: its title and short headings, bare."""
    return set(bare_phrases([doc.title, *(section.title for section in doc.sections)]))


_NUMBERING = re.compile(r"^[\W_]*(?:(?:[0-9]+[.)、．]?)+|[一二三四五六七八九十]+[、.．])?[\W_]*")
_ASIDE = re.compile(r"\s*[(（].*$|[\s:：*_`]+$")


def bare_phrases(titles: Iterable[str]) -> list[str]:
    """Titles without numbering and asides, those that are short enough to be key terms."""
    bare = (_ASIDE.sub("", _NUMBERING.sub("", title)) for title in titles)
    return [phrase for phrase in bare if 1 < len(phrase) <= LONGEST_PHRASE]
