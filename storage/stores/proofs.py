"""Proofs: the published objects that show where evidence comes from, kept as exact bytes.

They let a bundle be exported after the site is gone. Objects are shared by all sessions and
deleted when no evidence needs them any more.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from manifest.errors import ErrorCode, NoteBridgeError
from storage.backend import ReadTx, Tx
from storage.limits import EVIDENCE_OBJECT_BYTES, check_size
from storage.rows import bytes_of, text_of
from storage.tables import EVIDENCE_OBJECTS, EVIDENCE_PROOFS

_ALL = 1_000_000


@dataclass(frozen=True, slots=True)
class ProofObject:
    """An object's exact body, checked against its SHA-256 when made.

    Raises INTEGRITY_MISMATCH, OBJECT_TOO_LARGE.
    """

    sha256: str
    kind: str
    body: bytes

    def __post_init__(self) -> None:
        check_size(f"The {self.kind} {self.sha256}", self.body, EVIDENCE_OBJECT_BYTES)
        if hashlib.sha256(self.body).hexdigest() != self.sha256:
            raise NoteBridgeError(
                ErrorCode.INTEGRITY_MISMATCH,
                f"The bytes of {self.kind} {self.sha256} do not have that hash.",
            )


@dataclass(frozen=True, slots=True)
class Proof:
    """The objects (doc, leaf, indexes, root) that place one document in one revision."""

    revision: str
    doc_sha256: str
    objects: tuple[ProofObject, ...]


def keep_proof(tx: Tx, session_id: str, proof: Proof) -> None:
    """Store a proof for a session; what is stored already is left alone."""
    for each in proof.objects:
        key = (session_id, proof.revision, proof.doc_sha256, each.sha256)
        if tx.get(EVIDENCE_PROOFS, key) is not None:
            continue
        if not tx.page(EVIDENCE_OBJECTS, {"sha256": each.sha256}, limit=1, columns=("sha256",)):
            tx.insert(
                EVIDENCE_OBJECTS,
                {
                    "sha256": each.sha256,
                    "kind": each.kind,
                    "body": each.body,
                    "size": len(each.body),
                },
            )
        tx.insert(
            EVIDENCE_PROOFS,
            {
                "session_id": session_id,
                "revision": proof.revision,
                "doc_sha256": proof.doc_sha256,
                "object_sha256": each.sha256,
            },
        )


def proof_of(tx: ReadTx, session_id: str, revision: str, doc_sha256: str) -> Proof:
    """The stored proof of a document in a revision; without objects where none was kept."""
    where = {"session_id": session_id, "revision": revision, "doc_sha256": doc_sha256}
    names = [text_of(row, "object_sha256") for row in tx.page(EVIDENCE_PROOFS, where, limit=_ALL)]
    return Proof(revision, doc_sha256, tuple(_object(tx, name) for name in names))


def objects_of_session(tx: ReadTx, session_id: str) -> frozenset[str]:
    """The hashes of all objects that a session's evidence refers to."""
    rows = tx.page(
        EVIDENCE_PROOFS, {"session_id": session_id}, limit=_ALL, columns=("object_sha256",)
    )
    return frozenset(text_of(row, "object_sha256") for row in rows)


def drop_unused_objects(tx: Tx, candidates: Iterable[str]) -> None:
    """Delete those of the given objects that no proof refers to."""
    for sha256 in candidates:
        where = {"object_sha256": sha256}
        if not tx.page(EVIDENCE_PROOFS, where, index="evidence_proofs_object", limit=1):
            tx.delete(EVIDENCE_OBJECTS, {"sha256": sha256})


def _object(tx: ReadTx, sha256: str) -> ProofObject:
    row = tx.get(EVIDENCE_OBJECTS, (sha256,))
    if row is None:
        raise NoteBridgeError(ErrorCode.STORAGE_DAMAGED, f"The stored object {sha256} is gone.")
    return ProofObject(sha256, text_of(row, "kind"), bytes_of(row, "body"))
