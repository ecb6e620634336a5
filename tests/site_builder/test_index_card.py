"""Packed terms: what was packed comes back, and says what the contract's function says."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manifest.objects import Doc, TocSection
from manifest.references import Reference
from manifest.unit_terms import document_terms, unit_terms
from site_builder.index_card import IndexCard, NoteTerms, TermsBroken


def doc_of(title: str, texts: list[str], **fields: Any) -> Doc:
    sections: list[TocSection] = []
    start = 0
    for number, text in enumerate(texts):
        heading = f"{number}. part {text[:5]}"
        section = {"id": f"s{number}", "anchor": f"s{number}", "level": 2, "title": heading}
        section |= {"path": [heading], "start": start, "end": start + len(text)}
        sections.append(TocSection.model_validate(section | {"sha256": "0" * 64, "tokens": 1}))
        start += len(text)
    given = {"id": "d", "title": title, "language": "en", "url": "a/d/", **fields}
    return Doc.model_validate(given | {"text": "".join(texts), "sections": sections})


TEXTS = st.lists(st.text("ab 字典c\n#é", max_size=60), min_size=1, max_size=4)


@settings(max_examples=100)
@given(st.text("ab字 ", min_size=1, max_size=9), TEXTS)
def test_packed_terms_are_those_of_the_units(title: str, texts: list[str]) -> None:
    doc = doc_of(title, texts, meta={"tags": ["x/y"], "aliases": "other"})
    terms = NoteTerms.from_bytes(NoteTerms.of(doc).to_bytes())
    assert NoteTerms.of(doc).to_bytes() == terms.to_bytes()
    units = unit_terms(doc)
    assert terms.lengths.tolist() == [unit.length for unit in units]
    found: list[dict[str, int]] = [{} for _ in units]
    place = 0
    for term, count in zip(terms.terms, terms.counts.tolist(), strict=True):
        for _ in range(count):
            found[terms.units[place]][term] = int(terms.frequencies[place])
            place += 1
    assert found == [dict(unit.frequencies) for unit in units]
    assert terms.tags[:2] == ("tag:x", "tag:x/y")


def test_card_and_terms_together_hold_all_facts_of_a_document() -> None:
    links = [{"section": 0, "kind": "doc", "to": "b"}, {"section": 0, "kind": "embed", "to": "c"}]
    doc = doc_of("T", ["text #tag"], links=links)
    card = IndexCard("d", "T", "en", doc.url, Reference(sha256="0" * 64, size=1), ("b", "c"))
    assert [*NoteTerms.of(doc).tags, *card.facts()] == document_terms(doc)


def test_headings_give_phrases_without_their_numbers() -> None:
    assert set(NoteTerms.of(doc_of("Locks (draft)", ["one ", "two "])).phrases) == {
        "Locks",
        "part one",
        "part two",
    }


@pytest.mark.parametrize("damage", [lambda b: b[:-9], lambda b: b"x" + b, lambda _: b""])
def test_other_bytes_are_no_terms(damage: Any) -> None:
    with pytest.raises(TermsBroken):
        NoteTerms.from_bytes(damage(NoteTerms.of(doc_of("T", ["text"])).to_bytes()))
