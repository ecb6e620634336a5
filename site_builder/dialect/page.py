"""What the writers of one page share."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape

from markdown_it.token import Token

from manifest.anchors import PREFIX, Anchors
from site_builder.dialect.addresses import Address, Addresses
from site_builder.dialect.attributes import ALLOWED
from site_builder.dialect.outline import Heading
from site_builder.dialect.words import Signs
from site_builder.drawing.drawn import Allowance, Drawn
from site_builder.html_policy import STRICT, RawHtmlPolicy
from site_builder.note import FindingKind
from site_builder.raw_html import RawTags


@dataclass(slots=True)
class Page:
    """The page under construction: text so far, addresses, ids.

    headings: those at the top level. language: of the words that are ours, as a BCP 47 tag.
    line: of the published text, from 0; where the writing stands. label: the title of the section
    it stands in, as a name for things that need one. raw_ids: the ids of raw HTML, as on the page.
    tab_sets: how many sets of tabs are written. removed_line: the first line of raw HTML of which
    something was left out, -1 if none. allowance: what may still be drawn.
    """

    addresses: Addresses
    anchors: Anchors
    signs: Signs
    headings: tuple[Heading, ...] = ()
    language: str = "en"
    label: str = ""
    line: int = 0
    out: list[str] = field(default_factory=list)
    raw_ids: list[str] = field(default_factory=list)
    removed_line: int = -1
    tab_sets: int = 0
    policy: RawHtmlPolicy = STRICT
    allowance: Allowance = field(default_factory=Allowance)
    raw: RawTags = field(init=False)
    _own_ids: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.raw = RawTags(self._raw_attribute, self.policy)

    def address(self, written: str, text: str, *, embed: bool = False) -> Address:
        return self.addresses.markdown(written, text, self.line, embed=embed)

    def raw_html(self, fragment: str, level: int) -> str:
        """What is published of a piece of raw HTML."""
        html = self.raw.write(fragment, level)
        if self.raw.removed and self.removed_line < 0:
            self.removed_line = self.line
        return html

    def drawing(self, drawn: Drawn, line: int) -> str:
        """What is published of a drawing. line: of the published text, from 0, where it begins."""
        if drawn.problem:
            at = line + drawn.line
            self.addresses.report(at, FindingKind.DRAWING, drawn.problem, drawn.hint)
        return drawn.html

    def own_id(self, name: str) -> str:
        """The id of something of ours, `nb-` in front; the same name, the same id."""
        if name not in self._own_ids:
            self._own_ids[name] = self.anchors.assign(PREFIX + name)
        return self._own_ids[name]

    def _raw_attribute(self, tag: str, name: str, value: str) -> str | None:
        """An id or an address of raw HTML, as the page says it (not escaped)."""
        if name == "id":
            wanted = "-".join(value.split())
            if not wanted:
                return None
            self.raw_ids.append(self.anchors.assign(PREFIX + wanted))
            return self.raw_ids[-1]
        return self.address(value, "", embed=tag != "a").value or None


def attributes(token: Token, *own: str) -> str:
    """The attributes an author gave a token, as HTML; `own` names those written elsewhere."""
    if not token.attrs:
        return ""
    return "".join(
        f' {name}="{escape(str(value))}"'
        for name, value in token.attrs.items()
        if name in ALLOWED and name not in own
    )
