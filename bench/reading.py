"""What reading costs: the first question of a reader that knows nothing, and a search when all is
at hand."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from bench.counted_server import CountedServer, Transfer, counted_server
from bench.figures import percentile, spread
from bench.first_questions import (
    ask_first,
    new_searcher,
    summary,
    transfer_summary,
    unread_site,
)
from bench.grower import read_notes
from bench.processes import private_environment
from bench.questions import Question, make_questions
from bench.workshop import Workshop
from bridge_reader.search.searcher import Searcher

ASKED_SHARE = 4
"""One question in so many is also put to `note-bridge ask`, which takes a process each."""

ANSWERED = (0, 1)
"""Exit codes of `ask`: answered, and the notes do not answer."""


def measure_reading(workshop: Workshop) -> dict[str, object]:
    """Raises DataMissing, CommandFailed."""
    built = workshop.grown
    settings = workshop.settings
    notes = read_notes(built.corpus.folder)
    questions = make_questions(notes, settings.questions, settings.seed)
    workshop.say(f"{len(questions)} first questions")
    with counted_server(built.site) as server:
        asked = asyncio.run(ask_first(server, questions))
        by_language = {
            language: summary([first for first in asked if first.question.language == language])
            for language in ("zh", "en")
        }
        workshop.say("first questions to note-bridge ask")
        fewer = questions if settings.full else questions[::ASKED_SHARE]
        answered = _ask(server, fewer, workshop)
    workshop.say("warm searches")
    queries = make_questions(notes, 2 * settings.queries, settings.seed + 1)
    half = len(queries) // 2
    return {
        **built.corpus.facts(),
        "firstQuestion": {**summary(asked), "byLanguage": by_language, "ask": answered},
        "warm": asyncio.run(_warm(built.site, queries[:half], queries[half:])),
    }


def _ask(
    server: CountedServer, questions: Sequence[Question], workshop: Workshop
) -> dict[str, object]:
    """`note-bridge ask`, each time with an empty home."""
    transfers: list[Transfer] = []
    statuses: Counter[str] = Counter()
    citations: list[int] = []
    seconds: list[float] = []
    for question in questions:
        home = workshop.folder("asking")
        command = [sys.executable, "-m", "note_bridge", "ask", server.url, question.text, "--json"]
        server.take()
        started = time.perf_counter()
        done = subprocess.run(
            command,
            cwd=home,
            env=private_environment(home),
            capture_output=True,
            text=True,
            encoding="utf-8",
            check=False,
        )
        seconds.append(time.perf_counter() - started)
        if done.returncode not in ANSWERED or not done.stdout.startswith("{"):
            return {"failed": f"note-bridge ask, question {question.text!r}: {done.stderr[-500:]}"}
        answer = json.loads(done.stdout)
        statuses[answer["status"]] += 1
        citations.append(len(answer["citations"]))
        transfers.append(server.take())
    return {
        "questions": len(questions),
        "statuses": dict(statuses),
        "citations": spread(citations),
        "seconds": spread(seconds),
        **transfer_summary(transfers),
    }


async def _warm(
    site: Path, earlier: Sequence[Question], queries: Sequence[Question]
) -> dict[str, object]:
    """Times of searches when every object is in the reader's cache and it has answered as many
    other questions before; and of the same questions once more. CPU time is that of the process,
    and says more than wall time where the machine is busy."""
    async with unread_site(str(site)) as opened:
        revision = await opened.bind()
        await _timed(new_searcher(revision), queries)
        searcher = new_searcher(revision)
        await _timed(searcher, earlier)
        before = time.process_time()
        times = await _timed(searcher, queries)
        cpu = (time.process_time() - before) * 1000 / len(queries)
        return {
            "queries": len(queries),
            "milliseconds": _times(times),
            "meanCpuMilliseconds": round(cpu, 2),
            "repeatedMilliseconds": _times(await _timed(searcher, queries)),
        }


async def _timed(searcher: Searcher, questions: Sequence[Question]) -> list[float]:
    """Milliseconds of each search, one after another."""
    times: list[float] = []
    for question in questions:
        started = time.perf_counter()
        await searcher.search(question.text)
        times.append((time.perf_counter() - started) * 1000)
    return times


def _times(times: Sequence[float]) -> dict[str, float]:
    return {
        "p50": round(percentile(times, 0.5), 2),
        "p95": round(percentile(times, 0.95), 2),
        "max": round(max(times), 2),
    }
