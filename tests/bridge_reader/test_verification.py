"""Verifying a site finds whatever is not as it should be, and nothing else."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from bridge_reader.site import open_transport
from bridge_reader.site_address import parse_site_address
from bridge_reader.verification import inspection
from bridge_reader.verification.report import VerifyReport
from bridge_reader.verification.verify import verify_site
from manifest.errors import ErrorCode, NoteBridgeError
from manifest.manifest_file import PreviousRevision, Retention, write_manifest
from manifest.objects import Doc
from manifest.references import MANIFEST_PATH, Kind

MakeDoc = Callable[..., Doc]
Verify = Callable[[], Awaitable[VerifyReport]]


@pytest.fixture
def verify(publisher: Any, clock: Any) -> Verify:
    """Verifies what is published now."""

    async def run() -> VerifyReport:
        transport = open_transport(parse_site_address(str(publisher.folder)))
        return await verify_site(transport, clock=clock)

    return run


def files(publisher: Any, kind: Kind) -> list[Path]:
    return sorted((publisher.folder / "ai/objects" / kind).iterdir())


def said(report: VerifyReport) -> str:
    return "\n".join(problem.message for problem in report.problems)


def publish_changed(publisher: Any, garden: list[Doc], kind: Kind, change: Any) -> None:
    """Publishes with objects of one kind changed before they are written, so that every hash is
    right and what they say is wrong."""
    plain = publisher.put

    def put(value: Any) -> Any:
        return plain(change(value) if value.KIND is kind else value)

    publisher.put = put
    publisher.publish(garden)


@pytest.mark.parametrize("kind", list(Kind)[:16])
async def test_every_object_is_hashed_again(
    publisher: Any, garden: list[Doc], verify: Verify, kind: Kind
) -> None:
    publisher.keep = 1
    publisher.publish(garden)
    file = files(publisher, kind)[0]
    body = bytearray(file.read_bytes())
    body[len(body) // 2] ^= 1
    file.write_bytes(body)
    report = await verify()
    assert not report.ok
    assert (ErrorCode.INTEGRITY_MISMATCH, f"ai/objects/{kind}/{file.name}") in {
        (problem.code, problem.name) for problem in report.problems
    }


@pytest.mark.parametrize("kind", list(Kind)[:16])
async def test_every_reference_is_followed(
    publisher: Any, garden: list[Doc], verify: Verify, kind: Kind
) -> None:
    publisher.keep = 1
    publisher.publish(garden)
    file = files(publisher, kind)[-1]
    file.unlink()
    report = await verify()
    assert not report.ok
    assert ErrorCode.REVISION_EXPIRED in {problem.code for problem in report.problems}
    assert file.name in said(report)


async def test_a_delta_and_two_segments_are_whole(
    publisher: Any, garden: list[Doc], doc: MakeDoc, verify: Verify
) -> None:
    edited = doc("garden/worms", "# Worms\n\nThey avoid salt.\n")
    newer = doc("garden/moss", "Moss.\n")
    younger = doc("n", "More.\n")
    now = [edited if each.id == edited.id else each for each in garden] + [younger, newer]
    publisher.publish(now, segments=[garden, [younger]], newer=[edited, newer])
    report = await verify()
    assert said(report) == ""
    assert report.objects == len(
        {path.stem for path in (publisher.folder / "ai/objects").rglob("*.json")}
    ) - len(report.unreferenced or ())


class TestWrongButRightlyHashed:
    """What only a reader of the whole can see."""

    @pytest.mark.parametrize(
        ("kind", "change", "expected"),
        [
            (Kind.LEAF, lambda v: _with(v, docs=v.docs[::-1]), "not in order"),
            (Kind.LEAF, lambda v: _with(v, prefix="3"), "prefix"),
            (Kind.LEAF, lambda v: _with(v, docs=[*v.docs, v.docs[0]]), "not in order"),
            (Kind.LEAF, lambda v: _with(v, docs=[_with(v.docs[0], chars=1)]), "is not so"),
            (Kind.LEAF, lambda v: _with(v, docs=[_with(v.docs[0], title="Y")]), "is not so"),
            (Kind.TOC, lambda v: _with(v, title="Another"), "differs from the document"),
            (Kind.TOC, lambda v: _with(v, sections=v.sections[1:]), "differs from the document"),
            (Kind.INDEX, lambda v: _with(v, leaves=[v.leaves[0]._replace(docs=9)]), "documents"),
            (Kind.ROOT, lambda v: _with(v, docs=9), "it counts 9 documents"),
            (Kind.OVERVIEW, lambda v: _with(v, docs=9), "it counts 9 documents"),
            (Kind.OVERVIEW, lambda v: _with(v, categories=v.categories[::-1]), "no parent"),
            (Kind.CATEGORY, lambda v: _with(v, rows=[v.rows[0]._replace(id="x")]), "'x'"),
            (Kind.SEGMENT, lambda v: _with(v, tokens="nb-0"), "of version 'nb-0'"),
            (Kind.SEGMENT, lambda v: _with(v, pages=v.pages[1:] + v.pages[:1]), "out of order"),
            (Kind.SEGMENT, lambda v: _with(v, hot=[("soil", 1)]), "hot term 'soil'"),
            (Kind.SEGMENT, lambda v: _with(v, hot=[("zzz", 1)]), "'zzz' has no postings"),
            (Kind.TERMS, lambda v: _with(v, shards=v.shards[::-1]), "out of order"),
            (Kind.SHARD, lambda v: _with(v, terms=v.terms[::-1]), "out of order"),
            (Kind.SHARD, lambda v: _with(v, terms=[[r[0], 17] for r in v.terms]), "document"),
            (Kind.SHARD, lambda v: _with(v, terms=[[r[0], -7, 1] for r in v.terms]), "names a"),
            (Kind.SHARD, lambda v: _with(v, terms=[[r[0], -1, 993] for r in v.terms]), "names a"),
            (Kind.SHARD, lambda v: _with(v, terms=[[r[0], "x"] for r in v.terms]), "integers"),
            (Kind.DOCS, lambda v: _with(v, first=1), "begins at 1"),
            (Kind.DOCS, lambda v: _with(v, docs=v.docs[1:]), "0 times"),
            (Kind.DOCS, lambda v: _with(v, docs=[*v.docs, v.docs[0]]), "2 times"),
            (Kind.DOCS, lambda v: _with(v, docs=[v.docs[1], *v.docs[1:]]), "0 times"),
            (Kind.DOCS, lambda v: _with(v, docs=[r._replace(units=9) for r in v.docs]), "another"),
            (Kind.DELTA, lambda v: _with(v, base="0" * 64), "base is no segment"),
            (Kind.DELTA, lambda v: _with(v, drop=[(0, 40, 1)]), "drops an ordinal 40"),
            (Kind.DELTA, lambda v: _with(v, drop=[(3, 0, 1)]), "from a segment 3"),
            (Kind.DELTA, lambda v: _with(v, drop=[(0, 4, 9)]), "drops an ordinal 4 wrongly"),
            (Kind.DELTA, lambda v: _with(v, drop=[(0, 4, 1), (0, 4, 1)]), "drops a row twice"),
            (Kind.DELTA, lambda v: _with(v, hotDropped=[[9]]), "counts its hot terms wrongly"),
            (Kind.SEGMENT, lambda v: _with(v, units=99), "its rows are 5"),
            (Kind.SEGMENT, lambda v: _with(v, hotFloor=2), "has 2 postings, not 1"),
            (Kind.EDGES, lambda v: _with(v, rows=v.rows[::-1]), "out of order"),
            (Kind.EDGES, lambda v: _with(v, rows=[(0, [99])]), "the links of 0"),
            (Kind.CLUSTERS, lambda v: _with(v, clusters=[_far(v.clusters[0])]), "cluster 0"),
        ],
    )
    async def test_what_an_object_says_wrongly_is_found(
        self,
        publisher: Any,
        garden: list[Doc],
        verify: Verify,
        kind: Kind,
        change: Any,
        expected: str,
    ) -> None:
        publish_changed(publisher, garden, kind, change)
        report = await verify()
        assert not report.ok
        assert expected in said(report)

    async def test_sections_that_do_not_cover_their_text_are_found(
        self, publisher: Any, garden: list[Doc], verify: Verify
    ) -> None:
        def shortened(value: Any) -> Any:
            if value.id != "garden/soil":
                return value
            return _with(value, text=value.text + "More.", links=[])

        publish_changed(publisher, garden, Kind.DOC, shortened)
        assert "do not cover its text" in said(await verify())

    async def test_a_section_with_another_hash_is_found(
        self, publisher: Any, garden: list[Doc], verify: Verify
    ) -> None:
        def rehashed(value: Any) -> Any:
            return _with(
                value, sections=[_with(value.sections[0], sha256="0" * 64), *value.sections[1:]]
            )

        publish_changed(publisher, garden, Kind.DOC, rehashed)
        assert "has another hash" in said(await verify())

    async def test_a_tree_of_another_shape_is_found(
        self, publisher: Any, doc: MakeDoc, verify: Verify, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        docs = [doc(f"n{n}", "Text.\n") for n in range(12)]
        with monkeypatch.context() as patch:
            patch.setattr("manifest.tree.LEAF_LIMIT", 4)
            publisher.publish(docs)
        assert "another shape" in said(await verify())

    async def test_a_continuation_is_counted_and_belongs_to_its_term(
        self, publisher: Any, garden: list[Doc], verify: Verify
    ) -> None:
        publisher.keep = 1
        publish_changed(publisher, garden, Kind.POSTINGS, lambda v: _with(v, rows=v.rows[1:]))
        assert "postings, not" in said(await verify())

    async def test_content_that_is_not_the_tree_is_found(
        self, publisher: Any, garden: list[Doc], verify: Verify
    ) -> None:
        manifest = publisher.publish(garden)
        body = write_manifest(manifest.model_copy(update={"content": "0" * 64}))
        publisher.write_manifest(body)
        assert "content is not" in said(await verify())


class TestRetained:
    async def release(
        self, publisher: Any, garden: list[Doc], retention: Retention
    ) -> PreviousRevision:
        """Releases twice; the first loses its overview."""
        first = publisher.publish(garden, sequence=1)
        earlier = PreviousRevision(
            revision=first.revision,
            size=first.root.size,
            sequence=1,
            publishedAt="2027-01-01T00:00:00Z",
        )
        lost = files(publisher, Kind.OVERVIEW)
        publisher.publish(garden[:3], sequence=2, previous=[earlier], retention=retention)
        lost[0].unlink()
        return earlier

    @pytest.mark.parametrize(
        ("retention", "kept"),
        [
            (Retention(revisions=1, days=0), False),
            (Retention(revisions=2, days=0), True),
            (Retention(revisions=1, days=14), False),
            (Retention(revisions=1, days=15), True),
        ],
    )
    async def test_only_what_retention_promises_must_be_there(
        self,
        publisher: Any,
        garden: list[Doc],
        verify: Verify,
        retention: Retention,
        kept: bool,
    ) -> None:
        # The clock of these tests stands at 2027-01-15T08:00:00Z.
        earlier = await self.release(publisher, garden, retention)
        report = await verify()
        assert report.ok is not kept
        (found,) = report.retained
        assert (found.revision, found.kept, found.whole) == (earlier.revision, kept, False)
        assert "overview" in found.problem
        assert found.objects > 5

    async def test_files_that_nothing_refers_to_are_listed(
        self, publisher: Any, garden: list[Doc], verify: Verify
    ) -> None:
        publisher.publish(garden)
        before = list((publisher.folder / "ai/objects").rglob("*.json"))
        publisher.publish(garden[:3])
        (publisher.folder / "ai/objects/doc/notes.txt").write_text("left here")
        report = await verify()
        assert report.ok
        assert report.unreferenced is not None
        assert "ai/objects/doc/notes.txt" in report.unreferenced
        names = {path.relative_to(publisher.folder).as_posix() for path in before}
        assert set(report.unreferenced) - {"ai/objects/doc/notes.txt"} < names


async def test_no_manifest_is_said_clearly(tmp_path: Path, clock: Any) -> None:
    transport = open_transport(parse_site_address(str(tmp_path)))
    with pytest.raises(NoteBridgeError) as missing:
        await verify_site(transport, clock=clock)
    assert missing.value.code is ErrorCode.MANIFEST_MISSING
    assert MANIFEST_PATH in missing.value.message


async def test_problems_are_counted_beyond_those_kept(
    publisher: Any, garden: list[Doc], verify: Verify, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(inspection, "PROBLEMS", 2)
    publisher.publish(garden)
    for file in files(publisher, Kind.DOC):
        file.unlink()
    report = await verify()
    assert len(report.problems) == 2
    assert report.problem_count >= 5


async def test_progress_is_told(publisher: Any, garden: list[Doc], clock: Any) -> None:
    publisher.publish(garden)
    told: list[tuple[str, int, int]] = []
    transport = open_transport(parse_site_address(str(publisher.folder)))
    await verify_site(transport, lambda *what: told.append(what), clock=clock)
    assert ("documents", 5, 5) in told
    assert told[-1][0] == "search terms"


def _with(value: Any, **fields: Any) -> Any:
    """The same with other fields; nothing is validated."""
    return value.model_copy(update=fields)


def _far(cluster: Any) -> Any:
    return _with(cluster, ordinals=[99])
