"""A run's answer as a document, and the bundle made of it, from storage alone."""

from __future__ import annotations

import asyncio
import json

import pytest
from miniature import World
from scripted_models import HANG, say, search, use

from agent.agent import Agent
from agent.answer import read_answer
from agent.model import ModelError, Usage
from manifest.errors import ErrorCode, NoteBridgeError

QUOTE = 'Hot [E1 "Water for green tea has eighty degrees"], [E7].'


async def test_a_completed_answer_has_the_promised_document(world: World) -> None:
    answer = await world.ask(use(search("eighty")), say(QUOTE, usage=Usage(uncached=7, output=3)))
    document = json.loads(json.dumps(answer.document()))
    (passage,) = world.reading.site.find("eighty")
    start = passage.text.index("Water")
    assert document == {
        "answer": "Hot [1],.",
        "status": "completed",
        "revision": world.reading.revision,
        "citations": [
            {
                "n": 1,
                "label": "E1",
                "revision": world.reading.revision,
                "docId": "cooking/tea",
                "sectionId": "tea",
                "title": "Tea",
                "headingPath": ["Tea"],
                "url": "https://notes.example/cooking/tea/#tea",
                "quote": "Water for green tea has eighty degrees",
                "start": start,
                "end": start + 38,
                "docSha256": passage.doc_sha256,
                "sectionSha256": passage.section_sha256,
                "verdict": "quoted",
                "verified": True,
            }
        ],
        "searchLegs": [{"leg": "lexical", "ran": True}],
        "usage": {
            "requests": 2,
            "uncached": 7,
            "cacheRead": 0,
            "cacheWrite": 0,
            "output": 3,
            "reasoning": 0,
        },
        "runId": answer.run.id,
        "sessionId": "s1",
        "reason": "",
        "droppedCitations": 1,
    }


async def test_a_failed_answer_tells_code_and_message(world: World) -> None:
    answer = await world.ask([ModelError(ErrorCode.PROVIDER_AUTH_FAILED, "The key is wrong.")])
    document = answer.document()
    assert document["status"] == "failed"
    assert (document["code"], document["message"]) == ("PROVIDER_AUTH_FAILED", "The key is wrong.")
    assert (document["answer"], document["citations"]) == ("", [])


async def test_a_cancelled_answer_is_cancelled(world: World) -> None:
    world.model.turns = [[HANG]]
    accepted = await world.submit()
    await world.model.reached.wait()
    with pytest.raises(NoteBridgeError) as caught:
        await read_answer(world.storage, accepted.run_id)
    assert caught.value.code is ErrorCode.RUN_INTERRUPTED
    await world.agent.cancel(accepted.run_id)
    assert (await read_answer(world.storage, accepted.run_id)).status == "cancelled"


async def test_an_unknown_run_has_no_answer(world: World) -> None:
    with pytest.raises(NoteBridgeError) as caught:
        await read_answer(world.storage, "nobody")
    assert caught.value.code is ErrorCode.RUN_NOT_FOUND


async def test_each_state_of_a_search_leg_is_told_once(world: World) -> None:
    answer = await world.ask(use(*[search("eighty")] * 300), say("Hot [E1]."))
    assert answer.search_legs == ()
    answer = await world.ask(use(*[search("eighty")] * 100), say("Hot [E1]."), client="c2")
    assert answer.search_legs == ({"leg": "lexical", "ran": True},)


async def test_every_answer_of_a_session_is_read_apart(world: World) -> None:
    first = await world.ask(use(search("eighty")), say("Hot [E1]."))
    second = await world.ask(use(search("boils")), say("Hotter [E2]."), client="c2")
    await asyncio.sleep(0)
    world.agent = Agent(world.storage, world.shelf, world.closer, world.open, lambda: 0)
    for answer, words in ((first, "Hot [1]."), (second, "Hotter [1].")):
        again = await read_answer(world.storage, answer.run.id)
        assert again == answer
        assert again.text == words
