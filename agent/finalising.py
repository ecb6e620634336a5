"""The end of a run: citations are resolved and quotations checked, by us and not by a model."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from agent import conversation
from agent.answer_text import DocumentLinks, hide_number, safe_text, show_numbers, without_private
from agent.citations import CheckedAnswer, Source, check_answer
from agent.citations import Citation as CheckedCitation
from agent.deadline import OutOfTime, within
from agent.ports import Reading, Sleep
from agent.run_record import RunRecord
from bridge_reader.revision import ChainLink
from manifest.errors import NoteBridgeError
from storage.stores.citations import Citation, Verdict
from storage.stores.entries import NewEntry
from storage.stores.evidence import Evidence
from storage.stores.proofs import Proof, ProofObject
from storage.stores.runs import Change

PROOFS_MS = 30_000
"""So long an answer that is ready waits for the objects that prove it."""

PREVIEW = 200
"""Code points of an answer shown in the list of sessions."""

COMPLETED = "completed"
NOT_FOUND = "not_found"


@dataclass(frozen=True, slots=True)
class Checked:
    """An answer ready to be stored."""

    body: dict[str, object]
    citations: tuple[CheckedCitation, ...]


async def finalise(
    record: RunRecord, reading: Reading, text: str, reason: str, sleep: Sleep
) -> Change:
    """Checks an answer and ends its run with it."""
    change = await record.finalise()
    if not change.won:
        return change
    evidence = await record.evidence()
    checked = check(text, evidence)
    by_id = {each.id: each for each in evidence.values()}
    cited = {each.evidence_id: by_id[each.evidence_id] for each in checked.citations}
    proofs, unproved = await _proofs(record, reading, list(cited.values()), sleep)
    body = {**checked.body, "reason": reason, "unproved": unproved}
    return await record.complete(
        NewEntry(conversation.ANSWER, body, preview=str(body["text"])[:PREVIEW]),
        [_stored(record.run_id, citation) for citation in checked.citations],
        proofs,
        [_shown(citation, by_id[citation.evidence_id]) for citation in checked.citations],
        reason,
    )


def check(text: str, evidence: Mapping[int, Evidence]) -> Checked:
    """An answer with its marks checked and its text made safe; pure."""

    def lookup(label: int) -> Source | None:
        found = evidence.get(label)
        return None if found is None else Source(found.id, found.text, found.start)

    answer: CheckedAnswer = check_answer(without_private(text), lookup, hide_number)
    site_url = next((each.site_url for each in evidence.values()), "")
    urls = {each.url.removeprefix(each.site_url).partition("#")[0] for each in evidence.values()}
    safe = safe_text(answer.text, DocumentLinks(site_url, urls))
    found = bool(answer.citations) and not answer.declined
    body: dict[str, object] = {
        "text": show_numbers(safe.text),
        "raw": text,
        "status": COMPLETED if found else NOT_FOUND,
        "dropped": answer.dropped,
        "removed": safe.removed,
    }
    return Checked(body, answer.citations)


async def _proofs(
    record: RunRecord, reading: Reading, cited: Sequence[Evidence], sleep: Sleep
) -> tuple[list[Proof], list[str]]:
    """The objects that prove each cited document, and the documents for which they could not be
    had: their quotations are checked all the same, only an export will lack its proof."""
    proved = await record.proved(cited)
    wanted = {(each.revision, each.doc_sha256): each for each in cited if each.id not in proved}
    proofs: dict[tuple[str, str], Proof] = {}
    ends = record.elapsed_ms + PROOFS_MS
    try:
        async with within(lambda: ends - record.elapsed_ms, sleep):
            for key, found in wanted.items():
                # What an earlier run read at another revision, this reading cannot prove.
                if found.revision == reading.revision:
                    with contextlib.suppress(NoteBridgeError):
                        chain = await reading.chain(found.doc_id)
                        # A site whose index and tree name different documents proves nothing.
                        if any(link.sha256 == found.doc_sha256 for link in chain):
                            proofs[key] = _proof(found, chain)
    except OutOfTime:
        pass
    return list(proofs.values()), [wanted[key].doc_id for key in wanted if key not in proofs]


def _proof(found: Evidence, chain: Sequence[ChainLink]) -> Proof:
    objects = tuple(ProofObject(link.sha256, str(link.kind), link.body) for link in chain)
    return Proof(found.revision, found.doc_sha256, objects)


def _stored(run_id: str, citation: CheckedCitation) -> Citation:
    return Citation(
        run_id=run_id,
        n=citation.n,
        evidence_id=citation.evidence_id,
        quote=citation.quote,
        start=citation.start,
        end=citation.end,
        verdict=Verdict(citation.verdict.value),
    )


def _shown(citation: CheckedCitation, found: Evidence) -> dict[str, object]:
    return {
        "n": citation.n,
        "label": found.label,
        "evidenceId": found.id,
        "docId": found.doc_id,
        "sectionId": found.section_id,
        "quote": citation.quote,
        "start": citation.start,
        "end": citation.end,
        "verdict": citation.verdict.value,
    }
