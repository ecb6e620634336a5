"""A bucket as a target, against a real S3 server on loopback."""

from __future__ import annotations

import hashlib
import importlib.util
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from manifest.errors import ErrorCode, NoteBridgeError
from site_builder.releasing.bucket_access import BucketAccess, BucketAddress
from site_builder.releasing.bucket_target import BucketTarget
from site_builder.releasing.lease import LEASE
from site_builder.releasing.record import SWEEP_PATH
from site_builder.releasing.targets import SiteFile, Target

OBJECT = f"ai/objects/doc/{'0' * 64}.json"


def load(name: str) -> ModuleType:
    path = Path(__file__).parents[1] / "faults" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


s3 = load("s3_server")


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    with s3.serving() as running:
        yield running


@pytest.fixture
def bucket(server: Any) -> str:
    name: str = server.bucket()
    return name


@pytest.fixture
def target(server: Any, bucket: str) -> BucketTarget:
    found: BucketTarget = server.target(bucket)
    return found


def code_of(act: Callable[[], object]) -> ErrorCode:
    with pytest.raises(NoteBridgeError) as refused:
        act()
    return refused.value.code


def site_file(path: str, body: bytes) -> SiteFile:
    return SiteFile(path, len(body), hashlib.sha256(body).hexdigest())


def test_a_bucket_is_a_target(target: BucketTarget) -> None:
    as_target: Target = target
    assert (as_target.folder, as_target.nested, as_target.exclusive) == (None, False, False)


def test_what_is_written_can_be_read_and_listed_below_its_prefix(
    target: BucketTarget, server: Any, bucket: str
) -> None:
    server.client.put_object(Bucket=bucket, Key="other/index.html", Body=b"theirs")
    target.write("os/死锁/index.html", b"one")
    target.write("os/死锁/index.html", b"other")
    target.write("index.html", b"home")
    found = target.read("os/死锁/index.html")
    assert found is not None
    assert found.body == b"other"
    assert {file.path: file.size for file in target.files()} == {
        "os/死锁/index.html": 5,
        "index.html": 4,
    }
    assert [file.path for file in target.files("os/")] == ["os/死锁/index.html"]
    assert [file.path for file in target.files("ind")] == ["index.html"]
    assert target.read("missing.html") is None
    assert sorted(server.keys(bucket)) == [
        "notes/index.html",
        "notes/os/死锁/index.html",
        "other/index.html",
    ]


@pytest.mark.parametrize(
    "path",
    ["a b.html", "a#b.html", "q?x.html", "p%41.html", "br[1].html", "st*r.html", "cafe\u0301.html"],
)
def test_a_name_with_signs_of_addresses_is_kept_as_it_is(
    path: str, target: BucketTarget, server: Any, bucket: str
) -> None:
    target.write(path, b"body")
    assert server.keys(bucket) == [f"notes/{path}"]
    assert [file.path for file in target.files()] == [path]
    assert [file.path for file in target.stored([path])] == [path]
    target.delete([path])
    assert server.keys(bucket) == []


@pytest.mark.parametrize(
    ("path", "kind", "kept"),
    [
        ("index.html", "text/html; charset=utf-8", "no-cache"),
        ("assets/site.css", "text/css; charset=utf-8", "no-cache"),
        ("ai/manifest.json", "application/json; charset=utf-8", "no-cache"),
        (OBJECT, "application/json; charset=utf-8", "public, max-age=31536000, immutable"),
        ("img/a.png", "image/png", "no-cache"),
        ("paper", "application/octet-stream", "no-cache"),
    ],
)
def test_each_file_says_what_it_is_and_how_long_it_may_be_kept(
    path: str, kind: str, kept: str, target: BucketTarget, server: Any, bucket: str
) -> None:
    target.write(path, b"{}")
    found = server.client.head_object(Bucket=bucket, Key=f"notes/{path}")
    assert (found["ContentType"], found["CacheControl"]) == (kind, kept)


def test_files_are_told_apart_by_what_the_bucket_says_of_them(target: BucketTarget) -> None:
    bodies = {"same.html": b"one", "changed.html": b"two", "longer.html": b"three"}
    for path, body in bodies.items():
        target.write(path, body)
    there = {file.path: file for file in target.files()}
    site = {"same.html": b"one", "changed.html": b"TWO", "longer.html": b"3"}
    pairs = [(site_file(path, body), there[path]) for path, body in site.items()]
    assert target.same(pairs, lambda path: site[path]) == {"same.html"}


def test_a_file_whose_tag_is_no_md5_is_told_by_the_hash_written_beside_it(
    target: BucketTarget, server: Any, bucket: str
) -> None:
    body = bytes(range(256)) * 4
    digest = hashlib.sha256(body).hexdigest()
    parts = server.client.create_multipart_upload(
        Bucket=bucket, Key="notes/a.bin", Metadata={"sha256": digest}
    )
    part = server.client.upload_part(
        Bucket=bucket, Key="notes/a.bin", UploadId=parts["UploadId"], PartNumber=1, Body=body
    )
    server.client.complete_multipart_upload(
        Bucket=bucket,
        Key="notes/a.bin",
        UploadId=parts["UploadId"],
        MultipartUpload={"Parts": [{"ETag": part["ETag"], "PartNumber": 1}]},
    )
    (there,) = target.files()
    assert there.tag.endswith("-1")
    assert target.same([(site_file("a.bin", body), there)], lambda _: body) == {"a.bin"}
    other = bytes(reversed(body))
    assert target.same([(site_file("a.bin", other), there)], lambda _: other) == set()


