"""CMRC2018's development set: of 848 passages, which one holds the answer?

Every passage is published as a note of its own, its text and nothing else, and looked for through
the published shards. A title would be an answer's best hint, so there is none.
"""

from __future__ import annotations

import asyncio
import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypedDict

from bench.first_questions import new_searcher, unread_site
from bench.workshop import Workshop, build


class Qa(TypedDict):
    """A question over a passage."""

    question: str


class Paragraph(TypedDict):
    """A passage with its questions."""

    context: str
    qas: list[Qa]


class Article(TypedDict):
    """Passages of one article."""

    paragraphs: list[Paragraph]


class CmrcFile(TypedDict):
    """The data set's file, as far as it is used."""

    data: list[Article]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, and the ids of the documents that hold its passage."""

    question: str
    documents: frozenset[str]


def measure_cmrc(workshop: Workshop) -> dict[str, object]:
    """Raises DataMissing, CommandFailed."""
    given: CmrcFile = json.loads(workshop.data.cmrc2018_dev.read_text(encoding="utf-8"))
    work = workshop.folder("cmrc")
    asked = write_passages(given, work / "notes")
    passages = sum(1 for _ in (work / "notes").iterdir())
    workshop.say(f"building CMRC2018's {passages} passages")
    build(work / "notes", work / "site", work)
    workshop.say(f"asking {len(asked)} questions")
    ranks = asyncio.run(_ranks(work / "site", asked))
    return {"passages": passages, **ranking_figures(ranks)}


def write_passages(given: CmrcFile, folder: Path) -> list[Asked]:
    """Writes every passage as a note; the questions with the documents that answer them."""
    folder.mkdir(parents=True)
    documents: defaultdict[str, set[str]] = defaultdict(set)
    for number, paragraph in enumerate(_paragraphs(given)):
        document = f"p{number:04}"
        (folder / f"{document}.md").write_text(paragraph["context"] + "\n", encoding="utf-8")
        documents[paragraph["context"]].add(document)
    return [
        Asked(qa["question"], frozenset(documents[paragraph["context"]]))
        for paragraph in _paragraphs(given)
        for qa in paragraph["qas"]
    ]


def ranking_figures(ranks: Sequence[int]) -> dict[str, object]:
    """Recall at one and five, and the mean reciprocal rank; ranks from 1, 0 for not found."""
    count = len(ranks)
    return {
        "questions": count,
        "recallAt1": round(sum(rank == 1 for rank in ranks) / count, 4),
        "recallAt5": round(sum(1 <= rank <= 5 for rank in ranks) / count, 4),
        "mrr": round(sum(1 / rank for rank in ranks if rank) / count, 4),
    }


async def _ranks(site: Path, asked: Sequence[Asked]) -> list[int]:
    """The rank of the first document that answers, of ten."""
    async with unread_site(str(site)) as opened:
        searcher = new_searcher(await opened.bind())
        found: list[int] = []
        for question in asked:
            hits = (await searcher.search(question.question)).hits
            places = (n for n, hit in enumerate(hits, 1) if hit.doc_id in question.documents)
            found.append(next(places, 0))
        return found


def _paragraphs(given: CmrcFile) -> Iterator[Paragraph]:
    for article in given["data"]:
        yield from article["paragraphs"]
