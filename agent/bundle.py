"""Evidence as one self-contained file; `bundle_proof` verifies it without network or storage.

A bundle carries the exact bodies of the objects from the root down to each cited document. That
proves "consistent with revision R": whoever knows R cannot be shown other words under it. That a
site published R is proved only against an R obtained live, or given by someone who is trusted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from manifest.canonical import Json, decode, encode
from manifest.errors import ErrorCode, NoteBridgeError
from manifest.objects import SCHEMA, first_problem, require_schema
from manifest.references import Count, Sha256, Text

BUNDLE_LIMIT = 64 * 1024 * 1024
"""Bytes of the largest bundle that is looked at."""

CITATIONS_LIMIT = 1000


class BundleCitation(BaseModel):
    """One citation. start and end are code points of the document's text, and so are those of the
    passage it stands in; verdict is what was found when the answer was given."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    n: Count
    label: Text
    docId: Text  # noqa: N815 - published names are in camel case
    sectionId: Text  # noqa: N815
    title: Text
    headingPath: list[Text]  # noqa: N815
    url: Text
    siteUrl: Text  # noqa: N815
    docSha256: Sha256  # noqa: N815
    sectionSha256: Sha256  # noqa: N815
    start: Count
    end: Count
    quote: Text
    passageStart: Count  # noqa: N815
    passageEnd: Count  # noqa: N815
    passage: Text
    retrievedAt: Count  # noqa: N815
    origin: Text
    verdict: Literal["quoted", "not-found", "source-only"]


class Bundle(BaseModel):
    """The file: objects are exact bodies by their SHA-256."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    kind: Literal["evidence"] = "evidence"
    schema_version: Text = Field(alias="schema")
    revision: Sha256
    objects: dict[Text, Text]
    citations: Annotated[list[BundleCitation], Field(max_length=CITATIONS_LIMIT)]


def write_bundle(
    revision: str, bodies: Mapping[str, bytes], citations: Iterable[BundleCitation]
) -> bytes:
    """The bytes of a bundle; bodies: by SHA-256 the objects from the root to each document.

    Raises `NoteBridgeError` (OBJECT_TOO_LARGE) past `BUNDLE_LIMIT`.
    """
    value: Json = {
        "kind": "evidence",
        "schema": SCHEMA,
        "revision": revision,
        "objects": {sha256: body.decode("utf-8") for sha256, body in bodies.items()},
        "citations": [citation.model_dump(mode="json") for citation in citations],
    }
    body = encode(value)
    _require_size(body)
    return body


def read_bundle(body: bytes) -> Bundle:
    """The bundle that a file holds; nothing in it is checked but its shape.

    Raises `NoteBridgeError`: OBJECT_TOO_LARGE, OBJECT_INVALID, SCHEMA_UNSUPPORTED.
    """
    _require_size(body)
    try:
        value = decode(body, name="The bundle")
    except NoteBridgeError as error:
        raise _invalid(error.message.rstrip(".")) from error
    if not isinstance(value, dict) or value.get("kind") != "evidence":
        raise _invalid("it is no evidence bundle")
    require_schema(str(value.get("schema", "")), name="The bundle")
    try:
        return Bundle.model_validate(value)
    except ValidationError as error:
        raise _invalid(first_problem(error)) from error


@dataclass(frozen=True, slots=True)
class CitationCheck:
    """What was found of one citation; problem is empty where all of it holds."""

    n: int
    doc_id: str
    problem: str = ""

    @property
    def holds(self) -> bool:
        """Whether the document is of the revision and the words are in it."""
        return not self.problem


@dataclass(frozen=True, slots=True)
class BundleReport:
    """What a bundle proves.

    consistent: every object has its hash and every citation follows from the revision.
    published: whether the revision is the trusted one; None where none was given.
    """

    revision: str
    citations: tuple[CitationCheck, ...]
    problems: tuple[str, ...]
    published: bool | None

    @property
    def consistent(self) -> bool:
        """Whether the bundle proves what it says of its revision."""
        return not self.problems and all(check.holds for check in self.citations)


def _require_size(body: bytes) -> None:
    if len(body) > BUNDLE_LIMIT:
        raise NoteBridgeError(
            ErrorCode.OBJECT_TOO_LARGE,
            f"The bundle has {len(body)} bytes; at most {BUNDLE_LIMIT} are taken.",
            hint="Export fewer citations at once.",
        )


def _invalid(why: str) -> NoteBridgeError:
    return NoteBridgeError(
        ErrorCode.OBJECT_INVALID,
        f"The file is no valid bundle: {why}.",
        hint="Export the evidence again.",
    )
