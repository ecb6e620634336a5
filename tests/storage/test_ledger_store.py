"""Requests and tool calls: counted before they happen, never twice, never beyond the budget."""

from __future__ import annotations

from typing import Any

import pytest

from manifest.errors import ErrorCode, NoteBridgeError
from storage.app_storage import AppStorage
from storage.backend import Tx
from storage.stores.requests import RequestKind
from storage.stores.runs import RunState
from storage.stores.tool_calls import ToolCallState


async def count(
    app: AppStorage, run_id: str, kind: RequestKind = RequestKind.ANSWER, reserved: int = 0
) -> int:
    request = await app.write(
        lambda tx: app.requests.count(tx, run_id, kind, reserved_tokens=reserved), durable=True
    )
    return request.n


async def refusal_of_count(app: AppStorage, run_id: str, **asked: Any) -> ErrorCode:
    with pytest.raises(NoteBridgeError) as caught:
        await count(app, run_id, **asked)
    return caught.value.code


async def test_requests_stop_at_the_budget_and_one_summary_may_follow(
    app: AppStorage, scene: Any
) -> None:
    run_id = await scene.running()
    kinds = [RequestKind.ANSWER, RequestKind.RETRY, RequestKind.COMPACTION]
    assert [await count(app, run_id, kind) for kind in kinds] == [1, 2, 3]
    assert await refusal_of_count(app, run_id) is ErrorCode.BUDGET_EXHAUSTED
    assert await count(app, run_id, RequestKind.SUMMARY) == 4
    for kind in RequestKind:
        assert await refusal_of_count(app, run_id, kind=kind) is ErrorCode.BUDGET_EXHAUSTED
    ledger = await app.read(lambda tx: app.requests.of_run(tx, run_id))
    assert [request.kind for request in ledger] == [*kinds, RequestKind.SUMMARY]
    assert (await app.read(lambda tx: app.runs.get(tx, run_id))).counts.requests == 4


async def test_an_early_summary_counts_like_any_other(app: AppStorage, scene: Any) -> None:
    run_id = await scene.running()
    await count(app, run_id, RequestKind.SUMMARY)
    await count(app, run_id)
    await count(app, run_id)
    assert await refusal_of_count(app, run_id) is ErrorCode.BUDGET_EXHAUSTED
    refused = await refusal_of_count(app, run_id, kind=RequestKind.SUMMARY)
    assert refused is ErrorCode.BUDGET_EXHAUSTED


async def test_no_request_is_counted_for_a_run_that_is_not_running(
    app: AppStorage, scene: Any
) -> None:
    run_id = await scene.running()
    await app.write(lambda tx: app.runs.finish(tx, run_id, RunState.CANCELLED), durable=True)
    assert await refusal_of_count(app, run_id) is ErrorCode.RUN_INTERRUPTED
    assert await app.read(lambda tx: app.requests.of_run(tx, run_id)) == ()


async def test_a_restart_refills_nothing(app: AppStorage, scene: Any) -> None:
    run_id = await scene.running()
    await count(app, run_id)
    await app.write(app.runs.interrupt_all)
    await app.write(lambda tx: app.runs.advance(tx, run_id, RunState.RUNNING))
    assert await count(app, run_id, RequestKind.RECOVERY) == 2
    ledger = await app.read(lambda tx: app.requests.of_run(tx, run_id))
    assert [request.outcome for request in ledger] == [None, None]


async def test_reserved_tokens_are_charged_and_corrected_once_known(
    app: AppStorage, scene: Any
) -> None:
    run_id = await scene.running()
    assert await refusal_of_count(app, run_id, reserved=1_001) is ErrorCode.BUDGET_EXHAUSTED
    first = await count(app, run_id, reserved=600)
    assert await refusal_of_count(app, run_id, reserved=600) is ErrorCode.BUDGET_EXHAUSTED

    def settle(tx: Tx, outcome: str = "end") -> bool:
        usage = {"uncached": 80, "output": 20}
        return app.requests.settle(tx, run_id, first, outcome, usage=usage, tokens=100)

    assert await app.write(settle)
    assert not await app.write(lambda tx: settle(tx, "error"))
    second = await count(app, run_id, reserved=600)
    assert await app.write(lambda tx: app.requests.settle(tx, run_id, second, "broken"))
    run = await app.read(lambda tx: app.runs.get(tx, run_id))
    assert run.counts.tokens == 700
    ledger = await app.read(lambda tx: app.requests.of_run(tx, run_id))
    assert [(r.outcome, r.usage) for r in ledger] == [
        ("end", {"output": 20, "uncached": 80}),
        ("broken", None),
    ]
    session = await app.read(lambda tx: app.sessions.get(tx, "s1"))
    assert session.usage == {"output": 20, "uncached": 80}


async def start(app: AppStorage, run_id: str, call_id: str) -> ToolCallState:
    call = await app.write(
        lambda tx: app.tool_calls.start(
            tx, run_id, call_id, name="search", arguments={"query": "死锁"}, request_n=1
        ),
        durable=True,
    )
    return call.state


async def test_tool_calls_beyond_the_budget_are_refused_and_a_replay_is_not_counted(
    app: AppStorage, scene: Any
) -> None:
    run_id = await scene.running()
    states = [await start(app, run_id, name) for name in ("a", "a", "b", "c", "b", "c")]
    started, refused = ToolCallState.STARTED, ToolCallState.REFUSED
    assert states == [started, started, started, refused, started, refused]
    calls = await app.read(lambda tx: app.tool_calls.of_run(tx, run_id))
    assert [(call.call_id, call.n) for call in calls] == [("a", 1), ("b", 2), ("c", 3)]
    assert calls[0].arguments == {"query": "死锁"}
    assert (await app.read(lambda tx: app.runs.get(tx, run_id))).counts.tool_calls == 2


async def test_a_tools_first_result_is_kept(app: AppStorage, scene: Any) -> None:
    run_id = await scene.running()
    for name in ("a", "b", "c"):
        await start(app, run_id, name)

    async def finish(name: str, text: str, failed: bool = False) -> tuple[object, ToolCallState]:
        call = await app.write(
            lambda tx: app.tool_calls.finish(
                tx, run_id, name, result={"text": text}, failed=failed
            ),
            durable=True,
        )
        return call.result, call.state

    assert await finish("a", "one") == ({"text": "one"}, ToolCallState.DONE)
    assert await finish("a", "two", failed=True) == ({"text": "one"}, ToolCallState.DONE)
    assert await finish("b", "no", failed=True) == ({"text": "no"}, ToolCallState.FAILED)
    assert await finish("c", "too many") == ({"text": "too many"}, ToolCallState.REFUSED)
    with pytest.raises(NoteBridgeError) as caught:
        await finish("none", "")
    assert caught.value.code is ErrorCode.INVALID_ARGUMENT


async def test_a_tools_name_is_whatever_the_model_says(app: AppStorage, scene: Any) -> None:
    run_id = await scene.running()
    call = await app.write(
        lambda tx: app.tool_calls.start(
            tx, run_id, "a", name="x\ud800" + "y" * 999, arguments={}, request_n=1
        ),
        durable=True,
    )
    assert call.name.startswith("x\ufffdyy")
    assert len(call.name) == 200
