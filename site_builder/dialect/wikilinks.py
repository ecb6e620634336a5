"""`[[Note]]`, `[[folder/Note#Heading|label]]` and `![[embed]]`."""

from __future__ import annotations

import re
from dataclasses import dataclass

from markdown_it.rules_inline import StateInline

from site_builder.media import names_a_note

_WIKILINK = re.compile(r"!?\[\[((?:[^\[\]\n]++|\[[^\[\]\n]*+\])++)\]\]")
_SIZE = re.compile(r"(\d{1,5})(?:x(\d{1,5}))?")


@dataclass(frozen=True, slots=True)
class WikiLink:
    """What stands between the brackets.

    target: a note's or file's name or path; empty for this note. fragment: a heading's text.
    label: what the reader sees. width, height: pixels of an embedded picture, 0 if not said.
    """

    target: str
    fragment: str
    label: str
    width: int = 0
    height: int = 0


def wikilink(state: StateInline, silent: bool) -> bool:
    """A token of its own for the whole link. `[[text]](address)` stays CommonMark's link."""
    found = _WIKILINK.match(state.src, state.pos, state.posMax)
    if not found or state.src.startswith("(", found.end()):
        return False
    link = read_wikilink(found[1])
    if link is None:
        return False
    if not silent:
        token = state.push("embed" if found[0][0] == "!" else "wikilink", "", 0)
        token.content = link.label
        token.meta = {"link": link}
    state.pos = found.end()
    return True


def read_wikilink(inside: str) -> WikiLink | None:
    """The parts of a wikilink; None where it names nothing. `\\|` parts like `|`, as in tables."""
    name, *rest = inside.replace("\\|", "|").split("|")
    target, _, fragment = name.partition("#")
    target, fragment = target.strip(), fragment.rpartition("#")[2].strip()
    if not target and not fragment:
        return None
    width = height = 0
    if rest and (size := _SIZE.fullmatch(rest[-1].strip())):
        width, height = int(size[1]), int(size[2] or 0)
        rest.pop()
    parts = (target, fragment) if not target or names_a_note(target, wiki=True) else (target,)
    label = "|".join(rest).strip() or " > ".join(part for part in parts if part)
    return WikiLink(target, fragment, label, width, height)
