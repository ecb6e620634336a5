"""Sections as the built-in model holds them: passages put together, ready to be matched.

Matching is by words for scripts with spaces (their endings cut) and by substring for the others,
on texts in which case, width and white space no longer differ.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from agent.models.reading import ReadPassage
from agent.models.statements import Kind, Statement, statements
from manifest.tokens import BIGRAM, normalise, runs
from manifest.unicode14 import character_class

_CJK = character_class(BIGRAM)
_GAP = re.compile(f"(?<=[{_CJK}])\\s+(?=[{_CJK}])")
_ENDINGS = ("ations", "ation", "ings", "ing", "edly", "ed", "ies", "es", "s", "ly", "e")


def squash(text: str) -> str:
    """Lower case, one width, no white space between characters that need none."""
    return _GAP.sub("", normalise(text))


def stem(word: str) -> str:
    """A word without its common English ending; three letters stay at least."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


@dataclass(frozen=True, slots=True)
class Words:
    """A text to match against: squashed, and the stems of its words."""

    text: str
    stems: frozenset[str]

    def has(self, term: str) -> bool:
        """Whether a term stands in it."""
        return stem(term) in self.stems if term.isascii() else term in self.text


def words_of(*texts: str) -> Words:
    """Texts to match against, as one; nothing matches across their borders."""
    squashed = "\n".join(squash(text) for text in texts)
    stems = frozenset(
        stem(token) for run in runs(squashed) if not run.bigrams for token in run.tokens
    )
    return Words(squashed, stems)


@dataclass(frozen=True, slots=True)
class Said:
    """A statement of a passage, with its words and those of what leads to it."""

    passage: ReadPassage
    statement: Statement
    words: Words
    lead: Words


@dataclass(frozen=True, slots=True)
class Section:
    """A section of a document, as far as it was read.

    order: of its document among all documents, as they were found. head, above, prose, code: words
    of its heading, of what stands above it, of its statements, of its code.
    """

    document: str
    section: str
    place: tuple[str, ...]
    order: int
    said: tuple[Said, ...]
    head: Words
    above: Words
    prose: Words
    code: Words

    @property
    def tells(self) -> bool:
        """Whether it has more than links to elsewhere."""
        return any(each.statement.kind is not Kind.LINK for each in self.said)

    @property
    def length(self) -> int:
        """Code points that read as text."""
        return sum(len(each.statement.plain) for each in self.said)


def sections_of(passages: Iterable[ReadPassage]) -> list[Section]:
    """The sections that passages belong to, in the order in which they were first read."""
    by_section: dict[tuple[str, str], list[ReadPassage]] = {}
    documents: dict[str, int] = {}
    for passage in passages:
        documents.setdefault(passage.document, len(documents))
        by_section.setdefault((passage.document, passage.section), []).append(passage)
    sections = (_section(found, documents[document]) for (document, _), found in by_section.items())
    return [section for section in sections if section.tells]


def _section(passages: list[ReadPassage], order: int) -> Section:
    first = passages[0]
    said = tuple(
        Said(passage, statement, words_of(statement.plain), words_of(statement.lead))
        for passage in passages
        for statement in statements(passage.text)
    )
    prose = [each.statement for each in said if each.statement.kind not in (Kind.CODE, Kind.LINK)]
    code = [each.statement for each in said if each.statement.kind is Kind.CODE]
    heads = [each.lead for each in prose if each.kind is Kind.ROW]
    return Section(
        document=first.document,
        section=first.section,
        place=first.place,
        order=order,
        said=said,
        head=words_of(first.place[-1]),
        above=words_of(*first.place[:-1], *first.document.split("/")),
        prose=words_of(*(each.plain for each in prose), *heads),
        code=words_of(*(each.plain for each in code)),
    )
