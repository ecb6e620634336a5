"""Small real sites to release, and a check that what stands at a target is whole.

Loaded by path; the knowledge comes from the publisher itself, the judgement from the independent
checker.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import re
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from manifest.anchors import Anchors, slug
from manifest.manifest_file import Manifest, Retention, write_manifest
from manifest.objects import Asset, Doc, TocSection
from manifest.references import Reference
from manifest.units import token_estimate
from site_builder.categories import folder_tree
from site_builder.documents import NoteFacts, publish_document
from site_builder.index_card import IndexCard, NoteTerms
from site_builder.knowledge import KnownDocument, SiteFacts, publish_knowledge
from site_builder.object_sink import FolderSink

HERE = Path(__file__).parent
MANIFEST = "ai/manifest.json"
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 8

FIRST_NOTES = {
    "locks": "# Locks\nA lock keeps others out.\n## Deadlock\nTwo wait for each other.\n",
    "os/死锁": "# 死锁\n两个进程互相等待。\n## 预防\n破坏循环等待。\n",
    "os/threads": "# Threads\nThreads share memory and need locks.\n",
    "garden": "# Garden\nTomatoes and basil.\n",
    "goes": "# Goes\nThis note will be taken away.\n",
}
SECOND_NOTES = {
    **{name: text for name, text in FIRST_NOTES.items() if name != "goes"},
    "garden": "# Garden\nTomatoes, basil and a fence.\n## Fence\nIt keeps deer out.\n",
    "comes": "# Comes\nThis note is new.\n",
}
FIRST_FILES = {
    "assets/site.css": b"body{color:black}",
    "assets/old.js": b"old()",
    "img/a.png": PICTURE,
}
SECOND_FILES = {
    "assets/site.css": b"body{color:green}",
    "assets/new.js": b"fresh()",
    "img/a.png": PICTURE,
}


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_checker = load(HERE.parent / "site_builder" / "independent_checker.py")


def write_site(
    folder: Path,
    notes: Mapping[str, str],
    files: Mapping[str, bytes],
    *,
    title: str = "Notes",
    knowledge_base_id: str = "kb",
    license_text: str = "",
    retention: Retention | None = None,
) -> Manifest:
    """Builds a site of these notes and files into a new folder."""
    documents = [_document(doc_id, text) for doc_id, text in notes.items()]
    sink = FolderSink(folder)
    terms = {doc.id: NoteTerms.of(doc) for doc in documents}
    manifest = publish_knowledge(
        [_known(doc, sink) for doc in documents],
        folder_tree(title, {doc.id: doc.id.split("/")[:-1] for doc in documents}),
        SiteFacts(
            knowledge_base_id=knowledge_base_id,
            title=title,
            site_url="https://notes.example/",
            language="en",
            retention=retention or Retention(revisions=3, days=30),
            license_text=license_text,
        ),
        terms.__getitem__,
        sink,
    )
    pages = {f"{doc.url}index.html": _page(doc) for doc in documents}
    home = {"index.html": _html(" ".join(notes)), "404.html": _html("Not found"), "_headers": b"/*"}
    for path, body in {**files, **pages, **home}.items():
        place = folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(body)
    (folder / MANIFEST).write_bytes(write_manifest(manifest))
    return manifest


def add_second_segment(folder: Path) -> None:
    """Makes of a site one that was built on an earlier one, as far as its root can tell."""
    path = folder / MANIFEST
    manifest = json.loads(path.read_bytes())
    old = folder / f"ai/objects/root/{manifest['revision']}.json"
    root = json.loads(old.read_bytes())
    root["segments"] *= 2
    body = json.dumps(root, sort_keys=True, separators=(",", ":")).encode()
    manifest |= {"revision": _sha256(body), "root": {"sha256": _sha256(body), "size": len(body)}}
    old.with_name(f"{_sha256(body)}.json").write_bytes(body)
    path.write_text(json.dumps(manifest, sort_keys=True, separators=(",", ":")), "utf-8")


def _document(doc_id: str, text: str) -> Doc:
    starts = [match.start() for match in re.finditer(r"^#+ ", text, re.MULTILINE)]
    anchors, sections, trail = Anchors(), list[TocSection](), list[tuple[int, str]]()
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        marks, _, heading = text[start:end].partition("\n")[0].partition(" ")
        trail = [step for step in trail if step[0] < len(marks)] + [(len(marks), heading)]
        anchor = anchors.assign(slug(heading))
        sections.append(
            TocSection(
                id=anchor,
                anchor=anchor,
                level=len(marks),
                title=heading,
                path=[step[1] for step in trail],
                start=start,
                end=end,
                sha256=_sha256(text[start:end].encode()),
                tokens=token_estimate(text[start:end]),
            )
        )
    return Doc(
        id=doc_id,
        title=sections[0].title,
        language="en",
        url=f"{doc_id}/",
        text=text,
        sections=sections,
        assets=[Asset(path="img/a.png", sha256=_sha256(PICTURE), size=len(PICTURE))],
    )


def _known(doc: Doc, sink: FolderSink) -> KnownDocument:
    facts = NoteFacts(doc.id, f"{doc.id}.md", doc.url, doc.language, {})
    published = publish_document(doc, facts, sink)
    reference = Reference(sha256=published.doc.sha256, size=published.doc.size)
    card = IndexCard(doc.id, doc.title, doc.language, doc.url, reference, ())
    return KnownDocument(card, published)


def _page(doc: Doc) -> bytes:
    return _html("".join(f'<h1 id="{section.anchor}">x</h1>' for section in doc.sections))


def _html(body: str) -> bytes:
    return f"<!doctype html><meta charset=utf-8>{body}".encode()


def _sha256(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def site_files(folder: Path) -> dict[str, bytes]:
    """What visitors can be sent: everything but knowledge, the releases' record and temporaries."""
    return {
        path: body
        for path, body in all_files(folder).items()
        if not path.startswith("ai/") and not Path(path).name.startswith(".note-bridge")
    }


