"""What small steps cost, on both sides: bytes that edits rewrite of the search base, and what a
first question reads of it, while younger segments and the delta grow and are folded.

    python -m bench.segments SITE [--documents N] [--edits 300] [--questions 60] [--seed S]

SITE is a built site. Its documents are changed one after another, one sentence each; pages are no
part of this.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, pairwise
from pathlib import Path

from bench.counted_server import counted_server
from bench.figures import spread
from bench.first_questions import ask_first, summary
from bench.note_parts import source_note
from bench.questions import Question, make_questions
from manifest.canonical import text_sha256
from manifest.manifest_file import write_manifest
from manifest.objects import (
    BranchRow,
    Doc,
    Index,
    Leaf,
    LeafDocument,
    read_object,
    reference_to,
)
from manifest.references import MANIFEST_PATH, Kind, Reference, object_path
from manifest.tree import IndexShape, tree_shape
from site_builder.index_card import IndexCard, NoteTerms
from site_builder.object_sink import put_object
from site_builder.previous import PreviousSite, load_previous
from site_builder.search.publishing import SearchPart, publish_search

SEARCH = frozenset({"segment", "terms", "shard", "postings", "docs", "delta"})
"""Kinds of the search base; of what else an edit rewrites most is the document itself."""


class CountingSink:
    """Objects as files. written: what is new since it was last looked at, by address."""

    def __init__(self, site: Path) -> None:
        self.site = site
        self.written: dict[str, int] = {}

    def holds(self, kind: Kind, sha256: str) -> bool:
        """Whether an object is there."""
        return (self.site / object_path(kind, sha256)).exists()

    def put(self, kind: Kind, body: bytes) -> Reference:
        """Keeps a body."""
        reference = reference_to(body)
        address = object_path(kind, reference.sha256)
        path = self.site / address
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(body)
            self.written[address] = len(body)
        return reference


@dataclass(slots=True)
class Step:
    """One edit. young: documents of younger segments. delta: documents of the delta."""

    files: int
    size: int
    search: int
    seconds: float
    segments: int
    young: int
    delta: int
    dropped: int


@dataclass(slots=True)
class Collection:
    """The documents of a site, and the state of its search base as it goes on."""

    site: Path
    docs: dict[str, LeafDocument] = field(default_factory=dict)
    terms: dict[str, NoteTerms] = field(default_factory=dict)
    cards: dict[str, IndexCard] = field(default_factory=dict)

    @classmethod
    def of(cls, built: Path, work: Path, documents: int) -> Collection:
        """A copy of a built site's knowledge, of so many documents at most."""
        found = cls(work / "site")
        shutil.copytree(built / "ai", found.site / "ai", copy_function=os.link)
        with _opened(found.site) as previous:
            for row in islice(previous.documents(), documents):
                found._keep(row, previous.read(Doc, row.doc))
        return found

    def text(self, doc_id: str) -> Doc:
        """A document as it stands."""
        reference = self.docs[doc_id].doc
        body = (self.site / object_path(Kind.DOC, reference.sha256)).read_bytes()
        return read_object(Doc, body, name=doc_id)

    def edit(self, doc_id: str, sentence: str, sink: CountingSink) -> None:
        """Adds a sentence to the end of a document."""
        doc = self.text(doc_id)
        text = f"{doc.text}\n{sentence}\n"
        *others, last = doc.sections
        piece = text[last.start :]
        grown = last.model_copy(update={"end": len(text), "sha256": text_sha256(piece)})
        changed = doc.model_copy(update={"text": text, "sections": [*others, grown]})
        reference = put_object(sink, changed)
        row = self.docs[doc_id].model_copy(update={"doc": reference, "chars": len(text)})
        self._keep(row, changed)

    def publish(self, sink: CountingSink, *, anew: bool = False) -> SearchPart:
        """Publishes the present state, going on from the one before."""
        rows = {doc_id: self.docs[doc_id] for doc_id in sorted(self.docs)}
        with _opened(self.site) as previous:
            part = publish_search(
                [self.cards[doc_id] for doc_id in rows],
                self.terms.__getitem__,
                None if anew else previous,
                sink,
                lambda *_: None,
            )
            root = put_object(
                sink,
                previous.root.model_copy(
                    update={
                        "tree": _tree(tree_shape(rows), rows, sink),
                        "segments": part.segments,
                        "delta": part.delta,
                        "graph": part.graph,
                        "clusters": part.clusters,
                    }
                ),
            )
            manifest = previous.manifest.model_copy(update={"root": root, "revision": root.sha256})
        (self.site / MANIFEST_PATH).unlink()
        (self.site / MANIFEST_PATH).write_bytes(write_manifest(manifest))
        return part

    def _keep(self, row: LeafDocument, doc: Doc) -> None:
        targets = (link.to for link in doc.links if link.kind in ("doc", "embed"))
        links = tuple(dict.fromkeys(target for target in targets if target != doc.id))
        self.docs[doc.id] = row
        self.terms[doc.id] = NoteTerms.of(doc)
        self.cards[doc.id] = IndexCard(doc.id, doc.title, doc.language, doc.url, row.doc, links)


