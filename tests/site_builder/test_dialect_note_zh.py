"""309 real Chinese notes through the dialect: none fails, and only what is wrong is reported."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from site_builder.comments import without_comments
from site_builder.dialect.compiler import compile_parsed
from site_builder.identity import identify
from site_builder.linking import IndexedNote, NoteIndex, link_note
from site_builder.note import LinkKind
from site_builder.source import read_source


def test_all_notes_compile_and_link_with_the_findings_they_deserve(note_zh: Path):
    paths = sorted(note_zh.rglob("*.md"))
    notes = [read_source(p.relative_to(note_zh).as_posix(), p.read_bytes()) for p in paths]
    assets = [p.relative_to(note_zh).as_posix() for p in note_zh.glob("assets/*")]
    identities, findings = identify(notes, assets=assets)
    assert (len(notes), findings) == (309, ())
    compiled = [compile_parsed(note, without_comments(note.body, note.body_line)) for note in notes]
    index = NoteIndex.build(
        (
            IndexedNote.of(page, identity.doc_id, identity.url)
            for page, identity in zip(compiled, identities, strict=True)
        ),
        assets,
    )
    linked = [
        link_note(index, page, identity.doc_id)
        for page, identity in zip(compiled, identities, strict=True)
    ]
    for page in compiled:
        assert "".join(page.text[s.start : s.end] for s in page.sections) == page.text
    found = Counter(finding.kind.value for note in linked for finding in note.findings)
    expected = {"missing-note": 9, "missing-file": 1, "front-matter": 1, "drawing": 3, "syntax": 3}
    assert found == expected
    kinds = Counter(link.kind for note in linked for link in note.links)
    assert kinds[LinkKind.DOC] > 3500
    assert kinds[LinkKind.MISSING] == 10
    assert not any("nb-link-" in note.html for note in linked)
