"""The published vectors: cases that the reader in Python and the one in the browser both pass."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

import manifest
from manifest.anchors import Anchors, slug
from manifest.canonical import decode, encode, sha256_hex
from manifest.objects import Doc
from manifest.query_plan import QueryTerm, plan_terms, query_terms
from manifest.ranking import TermMatches, idf, rank
from manifest.search_objects import Posting, read_postings, write_postings
from manifest.search_text import document_tags, search_text
from manifest.tokens import tokens
from manifest.tree import tree_digits
from manifest.unit_terms import document_terms, impact, pivot, unit_terms
from manifest.units import cut

FOLDER = Path(manifest.__file__).with_name("vectors")
Case: TypeAlias = dict[str, Any]


def _planned(case: Case) -> list[str]:
    return [
        term.term for term in plan_terms([QueryTerm(term) for term in case["terms"]], case["hot"])
    ]


def _ranked(case: Case) -> list[list[int]]:
    matches = [
        TermMatches(idf=weight, postings=[Posting(*posting) for posting in postings])
        for weight, postings in case["matches"]
    ]
    return [list(found) for found in rank(matches)]


def _unit_terms(case: Case) -> list[dict[str, object]]:
    units = unit_terms(Doc.model_validate(case["doc"]))
    return [{"length": unit.length, "frequencies": unit.frequencies} for unit in units]


def _query_terms(case: Case) -> list[str]:
    return [term.term + "*" * term.prefix for term in query_terms(case["question"])]


COMPUTED: dict[str, dict[str, Callable[[Case], object]]] = {
    "anchors": {"anchor": lambda case: slug(case["text"])},
    "canonical": {
        "text": lambda case: encode(case["value"]).decode("utf-8"),
        "sha256": lambda case: sha256_hex(encode(case["value"])),
        "value": lambda case: decode(case["text"].encode("utf-8"), name="a vector"),
    },
    "idf": {"idf": lambda case: idf(case["units"], case["occurrences"])},
    "impact": {
        "impact": lambda case: impact(case["frequency"], case["length"], case["pivot"]),
    },
    "pivot": {"pivot": lambda case: pivot(case["tokens"], case["units"])},
    "postings": {
        "postings": lambda case: [list(posting) for posting in read_postings(case["numbers"])],
        "numbers": lambda case: write_postings([Posting(*row) for row in case["postings"]]),
    },
    "query_plan": {"plan": _planned},
    "query_terms": {"terms": _query_terms},
    "ranking": {"ranked": _ranked},
    "search_text": {"text": lambda case: search_text(case["markdown"])},
    "tags": {"tags": lambda case: document_tags(case["meta"], case["text"])},
    "tokens": {"tokens": lambda case: tokens(case["text"])},
    "tree_digits": {"digits": lambda case: tree_digits(case["id"])[:16]},
    "unit_terms": {
        "units": _unit_terms,
        "facts": lambda case: document_terms(Doc.model_validate(case["doc"])),
    },
    "units": {
        "pieces": lambda case: [
            list(span) for span in cut(case["text"], 0, len(case["text"]), case["limit"])
        ],
    },
}
"""For each file of cases, what of a case is computed from the rest of it."""


def _cases(name: str) -> list[Case]:
    cases: list[Case] = json.loads((FOLDER / f"{name}.json").read_bytes())["cases"]
    return cases


@pytest.mark.parametrize(
    ("name", "field", "case"),
    [
        pytest.param(name, field, case, id=f"{name}-{number}-{field}")
        for name, fields in COMPUTED.items()
        for number, case in enumerate(_cases(name))
        for field in fields
    ],
)
def test_a_vector_holds(name: str, field: str, case: Case) -> None:
    assert COMPUTED[name][field](case) == case[field]


def test_the_vectors_of_assigned_anchors_hold_in_their_order() -> None:
    anchors = Anchors()
    anchors.reserve("b")
    cases = _cases("anchor_sequence")
    assert [anchors.assign(case["wanted"]) for case in cases] == [case["anchor"] for case in cases]


def test_no_file_of_vectors_is_left_out_and_none_is_empty() -> None:
    files = {path.stem for path in FOLDER.glob("*.json")}
    assert files == {*COMPUTED, "anchor_sequence"}
    assert all(_cases(name) for name in files)
