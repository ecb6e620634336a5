"""Evidence: every passage that a tool returned or a user attached, numbered per session."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum

from manifest.errors import ErrorCode, NoteBridgeError
from storage.backend import MissingReference, ReadTx, Tx, require_durable
from storage.json_text import load
from storage.limits import EVIDENCE_TEXT_BYTES, check_size
from storage.rows import integer_of, text_of
from storage.schema import Cursor, Filter, Row
from storage.stores.page import Page, read_page
from storage.stores.proofs import Proof, keep_proof, proof_of
from storage.tables import EVIDENCE


class Origin(StrEnum):
    """How a passage was come by; only PINNED claims a revision of a whole site."""

    PINNED = "pinned"
    LEGACY = "legacy"
    ATTACHMENT = "attachment"


@dataclass(frozen=True, kw_only=True)
class Passage:
    """A stretch of one document's text. start, end: code points of the document.

    retrieved_at: milliseconds since 1970 UTC. revision: empty for LEGACY.
    """

    revision: str
    doc_id: str
    section_id: str
    doc_sha256: str
    section_sha256: str
    start: int
    end: int
    text: str
    title: str
    heading_path: tuple[str, ...]
    url: str
    site_url: str
    retrieved_at: int
    origin: Origin


@dataclass(frozen=True, kw_only=True)
class Evidence(Passage):
    """A stored passage with its number in the session. id is unique everywhere."""

    session_id: str
    n: int
    id: str

    @property
    def label(self) -> str:
        """The label a model cites: E12."""
        return f"E{self.n}"


class EvidenceStore:
    """Numbers, stores and finds evidence."""

    def __init__(self, ids: Callable[[], str]) -> None:
        self._ids = ids

    def add(
        self,
        tx: Tx,
        session_id: str,
        passages: Sequence[Passage],
        proofs: Iterable[Proof] = (),
    ) -> tuple[Evidence, ...]:
        """Store passages and number them, in their order; a known passage keeps its label.

        The same passage is the same revision, document, document hash, start and end.
        proofs: the objects that place the documents in their revision, for later bundles.
        Must be durable. Raises SESSION_NOT_FOUND, OBJECT_TOO_LARGE.
        """
        require_durable(tx, "Evidence")
        try:
            found = tuple(self._add(tx, session_id, passage) for passage in passages)
            for proof in proofs:
                keep_proof(tx, session_id, proof)
        except MissingReference as error:
            raise NoteBridgeError(
                ErrorCode.SESSION_NOT_FOUND, f"There is no session {session_id[:80]}."
            ) from error
        return found

    def get(self, tx: ReadTx, evidence_id: str) -> Evidence:
        """The evidence of that id. Raises EVIDENCE_NOT_FOUND."""
        rows = tx.page(EVIDENCE, {"id": evidence_id}, index="evidence_id", limit=1)
        if not rows:
            raise _not_found(evidence_id)
        return _evidence(rows[0])

    def by_label(self, tx: ReadTx, session_id: str, n: int) -> Evidence:
        """The evidence that a session labelled E{n}. Raises EVIDENCE_NOT_FOUND."""
        row = tx.get(EVIDENCE, (session_id, n))
        if row is None:
            raise _not_found(f"E{n}")
        return _evidence(row)

    def of_session(
        self, tx: ReadTx, session_id: str, *, n: int = 0, limit: int = 500
    ) -> tuple[Evidence, ...]:
        """The session's evidence numbered above `n`, in order."""
        rows = tx.page(EVIDENCE, {"session_id": session_id}, after=(session_id, n), limit=limit)
        return tuple(map(_evidence, rows))

    def list(
        self,
        tx: ReadTx,
        *,
        limit: int = 50,
        after: Cursor | None = None,
        session_id: str | None = None,
        doc_id: str | None = None,
        revision: str | None = None,
    ) -> Page[Evidence]:
        """Evidence of all sessions, the most recently retrieved first."""
        asked = {"session_id": session_id, "doc_id": doc_id, "revision": revision}
        where: Mapping[str, Filter] = {
            name: value for name, value in asked.items() if value is not None
        }
        return read_page(
            tx,
            EVIDENCE,
            where,
            _evidence,
            index="evidence_recent",
            after=after,
            limit=limit,
            descending=True,
        )

    def proof(self, tx: ReadTx, evidence: Evidence) -> Proof:
        """The stored objects that prove it; none for a legacy site."""
        return proof_of(tx, evidence.session_id, evidence.revision, evidence.doc_sha256)

    def _add(self, tx: Tx, session_id: str, passage: Passage) -> Evidence:
        check_size("A passage", passage.text, EVIDENCE_TEXT_BYTES)
        same: dict[str, Filter] = {
            "session_id": session_id,
            "revision": passage.revision,
            "doc_sha256": passage.doc_sha256,
            "doc_id": passage.doc_id,
            "start": passage.start,
            "end": passage.end,
        }
        known = tx.page(EVIDENCE, same, index="evidence_passage", limit=1)
        if known:
            return _evidence(known[0])
        row: Row = {
            "session_id": session_id,
            "n": tx.next(EVIDENCE, {"session_id": session_id}, "n"),
            "id": self._ids(),
            "heading_path_json": json.dumps(passage.heading_path, ensure_ascii=False),
            "origin": passage.origin.value,
        }
        for each in fields(Passage):
            if each.name not in ("heading_path", "origin"):
                row[each.name] = getattr(passage, each.name)
        tx.insert(EVIDENCE, row)
        return _evidence(row)


def _not_found(what: str) -> NoteBridgeError:
    return NoteBridgeError(ErrorCode.EVIDENCE_NOT_FOUND, f"There is no evidence {what[:80]}.")


def _heading_path(text: str) -> tuple[str, ...]:
    value = load(text)
    return tuple(map(str, value)) if isinstance(value, list) else ()


def _evidence(row: Row) -> Evidence:
    return Evidence(
        session_id=text_of(row, "session_id"),
        n=integer_of(row, "n"),
        id=text_of(row, "id"),
        revision=text_of(row, "revision"),
        doc_id=text_of(row, "doc_id"),
        section_id=text_of(row, "section_id"),
        doc_sha256=text_of(row, "doc_sha256"),
        section_sha256=text_of(row, "section_sha256"),
        start=integer_of(row, "start"),
        end=integer_of(row, "end"),
        text=text_of(row, "text"),
        title=text_of(row, "title"),
        heading_path=_heading_path(text_of(row, "heading_path_json")),
        url=text_of(row, "url"),
        site_url=text_of(row, "site_url"),
        retrieved_at=integer_of(row, "retrieved_at"),
        origin=Origin(text_of(row, "origin")),
    )
