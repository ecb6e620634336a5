"""Blocks: what can be quoted in one piece. A list or table with what leads to it, or a paragraph.

The block that answers best is chosen within a section, and cut to what is worth quoting.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from agent.models.judging import covered
from agent.models.question import Question, Wanted
from agent.models.sections import Said, Section, Words, words_of
from agent.models.statements import Kind
from agent.models.terms import Term, TermKind
from agent.models.wanted import CONTRAST, DEFINING, REASONING

WHOLE_LIMIT = 480
"""Code points up to which a list or table is quoted whole."""

WHOLE_MEMBERS = 10

PICKED = 4
"""Statements quoted one by one."""


@dataclass(frozen=True, slots=True)
class Block:
    """Neighbouring statements of one passage that belong together. members: in order. words: of
    all of it, and of what leads to it."""

    members: tuple[Said, ...]
    words: Words

    @property
    def kind(self) -> Kind:
        """What its members are."""
        return self.members[0].statement.kind

    @property
    def listed(self) -> bool:
        """Whether it lists several things."""
        return self.kind in (Kind.ITEM, Kind.ROW) and len(self.members) > 1

    @property
    def lead(self) -> str:
        """The line that leads to it."""
        return self.members[0].statement.lead

    @property
    def count(self) -> int:
        """How many things it lists, those below others not counted."""
        depth = min(said.statement.depth for said in self.members)
        return sum(said.statement.depth == depth for said in self.members)

    @property
    def start(self) -> int:
        """Where it begins in its passage, with what leads to it."""
        first = self.members[0].statement
        return first.start if first.lead_start < 0 else first.lead_start

    @property
    def end(self) -> int:
        """Where it ends in its passage."""
        return self.members[-1].statement.end


def blocks_of(section: Section) -> list[Block]:
    """The blocks of a section. Code is one only where a line of text leads to it, and a line that
    leads to a block is part of that block alone."""
    found: list[Block] = []
    for (label, _), group in groupby(
        section.said, lambda said: (said.passage.label, said.statement.group)
    ):
        members = tuple(said for said in group if said.statement.kind is not Kind.LINK)
        if not members or (_is_code(members) and members[0].statement.lead_start < 0):
            continue
        before = found[-1] if found else None
        if before is not None and _leads(before, members[0], label):
            found.pop()
            rest = before.members[:-1]
            if rest:
                found.append(_block(rest))
        found.append(_block(members))
    return found


def _block(members: tuple[Said, ...]) -> Block:
    leads = dict.fromkeys(said.statement.lead for said in members)
    return Block(members, words_of(*(said.statement.plain for said in members), *leads))


def _is_code(members: tuple[Said, ...]) -> bool:
    return members[0].statement.kind is Kind.CODE


def _leads(before: Block, first: Said, label: int) -> bool:
    last = before.members[-1]
    return last.passage.label == label and last.statement.start == first.statement.lead_start


@dataclass(frozen=True, slots=True)
class Chosen:
    """What of a block is quoted: the picked statements in their order, all of them (`whole`) in
    one piece. relevant: those that speak of what is asked; all picked ones if none stands out."""

    block: Block
    picked: tuple[Said, ...]
    relevant: tuple[Said, ...]
    whole: bool
    score: float


def choose(question: Question, terms: Sequence[Term], section: Section) -> list[Chosen]:
    """The blocks of a section by how well they answer, the best first."""
    chosen = [
        _choose(question, terms, section, block, position)
        for position, block in enumerate(blocks_of(section))
    ]
    return sorted(chosen, key=lambda each: -each.score)


def _choose(
    question: Question, terms: Sequence[Term], section: Section, block: Block, position: int
) -> Chosen:
    own = [_own(terms, said) for said in block.members]
    best = max(own)
    outstanding = tuple(
        said for said, share in zip(block.members, own, strict=True) if share >= 0.6 * best > 0
    )
    apart = 2 * len(outstanding) <= len(block.members) + 1
    wanted_whole = question.wanted is Wanted.LIST and block.listed
    short = block.end - block.start <= WHOLE_LIMIT and len(block.members) <= WHOLE_MEMBERS
    if short and (wanted_whole or not outstanding or not apart):
        picked, whole = block.members, block.kind is not Kind.SENTENCE or len(block.members) == 1
    else:
        picked, whole = (outstanding or block.members)[:PICKED], False
    closest = max(covered(terms, said, section) for said in block.members)
    score = _share(terms, block, section) + 0.5 * closest + _bonus(question, terms, block)
    return Chosen(block, picked, outstanding or picked, whole, score - 0.02 * position)


def _own(terms: Sequence[Term], said: Said) -> float:
    """The weight of the terms in a statement's own words."""
    return sum(
        term.weight for term in terms if term.kind is not TermKind.CUE and said.words.has(term.text)
    )


def _share(terms: Sequence[Term], block: Block, section: Section) -> float:
    total = sum(term.weight for term in terms) or 1.0
    found = 0.0
    for term in terms:
        if block.words.has(term.text):
            found += term.weight
        elif section.head.has(term.text):
            found += 0.6 * term.weight
        elif section.above.has(term.text):
            found += 0.3 * term.weight
    return found / total


def _bonus(question: Question, terms: Sequence[Term], block: Block) -> float:
    """For looking like the kind of answer that is wanted."""
    text = block.words.text
    if question.wanted is Wanted.LIST:
        fits = not question.count or block.count == question.count
        return (0.3 if fits else 0.1) if block.listed else 0.0
    if question.wanted is Wanted.DIFFERENCE:
        sides = [term for term in terms if term.kind is not TermKind.CUE]
        apart = (
            block.listed
            and sum(any(said.words.has(term.text) for term in sides) for said in block.members) > 1
        )
        return (0.2 if apart else 0.0) + (0.1 if CONTRAST.search(text) else 0.0)
    if question.wanted is Wanted.REASON:
        return 0.15 if REASONING.search(text) else 0.0
    if question.wanted is Wanted.DEFINITION:
        return 0.15 if DEFINING.search(text) else 0.0
    return 0.0
