"""Choosing the section that answers a question, and deciding whether any does.

A section is scored by how much of the question it covers (rare terms count more), by its single
best statement, and by its heading. Whether it answers is a matter of conditions, not of a score:
what the question names must stand there, enough of the rest must, and the kind of answer that is
wanted must be there at all.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from agent.models.sections import Said, Section
from agent.models.statements import Kind
from agent.models.terms import Term, TermKind

ABOVE = 0.85
"""How much a term counts that stands only above the section: in the title, in a folder."""

IN_CODE = 0.4
"""... only in its code."""

IN_PART = 0.7
"""... only in pairs of its characters."""

NAMED = 0.8
"""How well every name must be matched."""

# What the parts of a section's score weigh beside its coverage.
FOR_BEST = 0.7
FOR_HEAD = 0.35
FOR_NAMES = 0.25
FOR_SIZE = 0.12
FOR_ORDER = 0.06

USUAL_LENGTH = 300
"""Characters of a section above which its length tells against it."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A section against a question. All figures are shares of the question's weight (0 to 1).

    coverage: of the content, by the section and what stands above it. about: by its heading and
    what stands above that alone. head: by its heading. best: by one statement of it. named: the
    worst matched name or number (1 if there are none). missing: terms that are not there.
    """

    section: Section
    coverage: float
    about: float
    head: float
    best: float
    named: float
    missing: tuple[str, ...]

    @property
    def score(self) -> float:
        """For ranking sections: coverage, less a little for length and for a later document."""
        size = max(0.0, math.log(max(self.section.length, 1) / USUAL_LENGTH))
        return (
            self.coverage
            + FOR_BEST * self.best
            + FOR_HEAD * self.head
            + (FOR_NAMES if self.named >= NAMED else 0.0)
            - FOR_SIZE * size
            - FOR_ORDER * self.section.order
        )


def judge(terms: Sequence[Term], sections: Sequence[Section]) -> list[Judged]:
    """All sections against the terms of a question, the best first."""
    judged = [_judge(terms, section) for section in sections]
    return sorted(judged, key=lambda each: -each.score)


def _judge(terms: Sequence[Term], section: Section) -> Judged:
    matches = {term.text: _match(term, section) for term in terms}
    content = [term for term in terms if term.kind is not TermKind.CUE] or terms
    named = [term for term in content if term.kind in (TermKind.NAME, TermKind.NUMBER)]
    said = [each for each in section.said if each.statement.kind not in (Kind.CODE, Kind.LINK)]

    def above(term: Term) -> float:
        return float(section.head.has(term.text) or section.above.has(term.text))

    return Judged(
        section=section,
        coverage=_share(content, lambda term: matches[term.text]),
        about=_share(content, above),
        head=_share(terms, lambda term: float(section.head.has(term.text))),
        best=max((covered(terms, each, section) for each in said), default=0.0),
        named=min((matches[term.text] for term in named), default=1.0),
        missing=tuple(term.text for term in terms if matches[term.text] < 0.5),
    )


def _share(terms: Sequence[Term], match: Callable[[Term], float]) -> float:
    total = sum(term.weight for term in terms) or 1.0
    return sum(term.weight * match(term) for term in terms) / total


def covered(terms: Sequence[Term], said: Said, section: Section) -> float:
    """The share of the question that one statement covers, with what leads to it."""
    return _share(terms, lambda term: _match_said(term, said, section))


def _match(term: Term, section: Section) -> float:
    if section.prose.has(term.text) or section.head.has(term.text):
        return 1.0
    if section.above.has(term.text):
        return ABOVE
    if section.code.has(term.text):
        return IN_CODE
    if term.text.isascii() or len(term.text) < 3:
        return 0.0
    pairs = [term.text[start : start + 2] for start in range(len(term.text) - 1)]
    known = sum(
        pair in section.prose.text or pair in section.head.text or pair in section.above.text
        for pair in pairs
    )
    return IN_PART * known / len(pairs)


def _match_said(term: Term, said: Said, section: Section) -> float:
    if said.words.has(term.text):
        return 1.0
    if said.lead.has(term.text):
        return 0.85
    if section.head.has(term.text):
        return 0.7
    return 0.5 if section.above.has(term.text) else 0.0
