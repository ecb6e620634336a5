"""The questions by which the built-in model's thresholds were fitted, and how it fares on them.

`development_questions.json` holds 182 questions with notes of note-zh that answer them and 130
that the notes do not answer. They are there so that thresholds need not be chosen by the judged
set (`tests/questions`); the two share no question. A sample is asked here. Of all of them, over
real tools, 135 were answered from a right note, 19 from another, 28 declined; of those without an
answer 111 were declined.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from asked_models import Conversation

from agent.citations import CheckedAnswer
from agent.models.extractive import ExtractiveModel
from bridge_reader.site import Site
from bridge_reader.tools.toolbox import Toolbox
from storage.reader_cache import ReaderCache

QUESTIONS: list[dict[str, Any]] = json.loads(
    Path(__file__).with_name("development_questions.json").read_text(encoding="utf-8")
)
JUDGED = Path(__file__).parent.parent / "questions" / "note_zh.json"

EVERY = 12
"""One question of so many is asked: all would take minutes."""

RIGHT = 0.6
DECLINED = 0.7


def test_no_judged_question_is_among_them() -> None:
    judged = {each["question"] for each in json.loads(JUDGED.read_text(encoding="utf-8"))}
    asked = [each["question"] for each in QUESTIONS]
    assert len(set(asked)) == len(asked)
    assert judged.isdisjoint(asked)


def test_every_named_note_exists(note_zh: Path) -> None:
    named = {doc for each in QUESTIONS for doc in each["docs"]}
    assert [doc for doc in sorted(named) if not (note_zh / f"{doc}.md").is_file()] == []


@dataclass(frozen=True)
class Asked:
    docs: list[str]
    cited: list[str]
    checked: CheckedAnswer


async def _ask_all(site_folder: Path, cache: ReaderCache) -> list[Asked]:
    site = Site.open(str(site_folder), cache.objects, cache.manifests, lambda: 0)
    await site.refresh()
    toolbox = Toolbox(await site.bind(), "https://notes.example/", lambda: 0)
    asked: list[Asked] = []
    for each in QUESTIONS[::EVERY]:
        conversation = Conversation(ExtractiveModel(), toolbox)
        checked = await conversation.ask(each["question"])
        asked.append(Asked(each["docs"], conversation.cited(checked), checked))
    return asked


@pytest.fixture(scope="module")
def asked(note_zh_site: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Asked]]:
    with ReaderCache(tmp_path_factory.mktemp("cache"), clock=lambda: 0) as cache:
        yield asyncio.run(_ask_all(note_zh_site.folder, cache))


def test_most_are_answered_from_a_right_note(asked: list[Asked]) -> None:
    answerable = [each for each in asked if each.docs]
    right = [each for each in answerable if each.cited and each.cited[0] in each.docs]
    print(f"right note cited first: {len(right)} of {len(answerable)}")
    assert len(right) >= RIGHT * len(answerable)


def test_most_that_have_no_answer_are_declined(asked: list[Asked]) -> None:
    unanswerable = [each for each in asked if not each.docs]
    declined = [each for each in unanswerable if each.checked.declined]
    print(f"declined: {len(declined)} of {len(unanswerable)}")
    assert len(declined) >= DECLINED * len(unanswerable)


def test_whatever_is_quoted_is_verified(asked: list[Asked]) -> None:
    citations = [citation for each in asked for citation in each.checked.citations]
    assert len(citations) > len(asked) / 2
    assert all(citation.verified for citation in citations)
    assert all(each.checked.dropped == 0 for each in asked)
