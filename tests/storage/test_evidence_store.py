"""Evidence, the objects that prove it, and citations."""

from __future__ import annotations

import asyncio
import hashlib
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from manifest.errors import ErrorCode, NoteBridgeError
from storage.app_storage import AppStorage
from storage.backend import Tx
from storage.stores.citations import Citation, Verdict
from storage.stores.evidence import Evidence, Origin, Passage
from storage.stores.proofs import Proof, ProofObject
from storage.stores.requests import RequestKind
from storage.stores.runs import RunState
from storage.tables import EVIDENCE_OBJECTS, EVIDENCE_PROOFS


def sha256(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def passage(number: int = 1, **changes: Any) -> Passage:
    base = Passage(
        revision="rev-1",
        doc_id="os/死锁",
        section_id="死锁",
        doc_sha256=sha256(b"doc"),
        section_sha256=sha256(b"section"),
        start=number * 100,
        end=number * 100 + 50,
        text="四个必要条件",
        title="死锁",
        heading_path=("操作系统", "死锁"),
        url="https://notes.example/os/死锁/",
        site_url="https://notes.example/",
        retrieved_at=1_700_000_000_000 + number,
        origin=Origin.PINNED,
    )
    return replace(base, **changes)


def proof(*bodies: bytes, revision: str = "rev-1") -> Proof:
    objects = tuple(ProofObject(sha256(body), "doc", body) for body in bodies)
    return Proof(revision, sha256(b"doc"), objects)


async def add(app: AppStorage, *passages: Passage, session: str = "s1") -> tuple[Evidence, ...]:
    return await app.write(lambda tx: app.evidence.add(tx, session, passages), durable=True)


async def test_evidence_is_stored_whole_and_found_by_id_and_label(
    app: AppStorage, scene: Any
) -> None:
    await app.write(scene.create)
    (stored,) = await add(app, passage(1, origin=Origin.ATTACHMENT))
    assert stored.label == "E1"
    fields = {name: getattr(stored, name) for name in Passage.__dataclass_fields__}
    assert Passage(**fields) == passage(1, origin=Origin.ATTACHMENT)
    assert await app.read(lambda tx: app.evidence.get(tx, stored.id)) == stored
    assert await app.read(lambda tx: app.evidence.by_label(tx, "s1", 1)) == stored


async def test_labels_count_up_and_a_known_passage_keeps_its_own(
    app: AppStorage, scene: Any
) -> None:
    await app.write(scene.create)
    await app.write(lambda tx: scene.create(tx, "s2"))
    first = await add(app, passage(1), passage(2))
    again = await add(
        app,
        passage(3),
        passage(1, title="renamed", origin=Origin.ATTACHMENT),
        passage(1, revision="rev-2"),
        passage(1, doc_sha256=sha256(b"edited")),
        passage(3),
    )
    other = await add(app, passage(2), session="s2")
    assert [e.label for e in first] == ["E1", "E2"]
    assert [e.label for e in again] == ["E3", "E1", "E4", "E5", "E3"]
    assert again[1] == first[0]
    assert [e.label for e in other] == ["E1"]
    assert len(await app.read(lambda tx: app.evidence.of_session(tx, "s1"))) == 5
    later = await app.read(lambda tx: app.evidence.of_session(tx, "s1", n=3, limit=1))
    assert [e.n for e in later] == [4]


async def test_unknown_evidence_is_said_to_be_missing(app: AppStorage, scene: Any) -> None:
    await app.write(scene.create)
    for unit in (
        lambda tx: app.evidence.get(tx, "none"),
        lambda tx: app.evidence.by_label(tx, "s1", 1),
    ):
        with pytest.raises(NoteBridgeError) as caught:
            await app.read(unit)
        assert caught.value.code is ErrorCode.EVIDENCE_NOT_FOUND
    with pytest.raises(NoteBridgeError) as caught:
        await add(app, passage(), session="none")
    assert caught.value.code is ErrorCode.SESSION_NOT_FOUND


async def test_evidence_of_all_sessions_is_listed_latest_first(app: AppStorage, scene: Any) -> None:
    for session in ("s1", "s2"):
        await app.write(lambda tx, session=session: scene.create(tx, session))  # type: ignore[misc]
    await add(app, passage(1), passage(4, doc_id="other"))
    await add(app, passage(2), passage(3, revision="rev-2"), session="s2")

    async def starts(**asked: Any) -> list[int]:
        found, after = [], None
        while True:
            page = await app.read(
                lambda tx: app.evidence.list(tx, limit=2, after=after, **asked)  # noqa: B023
            )
            found += [evidence.start // 100 for evidence in page.items]
            after = page.after
            if after is None:
                return found

    assert await starts() == [4, 3, 2, 1]
    assert await starts(session_id="s2") == [3, 2]
    assert await starts(doc_id="os/死锁", revision="rev-1") == [2, 1]


async def test_proofs_give_back_exact_bytes(app: AppStorage, scene: Any) -> None:
    await app.write(scene.create)
    kept = proof(b"doc", b'{"kind":"leaf"}', b"\xff\x00")
    (stored,) = await app.write(
        lambda tx: app.evidence.add(tx, "s1", [passage()], [kept, kept]), durable=True
    )
    found = await app.read(lambda tx: app.evidence.proof(tx, stored))
    assert {each.body for each in found.objects} == {b"doc", b'{"kind":"leaf"}', b"\xff\x00"}
    (other,) = await add(app, passage(1, revision="rev-2"))
    assert (await app.read(lambda tx: app.evidence.proof(tx, other))).objects == ()


def test_bytes_that_do_not_have_their_hash_prove_nothing() -> None:
    with pytest.raises(NoteBridgeError) as caught:
        ProofObject(sha256(b"a"), "doc", b"b")
    assert caught.value.code is ErrorCode.INTEGRITY_MISMATCH


async def test_objects_are_shared_and_go_with_the_last_evidence(
    app: AppStorage, scene: Any
) -> None:
    for session, bodies in (("s1", (b"shared", b"only one")), ("s2", (b"shared",))):

        def unit(tx: Tx, session: str = session, bodies: tuple[bytes, ...] = bodies) -> None:
            scene.create(tx, session)
            app.evidence.add(tx, session, [passage()], [proof(*bodies)])

        await app.write(unit, durable=True)

    async def bodies_left() -> set[object]:
        rows = await app.read(lambda tx: tx.page(EVIDENCE_OBJECTS, {}, limit=9))
        return {row["body"] for row in rows}

    assert await bodies_left() == {b"shared", b"only one"}
    await app.write(lambda tx: app.sessions.delete(tx, "s1"))
    assert await bodies_left() == {b"shared"}
    await app.write(lambda tx: app.sessions.delete(tx, "s2"))
    assert await bodies_left() == set()
    assert await app.read(lambda tx: tx.page(EVIDENCE_PROOFS, {}, limit=9)) == []


async def test_a_tools_result_evidence_and_event_are_one_commit(
    app: AppStorage, scene: Any
) -> None:
    run_id = await scene.running()
    published: list[tuple[Evidence, ...]] = []

    def step(tx: Tx, fails: bool) -> tuple[Evidence, ...]:
        app.tool_calls.start(tx, run_id, "a", name="read", arguments={}, request_n=1)
        app.tool_calls.finish(tx, run_id, "a", result={"text": "[E1]"})
        found = app.evidence.add(tx, "s1", [passage()], [proof(b"doc")])
        app.events.append(tx, "s1", "tool.result", {"labels": ["E1"]}, run_id=run_id)
        if fails:
            raise LookupError
        return found

    with pytest.raises(LookupError):
        await app.write(lambda tx: step(tx, True), durable=True, on_commit=published.append)
    assert published == []
    assert await app.read(lambda tx: app.tool_calls.of_run(tx, run_id)) == ()
    assert await app.read(lambda tx: app.evidence.of_session(tx, "s1")) == ()
    assert await app.read(lambda tx: tx.page(EVIDENCE_OBJECTS, {}, limit=9)) == []
    found = await app.write(lambda tx: step(tx, False), durable=True, on_commit=published.append)
    assert published == [found]
    assert len(await app.read(lambda tx: app.events.after(tx, "s1"))) == 1


async def test_citations_keep_their_numbers_and_verdicts(app: AppStorage, scene: Any) -> None:
    run_id = await scene.running()
    (evidence,) = await add(app, passage())
    citations = [
        Citation(run_id, n, evidence.id, "四个必要条件", 100, 106, verdict)
        for n, verdict in enumerate(Verdict, 1)
    ]
    await app.write(lambda tx: app.citations.add(tx, citations))
    assert list(await app.read(lambda tx: app.citations.of_run(tx, run_id))) == citations
    assert list(await app.read(lambda tx: app.citations.of_evidence(tx, evidence.id))) == citations
    for bad, code in (
        (citations[0], ErrorCode.REQUEST_CONFLICT),
        (replace(citations[0], n=9, evidence_id="none"), ErrorCode.EVIDENCE_NOT_FOUND),
        (replace(citations[0], n=9, run_id="none"), ErrorCode.EVIDENCE_NOT_FOUND),
    ):
        with pytest.raises(NoteBridgeError) as caught:
            await app.write(lambda tx, bad=bad: app.citations.add(tx, [bad]))  # type: ignore[misc]
        assert caught.value.code is code


async def test_an_export_brings_a_session_back_whole(app: AppStorage, scene: Any) -> None:
    run_id = await scene.running()

    def step(tx: Tx) -> None:
        app.requests.count(tx, run_id, RequestKind.ANSWER, reserved_tokens=5)
        app.requests.settle(tx, run_id, 1, "end", usage={"output": 3})
        app.tool_calls.start(tx, run_id, "a", name="read", arguments={"q": "死"}, request_n=1)
        (found,) = app.evidence.add(tx, "s1", [passage()], [proof(b"doc", b"\xff\x00")])
        app.citations.add(tx, [Citation(run_id, 1, found.id, "quote", 1, 2, Verdict.QUOTED)])
        app.events.append(tx, "s1", "citation", {"n": 1}, run_id=run_id)
        app.runs.finish(tx, run_id, RunState.FAILED, reason="deadline")

    await app.write(step, durable=True)
    exported = await app.read(lambda tx: app.session_export.export(tx, "s1"))
    with pytest.raises(NoteBridgeError) as caught:
        await app.write(lambda tx: app.session_export.restore(tx, exported), durable=True)
    assert caught.value.code is ErrorCode.INVALID_ARGUMENT
    await app.write(lambda tx: app.sessions.delete(tx, "s1"))
    await app.write(lambda tx: app.session_export.restore(tx, exported), durable=True)
    assert await app.read(lambda tx: app.session_export.export(tx, "s1")) == exported
    assert await app.check() == []


async def test_an_imported_run_that_had_not_ended_is_ended(app: AppStorage, scene: Any) -> None:
    run_id = await scene.running()
    exported = await app.read(lambda tx: app.session_export.export(tx, "s1"))
    await app.write(lambda tx: app.runs.finish(tx, run_id, RunState.FAILED), durable=True)
    await app.write(lambda tx: app.sessions.delete(tx, "s1"))
    await app.write(lambda tx: app.session_export.restore(tx, exported), durable=True)
    run = await app.read(lambda tx: app.runs.get(tx, run_id))
    assert (run.state, run.reason) == (RunState.FAILED, "imported")


async def test_a_tampered_export_is_refused_and_leaves_nothing(app: AppStorage, scene: Any) -> None:
    run_id = await scene.running()
    await app.write(
        lambda tx: app.evidence.add(tx, "s1", [passage()], [proof(b"doc")]), durable=True
    )
    await app.write(lambda tx: app.runs.finish(tx, run_id, RunState.FAILED), durable=True)
    await app.write(lambda tx: scene.create(tx, "mine"))

    async def refusal(table: str, **changes: object) -> ErrorCode:
        exported: Any = await app.read(lambda tx: app.session_export.export(tx, "s1"))
        if table:
            exported["tables"][table][0].update(changes)
        else:
            exported.update(changes)
        exported["tables"]["sessions"][0].setdefault("id", "s1")
        await app.write(lambda tx: app.sessions.delete(tx, "s1"))
        with pytest.raises(NoteBridgeError) as caught:
            await app.write(lambda tx: app.session_export.restore(tx, exported), durable=True)
        with pytest.raises(NoteBridgeError):
            await app.read(lambda tx: app.sessions.get(tx, "s1"))
        await app.write(lambda tx: app.session_export.restore(tx, sound), durable=True)
        return caught.value.code

    sound = await app.read(lambda tx: app.session_export.export(tx, "s1"))
    invalid = ErrorCode.INVALID_ARGUMENT
    assert await refusal("", kind="other") is invalid
    assert await refusal("", schema="2.0") is ErrorCode.SCHEMA_UNSUPPORTED
    assert await refusal("entries", session_id="mine") is invalid
    assert await refusal("entries", run_id="other") is invalid
    assert await refusal("runs", state="dancing") is invalid
    assert await refusal("runs", window="wide") is invalid
    assert await refusal("entries", body_json="[1]") is invalid
    assert await refusal("entries", body_json="{") is invalid
    assert await refusal("evidence_proofs", object_sha256="gone") is invalid
    assert await refusal("evidence_objects", body={"base64": "*"}) is invalid
    forged = {"text": "forged"}
    assert await refusal("evidence_objects", body=forged) is ErrorCode.INTEGRITY_MISMATCH


PASSAGES = st.lists(
    st.builds(
        passage,
        st.integers(0, 3),
        revision=st.sampled_from(["r1", "r2"]),
        title=st.sampled_from(["a", "b"]),
    ),
    max_size=12,
)


@settings(max_examples=50, deadline=None)
@given(batches=st.lists(PASSAGES, max_size=4))
def test_labels_are_dense_stable_and_one_per_passage(batches: list[list[Passage]]) -> None:
    async def go() -> None:
        app = AppStorage.in_memory(clock=lambda: 0, ids=iter(map(str, range(999))).__next__)
        await app.write(
            lambda tx: app.sessions.create(tx, "s1", knowledge_base_id="", manifest_address="")
        )
        known: dict[tuple[str, int], int] = {}
        for batch in batches:
            found = await add(app, *batch)
            for asked, stored in zip(batch, found, strict=True):
                key = (asked.revision, asked.start)
                assert stored.n == known.setdefault(key, len(known) + 1)

    asyncio.run(go())
