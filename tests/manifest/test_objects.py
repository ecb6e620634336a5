"""Objects: each kind is written and read back, grows without harm, and is refused where wrong."""

from __future__ import annotations

import copy
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manifest.canonical import Json, decode, encode, sha256_hex
from manifest.errors import ErrorCode, NoteBridgeError
from manifest.objects import (
    BranchRow,
    Doc,
    Index,
    PublishedObject,
    Root,
    Vectors,
    read_object,
    reference_to,
    write_object,
)
from manifest.references import SIZE_LIMITS, Kind
from manifest.schemas import models
from manifest.search_objects import Shard

NAME = "ai/objects/x/0000.json"
Value = dict[str, Json]
Examples = dict[Kind, Value]
HASH = "0123456789abcdef" * 4

ROWS: list[tuple[Kind, str]] = [
    (Kind.INDEX, "leaves"),
    (Kind.INDEX, "children"),
    (Kind.OVERVIEW, "categories"),
    (Kind.OVERVIEW, "pages"),
    (Kind.CATEGORY, "rows"),
    (Kind.SEGMENT, "hot"),
    (Kind.SEGMENT, "pages"),
    (Kind.SEGMENT, "docPages"),
    (Kind.TERMS, "shards"),
    (Kind.POSTINGS, "rows"),
    (Kind.DOCS, "docs"),
    (Kind.DELTA, "drop"),
    (Kind.DELTA, "docs"),
    (Kind.GRAPH, "pages"),
    (Kind.EDGES, "rows"),
    (Kind.VECTORS, "leaves"),
    (Kind.SIGNATURES, "rows"),
]
"""Every field that holds rows, each row a list of values in a settled order."""


def model_of(kind: Kind) -> type[PublishedObject]:
    model = models()[str(kind)]
    assert issubclass(model, PublishedObject)
    return model


def read(kind: Kind, value: Json) -> PublishedObject:
    return read_object(model_of(kind), encode(value), name=NAME)


def shown(found: PublishedObject) -> object:
    """What a reader sees of an object; the rows of a shard are looked at as they are needed."""
    return list(found.rows()) if isinstance(found, Shard) else found


def refusal(kind: Kind, value: Json) -> str:
    """The message with which the reader refuses this value; it always names the object."""
    with pytest.raises(NoteBridgeError) as caught:
        read(kind, value)
    assert caught.value.code is ErrorCode.OBJECT_INVALID
    assert caught.value.details == {"object": NAME}
    assert caught.value.message.startswith(NAME)
    assert caught.value.hint
    return caught.value.message


def places(value: Json, *, free: tuple[str, ...] = ("meta",)) -> Iterator[list[str | int]]:
    """Every place within a value, but for what the author may write as he likes."""
    items: Iterator[tuple[str | int, Json]] = iter(())
    if isinstance(value, dict):
        items = ((key, item) for key, item in value.items() if key not in free)
    elif isinstance(value, list):
        items = iter(enumerate(value))
    for step, item in items:
        yield [step]
        yield from ([step, *rest] for rest in places(item, free=free))


def at(value: Json, place: list[str | int]) -> Json:
    for step in place:
        value = value[step]  # type: ignore[index]
    return value


def changed(value: Value, place: list[str | int], new: Json) -> Value:
    copied = copy.deepcopy(value)
    parent = at(copied, place[:-1])
    parent[place[-1]] = new  # type: ignore[index]
    return copied


def test_every_kind_has_a_model_of_its_own_and_a_limit() -> None:
    assert {name for name in models() if name != "manifest"} == {str(kind) for kind in Kind}
    assert set(SIZE_LIMITS) == set(Kind)
    assert all(model_of(kind).KIND is kind for kind in Kind)


def test_an_object_is_written_as_it_was_read(kind: Kind, example: Value) -> None:
    body = encode(example)
    found = read_object(model_of(kind), body, name=NAME)
    assert write_object(found) == body
    assert read_object(model_of(kind), write_object(found), name=NAME) == found
    assert len(body) <= SIZE_LIMITS[kind]


def test_what_a_later_version_adds_is_ignored(kind: Kind, example: Value) -> None:
    known = read(kind, example)
    grown = copy.deepcopy(example)
    objects = [[], *places(example)]
    for place in objects:
        if isinstance(found := at(grown, place), dict):
            found["added later"] = {"any": ["thing", 1]}
    assert grown != example
    assert shown(read(kind, grown)) == shown(known)


@pytest.mark.parametrize(("kind", "field"), ROWS)
def test_a_row_may_grow_at_its_end(kind: Kind, field: str, examples: Examples) -> None:
    example = examples[kind]
    row = at(example, [field, 0])
    assert isinstance(row, list)
    grown = changed(example, [field, 0], [*row, "added later", {"any": [1]}])
    assert read(kind, grown) == read(kind, example)


