"""JSON Schemas of the manifest and of every kind of object, for readers in other languages.

`python -m manifest.schemas` writes them to `manifest/schemas/`; a test keeps the files current.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from manifest import objects, search_objects
from manifest.manifest_file import Manifest
from manifest.objects import PublishedObject
from manifest.references import SIZE_LIMITS

FOLDER = Path(__file__).parent / "schemas"


def models() -> dict[str, type[BaseModel]]:
    """Every model that is published, by the name of its schema's file."""
    found: dict[str, type[BaseModel]] = {"manifest": Manifest}
    for module in (objects, search_objects):
        for value in vars(module).values():
            if (
                isinstance(value, type)
                and issubclass(value, PublishedObject)
                and "KIND" in vars(value)
            ):
                found[str(value.KIND)] = value
    return dict(sorted(found.items()))


def schema(name: str, model: type[BaseModel]) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of one model, by its published names."""
    body = model.model_json_schema(by_alias=True, mode="validation")
    body["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    body["title"] = name
    if issubclass(model, PublishedObject):
        body["required"] = sorted({*body.get("required", []), "kind"})
        body["description"] = (
            f"{body.get('description', '').strip()} At most {SIZE_LIMITS[model.KIND]} bytes."
        )
    _correct(body)
    return body


def _correct(value: Any) -> None:
    """Says what pydantic does not: rows may have more items than a version knows, and what is
    absent is never null."""
    if isinstance(value, dict):
        if "prefixItems" in value:
            value.pop("maxItems", None)
        choices = value.get("anyOf", [])
        if {"type": "null"} in choices:
            choices.remove({"type": "null"})
            value.pop("default")
            if len(choices) == 1:
                value.update(value.pop("anyOf")[0])
        for item in value.values():
            _correct(item)
    elif isinstance(value, list):
        for item in value:
            _correct(item)


def rendered() -> dict[str, str]:
    """The text of every schema file, by file name."""
    return {
        f"{name}.json": json.dumps(schema(name, model), ensure_ascii=False, indent=1) + "\n"
        for name, model in models().items()
    }


def main() -> None:
    """Writes all files anew."""
    FOLDER.mkdir(exist_ok=True)
    for name, text in rendered().items():
        (FOLDER / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
