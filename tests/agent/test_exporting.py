"""Exporting stored citations: the site may be gone, and all that is claimed can be proved."""

from __future__ import annotations

import json

import pytest
from miniature import World
from scripted_models import say, search, use
from small_sites import NOTES, ScriptedReading, SmallSite

from agent.bundle_proof import verify_bundle
from agent.exporting import export_run
from manifest.errors import ErrorCode, NoteBridgeError

FIND = use(search("eighty"), search("boils"), search("死锁是指"))
ANSWER = (
    'Hot [E1 "Water for green tea has eighty degrees"], hotter [E2 "no such words stand in it"], '
    "and [E3]."
)


async def test_a_bundle_proves_every_citation_after_the_site_is_gone(world: World) -> None:
    answer = await world.ask(FIND, say(ANSWER))
    world.open_fault = NoteBridgeError(ErrorCode.SITE_UNREACHABLE, "gone")
    world.reading.chain_fault = world.open_fault
    await world.start()
    body = await export_run(world.storage, answer.run.id)
    report = verify_bundle(body, trusted_revision=answer.run.revision)
    assert report.consistent
    assert report.published is True
    assert [check.n for check in report.citations] == [1, 2, 3]
    said = json.loads(body)["citations"]
    assert [row["verdict"] for row in said] == ["quoted", "not-found", "source-only"]
    assert [row["label"] for row in said] == ["E1", "E2", "E3"]


async def test_what_has_no_proof_is_left_out(world: World) -> None:
    world.reading.chain_fault = NoteBridgeError(ErrorCode.SITE_UNREACHABLE, "gone")
    answer = await world.ask(FIND, say(ANSWER))
    with pytest.raises(NoteBridgeError) as caught:
        await export_run(world.storage, answer.run.id)
    assert caught.value.code is ErrorCode.EVIDENCE_NOT_FOUND


async def test_a_bundle_speaks_of_one_revision(world: World) -> None:
    first = await world.ask(FIND, say("Hot [E1]."))
    world.reading = ScriptedReading(SmallSite({**NOTES, "new": "# New\n\nNothing.\n"}))
    answer = await world.ask(use(search("boils")), say("As I said [E1], and [E4]."), client="c2")
    body = await export_run(world.storage, answer.run.id)
    assert verify_bundle(body).consistent
    said = json.loads(body)
    assert said["revision"] == world.reading.revision
    assert [row["n"] for row in said["citations"]] == [2]
    told = [cited["revision"] for cited in answer.document()["citations"]]
    assert told == [first.run.revision, answer.run.revision]


async def test_a_run_without_citations_and_an_unknown_run_have_no_bundle(world: World) -> None:
    answer = await world.ask(FIND, say("The notes do not say. [E0]"))
    for run_id, code in (
        (answer.run.id, ErrorCode.EVIDENCE_NOT_FOUND),
        ("nobody", ErrorCode.RUN_NOT_FOUND),
    ):
        with pytest.raises(NoteBridgeError) as caught:
            await export_run(world.storage, run_id)
        assert caught.value.code is code
