"""The notes of a built site, read back from what it publishes: checks see what readers get."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

from manifest.canonical import decode
from manifest.manifest_file import read_manifest
from manifest.objects import Index, Leaf, LeafDocument, PublishedObject, Root, read_object
from manifest.references import MANIFEST_PATH, Kind, object_path
from site_builder.checking.checks import LINES_WITHOUT_TITLE, CheckedNote
from site_builder.checking.likeness import sketch
from site_builder.front_matter import read_front_matter

_Object = TypeVar("_Object", bound=PublishedObject)

_TITLE_KEY = re.compile(r"^title[ \t]*:", re.M)
_LINE = re.compile(r"(?P<fence>[ \t>]*(?:```|~~~))|#[ \t]")


def published_notes(site: Path) -> Iterator[CheckedNote]:
    """The documents of the site in a folder, one at a time.

    Raises `NoteBridgeError` for a manifest or an object that is none.
    """
    root = _read(Root, site, Kind.ROOT, read_manifest((site / MANIFEST_PATH).read_bytes()).revision)
    for row in _rows(site, root.tree.sha256):
        path = object_path(Kind.DOC, row.doc.sha256)
        doc = decode((site / path).read_bytes(), name=path)
        assert isinstance(doc, dict)
        links = doc.get("links", [])
        assert isinstance(links, list)
        yield CheckedNote(
            path=row.path,
            doc_id=row.id,
            url=row.url,
            title=row.title,
            language=row.language,
            links=tuple(
                str(link["to"])
                for link in links
                if isinstance(link, dict) and link["kind"] in ("doc", "embed")
            ),
            sketch=sketch(str(doc["text"])),
        )


def title_line(text: str) -> int:
    """The line of a note's file on which its title stands: in the front matter, else the first
    heading of level 1; the first line where there is neither."""
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    front = read_front_matter(text)
    if found := _TITLE_KEY.search(text, 0, front.length):
        return text.count("\n", 0, found.start()) + 1
    fenced = False
    for number, line in enumerate(text[front.length :].split("\n"), front.lines + 1):
        begins = _LINE.match(line)
        if begins and begins["fence"]:
            fenced = not fenced
        elif begins and not fenced:
            return number
    return LINES_WITHOUT_TITLE


def _rows(site: Path, tree: str) -> Iterator[LeafDocument]:
    pending = [tree]
    while pending:
        index = _read(Index, site, Kind.INDEX, pending.pop())
        pending.extend(row.sha256 for row in index.children or ())
        for row in index.leaves:
            yield from _read(Leaf, site, Kind.LEAF, row.sha256).docs


def _read(model: type[_Object], site: Path, kind: Kind, sha256: str) -> _Object:
    path = object_path(kind, sha256)
    return read_object(model, (site / path).read_bytes(), name=path)
