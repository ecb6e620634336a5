"""Tool calls: every call gets its result, and evidence is stored the moment a tool returns."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from miniature import World
from scripted_models import Item, results, say, search, use
from small_sites import NOTES, ScriptedReading, SmallSite

from agent.loop import OVER_BUDGET
from agent.model import (
    Done,
    Role,
    StopReason,
    ToolCallContent,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
)
from manifest.errors import ErrorCode, NoteBridgeError
from storage.stores.runs import Budget

TEA = ("get_document", {"docId": "cooking/tea"})


async def test_passages_are_labelled_and_reach_the_model_as_data(world: World) -> None:
    await world.ask(use(search("eighty")), say("Eighty [E1]."))
    (result,) = results(world.model.requests[1].messages)
    assert '<passage label="E1" document="cooking/tea" section="tea"' in result.text
    assert "Water for green tea has eighty degrees." in result.text
    assert not result.failed
    assert all("eighty" not in request.system for request in world.model.requests)


async def test_evidence_is_stored_the_moment_a_tool_returns(world: World) -> None:
    stored: list[list[str]] = []

    async def look(_name: str, _arguments: Mapping[str, object]) -> None:
        found = await world.storage.read(lambda tx: world.storage.evidence.of_session(tx, "s1"))
        stored.append([each.label for each in found])

    world.reading.meanwhile = look
    await world.ask(use(search("eighty"), search("boils"), search("nowhere")), say("Tea [E2]."))
    assert stored == [[], ["E1"], ["E1", "E2"]]


async def test_stored_evidence_is_the_passage_exactly(world: World) -> None:
    await world.ask(use(search("互相等待")), say("[E1]"))
    (passage,) = world.reading.site.find("互相等待")
    (found,) = await world.storage.read(lambda tx: world.storage.evidence.of_session(tx, "s1"))
    for name in (
        "revision",
        "doc_id",
        "section_id",
        "doc_sha256",
        "section_sha256",
        "start",
        "end",
    ):
        assert getattr(found, name) == getattr(passage, name)
    assert NOTES["os/死锁"][found.start : found.end] == found.text == passage.text
    assert (found.url, found.title, found.origin) == (passage.url, "死锁", "pinned")


async def test_every_call_has_its_result_in_order(world: World) -> None:
    turn = use(search("eighty"), ("no_such_tool", {}), TEA, ("get_document", {"docId": "nothing"}))
    await world.ask(turn, say("Done [E1]."))
    *_, asked, answered = world.model.requests[1].messages
    assert (asked.role, answered.role) == (Role.ASSISTANT, Role.TOOL)
    calls = [part for part in asked.content if isinstance(part, ToolCallContent)]
    assert [part.call_id for part in results([answered])] == [call.id for call in calls]
    assert [part.name for part in results([answered])] == [call.name for call in calls]
    assert [part.failed for part in results([answered])] == [False, True, False, True]
    assert "no_such_tool" in results([answered])[1].text
    assert "DOC_NOT_FOUND" in results([answered])[3].text


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ("{", "no valid JSON"),
        ("[1]", "no JSON object"),
        ('{"query": NaN}', "no valid JSON"),
        ('{"query": 1e999}', "no valid JSON"),
        ("[" * 5000, "no valid JSON"),
        ('"query"', "no JSON object"),
    ],
)
async def test_arguments_that_are_none_are_an_error_result(
    world: World, arguments: str, told: str
) -> None:
    answer = await world.ask(use(("search_documents", arguments)), say("Sorry. [E0]"))
    (result,) = results(world.model.requests[1].messages)
    assert result.failed
    assert told in result.text
    assert world.reading.calls == []
    assert answer.status == "not_found"


async def test_no_arguments_are_an_empty_object(world: World) -> None:
    await world.ask(use(("get_document", "")), say("Sorry. [E0]"))
    assert world.reading.calls == [("get_document", {})]


async def test_halves_of_a_character_streamed_apart_are_joined(world: World) -> None:
    halves: list[Item] = [
        ToolCallStart("k", "search_documents"),
        ToolCallDelta("k", '{"query": "\ud83c'),
        ToolCallDelta("k", '\udf75"}'),
        ToolCallEnd("k"),
    ]
    await world.ask([*halves, Done(StopReason.TOOL)], say("Tea \ud83c. [E0]"))
    assert world.reading.calls == [("search_documents", {"query": "🍵"})]
    assert (await world.entries())[-1].body["text"] == "Tea \ufffd."


async def test_a_call_cut_off_by_the_output_limit_is_not_run(world: World) -> None:
    *calls, _ = use(search("eighty"))
    await world.ask([*calls, Done(StopReason.LENGTH)], say("Sorry. [E0]"))
    (result,) = results(world.model.requests[1].messages)
    assert result.failed
    assert "cut off" in result.text
    assert world.reading.calls == []


async def test_a_tool_that_breaks_costs_its_result_and_not_the_run(world: World) -> None:
    answer = await world.ask(use(("break_down", {}), search("eighty")), say("Eighty [E1]."))
    broken, found = results(world.model.requests[1].messages)
    assert broken.failed
    assert "RuntimeError" in broken.text
    assert "secret" not in str([event.body for event in await world.events()])
    assert not found.failed
    assert answer.status == "completed"


async def test_a_revision_that_expires_meanwhile_is_a_result(world: World) -> None:
    async def gone(_name: str, _arguments: Mapping[str, object]) -> None:
        raise NoteBridgeError(ErrorCode.REVISION_EXPIRED, "It is gone.", hint="Ask again.")

    world.reading.meanwhile = gone
    answer = await world.ask(use(search("eighty")), say("The notes are gone. [E0]"))
    (result,) = results(world.model.requests[1].messages)
    assert result.text == "REVISION_EXPIRED: It is gone. Ask again."
    assert answer.status == "not_found"


async def test_a_result_too_large_to_store_is_an_error_result(world: World) -> None:
    # 4 MiB of JSON is what storage takes of one result.
    text = "# Long\n\n" + "".join(f"## S{n}\n\n{'词' * 1100}\n" for n in range(1300))
    world.reading.site = SmallSite({"long": text})
    answer = await world.ask(use(("get_document", {"docId": "long"})), say("Too long. [E0]"))
    (result,) = results(world.model.requests[1].messages)
    assert result.failed
    assert "OBJECT_TOO_LARGE" in result.text
    assert answer.status == "not_found"


async def test_many_long_results_of_one_turn_are_kept_in_several_entries(world: World) -> None:
    text = "# Long\n\n" + "".join(f"## S{n}\n\n{'词' * 1100}\n" for n in range(150))
    world.reading.site = SmallSite({f"long{n}": text for n in range(10)})
    calls = [("get_document", {"docId": f"long{n}"}) for n in range(10)]
    answer = await world.ask(use(*calls), say("Read [E1]."))
    assert answer.status == "completed"
    given = results(world.model.requests[1].messages)
    assert [part.name for part in given] == ["get_document"] * 10
    assert not any(part.failed for part in given)
    assert [entry.role for entry in await world.entries()].count("tool") > 1


async def test_labels_go_on_within_a_session_and_the_same_passage_keeps_its_own(
    world: World,
) -> None:
    await world.ask(use(search("eighty")), say("Eighty [E1]."))
    await world.ask(use(search("boils"), search("eighty")), say("Boils [E2]."), client="c2")
    texts = [part.text for part in results(world.model.requests[1].messages)]
    assert ['label="E1"' in text for text in texts] == [True, False, True]
    assert ['label="E2"' in text for text in texts] == [False, True, False]


async def test_the_same_words_at_another_revision_are_other_evidence(world: World) -> None:
    await world.ask(use(search("eighty")), say("Eighty [E1]."))
    world.reading = ScriptedReading(SmallSite({**NOTES, "new": "# New\n\nNothing.\n"}))
    answer = await world.ask(use(search("eighty")), say("Eighty [E2]."), client="c2")
    (cited,) = answer.citations
    assert cited.evidence.label == "E2"
    assert cited.evidence.revision == answer.run.revision == world.reading.revision


async def test_sessions_count_their_evidence_apart(world: World) -> None:
    await world.ask(use(search("eighty")), say("Eighty [E1]."))
    answer = await world.ask(use(search("boils")), say("Boils [E1], [E2]."), session="s2")
    assert [cited.evidence.section_id for cited in answer.citations] == ["black-tea"]
    assert answer.dropped == 1


async def test_calls_above_the_budget_are_answered_and_not_run(world: World) -> None:
    world.budget = Budget(
        max_requests=32, max_tool_calls=3, deadline_ms=1_200_000, max_tokens=1_000_000
    )
    await world.start()
    answer = await world.ask(
        use(search("eighty"), search("boils")), use(search("死锁"), search("锁")), say("Done [E1].")
    )
    given = results(world.model.requests[2].messages)
    assert [part.failed for part in given] == [False, False, False, True]
    assert given[3].text == OVER_BUDGET
    assert len(world.reading.calls) == answer.run.counts.tool_calls == 3


async def test_a_tool_called_128_times_is_called_no_more(world: World) -> None:
    answer = await world.ask(
        use(*[search("eighty")] * 100), use(*[search("eighty")] * 60), say("Done [E1].")
    )
    given = results(world.model.requests[2].messages)
    assert [part.failed for part in given] == [False] * 128 + [True] * 32
    assert len(world.reading.calls) == answer.run.counts.tool_calls == 128
