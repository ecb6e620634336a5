"""Questions of about a dozen words, made from the notes of a site: what a visitor might type whose
words stand in some section. They measure cost, not quality.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass

from bench.note_parts import SourceNote
from manifest.search_text import search_text

WORDS = 12
"""Words of a question; in Chinese two characters count as one."""

FEWEST = 8
"""Words of the shortest clause that becomes a question. Clauses with links to notes become none."""

_CHINESE = re.compile("[\u4e00-\u9fff]")
_PIECE = re.compile("[\u4e00-\u9fff]|[^\\W_]+(?:[-'.+#][^\\W_]+)*[+#]*")
_CLAUSE = re.compile(r"[。！？；\n|]+|[.!?;:](?=\s)")

CHINESE_FORMS = (
    "{subject}中{words}是什么？",
    "为什么{words}？",
    "{subject}：{words}怎么理解",
    "{words}",
)
ENGLISH_FORMS = (
    "What does {subject} say about {words}?",
    "Why is it that {words}?",
    "How does {words} work?",
    "{words}",
)


@dataclass(frozen=True, slots=True)
class Question:
    """language: `zh` or `en`."""

    text: str
    language: str


def make_questions(notes: Sequence[SourceNote], count: int, seed: int) -> list[Question]:
    """Different questions, each from a clause of some note. Fewer if the notes give no more."""
    rng = random.Random(seed)
    found: dict[str, Question] = {}
    for _ in range(count * 20):
        if len(found) == count:
            break
        note = rng.choice(notes)
        part = rng.choice(note.parts)
        question = _question(rng, part.title or note.name, part.text)
        if question is not None:
            found.setdefault(question.text, question)
    return list(found.values())


def _question(rng: random.Random, heading: str, text: str) -> Question | None:
    clauses = [
        pieces
        for clause in _CLAUSE.split(search_text(text))
        if _weight(pieces := _PIECE.findall(clause)) >= FEWEST and ".md" not in clause
    ]
    if not clauses:
        return None
    pieces = rng.choice(clauses)
    subject = [piece for piece in _PIECE.findall(search_text(heading)) if not piece[0].isdigit()]
    language = "zh" if sum(map(_is_chinese, pieces)) * 3 > len(pieces) else "en"
    form = rng.choice(CHINESE_FORMS if language == "zh" else ENGLISH_FORMS)
    if "{subject}" not in form:
        subject = []
    subject = _begin(subject, WORDS / 4)
    words = _begin(pieces, WORDS - _weight(subject))
    text = form.format(subject=_joined(subject), words=_joined(words))
    return Question(text, language)


def _weight(pieces: Sequence[str]) -> float:
    return sum(0.5 if _is_chinese(piece) else 1.0 for piece in pieces)


def _begin(pieces: Sequence[str], weight: float) -> list[str]:
    """The first pieces, as many words as asked for."""
    taken: list[str] = []
    for piece in pieces:
        if _weight([*taken, piece]) > weight:
            break
        taken.append(piece)
    return taken


def _is_chinese(piece: str) -> bool:
    return _CHINESE.fullmatch(piece) is not None


def _joined(pieces: Sequence[str]) -> str:
    """Pieces as they are written: a space where either neighbour is a word of a spaced script."""
    text = ""
    for piece in pieces:
        space = text and not (_is_chinese(text[-1]) and _is_chinese(piece))
        text += f" {piece}" if space else piece
    return text
