"""What the tools share: one revision, its search, and documents by their ids."""

from __future__ import annotations

import unicodedata

from bridge_reader.clock import Clock
from bridge_reader.passages import PassageCutter
from bridge_reader.revision import BoundRevision
from bridge_reader.search.searcher import Searcher
from manifest.errors import ErrorCode, NoteBridgeError
from manifest.objects import LeafDocument
from manifest.references import Reference

NEAR_IDS = 3


class Library:
    """One revision as the tools read it."""

    def __init__(self, revision: BoundRevision, site_url: str, clock: Clock) -> None:
        self.revision = revision
        self.cutter = PassageCutter(revision.revision, site_url, clock)
        self.searcher = Searcher(revision, self.cutter)

    async def document(self, doc_id: str) -> LeafDocument:
        """The facts of a document.

        Raises `NoteBridgeError` (DOC_NOT_FOUND) with ids that may have been meant.
        """
        try:
            return await self.revision.leaf_document(doc_id)
        except NoteBridgeError as error:
            raise await self._with_near_ids(doc_id, error) from error

    async def reference(self, doc_id: str) -> Reference:
        """What a document is known by. Raises as `document` does."""
        try:
            return await self.revision.reference(doc_id)
        except NoteBridgeError as error:
            raise await self._with_near_ids(doc_id, error) from error

    async def _with_near_ids(self, doc_id: str, error: NoteBridgeError) -> NoteBridgeError:
        if error.code is not ErrorCode.DOC_NOT_FOUND:
            return error
        near = await self._near(doc_id)
        hint = f"Perhaps: {', '.join(near)}." if near else error.hint
        return NoteBridgeError(
            error.code, error.message, hint=hint, details={**error.details, "near": near}
        )

    async def _near(self, doc_id: str) -> list[str]:
        """Ids that exist and look like this one, or are of documents with its words."""
        found = [wanted for wanted in _variants(doc_id) if await self._exists(wanted)]
        try:
            report = await self.searcher.search(doc_id.replace("/", " "), limit=NEAR_IDS)
            found += [hit.doc_id for hit in report.hits]
        except NoteBridgeError:
            # A hint is worth no second error.
            return found
        return list(dict.fromkeys(found))[:NEAR_IDS]

    async def _exists(self, doc_id: str) -> bool:
        try:
            await self.revision.leaf_document(doc_id)
        except NoteBridgeError as error:
            if error.code is not ErrorCode.DOC_NOT_FOUND:
                raise
            return False
        return True


def _variants(doc_id: str) -> list[str]:
    """What people and models make of an id: a path with suffix, an address, another normal form."""
    plain = unicodedata.normalize("NFC", doc_id).strip().strip("/")
    for suffix in (".md", ".html", "/index"):
        plain = plain.removesuffix(suffix)
    found = dict.fromkeys([plain, plain.partition("#")[0], f"{plain}/index"])
    return [variant for variant in found if variant and variant != doc_id]
