"""Rows of postings: numbers that stand for documents, units and impacts, and nothing else."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manifest.search_objects import (
    Continuation,
    Posting,
    Shard,
    TermPostings,
    read_postings,
    write_postings,
)

HASH = "0123456789abcdef" * 4
postings = st.dictionaries(
    st.tuples(st.integers(0, 9) | st.integers(0, 10**6), st.integers(0, 10**5)),
    st.integers(1, 15),
    max_size=40,
).map(lambda impacts: [Posting(*place, impact) for place, impact in sorted(impacts.items())])


@given(postings)
def test_postings_are_read_as_they_were_written(rows: list[Posting]) -> None:
    assert list(read_postings(write_postings(rows))) == rows


@given(postings)
def test_each_document_is_named_once(rows: list[Posting]) -> None:
    numbers = write_postings(rows)
    assert len(numbers) == len(rows) + len({posting.ordinal for posting in rows})
    assert sum(number < 0 for number in numbers) == len({posting.ordinal for posting in rows})


@given(postings, postings)
def test_later_documents_are_appended(rows: list[Posting], more: list[Posting]) -> None:
    first = rows[-1].ordinal + 1 if rows else 0
    later = [Posting(posting.ordinal + first, posting.unit, posting.impact) for posting in more]
    whole = write_postings([*rows, *later])
    assert whole[: len(write_postings(rows))] == write_postings(rows)


@pytest.mark.parametrize(
    "numbers",
    [
        pytest.param([17], id="a posting before any document"),
        pytest.param([0], id="zero before any document"),
        pytest.param([-1, 0], id="no impact"),
        pytest.param([-1, 16], id="no impact in unit 1"),
        pytest.param([-1, 17, -1, 32], id="no impact in a later document"),
    ],
)
def test_numbers_that_make_no_sense_are_refused(numbers: list[int]) -> None:
    with pytest.raises(ValueError, match="posting"):
        list(read_postings(numbers))


@given(st.lists(st.integers(-(2**53), 2**53), max_size=20))
def test_whatever_numbers_come_postings_make_sense(numbers: list[int]) -> None:
    try:
        found = list(read_postings(numbers))
    except ValueError:
        return
    assert all(p.ordinal >= 0 and p.unit >= 0 and 1 <= p.impact <= 15 for p in found)


def shard(*rows: list[Any]) -> list[TermPostings]:
    return list(Shard(terms=list(rows)).rows())


def test_a_row_begins_with_its_term_and_may_go_on_elsewhere() -> None:
    continuation = {"sha256": HASH, "size": 40, "count": 5000, "added later": 1}
    assert shard(["a", -1, 1], ["b", continuation, -1, 1], ["c"]) == [
        TermPostings("a", None, [-1, 1]),
        TermPostings("b", Continuation(sha256=HASH, size=40, count=5000), [-1, 1]),
        TermPostings("c", None, []),
    ]


@pytest.mark.parametrize(
    "row",
    [
        pytest.param([], id="empty"),
        pytest.param([7, -1, 1], id="no term"),
        pytest.param([["a"], -1, 1], id="a list for a term"),
        pytest.param(["a", "b"], id="text for a number"),
        pytest.param(["a", -1, True], id="truth for a number"),
        pytest.param(["a", -1, 1.0], id="a float"),
        pytest.param(["a", -1, [1]], id="a list for a number"),
        pytest.param(["a", {"sha256": HASH}, -1, 1], id="half a continuation"),
        pytest.param(["a", {"sha256": HASH.upper(), "size": 1, "count": 1}], id="no hash"),
        pytest.param(["a", -1, {"sha256": HASH, "size": 1, "count": 1}], id="out of place"),
    ],
)
def test_a_row_that_is_none_is_refused(row: list[Any]) -> None:
    with pytest.raises(ValueError, match=r"begins with its term|are integers|Continuation"):
        shard(row)
