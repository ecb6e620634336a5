"""The objects of the knowledge contract, as models that validate what a site publishes.

Unknown fields are ignored, and rows may grow at their end: that is how the schema grows. A missing
field, a wrong type or an impossible value makes `read_object` raise, naming the object.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self, TypeVar, cast

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)
from typing_extensions import TypeAliasType

from manifest.canonical import Json, decode, encode, encode_checked, sha256_hex
from manifest.errors import ErrorCode, NoteBridgeError
from manifest.references import Count, Flag, HashRow, Integer, Kind, Reference, Sha256, Text

DocId = Annotated[Text, Field(min_length=1)]


class PublishedObject(BaseModel):
    """What all objects share: a kind, stated in the body itself."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    KIND: ClassVar[Kind]


def growing(row: type[Any]) -> BeforeValidator:
    """Cuts a row to the fields this version knows: later versions may append some."""
    width = len(row._fields)

    def cut(value: Any) -> Any:
        if not isinstance(value, list | tuple):
            raise ValueError("a row is a list")
        return value[:width]

    return BeforeValidator(cut)


class Root(PublishedObject):
    """Where a revision begins; its hash is the revision."""

    KIND = Kind.ROOT

    kind: Literal[Kind.ROOT] = Kind.ROOT
    schema_version: Text = Field(alias="schema")
    docs: Count
    tree: Reference
    overview: Reference
    segments: list[Reference]
    delta: Reference
    graph: Reference
    clusters: Reference
    vectors: Reference | None = None


Prefix = Annotated[Text, Field(pattern=r"^[0-3]*$", max_length=128)]


class BranchRow(NamedTuple):
    """A leaf or a child index: [prefix in base-4 digits, documents below it, sha256, size]."""

    prefix: Prefix
    docs: Count
    sha256: Sha256
    size: Count


class Index(PublishedObject):
    """A node of the document tree: its leaves, and past 512 of them its child indexes."""

    KIND = Kind.INDEX

    kind: Literal[Kind.INDEX] = Kind.INDEX
    prefix: Prefix
    leaves: list[Annotated[BranchRow, growing(BranchRow)]] = Field(default_factory=list)
    children: list[Annotated[BranchRow, growing(BranchRow)]] | None = None


class LeafDocument(BaseModel):
    """The facts of one note that need no other note.

    path: the source, POSIX. url: relative to the site. category: folder names, outermost first.
    sections: how many. chars: code points of the text.
    """

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: DocId
    title: Text
    path: Text
    url: Text
    language: Text
    tags: list[Text] = Field(default_factory=list)
    aliases: list[Text] = Field(default_factory=list)
    category: list[Text] = Field(default_factory=list)
    date: Text | None = None
    updated: Text | None = None
    doc: Reference
    toc: Reference
    sections: Count
    chars: Count


class Leaf(PublishedObject):
    """Up to 64 documents whose ids' hashes begin with the same digits; rows by docId."""

    KIND = Kind.LEAF

    kind: Literal[Kind.LEAF] = Kind.LEAF
    prefix: Prefix
    docs: list[LeafDocument]


class TocSection(BaseModel):
    """A section without its text. start and end are code points of the document's text; level 0
    is the text before the first heading; tokens is an estimate of what a model would count."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: Text
    anchor: Text
    level: Annotated[Count, Field(le=6)]
    title: Text
    path: list[Text]
    start: Count
    end: Count
    sha256: Sha256
    tokens: Count


class DocLink(BaseModel):
    """An outgoing link, by the index of the section it stands in."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    section: Count
    kind: Literal["doc", "embed", "image", "file", "external", "missing"]
    to: Text
    anchor: Text | None = None
    text: Text | None = None


