"""What the objects of a bundle prove: the way from its revision down to each cited document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from agent.bundle import BundleCitation, BundleReport, CitationCheck, read_bundle
from bridge_reader.site_address import page_url
from manifest.canonical import sha256_hex, text_sha256
from manifest.errors import NoteBridgeError
from manifest.objects import (
    AnyObject,
    Doc,
    Index,
    Leaf,
    PublishedObject,
    Root,
    TocSection,
    read_object,
)
from manifest.tree import next_branch, tree_digits


def verify_bundle(body: bytes, *, trusted_revision: str | None = None) -> BundleReport:
    """Checks a bundle from its own bytes alone.

    trusted_revision: one obtained live from the site, or from someone trusted.
    Raises `NoteBridgeError` for a file that is no bundle, as `read_bundle` does.
    """
    bundle = read_bundle(body)
    proved = prove_objects(bundle.revision, bundle.objects)
    checks = tuple(check_citation(proved, citation) for citation in bundle.citations)
    empty = () if bundle.citations else ("it holds no citations",)
    published = None if trusted_revision is None else trusted_revision == bundle.revision
    return BundleReport(bundle.revision, checks, (*proved.problems, *empty), published)


@dataclass(slots=True)
class ProvedObjects:
    """Bodies whose hashes hold, and the root they hang from (None if it is not among them)."""

    bodies: Mapping[str, bytes]
    root: Root | None
    problems: tuple[str, ...]
    _read: dict[str, PublishedObject] = field(default_factory=dict)

    def read(self, model: type[AnyObject], sha256: str) -> AnyObject:
        """An object of the bundle. Raises `_Unproved` where it is not there or not of that kind."""
        known = self._read.get(sha256)
        if isinstance(known, model):
            return known
        body = self.bodies.get(sha256)
        if body is None:
            raise _Unproved(f"the {model.KIND} {sha256[:8]} is missing or was changed")
        try:
            found = read_object(model, body, name=f"{model.KIND} {sha256[:8]}")
        except NoteBridgeError as error:
            raise _Unproved(error.message) from error
        self._read[sha256] = found
        return found


class _Unproved(Exception):
    """A step from the revision to a citation does not hold."""


def prove_objects(revision: str, objects: Mapping[str, str]) -> ProvedObjects:
    """Re-hashes every body; those that do not match are problems and prove nothing."""
    bodies: dict[str, bytes] = {}
    problems: list[str] = []
    for sha256, text in objects.items():
        body = text.encode("utf-8")
        if sha256_hex(body) == sha256:
            bodies[sha256] = body
        else:
            problems.append(f"object {sha256[:8]} was changed: its bytes have another hash")
    proved = ProvedObjects(bodies, None, ())
    try:
        proved.root = proved.read(Root, revision)
    except _Unproved as why:
        problems.append(f"nothing hangs from revision {revision[:8]}: {why}")
    proved.problems = tuple(problems)
    return proved


def check_citation(proved: ProvedObjects, citation: BundleCitation) -> CitationCheck:
    """Walks from the root to the cited document and compares hashes, offsets and words."""
    try:
        doc = _document(proved, citation)
        _compare(doc, citation)
    except _Unproved as why:
        return CitationCheck(citation.n, citation.docId, str(why))
    return CitationCheck(citation.n, citation.docId)


def _document(proved: ProvedObjects, citation: BundleCitation) -> Doc:
    if proved.root is None:
        raise _Unproved("the revision's root is not in the bundle")
    digits = tree_digits(citation.docId)
    index = proved.read(Index, proved.root.tree.sha256)
    while True:
        branch = next_branch(index, digits)
        if branch is None:
            raise _Unproved(f"the revision has no document “{citation.docId}”")
        if branch.is_leaf:
            break
        if len(branch.row.prefix) <= len(index.prefix):
            raise _Unproved("the tree does not lead downwards")
        index = proved.read(Index, branch.row.sha256)
    leaf = proved.read(Leaf, branch.row.sha256)
    row = next((row for row in leaf.docs if row.id == citation.docId), None)
    if row is None:
        raise _Unproved(f"the revision has no document “{citation.docId}”")
    if row.doc.sha256 != citation.docSha256:
        raise _Unproved("the revision holds another version of the document")
    doc = proved.read(Doc, row.doc.sha256)
    if doc.id != citation.docId:
        raise _Unproved("the document goes by another id")
    return doc


def _compare(doc: Doc, citation: BundleCitation) -> None:
    section = next((found for found in doc.sections if found.id == citation.sectionId), None)
    if section is None or section.sha256 != citation.sectionSha256:
        raise _Unproved("the document has no such section")
    if text_sha256(doc.text[section.start : section.end]) != section.sha256:
        raise _Unproved("the section's text does not have its hash")
    _require_slice(doc, section, citation.passageStart, citation.passageEnd, citation.passage)
    _require_slice(doc, section, citation.start, citation.end, citation.quote)
    if not citation.passageStart <= citation.start <= citation.end <= citation.passageEnd:
        raise _Unproved("the quotation lies outside its passage")
    if citation.url != page_url(citation.siteUrl, doc.url, section.anchor):
        raise _Unproved("the address is not the section's")
    if citation.title != doc.title or citation.headingPath != section.path:
        raise _Unproved("title or heading path are not the document's")


def _require_slice(doc: Doc, section: TocSection, start: int, end: int, words: str) -> None:
    if not section.start <= start < end <= section.end:
        raise _Unproved("the quotation lies outside its section")
    if doc.text[start:end] != words:
        raise _Unproved("the words differ from the document's")
