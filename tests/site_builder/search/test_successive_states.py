"""What is published is a function of the documents and of what was published before; and readers
get from it what they would get from one new base."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bridge_reader.passages import PassageCutter
from bridge_reader.search.searcher import Searcher
from bridge_reader.site import Site, open_transport
from bridge_reader.site_address import parse_site_address
from bridge_reader.verification.verify import verify_site
from manifest.objects import Doc, read_object
from manifest.references import Kind
from manifest.search_objects import Delta
from storage.reader_cache import ReaderCache

pytestmark = pytest.mark.usefixtures("small_steps")


STEPS = 20


def clock() -> int:
    return 1_800_000_000_000


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything that happens to large collections happens to small ones."""
    monkeypatch.setattr("site_builder.search.policy.DELTA_DOCUMENTS", 4)
    monkeypatch.setattr("site_builder.search.policy.ALLOWANCE", 40)
    monkeypatch.setattr("site_builder.search.policy.MERGING_RATIO", 1)
    monkeypatch.setattr("site_builder.search.policy.MERGED_ANYWAY", 1)
    for module in ("site_builder.search.shards", "bridge_reader.search.common_terms"):
        monkeypatch.setattr(f"{module}.POSTINGS_LIMIT", 60)
    monkeypatch.setattr("site_builder.search.segments.POSTINGS_LIMIT", 60)
    monkeypatch.setattr("manifest.query_plan.HOT_FLOOR", 20)
    monkeypatch.setattr("site_builder.search.segments.LEAST_FLOOR", 3)
    monkeypatch.setattr("site_builder.search.publishing.LEAST_FLOOR", 3)


async def answers(folder: Path, questions: list[str], cache: ReaderCache) -> list[list[Any]]:
    """The best ten for each question, with scores."""
    site = Site.open(str(folder), cache.objects, cache.manifests, clock)
    try:
        revision = await site.bind()
        searcher = Searcher(revision, PassageCutter(revision.revision, "", clock))
        found = []
        for question in questions:
            report = await searcher.search(question)
            assert report.degraded == ""
            found.append([(hit.doc_id, hit.unit, hit.score, hit.doc.sha256) for hit in report.hits])
        return found
    finally:
        await site.close()


async def require_whole(folder: Path) -> None:
    """That a site is whole, and nothing lies about in it."""
    transport = open_transport(parse_site_address(str(folder)))
    report = await verify_site(transport, clock=clock)
    assert (report.problems, report.unreferenced) == ((), ())


def questions_of(docs: dict[str, Doc], count: int, rng: random.Random) -> list[str]:
    """Words of notes: few of them, and more than are looked up."""
    texts = [doc.text for _, doc in sorted(docs.items())]
    found = []
    for number in range(count):
        words = rng.choice(texts).replace("#", "").split() + rng.choice(texts).split()
        found.append(" ".join(rng.sample(words, min(len(words), 1 + number % 16))))
    return found


@pytest.mark.parametrize("seed", range(2))
async def test_successive_states_answer_as_one_new_base_does(
    author: Any, publish: Callable[..., Any], tmp_path: Path, seed: int
) -> None:
    writer = author(50, seed)
    rng = random.Random(seed)
    state = publish(writer.docs, tmp_path / "0")
    shapes = set()
    with ReaderCache(tmp_path / "cache", clock=clock) as cache:
        for step in range(1, STEPS + 1):
            for _ in range(rng.choice([1, 1, 1, 2, 3])):
                writer.change()
            folder = tmp_path / str(step)
            shutil.copytree(state.folder, folder)
            state = publish(writer.docs, folder, tmp_path / str(step - 1))
            again = publish(writer.docs, tmp_path / "again", tmp_path / str(step - 1))
            assert again.manifest == state.manifest
            clean = publish(writer.docs, tmp_path / "clean")
            assert len(set(state.asked)) == len(state.asked)
            questions = questions_of(writer.docs, 16, rng)
            assert await answers(folder, questions, cache) == await answers(
                clean.folder, questions, cache
            )
            if step % 4 == 0:
                await require_whole(again.folder)
            delta = read_object(Delta, state.read(Kind.DELTA, state.part.delta), name="delta")
            shapes.add((len(state.part.segments), bool(delta.docs)))
            shutil.rmtree(tmp_path / "again")
            shutil.rmtree(tmp_path / "clean")
    # A base, one and two younger segments, each with and without a delta: all have been met.
    assert {(1, True), (2, False), (2, True), (3, True)} <= shapes
