"""A small publisher, for reading what one could publish.

The publisher writes the contract's objects straight from `manifest`, so that this room is tested
against the contract and not against another room; and it can publish what none should.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import (
    AsyncIterator,
    Callable,
    Collection,
    Iterator,
    Mapping,
    Sequence,
)
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

import pytest

from bridge_reader.http_transport import HttpLimits
from bridge_reader.site import Site
from manifest import objects as o
from manifest import search_objects as so
from manifest.anchors import Anchors, slug
from manifest.canonical import text_sha256
from manifest.manifest_file import Manifest, PreviousRevision, Retention, write_manifest
from manifest.objects import Doc, PublishedObject, reference_to, write_object
from manifest.references import MANIFEST_PATH, HashRow, Reference, object_path
from manifest.search_text import document_tags, meta_list
from manifest.tokens import VERSION
from manifest.tree import IndexShape, LeafShape, tree_shape
from manifest.unit_terms import WEIGHTS, document_terms, impact, pivot, unit_terms
from manifest.units import section_units, token_estimate
from storage.reader_cache import ReaderCache

T = TypeVar("T")

_HEADING = re.compile(r"^(#{1,6}) +(.*)$", re.MULTILINE)


class FakeClock:
    """Milliseconds since 1970 UTC, moved by hand."""

    def __init__(self) -> None:
        self.now = 1_800_000_000_000

    def __call__(self) -> int:
        return self.now


def make_doc(
    doc_id: str,
    text: str,
    *,
    title: str = "",
    language: str = "en",
    url: str | None = None,
    links: Sequence[str] = (),
    **meta: str | list[str],
) -> Doc:
    """A document with a section for each heading line."""
    heads = [(m.start(), len(m[1]), m[2].strip()) for m in _HEADING.finditer(text)]
    starts = heads if heads and not text[: heads[0][0]].strip() else [(0, 0, ""), *heads]
    anchors = Anchors()
    sections: list[o.TocSection] = []
    path: list[tuple[int, str]] = []
    for number, (start, level, heading) in enumerate(starts):
        end = starts[number + 1][0] if number + 1 < len(starts) else len(text)
        start = 0 if number == 0 else start
        path = [step for step in path if step[0] < level] + ([(level, heading)] if level else [])
        anchor = anchors.assign(slug(heading)) if level else "_top"
        sections.append(
            o.TocSection(
                id=anchor,
                anchor=anchor,
                level=level,
                title=heading,
                path=[step[1] for step in path],
                start=start,
                end=end,
                sha256=text_sha256(text[start:end]),
                tokens=token_estimate(text[start:end]),
            )
        )
    return Doc(
        id=doc_id,
        title=title or doc_id.rsplit("/", 1)[-1],
        language=language,
        url=f"{doc_id}/" if url is None else url,
        meta=meta,
        text=text,
        sections=sections,
        links=[o.DocLink(section=0, kind="doc", to=target) for target in links],
    )


@dataclass
class Publisher:
    """Writes a site's knowledge into a folder, in pieces small enough to need many of them."""

    folder: Path
    shard_rows: int = 12
    page_shards: int = 3
    keep: int = 4096
    hot: int = 10_000
    graph_rows: int = 512
    related: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def put(self, value: PublishedObject) -> Reference:
        """Keeps an object under the address its hash implies."""
        body = write_object(value)
        reference = reference_to(body)
        path = self.folder / object_path(value.KIND, reference.sha256)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
        return reference

    def publish(
        self,
        docs: Sequence[Doc],
        *,
        segments: Sequence[Sequence[Doc]] | None = None,
        newer: Sequence[Doc] = (),
        sequence: int = 0,
        previous: Sequence[PreviousRevision] = (),
        retention: Retention | None = None,
        root_fields: Mapping[str, object] | None = None,
    ) -> Manifest:
        """Publishes documents. segments: who is in which segment (all in one, if left out), where
        documents that are not among `docs` count as dropped; newer: the delta's."""
        base = [list(docs)] if segments is None else [list(each) for each in segments]
        base, newer = [sorted(each, key=_digest) for each in base], sorted(newer, key=_digest)
        tree = self.tree(docs)
        present = {doc.id for doc in docs}
        references = [self.segment(each, present) for each in base]
        delta = self.delta(docs, base, references, newer)
        fields: dict[str, object] = {
            "schema": "1.0",
            "docs": len(docs),
            "tree": tree,
            "overview": self.overview(docs),
            "segments": references,
            "delta": self.put(delta),
            "graph": self.graph(base, present),
            "clusters": self.put(
                o.Clusters(clusters=[_cluster(each, present) for each in base[:1] if each])
            ),
            **(root_fields or {}),
        }
        root = self.put(o.Root.model_validate(fields))
        manifest = Manifest(
            schemaVersion="1.0",
            knowledgeBaseId="kb",
            title="Notes",
            siteUrl="",
            language="en",
            content=tree.sha256,
            revision=root.sha256,
            root=root,
            sequence=sequence,
            publishedAt="2027-01-01T00:00:00Z" if sequence else None,
            previous=list(previous),
            retention=retention or Retention(revisions=1, days=0),
            capabilities=["overview", "docs", "toc", "graph", "search.lexical"],
        )
        self.write_manifest(write_manifest(manifest))
        return manifest

    def write_manifest(self, body: bytes) -> None:
        """Puts any bytes where the manifest belongs."""
        path = self.folder / MANIFEST_PATH
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)

    def tree(self, docs: Sequence[Doc]) -> Reference:
        """The document tree."""
        rows = {doc.id: self._leaf_row(doc) for doc in docs}
        return self._index(tree_shape(rows), rows)

    def segment(self, docs: Sequence[Doc], present: Collection[str]) -> Reference:
        """A segment over some documents, in their order; those not present have empty rows."""
        units = [(ordinal, unit_terms(doc)) for ordinal, doc in enumerate(docs)]
        lengths = [unit.length for _, found in units for unit in found]
        mean = pivot(sum(lengths), len(lengths))
        postings: defaultdict[str, list[so.Posting]] = defaultdict(list)
        for ordinal, found in units:
            for number, unit in enumerate(found):
                for term, frequency in unit.frequencies.items():
                    weight = impact(frequency, unit.length, mean)
                    postings[term].append(so.Posting(ordinal, number, weight))
            for term in document_terms(docs[ordinal]):
                postings[term].append(so.Posting(ordinal, 0, 1))
        rows = [self._shard_row(term, postings[term], docs) for term in sorted(postings)]
        shards = [
            so.DirectoryRow(str(part[0][0]), *_hash_row(self.put(so.Shard(terms=part))))
            for part in _parts(rows, self.shard_rows)
        ]
        pages = [
            so.DirectoryRow(part[0].first, *_hash_row(self.put(so.Terms(shards=part))))
            for part in _parts(shards, self.page_shards)
        ]
        hot = [
            so.TermCount(term, len(postings[term]))
            for term in sorted(postings)
            if len(postings[term]) > self.hot
        ]
        return self.put(
            so.Segment(
                tokens=VERSION,
                docs=len(docs),
                units=len(lengths),
                pivot=mean,
                weights=WEIGHTS,
                hot=hot,
                pages=pages,
                docPages=self._doc_pages(docs, present),
            )
        )

    def delta(
        self,
        docs: Sequence[Doc],
        base: Sequence[Sequence[Doc]],
        references: Sequence[Reference],
        newer: Sequence[Doc],
    ) -> so.Delta:
        """The delta: `newer`, and whatever in the segments is no longer what it was."""
        return so.Delta(
            base=references[0].sha256 if references else "0" * 64,
            drop=[
                so.Dropped(number, ordinal, _units(doc))
                for number, segment in enumerate(base)
                for ordinal, doc in enumerate(segment)
                if doc not in docs
            ],
            docs=[
                so.DeltaDoc(doc.id, doc.title, doc.language, *_hash_row(self.put(doc)))
                for doc in newer
            ],
        )

    def overview(self, docs: Sequence[Doc]) -> Reference:
        """Two levels of categories: the site, and first folders."""
        folders = sorted({_folder(doc) for doc in docs if _folder(doc)})
        numbers = {"": 0, **{folder: number for number, folder in enumerate(folders, 1)}}
        listed = (o.CategoryDocument(numbers[_folder(d)], d.id, d.title, d.url) for d in docs)
        rows = sorted(listed, key=lambda row: row.category)
        page = self.put(o.Category(rows=rows))
        counts = [sum(row.category == number for row in rows) for number in range(len(numbers))]
        return self.put(
            o.Overview(
                docs=len(docs),
                source="folders",
                categories=[
                    o.CategoryRow(0, -1, "Notes", len(docs), 0),
                    *(o.CategoryRow(numbers[f], 0, f, counts[numbers[f]], 0) for f in folders),
                ],
                pages=[HashRow(page.sha256, page.size)],
            )
        )

    def graph(self, base: Sequence[Sequence[Doc]], present: Collection[str]) -> Reference:
        """The links among the documents of the segments."""
        places = _places(base)
        rows = [
            o.Edges(places[doc.id], sorted({places[t.to] for t in doc.links if t.to in places}))
            for segment in base
            for doc in segment
            if doc.links and doc.id in present
        ]
        pages = [self.put(o.GraphPage(rows=part)) for part in _parts(rows, self.graph_rows)]
        return self.put(o.Graph(pages=[HashRow(page.sha256, page.size) for page in pages]))

    def _leaf_row(self, doc: Doc) -> o.LeafDocument:
        toc = o.Toc(
            id=doc.id, title=doc.title, language=doc.language, url=doc.url, sections=doc.sections
        )
        return o.LeafDocument(
            id=doc.id,
            title=doc.title,
            path=f"{doc.id}.md",
            url=doc.url,
            language=doc.language,
            tags=document_tags(meta_list(doc.meta.get("tags")), doc.text),
            aliases=meta_list(doc.meta.get("aliases")),
            category=doc.id.split("/")[:-1],
            date=str(doc.meta["date"]) if "date" in doc.meta else None,
            doc=self.put(doc),
            toc=self.put(toc),
            sections=len(doc.sections),
            chars=len(doc.text),
        )

    def _index(self, shape: IndexShape, rows: Mapping[str, o.LeafDocument]) -> Reference:
        def leaf(shape: LeafShape) -> o.BranchRow:
            value = o.Leaf(prefix=shape.prefix, docs=[rows[doc_id] for doc_id in shape.doc_ids])
            return o.BranchRow(shape.prefix, len(shape.doc_ids), *_hash_row(self.put(value)))

        children = [
            o.BranchRow(child.prefix, _count(child), *_hash_row(self._index(child, rows)))
            for child in shape.children
        ]
        leaves = [leaf(each) for each in shape.leaves]
        return self.put(o.Index(prefix=shape.prefix, leaves=leaves, children=children or None))

    def _shard_row(
        self, term: str, postings: list[so.Posting], docs: Sequence[Doc]
    ) -> list[str | int | dict[str, str | int]]:
        if len(postings) <= self.keep:
            return [term, *so.write_postings(postings)]
        digests = [hashlib.sha256(doc.id.encode()).digest() for doc in docs]
        ordered = sorted(postings, key=lambda p: (-p.impact, digests[p.ordinal], p.unit))
        levels = [sum(p.impact >= impact for p in postings) for impact in range(17)]
        least = next(impact for impact in range(17) if levels[impact] <= self.keep)
        kept, rest = ordered[: levels[least]], ordered[levels[least] :]
        rows = [so.PostingRow(p.ordinal, p.unit * 16 + p.impact) for p in rest]
        found = self.put(so.Postings(term=term, rows=rows))
        more: dict[str, str | int] = {
            "sha256": found.sha256,
            "size": found.size,
            "count": len(postings),
            "least": least,
            "below": levels[least - 1] - levels[least],
        }
        return [term, more, *so.write_postings(sorted(kept))]

    def _doc_pages(self, docs: Sequence[Doc], present: Collection[str]) -> list[HashRow]:
        ordinals = {doc.id: ordinal for ordinal, doc in enumerate(docs)}
        rows = [
            so.DocRow(
                doc.id,
                doc.title,
                doc.language,
                *_hash_row(self.put(doc)),
                _units(doc),
                sorted({ordinals[link.to] for link in doc.links if link.to in ordinals}),
                [so.Related(ordinals[other], 500) for other in self.related.get(doc.id, ())],
                -1,
            )
            if doc.id in present
            else so.DocRow("", "", "", "", 0, _units(doc), [], [], -1)
            for doc in docs
        ]
        pages = [
            self.put(so.Docs(first=first, docs=rows[first : first + 32]))
            for first in range(0, len(rows), 32)
        ]
        return [HashRow(page.sha256, page.size) for page in pages]


