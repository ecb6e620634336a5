"""What a host may do wrong: each with its code, and nothing bad kept."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from bridge_reader.http_transport import HttpLimits
from manifest.errors import ErrorCode, NoteBridgeError
from manifest.manifest_file import Manifest, PreviousRevision, write_manifest
from manifest.objects import Doc, LeafDocument
from manifest.references import MANIFEST_LIMIT, MANIFEST_PATH, Kind, Reference, object_path
from storage.known_manifests import KnownManifest

Open = Callable[..., Any]


@pytest.fixture
def published(publisher: Any, garden: list[Doc]) -> Manifest:
    manifest: Manifest = publisher.publish(garden, sequence=7)
    return manifest


def path_of(garden: list[Doc], published: Manifest, publisher: Any, doc_id: str) -> str:
    """Where the `doc` of a document is published."""
    for leaf in (publisher.folder / "ai/objects/leaf").iterdir():
        for row in json.loads(leaf.read_bytes())["docs"]:
            if row["id"] == doc_id:
                return object_path(Kind.DOC, LeafDocument.model_validate(row).doc.sha256)
    raise AssertionError(doc_id)


@pytest.fixture
def soil(garden: list[Doc], published: Manifest, publisher: Any) -> str:
    """Where the note on soil is published."""
    return path_of(garden, published, publisher, "garden/soil")


async def refusal(awaitable: Any) -> NoteBridgeError:
    with pytest.raises(NoteBridgeError) as refused:
        await awaitable
    error: NoteBridgeError = refused.value
    assert error.message
    assert "\n" not in error.message
    return error


def replaced(manifest: Manifest, **fields: object) -> bytes:
    return write_manifest(manifest.model_copy(update=fields))


class TestObjects:
    async def test_one_flipped_byte_is_seen_and_not_kept(
        self, server: Any, soil: str, open_site: Open, reader_cache: Any
    ) -> None:
        body = bytearray((server.folder / soil).read_bytes())
        body[len(body) // 2] ^= 1
        (server.folder / soil).write_bytes(body)
        revision = await open_site(server.url).bind()
        error = await refusal(revision.doc("garden/soil"))
        assert error.code is ErrorCode.INTEGRITY_MISMATCH
        assert soil in error.message
        assert reader_cache.objects.get(Path(soil).stem) is None

    @pytest.mark.parametrize("change", ["shorter", "longer"])
    async def test_another_length_is_seen_and_not_kept(
        self, server: Any, soil: str, open_site: Open, reader_cache: Any, change: str
    ) -> None:
        body = (server.folder / soil).read_bytes()
        (server.folder / soil).write_bytes(body[:-9] if change == "shorter" else body + b" ")
        revision = await open_site(server.url).bind()
        error = await refusal(revision.doc("garden/soil"))
        assert error.code is ErrorCode.INTEGRITY_MISMATCH
        assert reader_cache.objects.get(Path(soil).stem) is None

    async def test_a_transfer_that_breaks_off_is_unreachable_and_not_kept(
        self, server: Any, soil: str, open_site: Open, reader_cache: Any
    ) -> None:
        server.truncate(soil, 50)
        revision = await open_site(server.url).bind()
        error = await refusal(revision.doc("garden/soil"))
        assert error.code is ErrorCode.SITE_UNREACHABLE
        assert reader_cache.objects.get(Path(soil).stem) is None

    async def test_an_object_that_is_gone_ends_the_revision(
        self, server: Any, soil: str, open_site: Open
    ) -> None:
        (server.folder / soil).unlink()
        revision = await open_site(server.url).bind()
        error = await refusal(revision.doc("garden/soil"))
        assert error.code is ErrorCode.REVISION_EXPIRED
        assert soil in error.message
        assert (await revision.doc("home")).title == "Home"

    async def test_a_page_in_its_place_is_asked_past_once_and_then_counts_as_missing(
        self, server: Any, soil: str, open_site: Open, reader_cache: Any
    ) -> None:
        server.answer(soil, b"<!doctype html><title>Home</title>", content_type="text/html")
        revision = await open_site(server.url).bind()
        error = await refusal(revision.doc("garden/soil"))
        assert error.code is ErrorCode.REVISION_EXPIRED
        assert "page" in error.message
        asked = [asked for asked in server.asked if asked.path.startswith(soil)]
        assert len(asked) == 2
        assert re.fullmatch(re.escape(soil) + r"\?past-caches=\w+", asked[1].path)
        assert reader_cache.objects.get(Path(soil).stem) is None

    async def test_a_page_that_only_a_cache_holds_is_got_past(
        self, server: Any, soil: str, open_site: Open
    ) -> None:
        plain = server._file

        def cached(handler: Any) -> None:
            if "?" in handler.path:
                plain(handler, soil)
                return
            page = b"<html>Not yet</html>"
            handler.send_response(200)
            handler.send_header("content-length", str(len(page)))
            handler.end_headers()
            handler.wfile.write(page)

        server.faults[soil] = cached
        revision = await open_site(server.url).bind()
        assert (await revision.doc("garden/soil")).title == "Soil"

    async def test_an_object_of_another_kind_with_the_right_hash_is_not_taken(
        self, server: Any, publisher: Any, garden: list[Doc], open_site: Open, reader_cache: Any
    ) -> None:
        toc = publisher.put(garden[4])
        manifest = publisher.publish(garden, root_fields={"overview": toc.model_dump()})
        target = publisher.folder / object_path(Kind.OVERVIEW, toc.sha256)
        target.write_bytes((publisher.folder / object_path(Kind.DOC, toc.sha256)).read_bytes())
        revision = await open_site(server.url).bind()
        error = await refusal(revision.overview())
        assert error.code is ErrorCode.OBJECT_INVALID
        assert "'doc'" in error.message
        assert reader_cache.objects.get(toc.sha256) is None
        assert reader_cache.objects.get(manifest.revision) is not None

    async def test_an_object_too_large_for_its_kind_is_not_even_asked_for(
        self, server: Any, publisher: Any, garden: list[Doc], open_site: Open
    ) -> None:
        huge = {"sha256": "0" * 64, "size": 5 * 1024 * 1024}
        publisher.publish(garden, root_fields={"overview": huge})
        revision = await open_site(server.url).bind()
        asked = len(server.asked)
        error = await refusal(revision.overview())
        assert error.code is ErrorCode.OBJECT_TOO_LARGE
        assert len(server.asked) == asked

    async def test_an_endless_body_ends_at_the_size_of_the_reference(
        self, server: Any, soil: str, open_site: Open
    ) -> None:
        server.begin(soil, b"{" * 4096, times=10_000)
        revision = await open_site(server.url).bind()
        error = await refusal(revision.doc("garden/soil"))
        assert error.code is ErrorCode.INTEGRITY_MISMATCH

    async def test_a_body_past_the_deadline_is_unreachable(
        self, server: Any, soil: str, open_site: Open
    ) -> None:
        server.hold(soil)
        revision = await open_site(server.url, HttpLimits(deadline=0.3)).bind()
        error = await refusal(revision.doc("garden/soil"))
        assert error.code is ErrorCode.SITE_UNREACHABLE

    async def test_a_redirect_to_another_origin_is_refused(
        self, server: Any, soil: str, open_site: Open
    ) -> None:
        server.answer(soil, b"", status=302, location="https://evil.example/x.json")
        revision = await open_site(server.url).bind()
        error = await refusal(revision.doc("garden/soil"))
        assert error.code is ErrorCode.ORIGIN_REFUSED

    async def test_a_root_of_a_later_major_version_is_not_read(
        self, server: Any, publisher: Any, garden: list[Doc], open_site: Open
    ) -> None:
        publisher.publish(garden, root_fields={"schema": "2.0"})
        error = await refusal(open_site(server.url).bind())
        assert error.code is ErrorCode.SCHEMA_UNSUPPORTED


class TestManifests:
    async def test_a_lower_sequence_keeps_the_known_revision(
        self, server: Any, publisher: Any, published: Manifest, garden: list[Doc], open_site: Open
    ) -> None:
        site = open_site(server.url)
        await site.refresh()
        publisher.publish(garden[:2], sequence=6)
        state = await site.refresh()
        assert (state.sequence, state.revision) == (7, published.revision)
        assert [warning.code for warning in state.warnings] == [ErrorCode.ROLLBACK_REFUSED]
        assert not state.offline
        assert (await site.bind()).revision == published.revision

    async def test_the_same_sequence_with_another_revision_is_refused_and_forgets_nothing(
        self, server: Any, publisher: Any, published: Manifest, garden: list[Doc], open_site: Open
    ) -> None:
        site = open_site(server.url)
        await site.refresh()
        publisher.publish(garden[:2], sequence=7)
        error = await refusal(site.refresh())
        assert error.code is ErrorCode.ROLLBACK_REFUSED
        assert error.hint
        assert (await open_site(server.url).bind(published.revision)).revision == published.revision
        publisher.publish(garden[:2], sequence=8)
        assert (await site.refresh()).sequence == 8

    async def test_what_was_seen_outlives_the_process_until_the_user_resets_it(
        self, server: Any, publisher: Any, published: Manifest, garden: list[Doc], open_site: Open
    ) -> None:
        await open_site(server.url).refresh()
        old = publisher.publish(garden[:2], sequence=3)
        another = open_site(server.url)
        assert (await another.refresh()).sequence == 7
        await another.forget()
        state = await another.refresh()
        assert (state.sequence, state.revision, state.warnings) == (3, old.revision, ())

    async def test_a_release_that_another_process_has_seen_meanwhile_is_gone_on_with(
        self, server: Any, published: Manifest, open_site: Open, reader_cache: Any
    ) -> None:
        site = open_site(server.url)
        later = published.model_copy(update={"sequence": 9, "revision": "0" * 64})
        later = later.model_copy(update={"root": Reference(sha256="0" * 64, size=3)})
        body = write_manifest(later)

        class Meanwhile:
            """The real store, just after another process has written to it."""

            get = reader_cache.manifests.get

            def save(self, seen: KnownManifest) -> KnownManifest:
                other = KnownManifest(seen.address, 9, "0" * 64, body, seen.fetched_at)
                reader_cache.manifests.save(other)
                kept: KnownManifest = reader_cache.manifests.save(seen)
                return kept

        site._known_manifests = Meanwhile()
        state = await site.refresh()
        assert (state.sequence, state.revision) == (9, "0" * 64)
        assert [warning.code for warning in state.warnings] == [ErrorCode.ROLLBACK_REFUSED]

    async def test_unreleased_builds_replace_each_other_until_a_release_was_seen(
        self, server: Any, publisher: Any, garden: list[Doc], open_site: Open
    ) -> None:
        site = open_site(server.url)
        publisher.publish(garden)
        await site.refresh()
        second = publisher.publish(garden[:3])
        assert (await site.refresh()).revision == second.revision
        released = publisher.publish(garden, sequence=1)
        assert (await site.refresh()).sequence == 1
        publisher.publish(garden[:2])
        assert (await site.refresh()).revision == released.revision

    @pytest.mark.parametrize(
        ("change", "code"),
        [
            ("missing", ErrorCode.MANIFEST_MISSING),
            ("page", ErrorCode.MANIFEST_MISSING),
            ("oversize", ErrorCode.OBJECT_TOO_LARGE),
            ("later", ErrorCode.SCHEMA_UNSUPPORTED),
            ("no json", ErrorCode.MANIFEST_INVALID),
            ("other revision", ErrorCode.MANIFEST_INVALID),
            ("redirect", ErrorCode.ORIGIN_REFUSED),
            ("error", ErrorCode.SITE_UNREACHABLE),
        ],
    )
    async def test_a_manifest_that_cannot_be_taken_has_its_code_and_is_not_kept(
        self,
        server: Any,
        published: Manifest,
        open_site: Open,
        reader_cache: Any,
        change: str,
        code: ErrorCode,
    ) -> None:
        self.spoil(server, published, change)
        error = await refusal(open_site(server.url).refresh())
        assert error.code is code
        assert reader_cache.manifests.all() == ()
        assert reader_cache.objects.usage().objects == 0

    @pytest.mark.parametrize(
        "change", ["missing", "page", "oversize", "later", "no json", "redirect", "error"]
    )
    async def test_no_error_loses_what_is_known(
        self, server: Any, published: Manifest, open_site: Open, reader_cache: Any, change: str
    ) -> None:
        site = open_site(server.url)
        before = await site.refresh()
        self.spoil(server, published, change)
        if change == "error":
            assert (await site.refresh()).offline
        else:
            await refusal(site.refresh())
        assert [known.revision for known in reader_cache.manifests.all()] == [before.revision]
        assert (await site.bind()).revision == published.revision

    def spoil(self, server: Any, published: Manifest, change: str) -> None:
        """Makes the host answer something else than the manifest."""
        later = json.loads(write_manifest(published)) | {"schemaVersion": "2.0"}
        other = Reference(sha256="0" * 64, size=3)
        bodies = {
            "page": b"<!doctype html><title>Home</title>",
            "oversize": b'{"a":"' + b"x" * MANIFEST_LIMIT + b'"}',
            "later": json.dumps(later).encode(),
            "no json": b"{",
            "other revision": replaced(published, root=other),
        }
        if change in bodies:
            server.answer(MANIFEST_PATH, bodies[change])
        elif change == "redirect":
            server.answer(MANIFEST_PATH, b"", status=302, location="https://evil.example/")
        else:
            server.answer(MANIFEST_PATH, b"", status=404 if change == "missing" else 500)


class TestRevisions:
    async def test_a_bound_revision_reads_on_while_the_site_moves_on(
        self, server: Any, publisher: Any, published: Manifest, garden: list[Doc], open_site: Open
    ) -> None:
        site = open_site(server.url)
        revision = await site.bind()
        publisher.publish(garden[:2], sequence=8)
        await site.refresh()
        assert (await revision.doc("os/线程")).title == "线程"
        assert revision.revision == published.revision != (await site.bind()).revision

    async def test_an_earlier_revision_is_bound_by_its_name(
        self, server: Any, publisher: Any, published: Manifest, garden: list[Doc], open_site: Open
    ) -> None:
        earlier = PreviousRevision(
            revision=published.revision, size=published.root.size, sequence=7
        )
        publisher.publish(garden[:2], sequence=8, previous=[earlier])
        site = open_site(server.url)
        await site.refresh()
        revision = await site.bind(published.revision)
        assert (await revision.doc("os/线程")).title == "线程"

    async def test_a_revision_that_nothing_names_is_found_by_its_hash_while_it_is_there(
        self, server: Any, publisher: Any, published: Manifest, garden: list[Doc], open_site: Open
    ) -> None:
        publisher.publish(garden[:2], sequence=8)
        site = open_site(server.url)
        assert (await site.bind(published.revision)).revision == published.revision
        gone = await refusal(site.bind("0" * 64))
        assert gone.code is ErrorCode.REVISION_EXPIRED
        wrong = await refusal(site.bind("latest"))
        assert wrong.code is ErrorCode.INVALID_ARGUMENT


class TestCaching:
    async def test_concurrent_wishes_for_one_object_make_one_request(
        self, server: Any, soil: str, open_site: Open
    ) -> None:
        server.hold(soil)
        revision = await open_site(server.url).bind()
        reading = [asyncio.create_task(revision.doc("garden/soil")) for _ in range(10)]
        await server.until_asked(5)
        server.released.set()
        docs = await asyncio.gather(*reading)
        assert {doc.title for doc in docs} == {"Soil"}
        assert server.paths().count(soil) == 1

    async def test_one_who_gives_up_does_not_stop_the_others(
        self, server: Any, soil: str, open_site: Open
    ) -> None:
        server.hold(soil)
        revision = await open_site(server.url).bind()
        patient = asyncio.create_task(revision.doc("garden/soil"))
        hasty = asyncio.create_task(revision.doc("garden/soil"))
        await server.until_asked(5)
        hasty.cancel()
        with pytest.raises(asyncio.CancelledError):
            await hasty
        server.released.set()
        assert (await patient).title == "Soil"
        assert server.paths().count(soil) == 1

    async def test_what_was_read_is_not_asked_for_again_by_another_process(
        self, server: Any, published: Manifest, open_site: Open
    ) -> None:
        await (await open_site(server.url).bind()).doc("garden/soil")
        asked = len(server.asked)
        another = open_site(server.url)
        await (await another.bind()).doc("garden/soil")
        assert server.paths()[asked:] == [MANIFEST_PATH]

    async def test_a_damaged_cache_is_repaired_by_asking_again(
        self, server: Any, soil: str, open_site: Open, reader_cache: Any
    ) -> None:
        await (await open_site(server.url).bind()).doc("garden/soil")
        name = Path(soil).stem
        reader_cache._database.write(
            lambda connection: connection.execute(
                'UPDATE "objects" SET "body" = ? WHERE "sha256" = ?', (b"{}", name)
            )
        )
        assert (await (await open_site(server.url).bind()).doc("garden/soil")).title == "Soil"
        assert server.paths().count(soil) == 2
        assert reader_cache.objects.get(name).body == (server.folder / soil).read_bytes()

    async def test_offline_what_is_cached_reads_on_and_the_rest_fails_clearly(
        self, server: Any, published: Manifest, open_site: Open, clock: Any
    ) -> None:
        url = server.url
        await (await open_site(url).bind()).doc("garden/soil")
        server.stop()
        clock.now += 3_600_000
        site = open_site(url)
        state = await site.refresh()
        assert state.offline
        assert (state.age, state.revision) == (3_600_000, published.revision)
        assert [warning.code for warning in state.warnings] == [ErrorCode.SITE_UNREACHABLE]
        revision = await site.bind()
        assert (await revision.doc("garden/soil")).title == "Soil"
        error = await refusal(revision.doc("os/线程"))
        assert error.code is ErrorCode.SITE_UNREACHABLE

    async def test_nothing_known_and_nobody_there_is_unreachable(
        self, server: Any, open_site: Open
    ) -> None:
        url = server.url
        server.stop()
        assert (await refusal(open_site(url).bind())).code is ErrorCode.SITE_UNREACHABLE

    async def test_requests_and_bytes_are_counted(
        self, server: Any, published: Manifest, open_site: Open
    ) -> None:
        site = open_site(server.url)
        await (await site.bind()).doc("garden/soil")
        assert site.transfers.requests == len(server.asked) == 5
        assert site.transfers.bytes > 500
