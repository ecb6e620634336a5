"""Links find their targets: the one step of a build that knows all notes.

A compiled page holds a placeholder for every address among the notes. Here each becomes a relative
URL, or says that what it names is not there. One pass over the page.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from html import escape
from typing import Final
from urllib.parse import quote

from site_builder.media import PICTURES, extension, names_a_note
from site_builder.note import (
    CompiledNote,
    Finding,
    FindingKind,
    Link,
    LinkedNote,
    LinkKind,
    LinkUse,
)
from site_builder.note_index import Found, IndexedNote, NoteIndex

__all__ = ["IndexedNote", "NoteIndex", "link_note", "relative_url"]

MISSING_TITLE: Final = "Not written yet"

_IN_PATH: Final = "/!$&'()*+,;=:@-._~"
_ATTRIBUTE = r"\s+[\w:-]+(?:=\"[^\"]*\")?"
_SLOT = re.compile(
    r"<nb-embed data-n=\"(?P<embed>\d+)\"></nb-embed>"
    rf"|<(?P<tag>a|img|audio|video|source|track|object)(?P<before>(?:{_ATTRIBUTE})*?)"
    rf"\s+(?P<name>href|src|poster|data)=\"nb-link-(?P<number>\d+)\"(?P<after>(?:{_ATTRIBUTE})*)\s*>"
)
_POSTER = re.compile(r"\s+(poster|src)=\"nb-link-(\d+)\"")
_CLASS = re.compile(r"\s+class=\"([^\"]*)\"")


def link_note(
    index: NoteIndex,
    compiled: CompiledNote,
    doc_id: str,
    *,
    missing_title: str = MISSING_TITLE,
    page: str | None = None,
) -> LinkedNote:
    """The page and links of a note among the notes of `index`, where it stands as `doc_id`.

    missing_title: what a reader is told of a link that leads nowhere, in the page's language.
    page: the address of the page that shows the note, if it is another's (see `embeds`).
    Embeds of notes stay `<nb-embed>` for the step that puts them in.
    """
    note = index.by_id[doc_id]
    linker = _Linker(index, note, note.url if page is None else page)
    targets = [linker.target(use) for use in compiled.links]
    slots = _Slots(targets, compiled.links, missing_title)
    html = _SLOT.sub(slots.fill, compiled.html) if targets else compiled.html
    return LinkedNote(
        doc_id=doc_id,
        compiled=compiled,
        html=html,
        links=tuple(target.link for target in targets),
        assets=tuple(sorted(linker.assets)),
        findings=(*compiled.findings, *linker.findings),
    )


def relative_url(page: str, target: str) -> str:
    """How the page at `page` writes the address `target`, both below the site and not encoded.

    The result is percent-encoded and never empty.
    """
    here, there = page.split("/")[:-1], target.split("/")
    common = 0
    while common < min(len(here), len(there) - 1) and here[common] == there[common]:
        common += 1
    path = "../" * (len(here) - common) + quote("/".join(there[common:]), safe=_IN_PATH)
    return f"./{path}" if not path or ":" in path.partition("/")[0] else path


@dataclass(frozen=True, slots=True)
class _Target:
    """A resolved link and how this page writes its address; empty where it leads nowhere."""

    link: Link
    href: str = ""


@dataclass(slots=True)
class _Linker:
    """Resolves the links of one note for the page at `page`."""

    index: NoteIndex
    note: IndexedNote
    page: str
    assets: set[str] = field(default_factory=set)
    findings: list[Finding] = field(default_factory=list)

    def target(self, use: LinkUse) -> _Target:
        if use.external:
            return _Target(Link(use.section, LinkKind.EXTERNAL, use.target, "", use.text))
        found = self._find(use)
        if found.note is not None:
            return self._to_note(use, found.note)
        if found.asset:
            return self._to_asset(use, found.asset)
        return self._to_nothing(use)

    def _find(self, use: LinkUse) -> Found:
        if not use.target:
            return Found(self.note)
        if not use.wiki:
            return self.index.by_path(use.target, self.note.path)
        found = self.index.by_name(use.target, self.note.path)
        if found.others and found.note:
            self._report(
                use,
                FindingKind.AMBIGUOUS_LINK,
                f"`{use.target}` could be {found.note.path} or {', '.join(found.others)}",
                f"it leads to {found.note.path}; write more of the path",
            )
        return found

    def _to_note(self, use: LinkUse, note: IndexedNote) -> _Target:
        anchor = note.anchor(use.fragment) if use.fragment else ""
        if anchor is None:
            self._report(
                use,
                FindingKind.MISSING_ANCHOR,
                f"no heading “{use.fragment}” in {note.path}",
                "the link leads to the top of the page",
            )
        kind = LinkKind.EMBED if use.embed and anchor is not None else LinkKind.DOC
        address = "" if note.url == self.page and anchor else relative_url(self.page, note.url)
        href = f"{address}#{quote(anchor, safe=_IN_PATH)}" if anchor else address
        return _Target(Link(use.section, kind, note.doc_id, anchor or "", use.text), href)

    def _to_asset(self, use: LinkUse, path: str) -> _Target:
        self.assets.add(path)
        shown = use.embed and extension(path) in PICTURES
        kind = LinkKind.IMAGE if shown else LinkKind.FILE
        fragment = f"#{quote(use.fragment, safe=_IN_PATH)}" if use.fragment else ""
        href = relative_url(self.page, path) + fragment
        return _Target(Link(use.section, kind, path, "", use.text), href)

    def _to_nothing(self, use: LinkUse) -> _Target:
        if names_a_note(use.target, wiki=use.wiki):
            nearest = self.index.suggestion(use.target)
            hint = f"did you mean {nearest}?" if nearest else "write it, or take the link out"
            self._report(use, FindingKind.MISSING_NOTE, f"missing note: {use.target}", hint)
        else:
            hint = "add the file, or take the link out"
            self._report(use, FindingKind.MISSING_FILE, f"missing file: {use.target}", hint)
        return _Target(Link(use.section, LinkKind.MISSING, use.target, "", use.text))

    def _report(self, use: LinkUse, kind: FindingKind, message: str, hint: str) -> None:
        self.findings.append(Finding(self.note.path, use.line, kind, message, hint))


@dataclass(frozen=True, slots=True)
class _Slots:
    """Fills the places of a page where addresses stand."""

    targets: list[_Target]
    uses: tuple[LinkUse, ...]
    missing_title: str

    def fill(self, slot: re.Match[str]) -> str:
        if slot["embed"] is not None:
            return self._embed(slot)
        number = int(slot["number"])
        tag, before, after = slot["tag"], slot["before"], slot["after"]
        after = _POSTER.sub(self._poster, after)
        href = self.targets[number].href
        if href:
            return f'<{tag}{before} {slot["name"]}="{escape(href)}"{after}>'
        if tag == "img":
            return self._missing("span", "", self.uses[number].text) + "</span>"
        return self._missing(tag, before + after, "")

    def _embed(self, slot: re.Match[str]) -> str:
        number = int(slot["embed"])
        target, text = self.targets[number], self.uses[number].text
        if target.link.kind is LinkKind.EMBED:
            return slot[0]
        if target.href:
            return f'<a href="{escape(target.href)}">{escape(text, quote=False)}</a>'
        return self._missing("a", "", text) + "</a>"

    def _missing(self, tag: str, attributes: str, text: str) -> str:
        """An element that looks like no link, says why, and is none."""
        given = _CLASS.search(attributes)
        classes = f"missing {given[1]}" if given else "missing"
        attributes = _CLASS.sub("", attributes)
        role = ' role="link" aria-disabled="true"' if tag == "a" else ""
        title = "" if " title=" in attributes else f' title="{escape(self.missing_title)}"'
        shown = escape(text, quote=False)
        return f'<{tag} class="{classes}"{role}{title}{attributes}>{shown}'

    def _poster(self, found: re.Match[str]) -> str:
        href = self.targets[int(found[2])].href
        return f' {found[1]}="{escape(href)}"' if href else ""