def all_files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def read_manifest(folder: Path) -> dict[str, Any] | None:
    path = folder / MANIFEST
    value: dict[str, Any] | None = json.loads(path.read_bytes()) if path.is_file() else None
    return value


def problems(folder: Path) -> list[str]:
    """What the independent checker says of a finished release, pages and all.

    Its verdict depends on the files alone, so equal files are judged once.
    """
    state = frozenset((path, _sha256(body)) for path, body in all_files(folder).items())
    if state not in _verdicts:
        _verdicts[state] = _checker.check_site(folder).problems
    return _verdicts[state]


_verdicts: dict[frozenset[tuple[str, str]], list[str]] = {}


def knowledge_problems(folder: Path) -> list[str]:
    """The same without pages: between pages and manifest these are ahead of the knowledge."""
    with tempfile.TemporaryDirectory() as place:
        copy = Path(place) / "site"
        shutil.copytree(folder, copy, ignore=shutil.ignore_patterns("*.html", ".note-bridge*"))
        return problems(copy)


def interrupted_problems(folder: Path, old: Path | None, new: Path) -> list[str]:
    """What is not whole at a target after a release of `new` over `old` stopped somewhere."""
    before = site_files(old) if old else {}
    after, there = site_files(new), site_files(folder)
    live = read_manifest(folder)
    switched = live is not None and live["revision"] == read_manifest(new)["revision"]
    found = [] if live is None and old is None else knowledge_problems(folder)
    found += [
        f"{path} is torn"
        for path, body in there.items()
        if path in before.keys() | after.keys() and body not in (before.get(path), after.get(path))
    ]
    needed = after if switched else before
    found += [f"{path} is missing" for path in needed if path not in there]
    if switched:
        found += [f"{path} is old" for path, body in after.items() if there.get(path) != body]
    return found
