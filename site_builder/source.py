"""A note's bytes become text: decoding, line ends, front matter. No disk is read here."""

from __future__ import annotations

import codecs
import unicodedata
from collections.abc import Callable
from typing import TypeAlias

from site_builder.front_matter import is_knowledge, read_front_matter, withheld_reason
from site_builder.note import Finding, FindingKind, SourceNote

SIZE_LIMIT = 4 * 1024 * 1024
"""Bytes of one note that are published; what stands beyond is left out, with a finding."""

_Report: TypeAlias = Callable[[int, FindingKind, str, str], None]

_UTF16 = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}
_REPLACEMENT = "\ufffd"


def read_source(path: str, data: bytes) -> SourceNote:
    """Reads one note.

    path: POSIX, relative to the folder of notes. data: the file's bytes, any bytes at all.
    Nothing is refused: what cannot be read is replaced or left out, and a finding names the line.
    """
    path = unicodedata.normalize("NFC", path)
    findings: list[Finding] = []

    def report(line: int, kind: FindingKind, message: str, hint: str) -> None:
        findings.append(Finding(path, line, kind, message, hint))

    data = _within_limit(data, report)
    text = _decode(data, report)
    front = read_front_matter(text)
    withheld = withheld_reason(front)
    for line, problem in front.faults:
        report(line, FindingKind.FRONT_MATTER, problem, "mend the lines between the dashes")
    if withheld and front.broken:
        report(
            0,
            FindingKind.WITHHELD,
            "withheld: its front matter cannot be read and mentions draft, publish or exclude",
            "mend the front matter to publish it",
        )
    return SourceNote(
        path=path,
        meta=front.meta,
        body=text[front.length :],
        body_line=front.lines + 1,
        withheld=withheld,
        knowledge=is_knowledge(front.meta),
        findings=tuple(findings),
    )


def _within_limit(data: bytes, report: _Report) -> bytes:
    if len(data) <= SIZE_LIMIT:
        return data
    cut = data.rfind(b"\n", 0, SIZE_LIMIT) + 1 or SIZE_LIMIT
    while cut and data[cut] & 0xC0 == 0x80:
        cut -= 1
    report(
        data.count(b"\n", 0, cut) + 1,
        FindingKind.LIMIT,
        f"the note is larger than {SIZE_LIMIT} bytes; what follows is not published",
        "split the note",
    )
    return data[:cut]


def _decode(data: bytes, report: _Report) -> str:
    """The text with `\\n` as its only line end; line numbers are those an editor shows."""
    for mark, encoding in _UTF16.items():
        if data.startswith(mark):
            report(0, FindingKind.ENCODING, "the note is in UTF-16", "save it as UTF-8")
            return _without_nul(_newlines(data[2:].decode(encoding, "replace")), report)
    data = data.removeprefix(codecs.BOM_UTF8).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        text = data.decode("utf-8", "replace")
        count = text.count(_REPLACEMENT) - data.count(_REPLACEMENT.encode())
        report(
            data.count(b"\n", 0, error.start) + 1,
            FindingKind.ENCODING,
            f"not UTF-8: replaced {count} unreadable {'byte' if count == 1 else 'bytes'}",
            "save the note as UTF-8",
        )
    return _without_nul(text, report)


def _newlines(text: str) -> str:
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _without_nul(text: str, report: _Report) -> str:
    where = text.find("\0")
    if where < 0:
        return text
    line = text.count("\n", 0, where) + 1
    report(line, FindingKind.ENCODING, "a NUL character was replaced", "remove it")
    return text.replace("\0", _REPLACEMENT)
