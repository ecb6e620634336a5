"""HTML that an author typed into a note: what of it is published.

Three guards, one behind the other. Each tag is read and written anew from allow-lists, so nothing
of the author's spelling reaches the page. Tags are balanced within the block they stand in, so none
of them can close or swallow what is ours. Last, the page as a whole goes through nh3.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Final, TypeAlias
from urllib.parse import urlsplit

import nh3

from site_builder.html_policy import STRICT, RawHtmlPolicy


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


VOID: Final = _words("br hr img wbr source track col")

ALLOWED_TAGS: Final = VOID | _words(
    "a abbr acronym address article aside audio b bdi bdo big blockquote caption center cite code"
    " colgroup dd del details dfn div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6"
    " header hgroup i ins kbd li main mark nav ol p picture pre q rp rt ruby s samp section small"
    " span strike strong sub summary sup table tbody td tfoot th thead time tr tt u ul var video"
)

REFUSED_TAGS: Final = _words(
    "applet area base basefont bgsound blink body button canvas data datalist dialog dir embed"
    " fieldset form frame frameset head html iframe image input isindex keygen label legend link"
    " listing map marquee math menu meta meter nobr noembed noframes noscript object optgroup"
    " option output param plaintext portal progress script select slot style svg template textarea"
    " title xmp"
)
"""HTML's other elements. A name that is none of HTML's, as in `List<String>`, is text."""

_WITH_CONTENT: Final = "script|style|iframe|noembed|noframes|noscript|object|svg|template|xmp"

_ADDRESS_ATTRIBUTES: Final = {
    "a": {"href"}, "img": {"src"}, "audio": {"src"}, "video": {"src", "poster"}, "source": {"src"},
    "track": {"src"},
}  # fmt: skip

_ATTRIBUTES: Final = {
    "*": _words("class title lang dir align"),
    "a": {"name"},
    "audio": _words("controls loop muted preload"),
    "video": _words("controls loop muted preload width height playsinline"),
    "source": {"type", "media"},
    "track": _words("kind srclang label default"),
    "img": _words("alt width height loading"),
    "ol": _words("start type reversed"),
    "li": {"value"},
    "details": {"open"},
    "time": {"datetime"}, "del": {"datetime"}, "ins": {"datetime"},
    "table": {"width", "border"}, "col": {"span", "width"}, "colgroup": {"span"},
    "td": _words("colspan rowspan headers valign width height"),
    "th": _words("colspan rowspan headers scope valign width height"),
    "font": {"color", "size"},
}  # fmt: skip

_OURS: Final = {
    "*": {"id", "role", "tabindex"},
    "a": {"rel", "href", "aria-label", "aria-disabled"},
    "div": {"aria-label"}, "section": {"aria-label"}, "aside": {"data-kind"},
    "details": {"data-kind"}, "span": {"aria-hidden", "data-n"}, "nb-embed": {"data-n"},
    "nb-drawing": {"data-n"},
    "nav": {"aria-label"}, "input": _words("type name checked"), "label": set(),
    "audio": {"aria-label"}, "video": {"aria-label"},
    "object": _words("data type aria-label width height"),
}  # fmt: skip
"""What our own renderer writes beside the author's attributes."""

_OUR_TAGS: Final = _words("nb-embed nb-drawing input label object")
"""Elements that only our own renderer writes."""

SCHEMES: Final = _words(
    "http https mailto tel sms geo ftp sftp xmpp irc ircs magnet obsidian zotero"
)
"""Where an address may lead. `javascript:`, `vbscript:`, `file:` and whatever else can act on the
reader's machine are not among them; `data:` is allowed for pictures alone, see `addresses`."""

DEPTH_LIMIT: Final = 50
"""The author's tags within each other: the time nh3 takes grows with the square of it."""

_FRAME: Final = (
    ' sandbox="allow-scripts allow-same-origin allow-popups allow-presentation"'
    ' referrerpolicy="strict-origin-when-cross-origin" loading="lazy"'
)
_FRAME_ATTRIBUTES: Final = _words("title width height allowfullscreen")