def _opened(site: Path) -> PreviousSite:
    previous = load_previous(site)
    if previous is None:
        raise ValueError(f"{site} holds no site")
    return previous


def _tree(shape: IndexShape, rows: Mapping[str, LeafDocument], sink: CountingSink) -> Reference:
    leaves = []
    for leaf in shape.leaves:
        found = put_object(sink, Leaf(prefix=leaf.prefix, docs=[rows[i] for i in leaf.doc_ids]))
        leaves.append(BranchRow(leaf.prefix, len(leaf.doc_ids), found.sha256, found.size))
    children = []
    for child in shape.children:
        found = _tree(child, rows, sink)
        children.append(BranchRow(child.prefix, 0, found.sha256, found.size))
    return put_object(sink, Index(prefix=shape.prefix, leaves=leaves, children=children or None))


def measure_segments(
    built: Path, work: Path, documents: int, edits: int, questions: int, seed: int
) -> dict[str, object]:
    """What a run of edits rewrites, and what first questions read on the way."""
    rng = random.Random(seed)
    collection = Collection.of(built, work, documents)
    sink = CountingSink(collection.site)
    collection.publish(sink, anew=True)
    sink.written.clear()
    asked = _questions(collection, questions, seed)
    read = {"a base alone": _read(collection.site, asked)}
    steps: list[Step] = []
    fullest = _Fullest(0, 0)
    for number in range(edits):
        collection.edit(rng.choice(sorted(collection.docs)), f"A sentence, the {number}th.", sink)
        steps.append(_step(collection, sink))
        state = _Fullest(steps[-1].young, steps[-1].delta)
        if state > fullest:
            fullest = state
            shutil.rmtree(work / "fullest", ignore_errors=True)
            # Objects never change, and the manifest is replaced, not written over.
            shutil.copytree(collection.site, work / "fullest", copy_function=os.link)
        print(number, steps[-1], file=sys.stderr, flush=True)
    if steps:
        read[f"{fullest.young} documents younger, {fullest.delta} in the delta"] = _read(
            work / "fullest", asked
        )
        read["after the last edit"] = _read(collection.site, asked)
    return {
        "documents": len(collection.docs),
        "edits": edits,
        "written": _written(steps),
        "firstQuestion": read,
    }


@dataclass(frozen=True, slots=True, order=True)
class _Fullest:
    """The state that is the dearest to read."""

    young: int
    delta: int


def _step(collection: Collection, sink: CountingSink) -> Step:
    started = time.perf_counter()
    part = collection.publish(sink)
    seconds = time.perf_counter() - started
    written, sink.written = sink.written, {}
    with _opened(collection.site) as previous:
        delta = previous.delta
        young = sum(found.segment.docs for found in previous.segments[1:])
    return Step(
        files=len(written),
        size=sum(written.values()),
        search=sum(size for path, size in written.items() if path.split("/")[2] in SEARCH),
        seconds=round(seconds, 2),
        segments=len(part.segments),
        young=young,
        delta=len(delta.docs),
        dropped=len(delta.drop),
    )


def _written(steps: Sequence[Step]) -> dict[str, object]:
    if not steps:
        return {}
    bases = sum(step.young < before.young for before, step in pairwise(steps))
    return {
        "files": spread([step.files for step in steps]),
        "bytes": spread([step.size for step in steps]),
        "ofSearchBase": spread([step.search for step in steps]),
        "seconds": spread([step.seconds for step in steps]),
        "folds": sum(step.delta == 0 for step in steps),
        "bases": bases,
        "mostYoung": max(step.young for step in steps),
    }


def _questions(collection: Collection, count: int, seed: int) -> list[Question]:
    notes = [
        source_note(f"{doc_id}.md", collection.text(doc_id).text.encode())
        for doc_id in sorted(collection.docs)
    ]
    return make_questions([note for note in notes if note is not None], count, seed)


def _read(site: Path, questions: Sequence[Question]) -> dict[str, object]:
    with counted_server(site) as server:
        return summary(asyncio.run(ask_first(server, questions)))


def main() -> None:
    """`python -m bench.segments`."""
    parser = argparse.ArgumentParser(prog="python -m bench.segments", description=__doc__)
    parser.add_argument("site", type=Path)
    parser.add_argument("--documents", type=int, default=10**6)
    parser.add_argument("--edits", type=int, default=300)
    parser.add_argument("--questions", type=int, default=60)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="note-bridge-segments-") as work:
        found = measure_segments(
            given.site,
            Path(work),
            given.documents,
            given.edits,
            given.questions,
            given.seed,
        )
    print(json.dumps(found, ensure_ascii=False, indent=1))


if __name__ == "__main__":
    main()
