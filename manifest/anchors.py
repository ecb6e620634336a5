"""Anchors: the names of sections, the same in the page, in the table of contents and in a citation.

Unicode is kept and the form is GitHub's: inline text in lower case; letters, marks, numbers, `_`
and `-` stay, a space becomes `-`, the rest goes.
"""

from __future__ import annotations

import re

from manifest.unicode14 import WORD, character_class

TOP = "_top"
"""The anchor of the text before the first heading."""

PREFIX = "nb-"
"""How ids begin that are no section's anchor: footnotes, raw HTML, embedded notes, the theme."""

EMPTY = "section"
"""The anchor of a heading of which nothing is left."""

_DROPPED = re.compile(f"[^{character_class(WORD)}_ -]")


def slug(text: str) -> str:
    """The anchor that a heading's plain text asks for; never empty, not yet unique.

    Code points that Unicode 14 does not assign go, so that every Python agrees.
    """
    kept = _DROPPED.sub("", " ".join(text.split()))
    wanted = kept.lower().replace("ς", "σ").replace(" ", "-") or EMPTY
    # What begins like the ids of others would meet one of them on the page.
    return f"{EMPTY}-{wanted}" if wanted.startswith(PREFIX) else wanted


class Anchors:
    """The anchors of one document, each given once.

    Explicit ones (`{#id}`) are reserved for the whole document first; then headings are assigned in
    order, and `-1`, `-2` ... are tried until one is free.
    """

    def __init__(self) -> None:
        self._taken: set[str] = {TOP}
        self._next_suffix: dict[str, int] = {}

    def reserve(self, anchor: str) -> bool:
        """Takes an explicit anchor; False if it is empty, begins with `PREFIX`, or another heading
        has it already."""
        if not anchor or anchor.startswith(PREFIX) or anchor in self._taken:
            return False
        self._taken.add(anchor)
        return True

    def assign(self, wanted: str) -> str:
        """Takes `wanted` or the first free `wanted-N`, and returns what it took."""
        anchor = wanted or EMPTY
        if anchor in self._taken:
            suffix = self._next_suffix.get(wanted, 1)
            while f"{wanted}-{suffix}" in self._taken:
                suffix += 1
            anchor = f"{wanted}-{suffix}"
            self._next_suffix[wanted] = suffix + 1
        self._taken.add(anchor)
        return anchor
