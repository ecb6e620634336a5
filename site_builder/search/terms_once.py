"""Terms of documents, asked for once each."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from site_builder.index_card import NoteTerms

TermsOf = Callable[[str], NoteTerms]
"""The terms of a document, by its id."""

INDEXING = "search index"


class TermsOnce:
    """Terms by docId. Those that are wanted twice are kept, so that they are asked for once."""

    def __init__(self, terms_of: TermsOf) -> None:
        self._terms_of = terms_of
        self._kept: dict[str, NoteTerms] = {}

    def keep(self, doc_ids: Iterable[str]) -> None:
        """Asks for those of some documents, which will be wanted again."""
        self._kept.update((doc_id, self._terms_of(doc_id)) for doc_id in doc_ids)

    def kept(self, doc_id: str) -> NoteTerms:
        """Those that are kept. Raises KeyError for others."""
        return self._kept[doc_id]

    def __call__(self, doc_id: str) -> NoteTerms:
        """Those of any document."""
        return self._kept.get(doc_id) or self._terms_of(doc_id)
