"""How a document enters the search base: its units, their terms, and its facts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manifest.objects import Doc, DocLink, TocSection
from manifest.tokens import tokens
from manifest.unit_terms import LEVEL_LIMIT, WEIGHTS, document_terms, unit_terms

HASH = "0" * 64


def section(start: int, end: int, *path: str) -> TocSection:
    return TocSection(
        id=path[-1],
        anchor=path[-1],
        level=len(path),
        title=path[-1],
        path=list(path),
        start=start,
        end=end,
        sha256=HASH,
        tokens=1,
    )


def document(
    text: str,
    *sections: TocSection,
    title: str = "",
    url: str = "a/",
    meta: dict[str, str | list[str]] | None = None,
    links: list[DocLink] | None = None,
) -> Doc:
    return Doc.model_validate(
        {
            "id": "a",
            "title": title,
            "language": "en",
            "url": url,
            "meta": meta or {},
            "text": text,
            "sections": list(sections) or [section(0, len(text), "")],
            "links": links or [],
        }
    )


def test_each_field_adds_its_weight() -> None:
    doc = document(
        "body body #tag",
        section(0, 14, "outer", "heading"),
        title="title",
        meta={"tags": ["meta tag"], "aliases": ["alias"]},
    )
    (unit,) = unit_terms(doc)
    assert unit.length == 3
    assert unit.frequencies == {
        "body": 2 * WEIGHTS.body,
        "tag": WEIGHTS.body + 2 * WEIGHTS.tags,
        "meta": WEIGHTS.tags,
        "title": WEIGHTS.title,
        "heading": WEIGHTS.heading,
        "outer": WEIGHTS.path,
        "alias": WEIGHTS.aliases,
    }


def test_every_unit_knows_the_title_and_its_own_section() -> None:
    doc = document("one\ntwo", section(0, 4, "first"), section(4, 7, "first", "second"), title="t")
    first, second = unit_terms(doc)
    assert first.frequencies.keys() == {"t", "first", "one"}
    assert second.frequencies.keys() == {"t", "first", "second", "two"}


def test_a_note_without_text_is_found_by_its_title() -> None:
    (unit,) = unit_terms(document("", title="only a title"))
    assert unit.length == 0
    assert set(unit.frequencies) == {"only", "a", "title"}


@given(st.lists(st.sampled_from(["死锁的必要条件" * 9, "word " * 30, "fooBar", ""]), max_size=90))
def test_no_word_of_the_text_is_lost_between_units(blocks: list[str]) -> None:
    text = "\n\n".join(blocks)
    units = unit_terms(document(text))
    assert sum(unit.length for unit in units) == len(tokens(text))
    assert sum(sum(unit.frequencies.values()) for unit in units) == WEIGHTS.body * len(tokens(text))


def test_facts_are_terms_that_no_word_can_be() -> None:
    doc = document(
        "#Area/Sub #标签",
        url="os/locks/deadlock/",
        meta={"tags": "x"},
        links=[
            DocLink(section=0, kind="doc", to="other"),
            DocLink(section=0, kind="embed", to="other"),
            DocLink(section=0, kind="doc", to="a"),
            DocLink(section=0, kind="external", to="https://e.org/"),
            DocLink(section=0, kind="missing", to="gone"),
        ],
    )
    facts = document_terms(doc)
    assert facts == [
        "tag:x",
        "tag:area",
        "tag:area/sub",
        "tag:标签",
        "folder:os",
        "folder:os/locks",
        "folder:os/locks/deadlock",
        "link:other",
    ]
    assert not any(fact in tokens(fact) for fact in facts)


def test_the_home_page_lies_in_no_folder() -> None:
    assert document_terms(document("", url="")) == []


@pytest.mark.parametrize("levels", [1, LEVEL_LIMIT, LEVEL_LIMIT + 1, 100_000])
def test_levels_beyond_the_limit_have_no_terms(levels: int) -> None:
    deep = "/".join(["x"] * levels)
    facts = document_terms(document("", url=deep + "/", meta={"tags": [deep]}))
    known = min(levels, LEVEL_LIMIT)
    assert facts[:known] == [f"tag:{deep[: 2 * n - 1]}" for n in range(1, known + 1)]
    assert facts[known:] == [f"folder:{deep[: 2 * n - 1]}" for n in range(1, known + 1)]
