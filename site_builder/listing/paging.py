"""Cutting long lists into pages so that one more entry changes one page.

Pages end where the entries themselves say so, by their hashes, not after so many of them: with
equal counts, one note more at the head of a list would move the last entry of every page behind.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import TypeVar

from site_builder.listing.addresses import further
from site_builder.listing.rows import Page

WHOLE = 200
"""Entries of a list that is not cut at all."""

FEWEST = 96
MOST = 256
ONE_IN = 64
"""Behind `FEWEST` entries a page ends at an entry in so many, behind `MOST` at any."""

Entry = TypeVar("Entry")
Other = TypeVar("Other")


def cut(entries: Sequence[Entry], keys: Sequence[str]) -> list[Sequence[Entry]]:
    """The pages of a list, at least one; keys: what each entry is known by."""
    if len(entries) <= WHOLE:
        return [entries]
    pages: list[Sequence[Entry]] = []
    begin = 0
    for number, key in enumerate(keys, 1):
        length = number - begin
        if length == MOST or (length >= FEWEST and _ends(key)):
            pages.append(entries[begin:number])
            begin = number
    if begin < len(entries):
        pages.append(entries[begin:])
    return pages


def beside(
    left: Sequence[Sequence[Entry]], right: Sequence[Sequence[Other]]
) -> list[tuple[Sequence[Entry], Sequence[Other]]]:
    """Two lists that share their pages."""
    return [
        (left[n] if n < len(left) else (), right[n] if n < len(right) else ())
        for n in range(max(len(left), len(right)))
    ]


def numbered(pages: Sequence[Entry], first: str) -> Iterator[tuple[Entry, str, tuple[Page, ...]]]:
    """Each page with its address and the links to all of them; none where there is only one."""
    urls = [further(first, number) for number in range(1, len(pages) + 1)]
    for here, page in enumerate(pages):
        links = tuple(Page(n + 1, url, n == here) for n, url in enumerate(urls))
        yield page, urls[here], links if len(urls) > 1 else ()


def on_first(links: Sequence[Page], value: Entry, otherwise: Entry) -> Entry:
    """What a list says of itself as a whole stands on its first page alone, so that one more entry
    changes that page and the one where it stands."""
    return value if not links or links[0].is_here else otherwise


def _ends(key: str) -> bool:
    digest = hashlib.sha256(key.encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:4]) % ONE_IN == 0