_PIECE = re.compile(
    r"(?P<gone><!--.*?(?:-->|\Z)|<[!?][^>]*(?:>|\Z))"
    rf"|<(?P<whole>{_WITH_CONTENT})\b[^>]*(?:>|\Z).*?(?:</(?P=whole)\s*>|\Z)"
    r"|<(?P<close>/?)(?P<name>[A-Za-z][A-Za-z0-9-]*)"
    r"(?P<attrs>(?:\s++[A-Za-z_:@][\w.:@-]*+"
    r"(?:\s*+=\s*+(?:\"[^\"]*+\"|'[^']*+'|[^\s\"'=<>`]++))?+)*+)"
    r"\s*+(?P<self>/?)>"
    r"|<",
    re.S | re.I,
)
_WHOLE = re.compile(rf"<({_WITH_CONTENT})\b", re.I)
_ATTRIBUTE = re.compile(
    r"([A-Za-z_:@][\w.:@-]*)(?:\s*=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'=<>`]+)))?"
)

Rewrite: TypeAlias = Callable[[str, str, str], "str | None"]
"""(tag, attribute, value) of an address or an id -> what the page says instead; None: nothing."""


def unclosed(fragment: str) -> str:
    """The name of the element at whose end this piece of HTML breaks off: a script, a drawing or
    another one that is taken or left out whole; empty if there is none."""
    if "<" not in fragment or not _WHOLE.search(fragment):
        return ""
    for found in _PIECE.finditer(fragment):
        name = found["whole"]
        if name and found.end() == len(fragment) and not _closed(found[0], name):
            return str(name).lower()
    return ""


def opens(tag: str) -> str:
    """The name of the element that is left out whole and which this tag alone opens, else empty."""
    found = _WHOLE.match(tag)
    return found[1].lower() if found else ""


def _closed(element: str, name: str) -> bool:
    return re.search(rf"</{name}\s*>\s*\Z", element, re.I) is not None


@dataclass(slots=True)
class RawTags:
    """Writes the author's tags of one page, and remembers which are open.

    rewrite decides on addresses and ids. removed: names of what was left out, in order.
    """

    rewrite: Rewrite
    policy: RawHtmlPolicy = STRICT
    removed: dict[str, None] = field(default_factory=dict)
    used: bool = False
    _open: list[tuple[int, str]] = field(default_factory=list)

    def write(self, fragment: str, level: int) -> str:
        """The published form of a piece of raw HTML that stands at this level of nesting."""
        return "".join(self._pieces(fragment, level))

    def close_above(self, level: int) -> str:
        """The closing tags due where a block of this level ends."""
        closing = ""
        while self._open and self._open[-1][0] > level:
            closing += f"</{self._open.pop()[1]}>"
        return closing

    def _pieces(self, fragment: str, level: int) -> Iterator[str]:
        at = 0
        for found in _PIECE.finditer(fragment):
            yield fragment[at : found.start()].replace(">", "&gt;")
            at = found.end()
            if found["whole"]:
                yield self._whole(found)
            elif found["name"]:
                yield self._tag(found, level)
            elif not found["gone"]:
                yield "&lt;"
            elif found[0].startswith("<!--") and not found[0].endswith("-->"):
                self.removed["all that follows `<!--`, which is never closed"] = None
        yield fragment[at:].replace(">", "&gt;")

    def _whole(self, found: re.Match[str]) -> str:
        """An element that is taken with all its content, or left out with it."""
        name = found["whole"].lower()
        if self.policy.unsafe:
            self.used = True
            return found[0] if _closed(found[0], name) else f"{found[0]}</{name}>"
        shown = self._frame(found[0]) if name == "iframe" and self.policy.frames else ""
        if not shown:
            self.removed[name] = None
        return shown

    def _frame(self, written: str) -> str:
        """An `<iframe>` of a host that the author trusts, in a sandbox; else nothing."""
        opening = written[len("<iframe") : written.find(">")]
        given = {
            name.lower(): html.unescape(next((v for v in values if v), ""))
            for name, *values in reversed(_ATTRIBUTE.findall(opening))
        }
        try:
            source = urlsplit(given.get("src", ""))
        except ValueError:
            return ""
        if source.scheme != "https" or source.netloc.lower() not in self.policy.frames:
            return ""
        self.used = True
        more = "".join(
            f' {name}="{html.escape(given[name])}"'
            for name in sorted(_FRAME_ATTRIBUTES & set(given))
        )
        return f'<iframe src="{html.escape(source.geturl())}"{more}{_FRAME}></iframe>'

    def _allows(self, name: str) -> bool:
        if self.policy.unsafe:
            return name in ALLOWED_TAGS or name in REFUSED_TAGS or "-" in name
        return name in ALLOWED_TAGS or name in self.policy.tags

    def _tag(self, found: re.Match[str], level: int) -> str:
        name = found["name"].lower()
        if not self._allows(name):
            if name not in REFUSED_TAGS:
                return html.escape(found[0], quote=False)
            self.removed[name] = None
            return ""
        self.used = True
        if found["close"]:
            return self._close(name, level)
        if name not in VOID and not found["self"]:
            if len(self._open) >= DEPTH_LIMIT:
                self.removed[f"{name} (nested deeper than {DEPTH_LIMIT})"] = None
                return ""
            self._open.append((level, name))
        ending = f"</{name}>" if found["self"] and name not in VOID else ""
        return f"<{name}{''.join(self._attributes(name, found['attrs']))}>{ending}"

    def _close(self, name: str, level: int) -> str:
        """Closes the innermost open tag of this name in this block, and what it holds."""
        for index in range(len(self._open) - 1, -1, -1):
            opened, other = self._open[index]
            if opened < level:
                break
            if other == name:
                inner = self._open[index:]
                del self._open[index:]
                return "".join(f"</{tag}>" for _, tag in reversed(inner))
        return ""

    def _allows_attribute(self, tag: str, name: str) -> bool:
        if name in _ATTRIBUTES["*"] or name in _ATTRIBUTES.get(tag, ()) or self.policy.unsafe:
            return True
        return (tag, name) in self.policy.attributes or ("*", name) in self.policy.attributes

    def _attributes(self, tag: str, text: str) -> Iterator[str]:
        written: set[str] = set()
        for name, *values in _ATTRIBUTE.findall(text):
            value: str | None = html.unescape(next((v for v in values if v), ""))
            name = name.lower()
            if tag == "a" and name == "name":
                name = "id"
            if name == "id" or name in _ADDRESS_ATTRIBUTES.get(tag, ()):
                value = self.rewrite(tag, name, value or "")
            elif name == "markdown":
                continue
            elif not self._allows_attribute(tag, name):
                self.removed[name] = None
                continue
            if value is not None and name not in written:
                written.add(name)
                yield f' {name}="{html.escape(value)}"'


