"""`ai/manifest.json`: the one mutable file of the knowledge, at most 4 KiB."""

from __future__ import annotations

import json
import re
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from manifest.canonical import Json, decode, encode
from manifest.errors import ErrorCode, NoteBridgeError
from manifest.objects import SCHEMA, first_problem, require_schema
from manifest.references import MANIFEST_LIMIT, MANIFEST_PATH, Count, Reference, Sha256, Text

PREVIOUS_LIMIT = 10
"""How many earlier revisions a manifest names."""

Timestamp = Annotated[Text, Field(pattern=r"^[0-9]{4}(-[0-9]{2}){2}T[0-9]{2}(:[0-9]{2}){2}Z$")]
"""UTC, to the second."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class PreviousRevision(_Part):
    """An earlier release whose objects may still be there. size is that of its root."""

    revision: Sha256
    size: Count
    sequence: Count
    publishedAt: Timestamp | None = None  # noqa: N815 - published names are in camel case


class Retention(_Part):
    """How long objects of earlier revisions stay: at least so many revisions and so many days."""

    revisions: Count
    days: Count


class LiveSearch(_Part):
    """A public read-only index beside the site, for finding documents only, never evidence."""

    provider: Text
    settings: dict[str, Any] = Field(default_factory=dict)


class Manifest(_Part):
    """The entry to a site's knowledge.

    content is the hash of the document tree (equal notes, equal content), revision that of the
    root. sequence counts releases; 0 is a plain build that was never released. previous is newest
    first. license is of the content. Published names are in camel case, and so are these fields.
    """

    schemaVersion: Text  # noqa: N815
    knowledgeBaseId: Annotated[Text, Field(min_length=1, max_length=200)]  # noqa: N815
    title: Annotated[Text, Field(max_length=300)]
    siteUrl: Annotated[Text, Field(max_length=500)]  # noqa: N815
    language: Annotated[Text, Field(max_length=35)]
    content: Sha256
    revision: Sha256
    root: Reference
    sequence: Count
    publishedAt: Timestamp | None = None  # noqa: N815
    previous: Annotated[list[PreviousRevision], Field(max_length=PREVIOUS_LIMIT)] = Field(
        default_factory=list
    )
    retention: Retention
    capabilities: list[Text]
    license: Text | None = None
    liveSearch: LiveSearch | None = None  # noqa: N815
    signature: Text | None = None


def write_manifest(manifest: Manifest) -> bytes:
    """The manifest's bytes. Raises `NoteBridgeError` (MANIFEST_INVALID) past the size limit."""
    dumped: Json = manifest.model_dump(mode="json", exclude_none=True)
    body = encode(dumped)
    if len(body) > MANIFEST_LIMIT:
        raise NoteBridgeError(
            ErrorCode.MANIFEST_INVALID,
            f"The manifest would have {len(body)} bytes; {MANIFEST_LIMIT} are allowed.",
            hint="Shorten the site's name, address or license.",
        )
    return body


def read_manifest(body: bytes, *, name: str = MANIFEST_PATH) -> Manifest:
    """The manifest that a body holds; name says in errors where it came from.

    Raises `NoteBridgeError`: OBJECT_TOO_LARGE past 4 KiB, SCHEMA_UNSUPPORTED for another major
    version (decided before anything else is looked at), MANIFEST_INVALID for all else.
    """
    if len(body) > MANIFEST_LIMIT:
        raise NoteBridgeError(
            ErrorCode.OBJECT_TOO_LARGE,
            f"{name} has {len(body)} bytes; a manifest has at most {MANIFEST_LIMIT}.",
            hint="This is no manifest of Note Bridge.",
            details={"address": name},
        )
    try:
        version = _stated_version(body)
        if version is not None:
            require_schema(version, name=name)
        value = decode(body, name=name)
        if not isinstance(value, dict):
            raise _invalid(name, "it is no JSON object")
        manifest = Manifest.model_validate(value)
    except ValidationError as error:
        raise _invalid(name, first_problem(error)) from error
    except NoteBridgeError as error:
        if error.code is ErrorCode.OBJECT_INVALID:
            reason = str(error.__cause__ or error.message).rstrip(".")
            raise _invalid(name, _looks_like(body) or reason) from error
        raise
    if manifest.revision != manifest.root.sha256:
        raise _invalid(name, "revision and root name different hashes")
    return manifest


def new_manifest(
    *,
    knowledge_base_id: str,
    title: str,
    site_url: str,
    language: str,
    content: str,
    root: Reference,
    retention: Retention,
    capabilities: list[str],
    license_text: str = "",
) -> Manifest:
    """The manifest of a plain build: sequence 0, never released."""
    return Manifest(
        schemaVersion=SCHEMA,
        knowledgeBaseId=knowledge_base_id,
        title=title,
        siteUrl=site_url,
        language=language,
        content=content,
        revision=root.sha256,
        root=root,
        sequence=0,
        retention=retention,
        capabilities=capabilities,
        license=license_text or None,
    )


def _stated_version(body: bytes) -> str | None:
    """The schema version, from any JSON at all: another major version may allow what this one
    refuses."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        return None
    version = value.get("schemaVersion") if isinstance(value, dict) else None
    return version if isinstance(version, str) else None


def _looks_like(body: bytes) -> str:
    """Hosts that answer everything with a page are common enough to name."""
    if re.match(rb"\s*(?:<!doctype|<html)", body, re.IGNORECASE):
        return "it is an HTML page, not JSON"
    return ""


def _invalid(name: str, why: str) -> NoteBridgeError:
    return NoteBridgeError(
        ErrorCode.MANIFEST_INVALID,
        f"{name} is no valid manifest: {why}.",
        hint="Check the address; the site must be published with Note Bridge.",
        details={"address": name},
    )