class Asset(BaseModel):
    """A file that the document shows or offers, by its path below the site."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    path: Text
    sha256: Sha256
    size: Count


MetaValue = TypeAliasType("MetaValue", "Text | list[MetaValue] | dict[str, MetaValue]")
"""A front matter value; scalars are strings as the author typed them."""


class Doc(PublishedObject):
    """A document whole: its Markdown as published, and the sections that cover it."""

    KIND = Kind.DOC

    kind: Literal[Kind.DOC] = Kind.DOC
    id: DocId
    title: Text
    language: Text
    url: Text
    meta: dict[str, MetaValue] = Field(default_factory=dict)
    text: Text
    sections: list[TocSection]
    links: list[DocLink] = Field(default_factory=list)
    assets: list[Asset] | None = None

    @model_validator(mode="after")
    def _sections_follow_each_other(self) -> Self:
        """Or a document whose sections overlap costs every reader work beyond any bound."""
        reached = 0
        for number, section in enumerate(self.sections):
            if not reached <= section.start <= section.end <= len(self.text):
                raise ValueError(f"section {number} overlaps another or ends past the text")
            reached = section.end
        return self


class Toc(PublishedObject):
    """A document's sections without the text."""

    KIND = Kind.TOC

    kind: Literal[Kind.TOC] = Kind.TOC
    id: DocId
    title: Text
    language: Text
    url: Text
    sections: list[TocSection]


class CategoryRow(NamedTuple):
    """A category: [id, parent (-1 for the first row), title, documents below it, page, docId].

    page is the index in `Overview.pages` of the object in which the list of its own documents
    begins; it ends no later than in that of the next category. docId, empty for none, is the note
    that stands for the category itself.
    """

    id: Count
    parent: Integer
    title: Text
    documents: Count
    page: Count
    doc_id: Text = ""


class Overview(PublishedObject):
    """The category tree, from navigation, SUMMARY.md or folders, parents before children."""

    KIND = Kind.OVERVIEW

    kind: Literal[Kind.OVERVIEW] = Kind.OVERVIEW
    docs: Count
    source: Literal["navigation", "summary", "folders"]
    categories: list[Annotated[CategoryRow, growing(CategoryRow)]]
    pages: list[Annotated[HashRow, growing(HashRow)]]


class CategoryDocument(NamedTuple):
    """A document in its category: [category id, docId, title, URL]."""

    category: Count
    id: DocId
    title: Text
    url: Text


class Category(PublishedObject):
    """A page of the overview: the documents of neighbouring categories, in order."""

    KIND = Kind.CATEGORY

    kind: Literal[Kind.CATEGORY] = Kind.CATEGORY
    rows: list[Annotated[CategoryDocument, growing(CategoryDocument)]]


class Edges(NamedTuple):
    """Outgoing links of a document: [ordinal, [ordinals of the linked, ascending]]."""

    ordinal: Count
    targets: list[Count]


class GraphPage(PublishedObject):
    """Part of the link graph."""

    KIND = Kind.EDGES

    kind: Literal[Kind.EDGES] = Kind.EDGES
    rows: list[Annotated[Edges, growing(Edges)]]


class Graph(PublishedObject):
    """The link graph among the documents of the segments, in pages of ascending ordinals."""

    KIND = Kind.GRAPH

    kind: Literal[Kind.GRAPH] = Kind.GRAPH
    pages: list[Annotated[HashRow, growing(HashRow)]]


