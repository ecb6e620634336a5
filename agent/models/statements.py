"""Statements: what of a Markdown passage can stand as an answer by itself.

Sentences of paragraphs and quotations, items of lists, rows of tables. Each knows where it stands
in the passage, how it reads without markup, and what leads to it: the line before a list, the
heads of a table's columns. Headings and code are no statements; headings lead to what follows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import groupby


class Kind(StrEnum):
    """What a statement is in the text."""

    SENTENCE = "sentence"
    ITEM = "item"
    ROW = "row"
    LINK = "link"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of a passage.

    start and end are code points of the passage. plain is its reading text; lead that of what
    introduces it (lead_start: where that begins in the passage, -1 if there is none), heading that
    of the heading above it within the passage (empty if there is none). group tells the lists,
    tables and paragraphs of a passage apart, in order. depth: of an item, how far it is indented.
    cells: of a row, how each reads.
    """

    start: int
    end: int
    kind: Kind
    plain: str
    lead: str
    heading: str
    group: int
    lead_start: int = -1
    depth: int = 0
    cells: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int
    kind: str
    text: str


_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})")
_HEADING = re.compile(r"[ \t]{0,3}#{1,6}(?:[ \t]+|$)")
_QUOTE = re.compile(r"(?:[ \t]*>)+[ \t]?")
_BULLET = re.compile(r"[ \t]*(?:[-+*]|\d{1,3}[.)、]|[（(]?[①-⑳])[ \t]*(?:\[[ xX]\][ \t]+)?")
_ITEM = re.compile(r"[ \t]*(?:[-+*][ \t]+|\d{1,3}[.)][ \t]+)\S")
_RULE = re.compile(r"[ \t]*(?:(?:-[ \t]*){3,}|(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|={3,})$")
_ROW = re.compile(r"[ \t]*\|.*\|[ \t]*$")
_RULING = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_CLOSING = "[”’」』）)*_`]*"
_SENTENCE_END = re.compile(
    rf"[。！？!?…]+{_CLOSING}|\.(?={_CLOSING}(?:[ \t\n]+[^a-z\s]|\s*$)){_CLOSING}|\Z"
)
_CELL_BORDER = re.compile(r"(?<!\\)\|")
_LINK_FIRST = re.compile(
    r"[ \t]*(?:\[[^\]\n]*\]\([^)\n]*\)|\[\[[^\]\n]*\]\]|<https?:[^>\n]*>|https?://)"
)
_LEAD_END = re.compile(r"[：:][*_ \t]*$")


def statements(passage: str) -> list[Statement]:
    """The statements of a passage, in order."""
    found: list[Statement] = []
    lead: Statement | None = None
    heading = ""
    for group, (kind, lines) in enumerate(_groups(passage)):
        block = list(_block(passage, kind, lines, group))
        if kind == "heading":
            heading, lead = readable(lines[0].text), None
        elif block:
            if kind == "table" and len(block) > 1:
                head, *block = block
                lead = _joined(lead, head)
            found += [_led(each, lead, heading) for each in block]
            lead = block[-1] if kind in ("text", "quote") and _leads(block[-1]) else None
    return found


def _led(statement: Statement, lead: Statement | None, heading: str) -> Statement:
    if lead is None:
        return replace(statement, heading=heading)
    return replace(statement, heading=heading, lead=lead.plain, lead_start=lead.start)


def _joined(lead: Statement | None, head: Statement) -> Statement:
    """A table is led to by its head, and by the line before it."""
    return head if lead is None else replace(lead, plain=f"{lead.plain} {head.plain}")


def readable(markdown: str) -> str:
    """A line of Markdown as it reads: without marks, targets, tags and bullets."""
    text = _IMAGE.sub(" ", markdown)
    text = _TARGET.sub("]", text)
    text = _WIKI.sub("[[", text)
    text = _TAG.sub(" ", text)
    text = _MARKS.sub("", text)
    return " ".join(text.replace("|", " ").split())


_IMAGE = re.compile(r"!\[[^\]\n]*\]\([^)\n]*\)|!\[\[[^\]\n]*\]\]|\[\^[^\]\s]+\]")
_TARGET = re.compile(r"\]\((?:<[^<>\n]*>|[^()\s]*(?:\([^()\s]*\)[^()\s]*)*)(?:\s+\"[^\"]*\")?\s*\)")
_WIKI = re.compile(r"\[\[[^\[\]\n|]*\|")
_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9-]*(?:\s[^<>]*)?/?>|<!--.*?-->", re.S)
_MARKS = re.compile(r"\*+|(?<![^\W_])_+|_+(?![^\W_])|`+|~~|==|[\[\]]|^[ \t>]*#{1,6}[ \t]+|^[ \t>]+")


