"""What every page of ours must be, however its note was written: judged by a browser's parser."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

from site_builder.note import CompiledNote

ACTIVE = frozenset(
    [
        "script",
        "style",
        "iframe",
        "frame",
        "frameset",
        "embed",
        "applet",
        "base",
        "link",
        "meta",
        "form",
        "button",
        "textarea",
        "select",
        "noscript",
        "template",
        "portal",
        "dialog",
        "xmp",
        "plaintext",
        "noembed",
        "noframes",
        "title",
        "body",
        "html",
        "head",
    ]
)
ADDRESSES = frozenset(
    [
        "href",
        "src",
        "data",
        "action",
        "formaction",
        "poster",
        "background",
        "cite",
        "longdesc",
        "srcset",
        "ping",
        "manifest",
        "xlink:href",
    ]
)
IGNORED = re.compile(r"[\x00-\x20\x7f]")
SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):", re.I)
ALLOWED = frozenset(
    [
        "http",
        "https",
        "mailto",
        "tel",
        "sms",
        "geo",
        "ftp",
        "sftp",
        "xmpp",
        "irc",
        "ircs",
        "magnet",
        "obsidian",
        "zotero",
    ]
)
PICTURE = re.compile(r"data:image/(?:png|jpeg|gif|webp)[;,]", re.I)
TAG = re.compile(r"<(/?)([a-z][a-z0-9-]*)((?: [\w:-]+(?:=\"[^\"<>]*\")?)*) ?(/?)>")
VOID = frozenset(["br", "hr", "img", "wbr", "source", "track", "col", "input"])


def faults(html: str) -> list[str]:
    """What is wrong with an article's HTML; nothing, for a page that may be published."""
    tree = LexborHTMLParser(f"<!doctype html><body><main id='main'>{html}</main><p id='last'>x")
    found = [fault for node in tree.css("main *") for fault in _faults(node)]
    last = tree.css_first("#last")
    if last is None or last.parent is None or last.parent.tag != "body":
        found.append("what follows the article is swallowed")
    return found


def _faults(node: LexborNode) -> list[str]:
    found = []
    if node.tag in ACTIVE:
        found.append(f"an element that acts: {node.tag}")
    if node.tag == "input" and node.attributes.get("type") != "radio":
        found.append("an input that is no radio button")
    for name, value in node.attributes.items():
        if name.startswith("on") or name in ("srcdoc", "http-equiv", "autofocus", "style"):
            found.append(f"{node.tag}: an attribute that acts: {name}")
        if name in ADDRESSES and not _harmless(value or "", node.tag or ""):
            found.append(f"{node.tag}: {name} leads to {value!r}")
    return found


def _harmless(address: str, tag: str) -> bool:
    plain = IGNORED.sub("", address)
    if tag in ("img", "video", "audio", "source", "track") and PICTURE.match(plain):
        return True
    scheme = SCHEME.match(plain)
    return scheme is None or scheme[1].lower() in ALLOWED


def unbalanced(html: str) -> str:
    """The first tag that closes nothing or is never closed, as our own writer sees it."""
    open_: list[str] = []
    for closing, name, _, ended in TAG.findall(html):
        if name in VOID or ended:
            continue
        if not closing:
            open_.append(name)
        elif not open_ or open_.pop() != name:
            return f"</{name}>"
    return f"<{open_[-1]}>" if open_ else ""


def broken_promises(note: CompiledNote) -> list[str]:
    """What a compiled note must keep for any text: sections, anchors, links, a safe page."""
    found = faults(note.html)
    if "".join(note.text[s.start : s.end] for s in note.sections) != note.text:
        found.append("the sections do not cover the text")
    names = [*(section.anchor for section in note.sections), *note.ids]
    if len(names) != len(set(names)):
        found.append("two things have one anchor")
    ids = re.findall(r'<[a-z][a-z0-9-]*(?: [\w:-]+="[^"]*")* id="([^"]*)"', note.html)
    if len(ids) != len(set(ids)):
        found.append("two elements have one id")
    numbers = {int(number) for number in re.findall(r'="nb-link-(\d+)"', note.html)}
    numbers |= {int(number) for number in re.findall(r'data-n="(\d+)"', note.html)}
    if numbers - set(range(len(note.links))):
        found.append("an address that no link describes")
    if any(use.section >= len(note.sections) or use.line < 1 for use in note.links):
        found.append("a link that stands nowhere")
    if tag := unbalanced(note.html):
        found.append(f"unbalanced: {tag}")
    return found