def _digest(doc: Doc) -> bytes:
    return hashlib.sha256(doc.id.encode()).digest()


def _units(doc: Doc) -> int:
    return len(section_units(doc.text, list(doc.sections)))


def _cluster(docs: Sequence[Doc], present: Collection[str]) -> o.Cluster:
    ordinals = [ordinal for ordinal, doc in enumerate(docs) if doc.id in present]
    return o.Cluster(id=0, label="All", terms=["all"], ordinals=ordinals)


def _hash_row(reference: Reference) -> HashRow:
    return HashRow(reference.sha256, reference.size)


def _parts(rows: Sequence[T], size: int) -> list[list[T]]:
    return [list(rows[start : start + size]) for start in range(0, len(rows), size)]


def _count(shape: IndexShape) -> int:
    return sum(len(leaf.doc_ids) for leaf in shape.leaves) + sum(map(_count, shape.children))


def _folder(doc: Doc) -> str:
    return doc.id.split("/")[0] if "/" in doc.id else ""


def _places(base: Sequence[Sequence[Doc]]) -> dict[str, int]:
    places: dict[str, int] = {}
    offset = 0
    for segment in base:
        places.update((doc.id, offset + ordinal) for ordinal, doc in enumerate(segment))
        offset += -(-len(segment) // 32) * 32
    return places


OpenSite = Callable[..., Site]


@pytest.fixture
def clock() -> FakeClock:
    """A clock that stands still."""
    return FakeClock()


@pytest.fixture
def doc() -> Callable[..., Doc]:
    """Makes a document of a text."""
    return make_doc


@pytest.fixture
def publisher(tmp_path: Path) -> Publisher:
    """Publishes into a folder of its own."""
    return Publisher(tmp_path / "site")


@pytest.fixture
def garden(doc: Callable[..., Doc]) -> list[Doc]:
    """A few notes that differ in what a reader may ask for."""
    return [
        doc(
            "garden/soil",
            "Loam drains well.\n\n# Soil\n\nGood soil holds water.\n\n## Compost\n\nCompost feeds "
            "worms and fungi.\n\n## Clay\n\nClay holds nutrients but drains slowly.\n",
            title="Soil",
            links=["garden/worms"],
            tags=["ground", "ground/earth"],
            date="2026-05-01",
        ),
        doc(
            "garden/worms",
            "# Worms\n\nEarthworms move through soil and eat compost.\n",
            title="Earthworms",
            links=["garden/soil", "home"],
            tags=["animals"],
            date="2026-06-10",
        ),
        doc(
            "os/死锁",
            "# 死锁\n\n死锁需要四个必要条件：互斥、占有并等待、不可抢占、环路等待。\n\n## 预防\n\n"
            "破坏任意一个条件即可预防死锁。\n",
            title="死锁",
            language="zh-CN",
            tags=["操作系统"],
        ),
        doc("os/线程", "# 线程\n\n线程是调度的最小单位，共享进程的资源。\n", language="zh-CN"),
        doc("home", "Welcome to the notes.\n", title="Home", url="", links=["garden/soil"]),
    ]


@pytest.fixture
def reader_cache(tmp_path: Path, clock: FakeClock) -> Iterator[ReaderCache]:
    """The real cache, in a file."""
    with ReaderCache(tmp_path / "cache", clock=clock) as cache:
        yield cache


@pytest.fixture
async def open_site(reader_cache: ReaderCache, clock: FakeClock) -> AsyncIterator[OpenSite]:
    """Opens sites by address over one cache, and closes them at the end."""
    opened: list[Site] = []

    def open_one(address: str | Path, limits: HttpLimits | None = None) -> Site:
        site = Site.open(str(address), reader_cache.objects, reader_cache.manifests, clock, limits)
        opened.append(site)
        return site

    yield open_one
    for site in opened:
        await site.close()
