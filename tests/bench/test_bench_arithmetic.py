"""The sums that figures are made of."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.author import edited_text
from bench.cmrc import Paragraph, ranking_figures, write_passages
from bench.figures import percentile, spread
from bench.gold_spans import Place, covered, returned, span_recall
from bench.note_parts import source_note
from bench.questions import WORDS, make_questions
from bridge_reader.passages import Passage
from bridge_reader.search.report import Hit
from manifest.references import Reference
from manifest.units import Span

spans = st.lists(
    st.tuples(st.integers(0, 60), st.integers(0, 20)).map(lambda pair: Span(pair[0], sum(pair))),
    max_size=8,
)


def characters(found: list[Span]) -> set[int]:
    return {place for span in found for place in range(span.start, span.end)}


@given(spans, spans)
def test_recall_is_the_share_of_gold_characters_found(gold: list[Span], found: list[Span]) -> None:
    wanted = characters(gold)
    expected = len(wanted & characters(found)) / len(wanted) if wanted else 1.0

    assert span_recall(gold, found) == pytest.approx(expected)


@given(spans)
def test_covered_spans_are_apart_and_hold_the_same_characters(given_spans: list[Span]) -> None:
    merged = covered(given_spans)

    assert characters(merged) == characters(given_spans)
    assert all(left.end < right.start for left, right in pairwise(merged))


@given(st.lists(st.integers(), min_size=1, max_size=50), st.floats(0.01, 1))
def test_a_percentile_is_the_smallest_value_that_covers_the_share(
    values: list[int], share: float
) -> None:
    found = percentile(values, share)

    assert sum(value <= found for value in values) >= share * len(values)
    assert sum(value < found for value in values) < share * len(values)


def test_the_spread_of_a_sample() -> None:
    assert spread(list(range(1, 11))) == {"p50": 5, "p90": 9, "max": 10, "mean": 5.5}


def test_an_empty_sample_has_no_percentile() -> None:
    with pytest.raises(ValueError, match="empty"):
        percentile([], 0.5)


def test_ranks_become_recall_and_mean_reciprocal_rank() -> None:
    assert ranking_figures([1, 2, 5, 6, 0]) == {
        "questions": 5,
        "recallAt1": 0.2,
        "recallAt5": 0.6,
        "mrr": round((1 + 1 / 2 + 1 / 5 + 1 / 6) / 5, 4),
    }


def test_a_passage_that_stands_twice_is_right_in_either_place(tmp_path: Path) -> None:
    same: Paragraph = {"context": "同一段", "qas": [{"question": "问"}]}
    other: Paragraph = {"context": "另一段", "qas": []}

    asked = write_passages({"data": [{"paragraphs": [same, other, same]}]}, tmp_path / "notes")

    assert [question.documents for question in asked] == [frozenset({"p0000", "p0002"})] * 2


def hit(document: str, *found: tuple[int, int]) -> Hit:
    passages = tuple(
        Passage("", document, "", "", "", start, end, "", "", (), "", "", 0) for start, end in found
    )
    return Hit(document, "", "en", Reference(sha256="0" * 64, size=0), 0, 0, passages=passages)


def test_returned_places_are_those_of_the_text_and_end_at_the_limit() -> None:
    places = {"a/000": Place("a", Span(0, 9000)), "a/001": Place("a", Span(9000, 20_000))}

    found = returned([hit("a/001", (100, 6100)), hit("a/000", (0, 3000), (3000, 6000))], places)

    assert [place.span for place in found] == [
        Span(9100, 15_100),
        Span(0, 3000),
        Span(3000, 4000),
    ]


def test_an_edit_adds_one_sentence_to_a_paragraph_outside_code() -> None:
    text = "# T\n\nfirst\n\n```\ncode\ncode\n```\n\nlast words\n"

    assert edited_text(text, "New.") == text.replace("last words", "last words New.")


def test_a_note_without_paragraphs_is_edited_at_its_end() -> None:
    assert edited_text("- a\n- b\n", "New.") == "- a\n- b\n\nNew.\n"


def test_questions_have_about_a_dozen_words_and_come_again_with_the_seed() -> None:
    clause = "the write path keeps every change in order and readers see a snapshot of it all"
    notes = [
        source_note(
            f"{n}.md",
            f"# Note {n}\n\nSay {n} {clause}.\n\n中文{'这是一个很长的句子' * 4}。".encode(),
        )
        for n in range(30)
    ]
    made = make_questions([note for note in notes if note is not None], 20, seed=3)

    assert len({question.text for question in made}) == 20
    assert {question.language for question in made} == {"zh", "en"}
    assert made == make_questions([note for note in notes if note is not None], 20, seed=3)
    english = [len(question.text.split()) for question in made if question.language == "en"]
    assert all(8 <= count <= WORDS + 8 for count in english)
