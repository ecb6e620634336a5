"""Citations: what the marks of an answer claim, checked against stored evidence and numbered.

Marks name evidence of the session by its label; a quotation is looked for in that evidence's
stored passage. `[E0]` is how a model says that the notes do not answer. What a reader sees is the
stored slice, under a number of this answer.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum

from agent.marks import Claim, Mark, split_marks
from agent.quotations import find_quotation, is_long_enough

DECLINED_LABEL = 0
"""`[E0]`: no evidence has this label; it states that the notes do not answer."""


class Verdict(StrEnum):
    """What checking a citation found. Only QUOTED is verified."""

    QUOTED = "quoted"
    NOT_FOUND = "not-found"
    SOURCE_ONLY = "source-only"


@dataclass(frozen=True, slots=True)
class Source:
    """Stored evidence, as far as citing needs it. start: of the text in its document."""

    id: str
    text: str
    start: int


@dataclass(frozen=True, slots=True)
class Citation:
    """A checked citation of an answer. n counts from 1 in the answer, in order of appearance.

    start and end are code points of the document; quote is the document's text between them: the
    quoted words where they were found, else the whole passage.
    """

    n: int
    evidence_id: str
    label: int
    start: int
    end: int
    quote: str
    verdict: Verdict

    @property
    def verified(self) -> bool:
        """Whether the words that the model quoted stand in the document."""
        return self.verdict is Verdict.QUOTED


@dataclass(slots=True)
class CitationChecker:
    """Checks and numbers the citations of one answer, mark by mark in order.

    lookup gives the session's evidence of a label, or None. The same span of the same evidence
    keeps its number. `dropped` counts labels that are none of this session.
    """

    lookup: Callable[[int], Source | None]
    citations: list[Citation] = field(default_factory=list)
    dropped: int = 0
    declined: bool = False
    _numbers: dict[tuple[str, int, int, Verdict], int] = field(default_factory=dict)

    def check(self, mark: Mark) -> list[Citation]:
        """The citations of a mark; those already known come back with their number."""
        found: list[Citation] = []
        for claim in mark.claims:
            if claim.label == DECLINED_LABEL:
                self.declined = True
                continue
            source = self.lookup(claim.label)
            if source is None:
                self.dropped += 1
                continue
            citation = self._numbered(_check(claim, source))
            if citation not in found:
                found.append(citation)
        return found

    def _numbered(self, citation: Citation) -> Citation:
        key = (citation.evidence_id, citation.start, citation.end, citation.verdict)
        known = self._numbers.get(key)
        if known is not None:
            return self.citations[known - 1]
        numbered = Citation(
            len(self.citations) + 1,
            citation.evidence_id,
            citation.label,
            citation.start,
            citation.end,
            citation.quote,
            citation.verdict,
        )
        self._numbers[key] = numbered.n
        self.citations.append(numbered)
        return numbered


def _check(claim: Claim, source: Source) -> Citation:
    verdict = Verdict.SOURCE_ONLY
    start, end = 0, len(source.text)
    if claim.words is not None and is_long_enough(claim.words):
        found = find_quotation(claim.words, source.text)
        verdict = Verdict.NOT_FOUND
        if found is not None:
            verdict = Verdict.QUOTED
            start, end = found
    return Citation(
        n=0,
        evidence_id=source.id,
        label=claim.label,
        start=source.start + start,
        end=source.start + end,
        quote=source.text[start:end],
        verdict=verdict,
    )


@dataclass(frozen=True, slots=True)
class CheckedAnswer:
    """An answer with numbers for marks, and what was found about them.

    Marks of which nothing is left are gone, with the spaces before them.
    """

    text: str
    citations: tuple[Citation, ...]
    dropped: int
    declined: bool


def plain_number(n: int) -> str:
    """How a citation is shown in running text: `[1]`."""
    return f"[{n}]"


class CitedStream:
    """Turns streamed text into shown text: whole marks become numbers, half ones wait.

    `feed` gives what may be shown now, `flush` the rest. Fed in one piece or in many, the shown
    text is the same. show: how a citation's number is written.
    """

    def __init__(
        self,
        lookup: Callable[[int], Source | None],
        show: Callable[[int], str] = plain_number,
    ) -> None:
        self.checker = CitationChecker(lookup)
        self._show = show
        self._held = ""

    def feed(self, text: str) -> str:
        """Takes more of the answer; returns more of what is shown."""
        return self._release(self._held + text, final=False)

    def flush(self) -> str:
        """The answer is over: an unfinished mark was none."""
        return self._release(self._held, final=True)

    def _release(self, text: str, *, final: bool) -> str:
        split = split_marks(text, final=final)
        self._held = split.held
        shown: list[str] = []
        for part in split.parts:
            if isinstance(part, str):
                shown.append(part)
            elif citations := self.checker.check(part):
                shown.extend(self._show(citation.n) for citation in citations)
            elif shown:
                shown[-1] = shown[-1].rstrip(" ")
        return "".join(shown)


def check_answer(
    answer: str,
    lookup: Callable[[int], Source | None],
    show: Callable[[int], str] = plain_number,
) -> CheckedAnswer:
    """Checks a whole answer."""
    stream = CitedStream(lookup, show)
    text = stream.feed(answer) + stream.flush()
    checker = stream.checker
    return CheckedAnswer(text.strip(), tuple(checker.citations), checker.dropped, checker.declined)