@cache
def _cleaner(policy: RawHtmlPolicy) -> nh3.Cleaner:
    attributes: dict[str, set[str]] = {}
    for table in (_ATTRIBUTES, _ADDRESS_ATTRIBUTES, _OURS):
        for tag, names in table.items():
            attributes.setdefault(tag, set()).update(names)
    for tag, name in policy.attributes:
        attributes.setdefault(tag, set()).add(name)
    if policy.frames:
        attributes["iframe"] = {*_FRAME_ATTRIBUTES, *_words("src sandbox referrerpolicy loading")}
    return nh3.Cleaner(
        tags={*ALLOWED_TAGS, *policy.tags, *_OUR_TAGS, *(["iframe"] if policy.frames else [])},
        attributes=attributes,
        link_rel=None,
        url_schemes=set(SCHEMES) | {"data"},
    )


_DRAWING = re.compile(r"<(svg|math)\b.*?</\1>", re.S)
"""What `drawing` made: no tag of an author's comes this far under these names."""

_HELD: Final = "nb-drawing"
_HELD_PLACE = re.compile(rf"<{_HELD} data-n=\"(\d+)\"></{_HELD}>")
_WRITTEN_TAG = re.compile(r"<[a-z][a-z0-9-]*(?: [\w:-]+=\"[^\"]*\")* id=\"([^\"]*)\"[^<]*?>")


def clean(page: str, policy: RawHtmlPolicy = STRICT) -> str:
    """The whole page through the policy; what our own renderer writes comes out as it was.

    A parser that repairs misnested tags may repeat one with its id; the repetitions lose it.
    """
    if policy.unsafe:
        return page
    seen: set[str] = set()
    held: list[str] = []

    def hold(found: re.Match[str]) -> str:
        held.append(found[0])
        return f'<{_HELD} data-n="{len(held) - 1}"></{_HELD}>'

    def once(found: re.Match[str]) -> str:
        if found[1] not in seen:
            seen.add(found[1])
            return found[0]
        return found[0].replace(f' id="{found[1]}"', "", 1)

    cleaned = _cleaner(policy).clean(_DRAWING.sub(hold, page))
    cleaned = _WRITTEN_TAG.sub(once, cleaned)
    return _HELD_PLACE.sub(lambda found: held[int(found[1])], cleaned) if held else cleaned
