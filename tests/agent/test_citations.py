"""Citations are checked against stored passages, numbered per answer, and never trusted."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from agent.citations import CitedStream, Source, Verdict, check_answer

PASSAGE = "前言。死锁产生要求 **全部成立**，缺一不可。\n\n后语很长，有很多字在这里。"
SOURCES = {
    1: Source("id-1", PASSAGE, 100),
    2: Source("id-2", "A passage with several plain words in it.", 0),
}


def lookup(label: int) -> Source | None:
    return SOURCES.get(label)


def test_found_words_are_verified_and_shown_as_they_stand() -> None:
    checked = check_answer("答：要全部成立 [E1 “死锁产生要求全部成立”]。", lookup)
    assert checked.text == "答：要全部成立 [1]。"
    (citation,) = checked.citations
    assert citation.verdict is Verdict.QUOTED
    assert citation.verified
    assert citation.quote == "死锁产生要求 **全部成立"
    assert PASSAGE[citation.start - 100 : citation.end - 100] == citation.quote


def test_words_that_are_not_there_are_not_verified() -> None:
    (citation,) = check_answer("[E1 “死锁产生要求部分成立”]", lookup).citations
    assert citation.verdict is Verdict.NOT_FOUND
    assert not citation.verified
    assert (citation.start, citation.end) == (100, 100 + len(PASSAGE))


def test_a_label_alone_or_too_few_words_name_the_source_only() -> None:
    for answer in ("[E1]", "[E1 “缺一不可”]", '[E2 "several plain words"]'):
        (citation,) = check_answer(answer, lookup).citations
        assert citation.verdict is Verdict.SOURCE_ONLY
        assert not citation.verified


def test_labels_of_nothing_are_dropped_and_counted() -> None:
    checked = check_answer('So [E9] it is [E77 "words that stand nowhere"], yes.', lookup)
    assert checked.text == "So it is, yes."
    assert checked.citations == ()
    assert checked.dropped == 2


def test_numbers_follow_the_text_and_the_same_span_keeps_its_number() -> None:
    checked = check_answer('a [E2] b [E1] c [E2] d [E2 "several plain words in it"]', lookup)
    assert checked.text == "a [1] b [2] c [1] d [3]"
    assert [citation.n for citation in checked.citations] == [1, 2, 3]


def test_several_labels_in_one_mark_become_several_numbers() -> None:
    assert check_answer("both [E1, E2, E9].", lookup).text == "both [1][2]."


def test_the_label_of_nothing_declines() -> None:
    checked = check_answer("The notes do not answer this. [E0]", lookup)
    assert checked.declined
    assert checked.text == "The notes do not answer this."
    assert checked.dropped == 0


def test_a_quotation_of_one_passage_is_not_found_in_another() -> None:
    (citation,) = check_answer("[E2 “死锁产生要求全部成立”]", lookup).citations
    assert citation.verdict is Verdict.NOT_FOUND


_PIECES = st.lists(
    st.sampled_from(
        [
            "text ",
            "。",
            "[",
            "]",
            "[E1]",
            " [E2]",
            " [E9] ",
            '[E2 "several plain words in it"]',
            "[E1 “死锁产生",
            "要求全部成立”]",
            "[E0]",
            "  ",
        ]
    ),
    max_size=12,
)


@given(pieces=_PIECES)
def test_streamed_text_shows_what_the_whole_answer_shows(pieces: list[str]) -> None:
    stream = CitedStream(lookup)
    shown = "".join([*(stream.feed(piece) for piece in pieces), stream.flush()])
    whole = check_answer("".join(pieces), lookup)
    assert shown.strip() == whole.text
    assert tuple(stream.checker.citations) == whole.citations
    assert stream.checker.dropped == whole.dropped


@given(pieces=_PIECES)
def test_a_verified_quote_is_always_a_slice_of_its_source(pieces: list[str]) -> None:
    for citation in check_answer("".join(pieces), lookup).citations:
        source = next(each for each in SOURCES.values() if each.id == citation.evidence_id)
        assert source.text[citation.start - source.start : citation.end - source.start] == (
            citation.quote
        )
