"""A collection that its author keeps changing, and its search base as it goes on from state to
state. Documents are written here directly: what notes are made of is the matter of other tests."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from manifest.canonical import text_sha256
from manifest.manifest_file import Manifest, Retention, new_manifest, write_manifest
from manifest.objects import (
    BranchRow,
    Category,
    CategoryDocument,
    CategoryRow,
    Doc,
    DocLink,
    Index,
    Leaf,
    LeafDocument,
    Overview,
    PublishedObject,
    Root,
    Toc,
    TocSection,
    reference_to,
    write_object,
)
from manifest.references import MANIFEST_PATH, HashRow, Kind, Reference, object_path
from manifest.tree import IndexShape, tree_shape
from manifest.units import token_estimate
from site_builder.index_card import IndexCard, NoteTerms
from site_builder.previous import PreviousSite, load_previous
from site_builder.search.publishing import SearchPart, publish_search

COMMON = [
    "system",
    "process",
    "thread",
    "memory",
    "lock",
    "queue",
    "event",
    "state",
    "value",
    "model",
    "数据",
    "系统",
    "进程",
    "内存",
]
WORDS = [*(f"w{number}" for number in range(400)), *"锁死线程资源调度缓存索引文件网络" * 2]


class KeepingSink:
    """Objects as files; counts what is new."""

    def __init__(self, site: Path) -> None:
        self.site = site
        self.written: dict[str, int] = {}

    def holds(self, kind: Kind, sha256: str) -> bool:
        return (self.site / object_path(kind, sha256)).exists()

    def put(self, kind: Kind, body: bytes) -> Reference:
        reference = reference_to(body)
        path = self.site / object_path(kind, reference.sha256)
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(body)
            self.written[object_path(kind, reference.sha256)] = len(body)
        return reference


def make_doc(doc_id: str, title: str, parts: list[str], links: list[str], tags: list[str]) -> Doc:
    """A document with a heading over each part."""
    text = ""
    sections: list[TocSection] = []
    for number, part in enumerate(parts):
        heading = f"{title} {number}"
        piece = f"## {heading}\n\n{part}\n\n"
        end = len(text) + len(piece)
        sections.append(
            TocSection(
                id=f"s{number}",
                anchor=f"s{number}",
                level=2,
                title=heading,
                path=[heading],
                start=len(text),
                end=end,
                sha256=text_sha256(piece),
                tokens=token_estimate(piece),
            )
        )
        text += piece
    return Doc(
        id=doc_id,
        title=title,
        language="en",
        url=f"{doc_id}/",
        meta={"tags": list(tags)} if tags else {},
        text=text,
        sections=sections,
        links=[DocLink(section=0, kind="doc", to=target) for target in links],
    )


@dataclass
class Author:
    """Writes notes and changes them, one at a time; equal seeds give equal collections."""

    count: int
    seed: int = 0
    docs: dict[str, Doc] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)
        self.made = 0
        for _ in range(self.count):
            self.add()

    def add(self) -> str:
        """A new note."""
        folder = self.rng.choice(["os", "net", "db", "os/deep"])
        doc_id = f"{folder}/note {self.made:04}"
        self.made += 1
        self.docs[doc_id] = self._written(doc_id, f"{self._word()} {self._word()}")
        return doc_id

    def edit(self) -> str:
        """Another text for some note, often only a few words of it."""
        doc_id = self.rng.choice(sorted(self.docs))
        doc = self.docs[doc_id]
        title = doc.title if self.rng.random() < 0.7 else f"{self._word()} {self._word()}"
        self.docs[doc_id] = self._written(doc_id, title)
        return doc_id

    def delete(self) -> str:
        """A note goes; links to it lead nowhere, so the notes that linked change too."""
        doc_id = self.rng.choice(sorted(self.docs))
        del self.docs[doc_id]
        for other in [doc for doc in self.docs.values() if any(k.to == doc_id for k in doc.links)]:
            links = [link for link in other.links if link.to != doc_id]
            self.docs[other.id] = other.model_copy(update={"links": links})
        return doc_id

    def change(self) -> None:
        """Any of these."""
        kind = self.rng.random()
        if kind < 0.2 or len(self.docs) < 3:
            self.add()
        elif kind < 0.35:
            self.delete()
        else:
            self.edit()

    def _word(self) -> str:
        if self.rng.random() < 0.3:
            return str(self.rng.choice(COMMON))
        return str(WORDS[min(int(self.rng.expovariate(0.02)), len(WORDS) - 1)])

    def _written(self, doc_id: str, title: str) -> Doc:
        rng = self.rng
        parts = [
            " ".join(self._word() for _ in range(rng.randrange(3, 60)))
            for _ in range(rng.randrange(1, 5))
        ]
        others = sorted(set(self.docs) - {doc_id})
        links = rng.sample(others, min(len(others), rng.randrange(4)))
        tags = [rng.choice(["a", "a/b", "c"])] if rng.random() < 0.4 else []
        return make_doc(doc_id, title, parts, links, tags)


def card_of(doc: Doc) -> IndexCard:
    """The card of a document."""
    links = tuple(dict.fromkeys(link.to for link in doc.links if link.to != doc.id))
    reference = reference_to(write_object(doc))
    return IndexCard(doc.id, doc.title, doc.language, doc.url, reference, links)


@dataclass
class Published:
    """A state that was published. asked: whose terms were asked for, in order."""

    folder: Path
    part: SearchPart
    manifest: Manifest
    written: dict[str, int]
    asked: list[str]

    def read(self, kind: Kind, reference: Reference) -> bytes:
        return (self.folder / object_path(kind, reference.sha256)).read_bytes()


def publish(docs: Mapping[str, Doc], folder: Path, previous: str | Path | None = None) -> Published:
    """Publishes documents into a folder, going on from an earlier site if one is named."""
    earlier: PreviousSite | None = load_previous(previous) if previous is not None else None
    sink = KeepingSink(folder)
    asked: list[str] = []

    def put(value: PublishedObject) -> Reference:
        return sink.put(value.KIND, write_object(value))

    def terms_of(doc_id: str) -> NoteTerms:
        asked.append(doc_id)
        return NoteTerms.of(docs[doc_id])

    ids = sorted(docs)
    rows = {doc_id: _leaf_row(docs[doc_id], put) for doc_id in ids}
    tree = _index(tree_shape(ids), rows, put)
    part = publish_search(
        [card_of(docs[doc_id]) for doc_id in ids], terms_of, earlier, sink, lambda *_: None
    )
    if earlier is not None:
        earlier.close()
    listed = [CategoryDocument(0, doc_id, docs[doc_id].title, docs[doc_id].url) for doc_id in ids]
    page = put(Category(rows=listed))
    overview = Overview(
        docs=len(ids),
        source="folders",
        categories=[CategoryRow(0, -1, "", len(ids), 0)],
        pages=[HashRow(page.sha256, page.size)],
    )
    root = put(
        Root(
            schema="1.0",
            docs=len(ids),
            tree=tree,
            overview=put(overview),
            segments=part.segments,
            delta=part.delta,
            graph=part.graph,
            clusters=part.clusters,
        )
    )
    manifest = new_manifest(
        knowledge_base_id="kb",
        title="Notes",
        site_url="",
        language="en",
        content=tree.sha256,
        root=root,
        retention=Retention(revisions=1, days=0),
        capabilities=["overview", "docs", "toc", "graph", "related", "clusters", "search.lexical"],
    )
    body = write_manifest(manifest)
    (folder / MANIFEST_PATH).write_bytes(body)
    return Published(folder, part, manifest, sink.written, asked)


Put = Callable[[PublishedObject], Reference]


def _leaf_row(doc: Doc, put: Put) -> LeafDocument:
    toc = Toc(id=doc.id, title=doc.title, language=doc.language, url=doc.url, sections=doc.sections)
    return LeafDocument(
        id=doc.id,
        title=doc.title,
        path=f"{doc.id}.md",
        url=doc.url,
        language=doc.language,
        doc=put(doc),
        toc=put(toc),
        sections=len(doc.sections),
        chars=len(doc.text),
    )


def _index(shape: IndexShape, rows: Mapping[str, LeafDocument], put: Put) -> Reference:
    leaves = []
    for leaf in shape.leaves:
        found = put(Leaf(prefix=leaf.prefix, docs=[rows[doc_id] for doc_id in leaf.doc_ids]))
        leaves.append(BranchRow(leaf.prefix, len(leaf.doc_ids), found.sha256, found.size))
    assert not shape.children
    return put(Index(prefix=shape.prefix, leaves=leaves))


@pytest.fixture(scope="session", name="author")
def author_fixture() -> type[Author]:
    """Makes collections that change."""
    return Author


@pytest.fixture(scope="session", name="publish")
def publish_fixture() -> Callable[..., Published]:
    """Publishes a collection."""
    return publish


@pytest.fixture(scope="session", name="make_doc")
def make_doc_fixture() -> Callable[..., Doc]:
    """Makes one document."""
    return make_doc
