"""Bytes of a note into text: encodings, line ends, limits."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from site_builder.note import FindingKind
from site_builder.source import SIZE_LIMIT, read_source


def kinds(note):
    return [(finding.kind, finding.line) for finding in note.findings]


def test_line_ends_and_byte_order_mark_are_normalised():
    note = read_source("a.md", b"\xef\xbb\xbfone\r\ntwo\rthree\n")
    assert note.body == "one\ntwo\nthree\n"
    assert note.findings == ()


def test_front_matter_behind_a_byte_order_mark_and_windows_line_ends_is_found():
    note = read_source("a.md", b"\xef\xbb\xbf---\r\ntitle: T\r\n---\r\ntext\r\n")
    assert (note.meta, note.body, note.body_line) == ({"title": "T"}, "text\n", 4)


@pytest.mark.parametrize("line_end", [b"\n", b"\r\n", b"\r"])
def test_what_is_not_utf8_is_replaced_and_its_line_named(line_end):
    note = read_source("a.md", line_end.join([b"one", b"caf\xe9 \xff", b"end"]))
    assert note.body == "one\ncaf\ufffd \ufffd\nend"
    assert kinds(note) == [(FindingKind.ENCODING, 2)]
    assert "2 unreadable bytes" in note.findings[0].message


def test_a_replacement_character_of_the_author_is_not_counted():
    note = read_source("a.md", "\ufffd".encode() + b"\xe9")
    assert "1 unreadable byte" in note.findings[0].message


def test_half_a_surrogate_pair_never_reaches_the_text():
    note = read_source("a.md", b"a\xed\xa0\x80b")
    assert not any("\ud800" <= char <= "\udfff" for char in note.body)
    assert kinds(note) == [(FindingKind.ENCODING, 1)]


def test_nul_is_replaced_and_its_line_named():
    note = read_source("a.md", b"one\n\0two")
    assert note.body == "one\n\ufffdtwo"
    assert kinds(note) == [(FindingKind.ENCODING, 2)]


def test_utf16_is_read_and_reported():
    note = read_source("a.md", "\ufeff死锁\r\n".encode("utf-16-le"))
    assert note.body == "死锁\n"
    assert kinds(note) == [(FindingKind.ENCODING, 0)]


def test_paths_are_composed():
    assert read_source(unicodedata.normalize("NFD", "é.md"), b"").path == "é.md"


def test_a_note_beyond_the_limit_is_cut_at_a_line_and_the_line_named():
    line = "漢".encode() * 300 + b"\n"
    note = read_source("a.md", line * (SIZE_LIMIT // len(line) + 10))
    assert len(note.body.encode()) <= SIZE_LIMIT
    assert note.body.endswith("漢\n")
    assert kinds(note) == [(FindingKind.LIMIT, note.body.count("\n") + 1)]


def test_one_endless_line_is_cut_between_characters():
    note = read_source("a.md", "漢".encode() * (SIZE_LIMIT // 3 + 10))
    assert set(note.body) == {"漢"}
    assert kinds(note) == [(FindingKind.LIMIT, 1)]


def test_a_draft_is_withheld_without_a_warning():
    note = read_source("a.md", b"---\ndraft: true\n---\nsecret\n")
    assert note.withheld
    assert note.findings == ()


def test_broken_front_matter_that_mentions_draft_withholds_with_a_warning():
    note = read_source("a.md", b"---\ntags: ['a\ndraft: true\n---\ntext\n")
    assert note.withheld
    assert FindingKind.WITHHELD in {finding.kind for finding in note.findings}


def test_knowledge_false_keeps_a_note_off_the_knowledge_alone():
    note = read_source("a.md", b"---\nknowledge: No\n---\ntext\n")
    assert (note.knowledge, note.withheld) == (False, "")


@given(st.binary(max_size=300))
def test_any_bytes_become_publishable_text(data):
    note = read_source("a.md", data)
    note.body.encode("utf-8")
    assert "\r" not in note.body
    assert "\0" not in note.body


@given(st.text(max_size=200))
def test_text_without_front_matter_keeps_its_lines(text):
    clean = text.encode("utf-8", "replace").decode()
    note = read_source("a.md", b"# a\n" + clean.encode())
    assert (
        note.body.count("\n") == (clean.replace("\r\n", "\n").replace("\r", "\n")).count("\n") + 1
    )
    assert note.body_line == 1
