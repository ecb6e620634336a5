"""The addresses a note writes: which lead out, which lead to other notes, which are refused."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import quote, unquote

from site_builder.comments import Published
from site_builder.note import Finding, FindingKind, LinkUse
from site_builder.raw_html import SCHEMES

PLACEHOLDER: Final = "nb-link-"
"""What stands in the page for the address of a link that `linking` resolves, before its number."""

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_IGNORED = re.compile(r"[\t\n\r]|^[\x00-\x20]+|[\x00-\x20]+$")
"""What browsers overlook before they read a scheme, so that `java\\tscript:` is one."""

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_PICTURE_DATA = re.compile(r"data:image/(?:png|jpeg|gif|webp)[;,]", re.I)
_AS_WRITTEN: Final = "%/:?#[]@!$&'()*+,;=~-._"


@dataclass(frozen=True, slots=True)
class Address:
    """How an address is written into the page, not yet escaped; empty if it was refused.

    target: the path it names, for an address among the notes. number: of its `LinkUse`.
    """

    value: str
    external: bool = True
    target: str = ""
    number: int = -1


@dataclass(slots=True)
class Addresses:
    """Collects the addresses of one note, in the order of the page.

    section_lines: the line of the published text on which each section begins.
    """

    path: str
    published: Published
    section_lines: Sequence[int]
    uses: list[LinkUse] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def markdown(self, written: str, text: str, line: int, *, embed: bool = False) -> Address:
        """An address of Markdown or HTML. text: the label; line: of the published text, from 0."""
        written = _IGNORED.sub("", written)
        scheme = _SCHEME.match(written)
        if scheme and not (scheme[1].lower() not in SCHEMES and written.lower().endswith(".md")):
            return self._external(written, scheme[1].lower(), text, line, embed)
        if written.startswith("//"):
            return self._external(written, "https", text, line, embed)
        target, _, fragment = written.partition("#")
        target = _decoded(target.partition("?")[0])
        return self._use(line, target, _decoded(fragment), text, wiki=False, embed=embed)

    def wiki(self, target: str, fragment: str, text: str, line: int, *, embed: bool) -> Address:
        """An address between double brackets, which is never percent-encoded."""
        return self._use(line, _normal(target), _normal(fragment), text, wiki=True, embed=embed)

    def report(self, line: int, kind: FindingKind, message: str, hint: str = "") -> None:
        """line: of the published text, from 0."""
        author_line = self.published.author_line(line)
        self.findings.append(Finding(self.path, author_line, kind, message, hint))

    def _use(
        self, line: int, target: str, fragment: str, text: str, *, wiki: bool, embed: bool
    ) -> Address:
        self._add(line, target, fragment, text, wiki=wiki, embed=embed)
        number = len(self.uses) - 1
        return Address(f"{PLACEHOLDER}{number}", external=False, target=target, number=number)

    def _external(self, written: str, scheme: str, text: str, line: int, embed: bool) -> Address:
        if embed and _PICTURE_DATA.match(written):
            return Address(written)
        if scheme not in SCHEMES:
            self.report(
                line,
                FindingKind.HTML,
                f"an address that begins with `{scheme[:40]}:` was left out",
                "link to a web page or to a file among the notes",
            )
            return Address("")
        self._add(line, written, "", text, wiki=False, embed=embed, external=True)
        return Address(quote(written, safe=_AS_WRITTEN))

    def _add(
        self,
        line: int,
        target: str,
        fragment: str,
        text: str,
        *,
        wiki: bool,
        embed: bool,
        external: bool = False,
    ) -> None:
        section = max(bisect_right(self.section_lines, line) - 1, 0)
        author_line = self.published.author_line(line)
        use = LinkUse(section, author_line, target, fragment, text, wiki, embed, external)
        self.uses.append(use)


def _decoded(written: str) -> str:
    return _normal(unquote(written) if "%" in written else written)


def _normal(text: str) -> str:
    return unicodedata.normalize("NFC", _CONTROL.sub("\ufffd", text))