@pytest.mark.parametrize("count", [3, 60])
def test_those_of_many_paths_that_are_there_are_found(count: int, target: BucketTarget) -> None:
    there = [f"{number}.html" for number in range(count)]
    for path in there:
        target.write(path, b"x")
    found = {file.path for file in target.stored([*there, "missing.html"])}
    assert found == set(there)


def test_a_file_is_replaced_only_if_its_version_is_the_expected_one(target: BucketTarget) -> None:
    path = "ai/manifest.json"
    assert target.replace_if(path, b"one", None)
    assert not target.replace_if(path, b"two", None)
    first = target.read(path)
    assert first is not None
    assert target.replace_if(path, b"two", first.version)
    assert not target.replace_if(path, b"three", first.version)
    assert not target.replace_if("gone.json", b"three", first.version)
    second = target.read(path)
    assert second is not None
    assert second.body == b"two"


def test_a_write_that_finds_its_own_bytes_there_has_succeeded(target: BucketTarget) -> None:
    assert target.replace_if("ai/manifest.json", b"one", None)
    assert target.replace_if("ai/manifest.json", b"one", None)


def test_of_many_conditional_writes_at_once_one_wins(server: Any, bucket: str) -> None:
    start = threading.Barrier(8)
    won: list[bytes] = []

    def run(body: bytes) -> None:
        start.wait()
        if server.target(bucket).replace_if("manifest", body, None):
            won.append(body)

    threads = [threading.Thread(target=run, args=(bytes([65 + n]),)) for n in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [server.body(bucket, "notes/manifest")] == won


def test_many_files_are_taken_away_and_missing_ones_are_fine(target: BucketTarget) -> None:
    target.write("a.html", b"x")
    target.delete(["a.html", "never-was.html"])
    assert list(target.files()) == []


@pytest.mark.parametrize("path", ["", "/", "..", "../x", "a/../../x", "a//b", "a/", "./a", "a\0b"])
def test_a_path_that_is_none_is_refused(path: str, target: BucketTarget) -> None:
    assert code_of(lambda: target.write(path, b"x")) is ErrorCode.INVALID_ARGUMENT
    assert code_of(lambda: target.read(path)) is ErrorCode.INVALID_ARGUMENT
    assert code_of(lambda: target.delete([path])) is ErrorCode.INVALID_ARGUMENT


def test_ages_are_those_of_the_buckets_clock_once_it_was_asked(server: Any, bucket: str) -> None:
    target = server.target(bucket, clock=lambda: 0.0)
    target.write("a.html", b"x")
    with target.hold():
        ages = [file.age for file in target.files()]
    assert all(0 <= age < 60 for age in ages)


def test_two_cannot_take_objects_away_at_once_and_a_release_waits(
    target: BucketTarget, server: Any, bucket: str
) -> None:
    with target.sweep() as still_alone:
        still_alone()
        assert code_of(server.target(bucket).sweep().__enter__) is ErrorCode.STORAGE_LOCKED
        assert code_of(server.target(bucket).refuse_while_swept) is ErrorCode.STORAGE_LOCKED
    server.target(bucket).refuse_while_swept()
    assert f"notes/{SWEEP_PATH}" not in server.keys(bucket)


def test_who_was_killed_while_sweeping_is_succeeded_after_a_while(
    target: BucketTarget, server: Any, bucket: str
) -> None:
    clock = [0.0]
    later = server.target(bucket, clock=lambda: clock[0])
    held = target.sweep()
    still_alone = held.__enter__()
    assert code_of(later.sweep().__enter__) is ErrorCode.STORAGE_LOCKED
    clock[0] += LEASE + 1
    later.refuse_while_swept()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(later, "_probe", lambda: None)
        with later.sweep():
            assert code_of(still_alone) is ErrorCode.REQUEST_CONFLICT
    held.__exit__(None, None, None)


class Heedless(BucketTarget):
    """A store that passes over the conditions of a write."""

    def _put(self, path: str, body: bytes, mode: Any) -> None:
        super()._put(path, body, "overwrite")


def test_a_store_that_passes_over_conditions_is_refused(server: Any, bucket: str) -> None:
    heedless = server.target(bucket, kind=Heedless)
    assert code_of(heedless.hold().__enter__) is ErrorCode.INVALID_ARGUMENT


def test_a_bucket_that_is_not_there_is_unreachable(server: Any) -> None:
    target = server.target("no-such-bucket")
    assert code_of(lambda: list(target.files())) is ErrorCode.SITE_UNREACHABLE
    assert code_of(lambda: target.write("a", b"x")) is ErrorCode.SITE_UNREACHABLE


def test_a_store_that_does_not_answer_is_unreachable_and_names_no_key() -> None:
    target = BucketTarget(
        BucketAddress("bucket"),
        BucketAccess("http://127.0.0.1:9", "us-east-1", s3.KEY, s3.SECRET, allow_http=True),
        patience=0.1,
    )
    with pytest.raises(NoteBridgeError) as refused:
        target.read("ai/manifest.json")
    assert refused.value.code is ErrorCode.SITE_UNREACHABLE
    said = f"{refused.value} {refused.value.details} {target.name} {s3.access('http://x')!r}"
    assert s3.KEY not in said
    assert s3.SECRET not in said
