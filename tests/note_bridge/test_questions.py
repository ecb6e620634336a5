"""Forty questions that 309 real notes answer, and twenty that they do not, asked over HTTP."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from agent.agent import Submission
from agent.answer import Answer, read_answer
from agent.models import extractive
from note_bridge.answering import Bridge, bridge, new_id
from site_builder.preview import preview_server, serve_in_background

# All of them look at one asking of all questions.
pytestmark = pytest.mark.xdist_group("questions")

QUESTIONS = json.loads(
    (Path(__file__).parent.parent / "questions" / "note_zh.json").read_text(encoding="utf-8")
)

RIGHT_NOTE_FIRST = 30
"""What the built-in model must not fall below; 36 is the aim, which it does not reach yet."""

DECLINED = 18
"""The aim, reached."""


async def ask(parts: Bridge, address: str, question: str) -> Answer:
    state = await parts.sites.at(address).refresh()
    session_id = new_id()
    await parts.storage.write(
        lambda tx: parts.storage.sessions.create(
            tx,
            session_id,
            knowledge_base_id=state.manifest.knowledgeBaseId,
            manifest_address=address,
        )
    )
    accepted = await parts.agent.submit(
        Submission(session_id, new_id(), question, extractive.NAME, revision=state.revision)
    )
    await parts.agent.wait(accepted.run_id)
    return await read_answer(parts.storage, accepted.run_id)


@dataclass
class Asked:
    question: dict[str, Any]
    answer: Answer

    @property
    def right_first(self) -> bool:
        cited = self.answer.citations
        return bool(cited) and cited[0].evidence.doc_id in self.question["docs"]


async def ask_all(folder: Path, address: str) -> list[Asked]:
    async with bridge(folder) as parts:
        return [
            Asked(question, await ask(parts, address, question["question"]))
            for question in QUESTIONS
        ]


@pytest.fixture(scope="module")
def asked(note_zh_site, tmp_path_factory) -> list[Asked]:
    server = preview_server(note_zh_site.folder)
    address = serve_in_background(server)
    try:
        return asyncio.run(ask_all(tmp_path_factory.mktemp("bridge"), address))
    finally:
        server.shutdown()
        server.server_close()


def answerable(asked: list[Asked]) -> list[Asked]:
    return [each for each in asked if each.question["answerable"]]


def unanswerable(asked: list[Asked]) -> list[Asked]:
    return [each for each in asked if not each.question["answerable"]]


def test_the_right_note_is_cited_first(asked, record_property):
    right = [each for each in answerable(asked) if each.right_first]
    wrong = [each.question["id"] for each in answerable(asked) if not each.right_first]
    record_property(
        "figure", f"right note cited first: {len(right)} of {len(answerable(asked))}; not {wrong}"
    )
    assert len(right) >= RIGHT_NOTE_FIRST


def test_every_quotation_is_verified(asked, record_property):
    given = [each for each in asked if each.answer.citations]
    bad = [
        each.question["id"]
        for each in given
        if not all(cited.verified for cited in each.answer.citations) or each.answer.dropped
    ]
    record_property(
        "figure",
        f"answers whose quotations are all verified: {len(given) - len(bad)} of {len(given)}",
    )
    assert bad == []
    for each in given:
        for cited in each.answer.citations:
            start = cited.citation.start - cited.evidence.start
            end = cited.citation.end - cited.evidence.start
            assert cited.evidence.text[start:end] == cited.citation.quote


def test_what_the_notes_do_not_answer_is_declined(asked, record_property):
    declined = [each for each in unanswerable(asked) if each.answer.status == "not_found"]
    answered = [
        each.question["id"] for each in unanswerable(asked) if each.answer.status != "not_found"
    ]
    record_property(
        "figure", f"declined: {len(declined)} of {len(unanswerable(asked))}; answered {answered}"
    )
    assert len(declined) >= DECLINED


def test_answers_are_a_few_statements_and_not_whole_pages(asked):
    for each in answerable(asked):
        assert len(each.answer.citations) <= 8, each.question["id"]
        assert len(each.answer.text) <= 1500, each.question["id"]
