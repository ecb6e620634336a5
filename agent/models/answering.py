"""The built-in model's answer: the block that answers best, if one answers at all.

Whether a block answers is a matter of conditions: what the question names must stand in its
section, enough of the rest must, what was asked for (a figure, so many things, two sides) must be
there, and it must say more than the question itself. The first block in order of score that meets
them all is the answer; if none does, the notes do not answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from agent.models.blocks import Chosen, choose
from agent.models.judging import NAMED, Judged, judge
from agent.models.question import Question, Wanted, analyse
from agent.models.reading import ReadPassage
from agent.models.sections import Section, sections_of
from agent.models.terms import Term, TermKind, question_terms
from agent.models.wanted import SUBSTANCE, counts, holds, qualified, substance, tells_apart

ENOUGH_IN_PASSING = 0.7
"""The share of the question's content that a section must cover if nothing above it is about the
question ..."""

ENOUGH_ON_TOPIC = 0.25
"""... and if its heading, its title or its folder is: then a note may put the rest otherwise."""

ON_TOPIC = 0.25
"""The share of the question that must stand above a section for that."""

ASKED = 0.34
"""The share of what follows `how` that must be covered."""

RARE = 0.15
"""A term that stands in no more than this share of the sections tells one from the others."""

CLOSE = 0.3
"""Coverage from which a section is worth naming where none answers."""

FOR_BLOCK = 0.6
"""What a block's score weighs beside its section's."""

MOSTLY_UNKNOWN = 0.5
"""The share of a question's content that may occur nowhere in what was read: where most of it does,
the notes are about something else."""

NEAR_BEST = 0.6
"""The share of the best coverage below which a section is passed over: where the section that
fits best does not answer, one that fits far worse does not either."""

LOOKED_AT = 8
"""Sections that are looked into."""


@dataclass(frozen=True, slots=True)
class Found:
    """An answer: a block of a section, and how well the section fits."""

    judged: Judged
    chosen: Chosen


@dataclass(frozen=True, slots=True)
class Considered:
    """What came of a question. found: what answers it, if anything does. closest: sections that
    fit best, the best first."""

    found: Found | None
    closest: tuple[Section, ...]


def consider(question_text: str, passages: Sequence[ReadPassage]) -> Considered:
    """A question against all that was read."""
    question = analyse(question_text)
    sections = sections_of(passages)
    terms = question_terms(question, sections)
    if not any(term.kind in (TermKind.NAME, TermKind.NUMBER, TermKind.WORD) for term in terms):
        return Considered(None, ())
    judged = judge(terms, sections)[:LOOKED_AT]
    return Considered(
        found=_find(question, terms, judged),
        closest=tuple(each.section for each in judged if each.coverage >= CLOSE),
    )


def _find(question: Question, terms: Sequence[Term], judged: Sequence[Judged]) -> Found | None:
    if _unknown(terms) > MOSTLY_UNKNOWN:
        return None
    most = max((each.coverage for each in judged), default=0.0)
    found = [
        Found(each, chosen)
        for each in judged
        if each.coverage >= NEAR_BEST * most
        for chosen in choose(question, terms, each.section)
    ]
    found.sort(key=lambda each: -(each.judged.score + FOR_BLOCK * each.chosen.score))
    return next((each for each in found if _answers(question, terms, each)), None)


def _unknown(terms: Sequence[Term]) -> float:
    content = [term for term in terms if term.kind is not TermKind.CUE]
    total = sum(term.weight for term in content)
    missing = sum(term.weight for term in content if term.kind is TermKind.MISSING)
    return missing / total if total else 1.0


def _answers(question: Question, terms: Sequence[Term], found: Found) -> bool:
    judged, block = found.judged, found.chosen.block
    foreign = not question.cjk and any("\u4e00" <= char <= "\u9fff" for char in block.words.text)
    if judged.named < NAMED or judged.coverage < _enough(judged):
        return False
    if foreign and not _is_specific(question, terms, judged):
        return False
    if question.wanted is Wanted.METHOD and _asked(question, terms, judged) < ASKED:
        return False
    if not _lists_what_is_asked(question, terms, judged):
        return False
    text = " ".join(said.statement.plain for said in found.chosen.relevant)
    whole = " ".join(said.statement.plain for said in block.members)
    return (
        holds(question, text)
        and qualified(question, f"{whole} {block.lead} {judged.section.place[-1]}")
        and counts(question, block.count if block.listed else 0, f"{whole} {block.lead}")
        and tells_apart(question, [said.statement.plain for said in block.members], block.lead)
        and substance(whole if question.wanted is Wanted.LIST else text, terms) >= SUBSTANCE
    )


def _enough(judged: Judged) -> float:
    topical = min(judged.about, ON_TOPIC) / ON_TOPIC
    return ENOUGH_IN_PASSING - (ENOUGH_IN_PASSING - ENOUGH_ON_TOPIC) * topical


def _is_specific(question: Question, terms: Sequence[Term], judged: Judged) -> bool:
    """Whether more than the general topic of the notes is matched: two names, or a rare one.

    Of a question in another language only names can match, so they must carry it.
    """
    matched = [
        term
        for term in terms
        if term.kind in (TermKind.NAME, TermKind.NUMBER, TermKind.WORD)
        and term.text not in judged.missing
    ]
    return (
        len(matched) > 1
        or question.wanted is Wanted.DEFINITION
        or any(term.spread <= RARE for term in matched)
    )


def _asked(question: Question, terms: Sequence[Term], judged: Judged) -> float:
    """How much of what follows `how` is covered: what to do is the point of the question."""
    asked = [
        term
        for term in terms
        if term.kind in (TermKind.WORD, TermKind.MISSING)
        and term.text in question.asked
        and question.cjk
    ]
    total = sum(term.weight for term in asked)
    covered = sum(term.weight for term in asked if term.text not in judged.missing)
    return covered / total if total else 1.0


def _lists_what_is_asked(question: Question, terms: Sequence[Term], judged: Judged) -> bool:
    """The noun after `which four` says what is counted: it must be there."""
    nouns = [
        (question.listed.find(term.text), term)
        for term in terms
        if term.kind in (TermKind.WORD, TermKind.MISSING) and term.text in question.listed
    ]
    if not nouns or not question.count:
        return True
    _, noun = min(nouns, key=lambda each: each[0])
    return noun.text not in judged.missing
