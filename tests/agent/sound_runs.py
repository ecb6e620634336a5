"""What holds of every run, however it went."""

from __future__ import annotations

from types import SimpleNamespace

from storage.app_storage import AppStorage
from storage.backend import ReadTx
from storage.stores.events import Event
from storage.stores.runs import TERMINAL_STATES, Run, RunState


async def check_sound(storage: AppStorage, run: Run, seen: int) -> None:
    """seen: how many requests of the run reached a model."""

    def unit(tx: ReadTx) -> SimpleNamespace:
        return SimpleNamespace(
            entries=storage.entries.of_run(tx, run.id),
            events=_all_events(storage, tx, run.id),
            ledger=storage.requests.of_run(tx, run.id),
            calls=storage.tool_calls.of_run(tx, run.id),
            evidence=storage.evidence.of_session(tx, run.session_id),
            citations=storage.citations.of_run(tx, run.id),
        )

    stored = await storage.read(unit)
    assert seen <= len(stored.ledger) == run.counts.requests <= run.budget.max_requests + 1
    _check_entries(run, stored)
    _check_events(run, stored)
    counted = [call for call in stored.calls if call.state != "refused"]
    assert len(counted) == run.counts.tool_calls <= run.budget.max_tool_calls
    spans = [(each.revision, each.doc_id, each.start, each.end) for each in stored.evidence]
    assert len(set(spans)) == len(spans)
    assert [each.n for each in stored.evidence] == list(range(1, len(spans) + 1))
    assert [each.n for each in stored.citations] == list(range(1, len(stored.citations) + 1))
    if run.state is not RunState.COMPLETED:
        assert not stored.citations
    assert await storage.check() == []


def _all_events(storage: AppStorage, tx: ReadTx, run_id: str) -> list[Event]:
    found: list[Event] = []
    while page := storage.events.of_run(tx, run_id, run_seq=len(found)):
        found.extend(page)
    return found


def _check_entries(run: Run, stored: SimpleNamespace) -> None:
    roles = [entry.role for entry in stored.entries]
    assert roles[0] == "user"
    assert roles.count("user") == 1
    assert roles.count("answer") == int(run.state in TERMINAL_STATES)
    assert "answer" not in roles[:-1]
    made: list[str] = []
    given: list[str] = []
    for entry in stored.entries:
        if entry.role == "tool":
            given += [result["callId"] for result in entry.body["results"]]
        elif entry.role == "assistant":
            assert given == made, "a model was asked before every call had its result, in order"
            made += [call["id"] for call in entry.body["calls"]]
    assert given == made[: len(given)]
    assert [call.call_id for call in stored.calls] == made


def _check_events(run: Run, stored: SimpleNamespace) -> None:
    events: list[Event] = stored.events
    assert [event.run_seq for event in events] == list(range(1, len(events) + 1))
    ends = [event.type for event in events if event.type in {f"run.{s}" for s in TERMINAL_STATES}]
    assert ends == ([f"run.{run.state}"] if run.state in TERMINAL_STATES else [])
    assert not ends or events[-1].type == ends[0]
    under_way, said = "", dict[str, str]()
    for event in events:
        request = str(event.body.get("requestId", ""))
        if event.type == "model.started":
            assert under_way == "", "a request was sent before the last one was settled"
            under_way = request
        elif event.type in ("model.completed", "model.discarded"):
            assert request == under_way
            under_way = ""
            if event.type == "model.discarded":
                said.pop(request, None)
        elif event.type in ("text.delta", "thinking.delta"):
            assert request == under_way
            words = str(event.body["text"]) if event.type == "text.delta" else ""
            said[request] = said.get(request, "") + words
    turns = [entry.body["text"] for entry in stored.entries if entry.role == "assistant"]
    if run.state is RunState.COMPLETED:
        assert [_whole(text) for text in said.values() if text] == [text for text in turns if text]


def _whole(text: str) -> str:
    """Without lone halves of characters, which a stream may carry and a text may not."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
