"""Citations: what an answer claims from its evidence, and whether the words are there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from manifest.errors import ErrorCode, NoteBridgeError
from storage.backend import Conflict, MissingReference, ReadTx, Tx
from storage.limits import EVIDENCE_TEXT_BYTES, check_size
from storage.rows import integer_of, text_of
from storage.schema import Row, clean_text
from storage.tables import CITATIONS


class Verdict(StrEnum):
    """What checking a citation found; only QUOTED counts as verified."""

    QUOTED = "quoted"
    NOT_FOUND = "not-found"
    SOURCE_ONLY = "source-only"


@dataclass(frozen=True, slots=True)
class Citation:
    """One numbered citation of a run's answer.

    n: the number shown, from 1. quote: the stored slice where QUOTED, else the words claimed.
    start, end: code points of the document; those of the evidence where nothing was matched.
    """

    run_id: str
    n: int
    evidence_id: str
    quote: str
    start: int
    end: int
    verdict: Verdict


class Citations:
    """Stores the citations of a run."""

    def add(self, tx: Tx, citations: Sequence[Citation]) -> None:
        """Store citations, once each. Raises EVIDENCE_NOT_FOUND for a run or evidence that
        is not there, REQUEST_CONFLICT for a number already given, OBJECT_TOO_LARGE.
        """
        for citation in citations:
            check_size("A quotation", citation.quote, EVIDENCE_TEXT_BYTES)
            row: Row = {
                "run_id": citation.run_id,
                "n": citation.n,
                "evidence_id": citation.evidence_id,
                "quote": clean_text(citation.quote),
                "start": citation.start,
                "end": citation.end,
                "verdict": citation.verdict.value,
            }
            try:
                tx.insert(CITATIONS, row)
            except MissingReference as error:
                raise NoteBridgeError(
                    ErrorCode.EVIDENCE_NOT_FOUND,
                    f"Citation {citation.n} names a run or evidence that is not stored.",
                ) from error
            except Conflict as error:
                raise NoteBridgeError(
                    ErrorCode.REQUEST_CONFLICT,
                    f"The run has a citation {citation.n} already.",
                ) from error

    def of_run(self, tx: ReadTx, run_id: str) -> tuple[Citation, ...]:
        """The citations of a run, by number."""
        return tuple(map(_citation, tx.page(CITATIONS, {"run_id": run_id}, limit=10_000)))

    def of_evidence(self, tx: ReadTx, evidence_id: str) -> tuple[Citation, ...]:
        """The citations, of any run, that rest on one piece of evidence."""
        rows = tx.page(
            CITATIONS, {"evidence_id": evidence_id}, index="citations_of_evidence", limit=10_000
        )
        return tuple(map(_citation, rows))


def _citation(row: Row) -> Citation:
    return Citation(
        run_id=text_of(row, "run_id"),
        n=integer_of(row, "n"),
        evidence_id=text_of(row, "evidence_id"),
        quote=text_of(row, "quote"),
        start=integer_of(row, "start"),
        end=integer_of(row, "end"),
        verdict=Verdict(text_of(row, "verdict")),
    )
