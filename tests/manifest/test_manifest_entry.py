"""The manifest: small, complete, and honest about why it is refused."""

from __future__ import annotations

import json

import pytest

from manifest.canonical import Json, encode
from manifest.errors import ErrorCode, NoteBridgeError
from manifest.manifest_file import (
    Manifest,
    Retention,
    new_manifest,
    read_manifest,
    write_manifest,
)
from manifest.objects import SCHEMA
from manifest.references import MANIFEST_LIMIT, MANIFEST_PATH, Reference

Value = dict[str, Json]
HASH = "0123456789abcdef" * 4
ADDRESS = "https://notes.example/ai/manifest.json"
REQUIRED = [
    "schemaVersion",
    "knowledgeBaseId",
    "title",
    "siteUrl",
    "language",
    "content",
    "revision",
    "root",
    "sequence",
    "retention",
    "capabilities",
]


def refusal(body: bytes, code: ErrorCode = ErrorCode.MANIFEST_INVALID) -> str:
    """The message with which the reader refuses this body; it always says where it came from."""
    with pytest.raises(NoteBridgeError) as caught:
        read_manifest(body, name=ADDRESS)
    assert caught.value.code is code
    assert ADDRESS in caught.value.details.values()
    assert caught.value.message.startswith(ADDRESS)
    assert "\n" not in caught.value.message
    assert caught.value.hint
    return caught.value.message


def plain(site_url: str = "https://notes.example/", title: str = "Notes") -> Manifest:
    return new_manifest(
        knowledge_base_id="notes.example",
        title=title,
        site_url=site_url,
        language="en",
        content="f" * 64,
        root=Reference(sha256=HASH, size=400),
        retention=Retention(revisions=10, days=30),
        capabilities=["overview", "docs"],
    )


def test_a_complete_manifest_is_written_as_it_was_read(manifest_value: Value) -> None:
    body = encode(manifest_value)
    assert write_manifest(read_manifest(body)) == body


def test_a_plain_build_was_never_released() -> None:
    built = read_manifest(write_manifest(plain()))
    assert built.sequence == 0
    assert built.publishedAt is None
    assert built.previous == []
    assert built.schemaVersion == SCHEMA
    assert built.revision == built.root.sha256 == HASH


def test_published_names_are_in_camel_case_and_nothing_is_null() -> None:
    written = json.loads(write_manifest(plain()))
    assert set(written) == {*REQUIRED, "previous"}
    assert b"null" not in write_manifest(plain())


def test_what_a_later_version_adds_is_ignored(manifest_value: Value) -> None:
    known = read_manifest(encode(manifest_value))
    manifest_value["added later"] = {"any": "thing"}
    assert isinstance(manifest_value["root"], dict)
    manifest_value["root"]["added later"] = 1
    assert read_manifest(encode(manifest_value)) == known


@pytest.mark.parametrize("field", REQUIRED)
def test_a_missing_field_is_named(manifest_value: Value, field: str) -> None:
    del manifest_value[field]
    assert f" {field}: " in refusal(encode(manifest_value))


@pytest.mark.parametrize(
    ("field", "wrong"),
    [
        ("schemaVersion", 1),
        ("schemaVersion", ""),
        ("schemaVersion", "one"),
        ("knowledgeBaseId", ""),
        ("knowledgeBaseId", "x" * 201),
        ("title", ["a"]),
        ("title", "x" * 301),
        ("siteUrl", 7),
        ("content", HASH.upper()),
        ("revision", HASH[:-1]),
        ("root", HASH),
        ("root", {"sha256": HASH}),
        ("sequence", True),
        ("sequence", -1),
        ("sequence", "3"),
        ("publishedAt", "2026-11-30"),
        ("publishedAt", "2026-11-30T12:00:00+00:00"),
        ("publishedAt", "2026-11-30T12:00:00Z\n"),
        ("publishedAt", "٢٠٢٦-11-30T12:00:00Z"),
        ("previous", [{"revision": HASH}]),
        ("previous", [{"revision": HASH, "size": 1, "sequence": 1}] * 11),
        ("retention", {"revisions": 10}),
        ("capabilities", "docs"),
        ("capabilities", [1]),
        ("liveSearch", {"settings": {}}),
        ("license", 4),
    ],
)
def test_a_wrong_value_is_named(manifest_value: Value, field: str, wrong: Json) -> None:
    manifest_value[field] = wrong
    message = refusal(encode(manifest_value))
    assert field in message or "schema version" in message