class Cluster(BaseModel):
    """Documents that belong together, with the terms that tell them from the rest."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: Count
    label: Text
    terms: list[Text]
    ordinals: list[Count]


class Clusters(PublishedObject):
    """All clusters, largest first."""

    KIND = Kind.CLUSTERS

    kind: Literal[Kind.CLUSTERS] = Kind.CLUSTERS
    clusters: list[Cluster]


class VectorLeaf(NamedTuple):
    """Signatures of one leaf of the tree: [prefix, sha256, size]."""

    prefix: Prefix
    sha256: Sha256
    size: Count


class Vectors(PublishedObject):
    """Which model made the vectors, and where they are. Vectors of other models never mix in."""

    KIND = Kind.VECTORS

    kind: Literal[Kind.VECTORS] = Kind.VECTORS
    model: Text
    version: Text
    dimension: Count
    normalised: Flag
    leaves: list[Annotated[VectorLeaf, growing(VectorLeaf)]]


class SignatureRow(NamedTuple):
    """Of one document: [docId, sha256 and size of its `vector` object, base64 of one bit
    signature per unit, each `dimension` bits]."""

    id: DocId
    sha256: Sha256
    size: Count
    bits: Text


class Signatures(PublishedObject):
    """Bit signatures for a first pass over the documents of one leaf."""

    KIND = Kind.SIGNATURES

    kind: Literal[Kind.SIGNATURES] = Kind.SIGNATURES
    prefix: Prefix
    rows: list[Annotated[SignatureRow, growing(SignatureRow)]]


class Vector(PublishedObject):
    """The int8 vectors of one document, one base64 string per unit, for rescoring."""

    KIND = Kind.VECTOR

    kind: Literal[Kind.VECTOR] = Kind.VECTOR
    id: DocId
    units: list[Text]


AnyObject = TypeVar("AnyObject", bound=PublishedObject)


def write_object(value: PublishedObject) -> bytes:
    """The canonical body of an object.

    Types allow nothing that cannot be published, but the front matter of a document any nesting:
    beyond what readers accept it raises `NoteBridgeError` (INTERNAL).
    """
    dumped: Json = value.model_dump(mode="json", exclude_none=True, by_alias=True)
    if isinstance(value, Doc):
        encode({"meta": cast("Json", value.meta)})
    return encode_checked(dumped)


def reference_to(body: bytes) -> Reference:
    """The reference under which a body is known."""
    return Reference(sha256=sha256_hex(body), size=len(body))


def read_object(model: type[AnyObject], body: bytes, *, name: str) -> AnyObject:
    """The object that a body (its hash already checked) holds.

    name says in errors which object it is.
    Raises `NoteBridgeError` (OBJECT_INVALID) for another kind, a missing field or a wrong type,
    and SCHEMA_UNSUPPORTED for a root of a later major version.
    """
    value = decode(body, name=name)
    kind = value.get("kind") if isinstance(value, dict) else None
    if kind != model.KIND:
        stated = f"of kind {kind[:20]!r}" if isinstance(kind, str) else "without kind"
        raise _invalid(name, f"it is {stated} where {str(model.KIND)!r} belongs")
    if isinstance(value, dict) and model.KIND is Kind.ROOT:
        require_schema(str(value.get("schema", "")), name=name)
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise _invalid(name, first_problem(error)) from error


SCHEMA = "1.0"
"""The version of the contract that this code writes; it reads every 1.x."""


def require_schema(version: str, *, name: str) -> None:
    """Raises `NoteBridgeError`: SCHEMA_UNSUPPORTED for another major version, OBJECT_INVALID for
    what is no version."""
    major, _, minor = version.partition(".")
    if not (major.isascii() and major.isdigit() and minor.isascii() and minor.isdigit()):
        raise _invalid(name, f"its schema version {version[:20]!r} is none")
    if major != SCHEMA.partition(".")[0]:
        raise NoteBridgeError(
            ErrorCode.SCHEMA_UNSUPPORTED,
            f"{name} is of schema {version[:20]}; this version reads {SCHEMA.partition('.')[0]}.x.",
            hint="Update note-bridge.",
            details={"object": name, "schema": version[:20]},
        )


def first_problem(error: ValidationError) -> str:
    """The first thing a validation found, in a few words: where, and what."""
    problem = error.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(str(part) for part in problem["loc"]) or "the whole"
    return f"{place}: {problem['msg']}"


def _invalid(name: str, why: str) -> NoteBridgeError:
    return NoteBridgeError(
        ErrorCode.OBJECT_INVALID,
        f"{name} is no valid object: {why}.",
        hint="Publish the site again with an unmodified note-bridge.",
        details={"object": name},
    )
