"""309 real Chinese notes: none lost, every anchor on its page, every hash reproduced."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest


class Ids(HTMLParser):
    """Counts the ids of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.found: Counter[str] = Counter()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.update(value for name, value in attrs if name == "id" and value)


def test_every_note_is_published_the_ones_with_broken_front_matter_too(note_zh, note_zh_site):
    notes = {path.relative_to(note_zh).with_suffix("").as_posix() for path in note_zh.rglob("*.md")}
    assert len(notes) == 309
    assert set(note_zh_site.rows()) == notes
    places = {(finding.path, finding.line) for finding in note_zh_site.findings}
    assert ("软件工程/架构/系统设计/高并发.md", 4) in places


def test_every_anchor_of_the_toc_is_exactly_once_on_its_page(note_zh_site):
    anchors = 0
    for row in note_zh_site.rows().values():
        ids = Ids()
        ids.feed(note_zh_site.page(row["url"]))
        toc = note_zh_site.object("toc", row["toc"]["sha256"])
        wrong = [s["anchor"] for s in toc["sections"] if ids.found[s["anchor"]] != 1]
        assert wrong == [], row["id"]
        repeated = [name for name, count in ids.found.items() if count > 1]
        assert repeated == [], row["id"]
        anchors += len(toc["sections"])
    assert anchors > 9000


def test_every_section_reproduces_from_the_text(note_zh_site):
    for doc in note_zh_site.docs().values():
        position = 0
        for section in doc["sections"]:
            assert section["start"] == position
            piece = doc["text"][section["start"] : section["end"]]
            assert hashlib.sha256(piece.encode("utf-8")).hexdigest() == section["sha256"]
            position = section["end"]
        assert position == len(doc["text"])


def test_the_text_is_the_authors_markdown(note_zh, note_zh_site):
    for row in note_zh_site.rows().values():
        doc = note_zh_site.object("doc", row["doc"]["sha256"])
        source = (note_zh / row["path"]).read_text(encoding="utf-8-sig").replace("\r\n", "\n")
        # Front matter and comments go; what is left is the end of the source, unchanged.
        assert source.endswith(doc["text"]) or "%%" in source, row["id"]


def test_a_copy_read_in_another_order_gives_the_same_knowledge(
    note_zh, note_zh_site, build, tmp_path
):
    copy = tmp_path / "other name"
    paths = sorted(path for path in note_zh.rglob("*") if path.is_file())
    random.Random(7).shuffle(paths)
    for path in paths:
        target = copy / path.relative_to(note_zh)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    again = build(copy, tmp_path / "site", name="note-zh", language="zh")
    assert again.knowledge() == note_zh_site.knowledge()


OTHER_PYTHON = "NOTE_BRIDGE_OTHER_PYTHON"

BUILD = """
import sys
from pathlib import Path
from site_builder.build import build_site
from site_builder.project import BuildRequest
build_site(BuildRequest(Path(sys.argv[1]), Path(sys.argv[2]), name="note-zh", language="zh"))
"""


def test_another_python_gives_the_same_knowledge(note_zh, note_zh_site, tmp_path):
    python = os.environ.get(OTHER_PYTHON, "")
    if not python:
        pytest.skip(f"{OTHER_PYTHON} names no second Python with the project's dependencies")
    environment = {**os.environ, "PYTHONHASHSEED": "12345"}
    subprocess.run(
        [python, "-c", BUILD, str(note_zh), str(tmp_path / "site")],
        check=True,
        env=environment,
        cwd=Path(__file__).parents[2],
    )
    other = {
        path.relative_to(tmp_path / "site").as_posix(): path.read_bytes()
        for path in sorted((tmp_path / "site" / "ai").rglob("*"))
        if path.is_file()
    }
    assert other == note_zh_site.knowledge()


def test_the_independent_checker_agrees(note_zh_site):
    checker = Path(__file__).parent / "independent_checker.py"
    done = subprocess.run(
        [sys.executable, str(checker), str(note_zh_site.folder)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() in ("", json.dumps([])), done.stdout[:2000]
    assert done.returncode == 0