def test_revision_and_root_name_the_same_hash(manifest_value: Value) -> None:
    manifest_value["revision"] = "d" * 64
    assert "revision" in refusal(encode(manifest_value))


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"<!DOCTYPE html><html>", "HTML page"),
        (b"\n  <html lang=en>", "HTML page"),
        (b"<!doctype HTML>", "HTML page"),
        (b"", "not JSON"),
        (b"Not found", "Expecting value"),
        (b"[]", "no JSON object"),
        (b'"1.0"', "no JSON object"),
        (b"\xff\xfe{}", "utf-8"),
        (b'{"schemaVersion":"1.0","schemaVersion":"1.0"}', "twice"),
        (b'{"schemaVersion":"1.0","sequence":1.5}', "1.5"),
        (b'{"schemaVersion":"1.0","license":null}', "null"),
        (b"[" * 4000, ""),
        (b"[" * 2000 + b"]" * 2000, ""),
    ],
)
def test_what_is_no_manifest_is_said_to_be_none(body: bytes, reason: str) -> None:
    if not body:
        reason = "Expecting value"
    assert reason.lower() in refusal(body).lower()


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b'{"schemaVersion":"2.0"}', id="bare"),
        pytest.param(b'{"schemaVersion":"2.0","sequence":"three","root":7}', id="wrong types"),
        pytest.param(b'{"schemaVersion":"2.0","license":null}', id="null"),
        pytest.param(b'{"schemaVersion":"2.0","score":1.5}', id="float"),
        pytest.param(b'{"a":1,"a":2,"schemaVersion":"2.0"}', id="duplicate key"),
        pytest.param(b'{"big":9007199254740993,"schemaVersion":"2.0"}', id="large integer"),
        pytest.param(b'{"schemaVersion":"0.1"}', id="earlier major version"),
    ],
)
def test_another_major_version_beats_every_other_error(body: bytes) -> None:
    message = refusal(body, ErrorCode.SCHEMA_UNSUPPORTED)
    assert "1.x" in message


def test_a_manifest_of_a_later_minor_version_is_read(manifest_value: Value) -> None:
    manifest_value["schemaVersion"] = "1.7"
    assert read_manifest(encode(manifest_value)).schemaVersion == "1.7"


def test_four_kibibytes_are_read_and_one_byte_more_is_not(manifest_value: Value) -> None:
    body = encode(manifest_value)
    assert read_manifest(body.ljust(MANIFEST_LIMIT))
    message = refusal(body.ljust(MANIFEST_LIMIT + 1), ErrorCode.OBJECT_TOO_LARGE)
    assert str(MANIFEST_LIMIT) in message


def test_a_manifest_too_large_to_be_read_is_not_written(manifest_value: Value) -> None:
    manifest_value["license"] = "字" * 1300
    assert isinstance(manifest_value["license"], str)
    with pytest.raises(NoteBridgeError) as caught:
        write_manifest(Manifest.model_validate(manifest_value))
    assert caught.value.code is ErrorCode.MANIFEST_INVALID
    assert str(MANIFEST_LIMIT) in caught.value.message


def test_the_fullest_manifest_of_common_length_fits(manifest_value: Value) -> None:
    earlier: Value = {
        "revision": HASH,
        "size": 64 * 1024,
        "sequence": 100_000,
        "publishedAt": "2026-11-30T12:00:00Z",
    }
    manifest_value["previous"] = [earlier] * 10
    manifest_value["title"] = "字" * 100
    manifest_value["siteUrl"] = "https://notes.example/" + "a" * 100
    assert read_manifest(write_manifest(Manifest.model_validate(manifest_value)))


def test_a_manifest_goes_by_its_path_unless_told_otherwise() -> None:
    with pytest.raises(NoteBridgeError, match=MANIFEST_PATH):
        read_manifest(b"{}")
