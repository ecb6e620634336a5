"""chunking_evaluation: how much of the text that answers a question do its passages return?

Five long English texts without headings are cut at the ends of paragraphs and published as notes;
offsets of what a search returns are those of the note, moved back by where the note begins.
"""

from __future__ import annotations

import asyncio
import csv
import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench.figures import spread
from bench.first_questions import new_searcher, unread_site
from bench.workshop import Workshop, build
from bridge_reader.search.report import Hit
from manifest.units import Span, cut

NOTE = 10_000
"""Code points of a note at most."""

RETURNED = 5 * 2000
"""Code points that count as returned for one question; what comes beyond is left out."""


@dataclass(frozen=True, slots=True)
class Place:
    """A stretch of one of the texts, in code points."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class GoldQuestion:
    """A question, and where in one text its answer stands."""

    question: str
    text: str
    gold: tuple[Span, ...]


def measure_gold_spans(workshop: Workshop) -> dict[str, object]:
    """Raises DataMissing, CommandFailed."""
    source = workshop.data.chunking_evaluation
    work = workshop.folder("chunking")
    texts = {file.stem: file.read_bytes().decode("utf-8") for file in sorted(source.glob("*.md"))}
    places = write_notes(texts, work / "notes")
    workshop.say(f"building {len(places)} notes of chunking_evaluation")
    build(work / "notes", work / "site", work)
    questions = read_questions(source / "questions_df.csv")
    workshop.say(f"asking {len(questions)} questions")
    answers = asyncio.run(_answers(work / "site", questions, places))
    recalls: defaultdict[str, list[float]] = defaultdict(list)
    for question, answer in zip(questions, answers, strict=True):
        found = [place.span for place in answer if place.text == question.text]
        recalls[question.text].append(span_recall(question.gold, found))
    every = [recall for found in recalls.values() for recall in found]
    return {
        "notes": len(places),
        "questions": len(questions),
        "recall": round(sum(every) / len(every), 4),
        "recallByText": {
            text: round(sum(found) / len(found), 4) for text, found in sorted(recalls.items())
        },
        "returnedCharacters": spread(
            [sum(place.span.end - place.span.start for place in answer) for answer in answers]
        ),
        "goldMisplaced": misplaced_gold(texts, source / "questions_df.csv"),
    }


def write_notes(texts: dict[str, str], folder: Path) -> dict[str, Place]:
    """Writes the texts as notes; where each document's text stands."""
    places: dict[str, Place] = {}
    for name, text in texts.items():
        (folder / name).mkdir(parents=True)
        for number, span in enumerate(cut(text, 0, len(text), NOTE)):
            document = f"{name}/{number:03}"
            body = text[span.start : span.end].encode("utf-8")
            (folder / f"{document}.md").write_bytes(body)
            places[document] = Place(name, span)
    return places


def read_questions(file: Path) -> list[GoldQuestion]:
    """The questions with their gold spans, in order of the file."""
    return [
        GoldQuestion(
            row["question"],
            row["corpus_id"],
            tuple(
                Span(gold["start_index"], gold["end_index"])
                for gold in json.loads(row["references"])
            ),
        )
        for row in _rows(file)
    ]


def misplaced_gold(texts: dict[str, str], file: Path) -> int:
    """Gold spans whose words do not stand where they are said to: a fault of the data."""
    return sum(
        texts[row["corpus_id"]][gold["start_index"] : gold["end_index"]] != gold["content"]
        for row in _rows(file)
        for gold in json.loads(row["references"])
    )


def span_recall(gold: Iterable[Span], found: Iterable[Span]) -> float:
    """The share of the characters in any gold span that lie in any found one; 1 for no gold."""
    wanted = covered(gold)
    total = sum(span.end - span.start for span in wanted)
    if not total:
        return 1.0
    returned = covered(found)
    both = sum(
        max(0, min(one.end, other.end) - max(one.start, other.start))
        for one in wanted
        for other in returned
    )
    return both / total


def covered(spans: Iterable[Span]) -> list[Span]:
    """The same characters as spans that do not touch, in order."""
    merged: list[Span] = []
    for span in sorted(span for span in spans if span.end > span.start):
        if merged and span.start <= merged[-1].end:
            merged[-1] = Span(merged[-1].start, max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return merged


async def _answers(
    site: Path, questions: Sequence[GoldQuestion], places: dict[str, Place]
) -> list[list[Place]]:
    async with unread_site(str(site)) as opened:
        searcher = new_searcher(await opened.bind())
        return [
            returned((await searcher.search(question.question)).hits, places)
            for question in questions
        ]


def returned(hits: Iterable[Hit], places: dict[str, Place]) -> list[Place]:
    """Where the passages of an answer stand, the best document's first, up to `RETURNED`."""
    found: list[Place] = []
    left = RETURNED
    for hit in hits:
        for passage in hit.passages:
            begin = places[hit.doc_id].span.start + passage.start
            length = min(left, passage.end - passage.start)
            left -= length
            if length:
                found.append(Place(places[hit.doc_id].text, Span(begin, begin + length)))
    return found


def _rows(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))
