"""Stored citations of a run as a bundle: everything needed comes from storage, so the site may be
gone."""

from __future__ import annotations

from agent.answer import CitedEvidence
from agent.bundle import BundleCitation, write_bundle
from manifest.errors import ErrorCode, NoteBridgeError
from storage.app_storage import AppStorage
from storage.backend import ReadTx
from storage.stores.evidence import Origin


async def export_run(storage: AppStorage, run_id: str) -> bytes:
    """The bundle of a run's citations: those of the revision that it read. A session's evidence of
    other revisions may be cited too, but a bundle speaks of one.

    Raises `NoteBridgeError`: RUN_NOT_FOUND, EVIDENCE_NOT_FOUND for a run without citations that
    can be proved, OBJECT_TOO_LARGE.
    """

    def unit(tx: ReadTx) -> bytes:
        run = storage.runs.get(tx, run_id)
        bodies: dict[str, bytes] = {}
        rows: list[BundleCitation] = []
        for citation in storage.citations.of_run(tx, run_id):
            evidence = storage.evidence.get(tx, citation.evidence_id)
            proof = storage.evidence.proof(tx, evidence)
            foreign = evidence.origin is Origin.LEGACY or evidence.revision != run.revision
            if foreign or not proof.objects:
                continue
            bodies |= {each.sha256: each.body for each in proof.objects}
            rows.append(bundle_citation(CitedEvidence(citation, evidence)))
        if not rows:
            raise NoteBridgeError(
                ErrorCode.EVIDENCE_NOT_FOUND,
                f"Run {run_id[:80]} has no citations that a bundle can prove.",
                hint="Only answers that cite a published revision can be exported.",
            )
        return write_bundle(run.revision, bodies, rows)

    return await storage.read(unit)


def bundle_citation(cited: CitedEvidence) -> BundleCitation:
    """A stored citation as a bundle states it."""
    evidence, citation = cited.evidence, cited.citation
    return BundleCitation(
        n=citation.n,
        label=evidence.label,
        docId=evidence.doc_id,
        sectionId=evidence.section_id,
        title=evidence.title,
        headingPath=list(evidence.heading_path),
        url=evidence.url,
        siteUrl=evidence.site_url,
        docSha256=evidence.doc_sha256,
        sectionSha256=evidence.section_sha256,
        start=citation.start,
        end=citation.end,
        quote=citation.quote,
        passageStart=evidence.start,
        passageEnd=evidence.end,
        passage=evidence.text,
        retrievedAt=evidence.retrieved_at,
        origin=evidence.origin.value,
        verdict=citation.verdict.value,
    )
