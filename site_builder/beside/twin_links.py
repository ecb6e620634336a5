"""Links within a Markdown twin, rewritten so that they lead on from where the twin stands.

No second parse: the text is scanned for what may be a link outside code, and an address is changed
only if the parser that made the page found it in this note.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import unescape
from typing import NamedTuple
from urllib.parse import quote, unquote

from site_builder.beside.addresses import markdown_url
from site_builder.beside.escaping import markdown_label
from site_builder.linking import relative_url
from site_builder.media import PICTURES, extension
from site_builder.note import Link, LinkKind, LinkUse

_CODE = r"""
  (?<![^\s>])(?P<fence>`{3,}(?!`)(?![^\n]*`)|~{3,}(?!~))[^\n]*\n(?:.*\n)*?
    (?:[ \t>]*(?P=fence)[`~]*[ \t]*$|\Z)
 |(?P<ticks>(?<!`)`+(?!`)).{0,2000}?(?<!`)(?P=ticks)(?!`)
 |<!--(?:.|\n)*?(?:-->|\Z)
"""
_LINK = r"""
  (?P<wiki>!?\[\[(?P<inside>(?:[^\[\]\n]++|\[[^\[\]\n]*+\])++)\]\](?!\())
 |(?P<open>\]\([ \t]*)(?P<address><[^<>\n]*>|[^\s()<]*(?:\([^\s()]*\)[^\s()]*)*)
 |(?P<label>(?:(?<!.)|(?<=\n\ )|(?<=\n\ \ )|(?<=\n\ \ \ ))\[[^\]\n]+\]:[ \t]*)
    (?P<defined><[^<>\n]*>|\S+)
 |(?P<attribute>(?:(?<=\bhref)|(?<=\bsrc)|(?<=\bposter))=(?P<quote>["']))
    (?P<value>[^"'\n]*)(?P=quote)
"""
_PLACE = re.compile(rf"(?=[`~<!\[\]=])(?:{_CODE}|{_LINK})", re.M | re.X)
"""Code and comments, which stay as they are, and what may be a link. The characters that one can
begin with are tested first: this makes the search six times as fast."""

_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")


class _Written(NamedTuple):
    """A link as its author writes it, before anything is resolved."""

    wiki: bool
    target: str
    fragment: str


@dataclass(frozen=True, slots=True)
class TwinLinks:
    """Where the links of one note lead, seen from its twin.

    addresses: by how a link is written. pictures: those of them that show a picture.
    """

    addresses: Mapping[_Written, str]
    pictures: frozenset[_Written]

    @classmethod
    def of(
        cls,
        twin: str,
        uses: Sequence[LinkUse],
        links: Sequence[Link],
        twins: Mapping[str, str],
    ) -> TwinLinks:
        """twin: the twin's own address below the site. uses and links: those of the note, in
        step. twins: the address of each document's twin, else of its page, by docId."""
        addresses: dict[_Written, str] = {}
        pictures: set[_Written] = set()
        for use, link in zip(uses, links, strict=True):
            written = _Written(use.wiki, use.target, use.fragment)
            if link.kind in (LinkKind.DOC, LinkKind.EMBED) and link.to in twins:
                here = not use.target and bool(link.anchor)
                address = "" if here else relative_url(twin, twins[link.to])
                addresses[written] = address + (f"#{quote(link.anchor)}" if link.anchor else "")
            elif link.kind in (LinkKind.IMAGE, LinkKind.FILE):
                fragment = f"#{quote(use.fragment)}" if use.fragment else ""
                addresses[written] = relative_url(twin, link.to) + fragment
                if use.embed and extension(link.to) in PICTURES:
                    pictures.add(written)
        return cls(addresses, frozenset(pictures))

    def rewritten(self, text: str) -> str:
        """The text with its links in plain Markdown."""
        return _PLACE.sub(self._place, text) if self.addresses else text

    def _place(self, found: re.Match[str]) -> str:
        if found["wiki"]:
            return self._wiki(found)
        if found["open"]:
            return self._plain(found, found["open"], found["address"], "")
        if found["label"]:
            return self._plain(found, found["label"], found["defined"], "")
        if found["attribute"]:
            return self._plain(found, found["attribute"], found["value"], found["quote"])
        return found[0]

    def _wiki(self, found: re.Match[str]) -> str:
        name, *rest = found["inside"].replace("\\|", "|").split("|")
        target, _, fragment = name.partition("#")
        target, fragment = target.strip(), fragment.rpartition("#")[2].strip()
        written = _Written(True, _normal(target), _normal(fragment))
        address = self.addresses.get(written)
        if address is None:
            return found[0]
        label = rest[0].strip() if rest and not found["wiki"].startswith("!") else ""
        label = label or " > ".join(part for part in (target, fragment) if part)
        mark = "!" if written in self.pictures and found["wiki"].startswith("!") else ""
        return f"{mark}[{markdown_label(label)}]({markdown_url(address)})"

    def _plain(self, found: re.Match[str], before: str, written: str, after: str) -> str:
        address = unescape(_ESCAPED.sub(r"\1", written.strip("<>")))
        target, _, fragment = address.partition("#")
        target = unquote(target.partition("?")[0])
        new = self.addresses.get(_Written(False, _normal(target), _normal(unquote(fragment))))
        return found[0] if new is None else f"{before}{markdown_url(new) or '#'}{after}"


def _normal(text: str) -> str:
    return unicodedata.normalize("NFC", text)