def test_a_related_document_within_a_row_may_grow_too(examples: Examples) -> None:
    example = examples[Kind.DOCS]
    grown = changed(example, ["docs", 0, 7, 0], [41, 730, "added later"])
    assert read(Kind.DOCS, grown) == read(Kind.DOCS, example)


@pytest.mark.parametrize(("kind", "field"), ROWS)
def test_a_row_that_is_short_or_no_list_is_refused(
    kind: Kind, field: str, examples: Examples
) -> None:
    example = examples[kind]
    assert f"{field}.0" in refusal(kind, changed(example, [field, 0], []))
    named: Value = {"prefix": "", "docs": 1, "sha256": HASH, "size": 1, "id": "a"}
    for wrong in ("a row", 7, named):
        assert f"{field}.0" in refusal(kind, changed(example, [field, 0], wrong))


def test_a_row_may_leave_out_only_what_has_a_default(examples: Examples) -> None:
    short = changed(examples[Kind.OVERVIEW], ["categories"], [[0, -1, "", 2, 0]])
    assert read(Kind.OVERVIEW, short)
    assert "categories.0.4" in refusal(
        Kind.OVERVIEW, changed(short, ["categories", 0], [0, -1, "", 2])
    )


def test_a_missing_field_is_named(kind: Kind, example: Value) -> None:
    model = model_of(kind)
    required = {
        info.alias or name for name, info in model.model_fields.items() if info.is_required()
    }
    assert required
    for field in required:
        cut = {key: value for key, value in example.items() if key != field}
        message = refusal(kind, cut)
        assert "schema version" in message if field == "schema" else f" {field}: " in message


def test_a_wrong_type_anywhere_is_refused_where_it_stands(kind: Kind, example: Value) -> None:
    for place in places(example):
        # Rows of a shard are read as they are needed: see test_postings_rows.
        if place in (["kind"], ["schema"]) or (kind is Kind.SHARD and len(place) > 2):
            continue
        wrong: Json = 7 if isinstance(at(example, place), str | list | dict) else "seven"
        message = refusal(kind, changed(example, place, wrong))
        assert ".".join(map(str, place)) in message


def test_truth_is_no_number_and_a_number_no_truth(kind: Kind, example: Value) -> None:
    numbers = [place for place in places(example) if type(at(example, place)) is int]
    for place in numbers:
        if kind is not Kind.SHARD:
            refusal(kind, changed(example, place, True))
    if kind is Kind.VECTORS:
        for wrong in (1, 0, "true", "yes"):
            message = refusal(kind, changed(example, ["normalised"], wrong))
            assert "normalised" in message


@pytest.mark.parametrize(
    "wrong", [HASH.upper(), HASH[:-1], HASH + "0", "g" * 64, HASH + "\n", "", "../" + HASH[3:]]
)
def test_only_full_lower_case_hashes_are_hashes(kind: Kind, example: Value, wrong: str) -> None:
    for place in places(example):
        if at(example, place) == HASH and kind not in (Kind.SHARD, Kind.DOCS):
            message = refusal(kind, changed(example, place, wrong))
            assert ".".join(map(str, place)) in message


def test_a_count_is_neither_negative_nor_beyond_exact_doubles() -> None:
    assert "leaves.0.1" in refusal(Kind.INDEX, _index(-1))
    with pytest.raises(NoteBridgeError):
        read_object(Index, encode(_index(7)).replace(b"7", b"9007199254740992"), name=NAME)
    assert read(Kind.INDEX, _index(2**53 - 1))


def _index(docs: int) -> Value:
    return {"kind": "index", "prefix": "", "leaves": [["", docs, HASH, 1]]}


def test_an_object_of_another_kind_is_refused(kind: Kind, examples: Examples) -> None:
    other = Kind.TERMS if kind is not Kind.TERMS else Kind.SHARD
    assert f"'{other}'" in refusal(kind, examples[other])
    example = examples[kind]
    wrongs: list[Json] = ["", str(kind).upper(), "x" * 10_000, 7, [str(kind)]]
    for wrong in wrongs:
        assert len(refusal(kind, {**example, "kind": wrong})) < 300
    del example["kind"]
    refusal(kind, example)


@pytest.mark.parametrize("value", [[], "root", 7, True, ["kind", "root"]])
def test_what_is_no_object_is_refused(kind: Kind, value: Json) -> None:
    refusal(kind, value)


@pytest.mark.parametrize("version", ["1.0", "1.7", "1.123"])
def test_a_root_of_any_minor_version_is_read(version: str, examples: Examples) -> None:
    found = read(Kind.ROOT, {**examples[Kind.ROOT], "schema": version, "added later": 1})
    assert isinstance(found, Root)
    assert found.schema_version == version


