"""What a published state knew of addresses, read no further than it differs from now."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from manifest.objects import Doc, Index, Leaf, LeafDocument
from manifest.references import HashRow, Kind
from manifest.tree import branches
from site_builder.beside.redirect_files import read_list
from site_builder.beside.site_beside import EarlierState
from site_builder.previous import PreviousSite

Holds = Callable[[Kind, str], bool]
"""Whether this build made an object of that kind and hash too."""


def earlier_state(
    previous: PreviousSite, leaves: Mapping[str, tuple[str, ...]], made: Holds
) -> EarlierState:
    """The addresses of then, of the documents whose leaf is another now.

    leaves: the docIds of each leaf of now, by its prefix.
    """
    unchanged: set[str] = set()
    changed: dict[str, LeafDocument] = {}
    pending = [(Kind.INDEX, HashRow(previous.root.tree.sha256, previous.root.tree.size))]
    while pending:
        kind, reference = pending.pop()
        if kind is Kind.LEAF:
            changed |= {row.id: row for row in previous.read(Leaf, reference).docs}
            continue
        for branch in branches(previous.read(Index, reference)):
            row = HashRow(branch.row.sha256, branch.row.size)
            if branch.is_leaf and made(Kind.LEAF, row.sha256):
                unchanged.update(leaves.get(branch.row.prefix, ()))
            else:
                pending.append((Kind.LEAF if branch.is_leaf else Kind.INDEX, row))

    def text_of(doc_id: str) -> str:
        return previous.read(Doc, changed[doc_id].doc).text

    return EarlierState(
        addresses={doc_id: row.url for doc_id, row in changed.items()},
        redirects=read_list(previous.file),
        text_of=text_of,
        unchanged=unchanged,
    )
