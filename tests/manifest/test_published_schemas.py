"""JSON Schemas: current, valid, and of one mind with the models that read."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pytest

import manifest
from manifest.canonical import Json, encode
from manifest.manifest_file import read_manifest, write_manifest
from manifest.objects import PublishedObject, read_object, write_object
from manifest.references import Kind
from manifest.schemas import FOLDER, main, models, rendered, schema

Value = dict[str, Json]


def validator(name: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(json.loads((FOLDER / f"{name}.json").read_bytes()))


def model_of(kind: Kind) -> type[PublishedObject]:
    model = models()[str(kind)]
    assert issubclass(model, PublishedObject)
    return model


def test_the_files_are_current() -> None:
    published = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.iterdir()}
    assert published == rendered(), "run python -m manifest.schemas"


def test_writing_them_anew_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("manifest.schemas.FOLDER", tmp_path / "schemas")
    main()
    written = {path.name: path.read_text("utf-8") for path in (tmp_path / "schemas").iterdir()}
    assert written == rendered()


def test_there_is_one_for_the_manifest_and_for_every_kind() -> None:
    assert {Path(name).stem for name in rendered()} == {"manifest", *map(str, Kind)}
    assert Path(manifest.__file__).parent / "schemas" == FOLDER


@pytest.mark.parametrize("name", ["manifest", *map(str, Kind)])
def test_each_is_a_schema_of_draft_2020_12(name: str) -> None:
    body: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_bytes())
    assert body["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert body["title"] == name
    jsonschema.Draft202012Validator.check_schema(body)


def test_what_is_written_fits_its_schema(kind: Kind, example: Value) -> None:
    body = write_object(read_object(model_of(kind), encode(example), name="an example"))
    validator(str(kind)).validate(json.loads(body))


def test_a_written_manifest_fits_its_schema(manifest_value: Value) -> None:
    body = write_manifest(read_manifest(encode(manifest_value)))
    validator("manifest").validate(json.loads(body))


def test_what_a_later_version_adds_fits_too(kind: Kind, example: Value) -> None:
    validator(str(kind)).validate({**example, "added later": 7})
    for field, rows in example.items():
        is_rows = isinstance(rows, list) and rows and isinstance(rows[0], list)
        if is_rows and kind is not Kind.SHARD and field != "hotDropped":
            assert isinstance(rows, list)
            assert isinstance(rows[0], list)
            validator(str(kind)).validate({**example, field: [[*rows[0], "added later"]]})


def test_a_schema_refuses_what_the_reader_refuses(kind: Kind, example: Value) -> None:
    checked = validator(str(kind))
    required = schema(str(kind), model_of(kind))["required"]
    assert "kind" in required
    for field in required:
        assert not checked.is_valid({key: item for key, item in example.items() if key != field})
    for field in example:
        for wrong in (None, True, 7.5):
            if not (kind is Kind.VECTORS and field == "normalised" and wrong is True):
                assert not checked.is_valid({**example, field: wrong})
    assert not checked.is_valid({**example, "kind": "another"})


@pytest.mark.parametrize("name", ["manifest", *map(str, Kind)])
def test_nothing_published_may_be_null(name: str) -> None:
    assert '"null"' not in rendered()[f"{name}.json"]
    assert "null" not in rendered()[f"{name}.json"].replace("never null", "")
