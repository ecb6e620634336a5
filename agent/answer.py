"""A run's answer as a document: what `ask --json` prints and a screen shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agent import conversation
from manifest.errors import ErrorCode, NoteBridgeError
from storage.app_storage import AppStorage
from storage.backend import ReadTx
from storage.stores.citations import Citation, Verdict
from storage.stores.evidence import Evidence
from storage.stores.runs import Run, RunState

FAILED = "failed"
CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class CitedEvidence:
    """A citation with the evidence it rests on."""

    citation: Citation
    evidence: Evidence

    @property
    def verified(self) -> bool:
        """Whether the quoted words stand in the document."""
        return self.citation.verdict is Verdict.QUOTED

    def document(self) -> dict[str, Any]:
        """As published to programs; offsets in code points of the document."""
        return {
            "n": self.citation.n,
            "label": self.evidence.label,
            "revision": self.evidence.revision,
            "docId": self.evidence.doc_id,
            "sectionId": self.evidence.section_id,
            "title": self.evidence.title,
            "headingPath": list(self.evidence.heading_path),
            "url": self.evidence.url,
            "quote": self.citation.quote,
            "start": self.citation.start,
            "end": self.citation.end,
            "docSha256": self.evidence.doc_sha256,
            "sectionSha256": self.evidence.section_sha256,
            "verdict": self.citation.verdict.value,
            "verified": self.verified,
        }


@dataclass(frozen=True, slots=True)
class Answer:
    """What a run came to. status: completed, not_found, failed or cancelled.

    search_legs: which kinds of search ran, from the tools' own reports.
    """

    run: Run
    text: str
    status: str
    message: str
    citations: tuple[CitedEvidence, ...]
    dropped: int
    search_legs: tuple[Mapping[str, Any], ...]
    usage: Mapping[str, int]

    def document(self) -> dict[str, Any]:
        """The stable document of DESIGN's command line."""
        return {
            "answer": self.text,
            "status": self.status,
            "revision": self.run.revision,
            "citations": [cited.document() for cited in self.citations],
            "searchLegs": [dict(leg) for leg in self.search_legs],
            "usage": dict(self.usage),
            "runId": self.run.id,
            "sessionId": self.run.session_id,
            "reason": self.run.reason,
            "droppedCitations": self.dropped,
            **({"code": self.run.error_code, "message": self.message} if self.message else {}),
        }


async def read_answer(storage: AppStorage, run_id: str) -> Answer:
    """The answer of a run that has ended.

    Raises `NoteBridgeError`: RUN_NOT_FOUND, RUN_INTERRUPTED for a run that has not ended.
    """

    def unit(tx: ReadTx) -> Answer:
        run = storage.runs.get(tx, run_id)
        entries = storage.entries.of_run(tx, run_id)
        last = entries[-1]
        if last.role != conversation.ANSWER:
            raise NoteBridgeError(
                ErrorCode.RUN_INTERRUPTED,
                f"The run is {run.state} and has no answer yet.",
                hint="Wait for it, or start the bridge that runs it.",
            )
        body: Mapping[str, Any] = last.body
        cited = tuple(
            CitedEvidence(citation, storage.evidence.get(tx, citation.evidence_id))
            for citation in storage.citations.of_run(tx, run_id)
        )
        return Answer(
            run=run,
            text=body["text"],
            status=_status(run, body),
            message=body.get("message", ""),
            citations=cited,
            dropped=body.get("dropped", 0),
            search_legs=_legs(storage, tx, run_id),
            usage=_usage(storage, tx, run_id),
        )

    return await storage.read(unit)


def _status(run: Run, body: Mapping[str, Any]) -> str:
    if run.state is RunState.COMPLETED:
        return str(body["status"])
    return CANCELLED if run.state is RunState.CANCELLED else FAILED


def _legs(storage: AppStorage, tx: ReadTx, run_id: str) -> tuple[Mapping[str, Any], ...]:
    """The legs of every search of the run, each state of a leg once."""
    found: list[Mapping[str, Any]] = []
    seq = 0
    while events := storage.events.of_run(tx, run_id, run_seq=seq):
        seq = events[-1].run_seq
        for event in events:
            body: Mapping[str, Any] = event.body
            if event.type == "tool.result":
                for leg in body.get("details", {}).get("legs", ()):
                    if leg not in found:
                        found.append(leg)
    return tuple(found)


def _usage(storage: AppStorage, tx: ReadTx, run_id: str) -> dict[str, int]:
    total: dict[str, int] = {}
    requests = storage.requests.of_run(tx, run_id)
    for line in requests:
        for name, count in (line.usage or {}).items():
            total[name] = total.get(name, 0) + count
    return {"requests": len(requests), **total}
