"""The terms of a question, learned from what was read.

Words of scripts without spaces are not marked, so the passages at hand serve as the lexicon: a
phrase of the question is cut into the longest stretches that occur in them. What occurs nowhere is
a missing notion, and tells as much as what occurs.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from agent.models.question import Question
from agent.models.sections import Section, Words, stem
from agent.models.vocabulary import (
    CUES,
    ENGLISH_CUES,
    ENGLISH_STOP,
    EVERYDAY,
    FILLERS,
    LIGHT,
)
from manifest.tokens import BIGRAM, normalise, runs
from manifest.unicode14 import character_class

_CJK = re.compile(f"[{character_class(BIGRAM)}]+")


class TermKind(StrEnum):
    """NAME and NUMBER: an answer must be about them. CUE: says what is wanted. EVERYDAY: a word
    that a note may well put otherwise. MISSING: occurs nowhere in what was read."""

    NAME = "name"
    NUMBER = "number"
    WORD = "word"
    CUE = "cue"
    EVERYDAY = "everyday"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Term:
    """A term of a question, and how much it counts. spread: in what share of the sections it is."""

    text: str
    kind: TermKind
    weight: float
    spread: float = 0.0


def question_terms(question: Question, sections: Sequence[Section]) -> list[Term]:
    """The terms of a question, weighted by what they are and by how rare they are here."""
    lexicon = _lexicon(sections)
    found: dict[str, Term] = {}
    text = normalise(question.text)
    for phrase in _CJK.findall(FILLERS.sub(" ", text)):
        for term in _cut(phrase, lexicon.text) or _single(phrase):
            found.setdefault(term.text, term)
    # Notes in another language hold a question's names, but need not hold its ordinary words.
    foreign = not question.cjk and bool(question.names) and _is_cjk(lexicon.text)
    for run in runs(text):
        if not run.bigrams:
            word = _main_token(run.tokens)
            found.setdefault(word, _spaced_term(word, question, lexicon, foreign=foreign))
    return [_placed(term, sections) for term in found.values() if term.weight > 0]


def _lexicon(sections: Sequence[Section]) -> Words:
    parts = [part for each in sections for part in (each.head, each.above, each.prose, each.code)]
    stems: set[str] = set()
    for part in parts:
        stems |= part.stems
    return Words("\n".join(part.text for part in parts), frozenset(stems))


def _is_cjk(text: str) -> bool:
    sample = text[:50_000]
    return 3 * sum(map(len, _CJK.findall(sample))) > len(sample)


def _placed(term: Term, sections: Sequence[Section]) -> Term:
    """The term, weighted up the rarer it is in what was read."""
    total = len(sections)
    count = sum(
        each.prose.has(term.text) or each.head.has(term.text) or each.above.has(term.text)
        for each in sections
    )
    rarity = 1 + RARITY * math.log((total + 1) / (count + 1))
    return replace(term, weight=term.weight * rarity, spread=count / total if total else 0.0)


def _main_token(tokens: tuple[str, ...]) -> str:
    """Of `C++` the form with its suffix, else the whole word."""
    return tokens[1] if tokens[1:2] and tokens[1][-1] in "+#" else tokens[0]


def _spaced_term(word: str, question: Question, lexicon: Words, *, foreign: bool) -> Term:
    if word[0].isdigit():
        return Term(word, TermKind.NUMBER, 2.5)
    if word in question.names:
        return Term(word, TermKind.NAME, 3.0)
    if word in ENGLISH_STOP:
        return Term(word, TermKind.CUE, 0.0)
    if word in ENGLISH_CUES:
        return Term(word, TermKind.CUE, 0.3)
    if stem(word) in lexicon.stems:
        return Term(word, TermKind.WORD, FOREIGN_WORD if foreign else 2.0)
    return (
        Term(word, TermKind.EVERYDAY, FOREIGN_EVERYDAY)
        if foreign
        else Term(word, TermKind.MISSING, 2.0)
    )


FOREIGN_WORD = 1.2
"""The weight of an ordinary word that notes in another language happen to hold."""

FOREIGN_EVERYDAY = 0.2
"""The weight of an ordinary word that notes in another language do not hold."""

_LONGEST = 12

EVERYDAY_WEIGHT = 0.6
"""The weight of an everyday word; of another it is the number of its characters."""

MISSING_SHARE = 1.0
"""How much of its weight a stretch keeps that occurs nowhere: it may be put otherwise."""

RARITY = 0.5
"""How much rarer terms count for more."""

SPECIFIC = 1.5
"""The weight from which a stretch of characters is more than an everyday word."""


def _cut(phrase: str, lexicon: str) -> list[Term]:
    """Cuts a phrase where the pieces found in the lexicon are the longest, all in all."""
    size = len(phrase)
    best = [0.0] * (size + 1)
    step = [1] * (size + 1)
    known = [False] * (size + 1)
    for start in range(size - 1, -1, -1):
        best[start] = best[start + 1]
        for length in range(2, min(_LONGEST, size - start) + 1):
            if phrase[start : start + length] not in lexicon:
                break
            value = _worth(phrase[start : start + length], lexicon) + best[start + length]
            if value > best[start]:
                best[start], step[start], known[start] = value, length, True
    terms: list[Term] = []
    rest = ""
    position = 0
    while position < size:
        piece = phrase[position : position + step[position]]
        if known[position]:
            terms += [*_missing(rest), *_known(piece, lexicon)]
            rest = ""
        else:
            rest += piece
        position += step[position]
    return [*terms, *_missing(rest)]


def _single(phrase: str) -> list[Term]:
    """A character that stands alone between fillers is a word."""
    return [Term(phrase, TermKind.WORD, 1.0)] if len(phrase) == 1 and phrase not in LIGHT else []


def _worth(piece: str, lexicon: str) -> float:
    """Longer pieces are worth more than their parts; among equals, more frequent ones."""
    joining = (piece[0] in LIGHT) + (piece[-1] in LIGHT)
    size: float = len(piece) - 0.5 * joining
    return math.pow(size, 1.6) + 0.01 * math.log1p(lexicon.count(piece))


def _known(piece: str, lexicon: str) -> list[Term]:
    bare = _bare(piece, lexicon)
    if bare in CUES:
        return [Term(bare, TermKind.CUE, 0.4)]
    weight = _weight(bare)
    kind = TermKind.WORD if weight >= SPECIFIC else TermKind.EVERYDAY
    return [Term(bare, kind, weight)] if weight else []


def _missing(piece: str) -> list[Term]:
    weight = _weight(piece)
    if piece in CUES or len(piece) < 2 or not weight:
        return []
    if weight < SPECIFIC:
        return [Term(piece, TermKind.EVERYDAY, EVERYDAY_WEIGHT)]
    return [Term(piece, TermKind.MISSING, MISSING_SHARE * weight)]


def _weight(piece: str) -> float:
    """By its characters; everyday words inside it and joining characters count for little."""
    for word in EVERYDAY:
        if word in piece:
            return EVERYDAY_WEIGHT + _weight(piece.replace(word, "", 1))
    heavy = sum(character not in LIGHT for character in piece)
    return heavy + 0.3 * (len(piece) - heavy) if heavy else 0.0


def _bare(piece: str, lexicon: str) -> str:
    """Without a joining character at an end, where what is left is a word of its own: it occurs
    far more often without that character than with it."""
    for bare in (piece[1:], piece[:-1]):
        joining = piece[0] if bare == piece[1:] else piece[-1]
        if len(piece) > 2 and joining in LIGHT and lexicon.count(bare) >= 2 * lexicon.count(piece):
            return _bare(bare, lexicon)
    return piece