def _leads(statement: Statement) -> bool:
    return _LEAD_END.search(statement.plain) is not None


def _lines(passage: str) -> Iterator[_Line]:
    fence = ""
    position = 0
    for raw in passage.splitlines(keepends=True):
        text = raw.rstrip("\n")
        start, position = position, position + len(raw)
        mark = _FENCE.match(text)
        if fence:
            closing = mark is not None and mark[1].startswith(fence)
            fence = "" if closing else fence
            yield _Line(start, start + len(text), "code", "" if closing else text)
        elif mark:
            fence = mark[1]
            yield _Line(start, start + len(text), "code", "")
        else:
            yield _Line(start, start + len(text), _line_kind(text), text)


def _line_kind(text: str) -> str:
    quote = _QUOTE.match(text)
    inner = text[quote.end() :] if quote else text
    if not inner.strip():
        return "blank"
    if _RULE.match(inner):
        return "rule"
    if _HEADING.match(inner):
        return "heading"
    if _ROW.match(inner):
        return "table"
    if _ITEM.match(inner):
        return "item"
    return "quote" if quote else "text"


def _groups(passage: str) -> list[tuple[str, list[_Line]]]:
    """Neighbouring lines that belong together. A blank line does not end a list, and a line
    indented below an item belongs to it."""
    kept: list[_Line] = []
    for line in _lines(passage):
        last = next((each.kind for each in reversed(kept) if each.kind != "blank"), "")
        below = last in ("item", "more") and line.text[:1] in " \t" and line.kind == "text"
        kept.append(replace(line, kind="more") if below else line)
    merged: list[tuple[str, list[_Line]]] = []
    for kind, group in groupby(kept, lambda line: "item" if line.kind == "more" else line.kind):
        if kind == "blank":
            # A break between paragraphs; between items of a list it is none.
            if merged and merged[-1][0] != "item":
                merged.append((kind, []))
        elif kind == "item" and merged and merged[-1][0] == "item":
            merged[-1][1].extend(group)
        else:
            merged.append((kind, list(group)))
    return [
        (kind, lines)
        for kind, block in merged
        if kind not in ("blank", "rule")
        for lines in ([[line] for line in block] if kind == "heading" else [block])
    ]


def _block(passage: str, kind: str, lines: list[_Line], group: int) -> Iterator[Statement]:
    if kind == "table":
        for line in lines:
            if not _RULING.match(line.text):
                row = _statement(passage, line.start, line.end, Kind.ROW, group)
                cells = (readable(cell) for cell in _CELL_BORDER.split(line.text.strip(" \t>|")))
                yield replace(row, cells=tuple(cells))
    elif kind == "item":
        yield from _items(passage, lines, group)
    elif kind == "code":
        text = "\n".join(line.text for line in lines).strip()
        if text:
            yield Statement(lines[0].start, lines[-1].end, Kind.CODE, text, "", "", group)
    elif kind != "heading":
        yield from _sentences(passage, lines, group)


def _items(passage: str, lines: list[_Line], group: int) -> Iterator[Statement]:
    start, end = lines[0].start, lines[0].end
    for line in lines[1:]:
        if line.kind == "item":
            yield _item(passage, start, end, group)
            start = line.start
        end = line.end
    yield _item(passage, start, end, group)


def _item(passage: str, start: int, end: int, group: int) -> Statement:
    quote = _QUOTE.match(passage, start, end)
    bullet = _BULLET.match(passage, quote.end() if quote else start, end)
    begin = bullet.end() if bullet else start
    # An item that opens with a link points elsewhere: it says what is there, and is no answer.
    kind = Kind.LINK if _LINK_FIRST.match(passage, begin, end) else Kind.ITEM
    indent = passage[start:begin]
    depth = len(indent.expandtabs(4)) - len(indent.expandtabs(4).lstrip())
    return replace(_statement(passage, begin, end, kind, group), depth=depth)


def _sentences(passage: str, lines: list[_Line], group: int) -> Iterator[Statement]:
    start, end = lines[0].start, lines[-1].end
    while start < end:
        match = _SENTENCE_END.search(passage, start, end)
        stop = match.end() if match and match.end() > start else end
        statement = _statement(passage, start, stop, Kind.SENTENCE, group)
        if any(character.isalnum() for character in statement.plain):
            yield statement
        start = stop


def _statement(passage: str, start: int, end: int, kind: Kind, group: int) -> Statement:
    """Trimmed of white space and of the marks of quotation before it."""
    while start < end and passage[start] in " \t\n>":
        start += 1
    while end > start and passage[end - 1].isspace():
        end -= 1
    plain = " ".join(filter(None, (readable(line) for line in passage[start:end].split("\n"))))
    return Statement(start, end, kind, plain, "", "", group)