@pytest.mark.parametrize("version", ["2.0", "0.9", "10.0", "11.1"])
@pytest.mark.parametrize("rest", ["whole", "bare"])
def test_a_root_of_another_major_version_is_unsupported_whatever_it_holds(
    version: str, rest: str, examples: Examples
) -> None:
    value: Value = {**(examples[Kind.ROOT] if rest == "whole" else {"kind": "root"})}
    with pytest.raises(NoteBridgeError) as caught:
        read(Kind.ROOT, {**value, "schema": version})
    assert caught.value.code is ErrorCode.SCHEMA_UNSUPPORTED
    assert caught.value.details == {"object": NAME, "schema": version}
    assert caught.value.message.startswith(NAME)


@pytest.mark.parametrize("version", ["", "1", "1.", ".1", "x.y", "1.0.0", "1.x", "１.０", 1, True])
def test_a_root_without_a_version_is_invalid(version: Json, examples: Examples) -> None:
    refusal(Kind.ROOT, {**examples[Kind.ROOT], "schema": version})


def _document(*spans: tuple[int, int], text: str = "0123456789") -> Value:
    section: Value = {"id": "s", "anchor": "s", "level": 1, "title": "s", "path": ["s"]}
    return {
        "kind": "doc",
        "id": "a",
        "title": "a",
        "language": "en",
        "url": "a/",
        "text": text,
        "sections": [
            {**section, "start": start, "end": end, "sha256": HASH, "tokens": 1}
            for start, end in spans
        ],
    }


@pytest.mark.parametrize(
    "spans", [[], [(0, 10)], [(0, 4), (4, 10)], [(0, 0), (0, 0), (0, 10)], [(2, 3), (5, 9)]]
)
def test_sections_that_follow_each_other_are_read(spans: list[tuple[int, int]]) -> None:
    assert read(Kind.DOC, _document(*spans))


@pytest.mark.parametrize(
    ("spans", "number"),
    [
        ([(0, 11)], 0),
        ([(0, 2**53 - 1)], 0),
        ([(11, 11)], 0),
        ([(4, 3)], 0),
        ([(0, 5), (4, 10)], 1),
        ([(0, 10), (0, 10)], 1),
        ([(5, 10), (0, 5)], 1),
    ],
)
def test_sections_that_overlap_or_leave_the_text_are_refused(
    spans: list[tuple[int, int]], number: int
) -> None:
    assert f"section {number} " in refusal(Kind.DOC, _document(*spans))


def test_a_heading_has_at_most_six_levels(examples: Examples) -> None:
    place: list[str | int] = ["sections", 0, "level"]
    assert "sections.0.level" in refusal(Kind.TOC, changed(examples[Kind.TOC], place, 7))


def test_a_document_id_is_not_empty(examples: Examples) -> None:
    assert " id: " in refusal(Kind.DOC, {**examples[Kind.DOC], "id": ""})


@pytest.mark.parametrize("prefix", ["4", "a", "0 ", "0\n", "0" * 129, "-1"])
def test_a_prefix_is_digits_below_four(prefix: str, examples: Examples) -> None:
    assert " prefix: " in refusal(Kind.LEAF, {**examples[Kind.LEAF], "prefix": prefix})


def test_front_matter_holds_text_alone(examples: Examples) -> None:
    wrongs: list[Json] = [7, True, ["a", 7], {"deep": {"er": False}}]
    for wrong in wrongs:
        assert " meta." in refusal(Kind.DOC, {**examples[Kind.DOC], "meta": {"key": wrong}})


FRONT_MATTER: st.SearchStrategy[Json] = st.recursive(
    st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=15,
)


@given(
    text=st.text(max_size=40),
    title=st.text(),
    meta=st.dictionaries(st.text(max_size=5), FRONT_MATTER, max_size=4),
)
def test_whatever_a_document_holds_is_read_back(text: str, title: str, meta: Value) -> None:
    whole = {**_document((0, len(text)), text=text), "title": title, "meta": meta}
    found = Doc.model_validate(whole)
    assert read_object(Doc, write_object(found), name=NAME) == found
    assert decode(write_object(found), name=NAME) == {**whole, "links": []}


def test_front_matter_too_deep_for_readers_is_not_written() -> None:
    deep: Json = "x"
    for _ in range(40):
        deep = [deep]
    found = Doc.model_validate({**_document(), "meta": {"key": deep}})
    with pytest.raises(NoteBridgeError) as caught:
        write_object(found)
    assert caught.value.code is ErrorCode.INTERNAL


def test_what_is_absent_is_not_written() -> None:
    assert b"null" not in write_object(Index(prefix="", leaves=[BranchRow("", 1, HASH, 1)]))


def test_published_names_are_the_settled_ones(examples: Examples) -> None:
    root = read(Kind.ROOT, examples[Kind.ROOT])
    assert b'"schema":"1.0"' in write_object(root)


def test_a_reference_is_the_hash_and_the_size_of_the_body() -> None:
    body = write_object(Vectors(model="m", version="1", dimension=3, normalised=False, leaves=[]))
    reference = reference_to(body)
    assert (reference.sha256, reference.size) == (sha256_hex(body), len(body))
