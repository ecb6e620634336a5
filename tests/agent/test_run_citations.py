"""Citations of a run: what is shown is checked, what cannot be checked says so."""

from __future__ import annotations

import json

import pytest
from miniature import World
from scripted_models import Turn, say, search, use
from small_sites import NOTES, SITE, ScriptedReading, SmallSite

from agent.answer import Answer
from manifest.errors import ErrorCode, NoteBridgeError

FIND = use(search("Water for green"), search("boils"), search("死锁是指"))


async def answered(world: World, text: str, *turns: Turn) -> Answer:
    return await world.ask(*(turns or (FIND,)), say(text))


@pytest.mark.parametrize(
    ("mark", "verdict", "quote"),
    [
        (
            '[E1 "Water for green tea has eighty degrees"]',
            "quoted",
            "Water for green tea has eighty degrees",
        ),
        (
            '[E2 "tea needs water that boils and three"]',
            "quoted",
            "tea needs **water that boils** and three",
        ),
        ('[E3 "两个进程互相等待对方持有的资源"]', "quoted", "两个进程互相等待对方持有的资源"),
        ('[E1 "Water for green tea has ninety degrees"]', "not-found", None),
        ('[E2 "Water for green tea has eighty degrees"]', "not-found", None),
        ('[E1 "Water for"]', "source-only", None),
        ("[E1]", "source-only", None),
    ],
)
async def test_each_verdict_and_the_stored_slice(
    world: World, mark: str, verdict: str, quote: str | None
) -> None:
    answer = await answered(world, f"So it is {mark}.")
    (cited,) = answer.citations
    assert cited.citation.verdict == verdict
    assert cited.verified is (verdict == "quoted")
    assert cited.citation.quote == (cited.evidence.text if quote is None else quote)
    text = NOTES[cited.evidence.doc_id]
    assert text[cited.citation.start : cited.citation.end] == cited.citation.quote
    assert answer.text == "So it is [1]."
    assert answer.status == "completed"


async def test_labels_that_do_not_exist_are_dropped_and_counted(world: World) -> None:
    answer = await answered(world, "Eighty [E1], or so [E9] [E77].")
    assert answer.text == "Eighty [1], or so."
    assert (answer.dropped, len(answer.citations)) == (2, 1)
    answer = await world.ask(say("Eighty [E9]."), client="c2")
    assert (answer.status, answer.dropped) == ("not_found", 1)


async def test_an_answer_without_any_citation_is_none(world: World) -> None:
    assert (await answered(world, "Eighty, I am sure.")).status == "not_found"


async def test_a_declined_answer_is_not_found_whatever_it_cites(world: World) -> None:
    answer = await answered(world, "The notes do not say; closest is tea [E1]. [E0]")
    assert answer.status == "not_found"
    assert [cited.evidence.section_id for cited in answer.citations] == ["tea"]
    assert answer.text == "The notes do not say; closest is tea [1]."


async def test_the_same_words_keep_their_number_and_the_raw_answer_its_labels(
    world: World,
) -> None:
    answer = await answered(world, "Hot [E1]. Boiling [E2]. Hot again [E1].")
    assert answer.text == "Hot [1]. Boiling [2]. Hot again [1]."
    body = (await world.entries())[-1].body
    assert body["raw"] == "Hot [E1]. Boiling [E2]. Hot again [E1]."


async def test_answers_link_only_to_documents_that_were_read(world: World) -> None:
    answer = await answered(
        world,
        "See [tea](cooking/tea/), [here](https://evil.example/?q=1) "
        f"and ![x](https://evil.example/i.png) or [tea]({SITE}cooking/tea/) [E1].",
    )
    assert "evil.example" not in answer.text.replace("`https://evil.example/?q=1`", "")
    assert "[tea](cooking/tea/)" in answer.text
    assert (await world.entries())[-1].body["removed"] == 3


async def test_proofs_are_stored_with_the_answer(world: World) -> None:
    answer = await answered(world, "Hot [E1], [E2], [E3].")
    for cited in answer.citations:
        proof = await world.proof(cited.evidence)
        kinds = [json.loads(each.body)["kind"] for each in proof.objects]
        assert sorted(kinds) == ["doc", "index", "leaf", "root"]
        assert answer.run.revision in {each.sha256 for each in proof.objects}
    assert (await world.entries())[-1].body["unproved"] == []


@pytest.mark.parametrize("code", [ErrorCode.REVISION_EXPIRED, ErrorCode.SITE_UNREACHABLE])
async def test_an_answer_whose_proof_cannot_be_had_says_so(world: World, code: ErrorCode) -> None:
    world.reading.chain_fault = NoteBridgeError(code, "gone")
    answer = await answered(world, 'Hot [E1 "Water for green tea has eighty degrees"], [E3].')
    assert answer.status == "completed"
    assert answer.citations[0].verified
    assert (await world.entries())[-1].body["unproved"] == ["cooking/tea", "os/死锁"]


async def test_a_chain_with_other_bytes_proves_nothing_and_costs_no_answer(world: World) -> None:
    for sha256, body in world.reading.site.bodies.items():
        world.reading.site.bodies[sha256] = body + b" "
    answer = await answered(world, "Hot [E1].")
    assert answer.status == "completed"
    assert (await world.entries())[-1].body["unproved"] == ["cooking/tea"]


async def test_evidence_of_an_earlier_revision_is_not_proved_by_a_newer_one(
    world: World,
) -> None:
    world.reading.chain_fault = NoteBridgeError(ErrorCode.SITE_UNREACHABLE, "gone")
    first = await answered(world, "Hot [E1].")
    world.reading = ScriptedReading(SmallSite({**NOTES, "new": "# New\n\nNothing.\n"}))
    second = await world.ask(use(search("boils")), say("Hot [E1], [E4]."), client="c2")
    old, new = (cited.evidence for cited in second.citations)
    assert (old.revision, new.revision) == (first.run.revision, second.run.revision)
    assert old.doc_sha256 == new.doc_sha256
    assert not (await world.proof(old)).objects
    assert (await world.proof(new)).objects
    assert (await world.entries())[-1].body["unproved"] == ["cooking/tea"]


async def test_evidence_proved_once_stays_proved(world: World) -> None:
    await answered(world, "Hot [E1].")
    world.reading = ScriptedReading(SmallSite({**NOTES, "new": "# New\n\nNothing.\n"}))
    await world.ask(say("As I said, hot [E1]."), client="c2")
    assert (await world.entries())[-1].body["unproved"] == []
    assert not world.reading.chain_asked.is_set()


async def test_citations_are_told_as_events_with_their_verdicts(world: World) -> None:
    answer = await answered(world, 'Hot [E1 "Water for green tea has eighty degrees"], [E2].')
    told = [event.body for event in await world.events() if event.type == "citation"]
    assert [(each["n"], each["label"], each["verdict"]) for each in told] == [
        (1, "E1", "quoted"),
        (2, "E2", "source-only"),
    ]
    assert [each["evidenceId"] for each in told] == [each.evidence.id for each in answer.citations]
