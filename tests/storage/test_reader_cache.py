"""The reader's cache: verified, bounded, shared by processes, begun anew when damaged."""

from __future__ import annotations

import hashlib
import os
import random
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from manifest.errors import ErrorCode, NoteBridgeError
from storage.known_manifests import KnownManifest
from storage.object_cache import CachedObject
from storage.private_files import set_aside
from storage.reader_cache import ReaderCache


def cached(body: bytes, kind: str = "doc") -> CachedObject:
    return CachedObject(hashlib.sha256(body).hexdigest(), kind, body)


def body_of(number: int, size: int = 100) -> bytes:
    return number.to_bytes(8, "big").ljust(size, b".")


@pytest.fixture
def cache(tmp_path: Path, clock: Any) -> Iterator[ReaderCache]:
    with ReaderCache(tmp_path / "cache", clock=clock, limit=1000) as one:
        yield one


def keep(cache: ReaderCache, clock: Any, *numbers: int) -> None:
    for number in numbers:
        clock.advance(1)
        assert cache.objects.put_all([cached(body_of(number))])


def present(cache: ReaderCache, numbers: range) -> list[int]:
    hashes = {number: cached(body_of(number)).sha256 for number in numbers}
    return [number for number, sha256 in hashes.items() if cache.objects.get(sha256)]


def test_an_object_is_given_back_as_it_was_put(cache: ReaderCache) -> None:
    one = cached(b'{"kind":"leaf"}', "leaf")
    assert cache.objects.get(one.sha256) is None
    assert cache.objects.put(one.sha256, one.kind, one.body)
    assert cache.objects.put(one.sha256, one.kind, one.body)
    assert cache.objects.get(one.sha256) == one
    usage = cache.objects.usage()
    assert (usage.bytes, usage.objects, usage.limit) == (len(one.body), 1, 1000)


def test_bytes_without_their_hash_are_not_taken(cache: ReaderCache) -> None:
    good, bad = cached(b"good"), CachedObject("0" * 64, "doc", b"bad")
    with pytest.raises(NoteBridgeError) as caught:
        cache.objects.put_all([good, bad])
    assert caught.value.code is ErrorCode.INTEGRITY_MISMATCH
    assert cache.objects.usage().objects == 0


def test_a_damaged_object_counts_as_absent_is_dropped_and_can_be_put_again(
    cache: ReaderCache, tmp_path: Path
) -> None:
    one = cached(b"sound bytes")
    cache.objects.put(one.sha256, one.kind, one.body)
    other = sqlite3.connect(tmp_path / "cache" / "reader.db")
    other.execute("UPDATE objects SET body = ?", (b"wrong bytes",))
    other.commit()
    other.close()
    assert cache.objects.get(one.sha256) is None
    assert cache.objects.damaged_objects == 1
    assert cache.objects.usage() == cache.objects.usage().__class__(0, 0, 1000)
    assert cache.objects.put(one.sha256, one.kind, one.body)
    assert cache.objects.get(one.sha256) == one


def test_what_was_used_least_recently_makes_room(cache: ReaderCache, clock: Any) -> None:
    keep(cache, clock, *range(10))
    clock.advance(1)
    assert present(cache, range(2)) == [0, 1]
    keep(cache, clock, 10)
    assert cache.objects.usage().bytes <= 900
    assert present(cache, range(11)) == [0, 1, *range(4, 11)]


def test_pinned_objects_stay_until_unpinned_or_expired(cache: ReaderCache, clock: Any) -> None:
    hashes = [cached(body_of(number)).sha256 for number in range(4)]
    cache.objects.pin("run-1", hashes[:2], until=clock.now + 10_000)
    cache.objects.pin("run-2", hashes[2:3], until=clock.now + 500)
    cache.objects.pin("run-2", hashes[2:3], until=clock.now + 100)
    keep(cache, clock, *range(30))
    assert set(present(cache, range(4))) == {0, 1, 2}
    clock.advance(1000)
    keep(cache, clock, *range(30, 60))
    assert present(cache, range(4)) == [0, 1]
    cache.objects.unpin("run-1")
    keep(cache, clock, *range(60, 90))
    assert present(cache, range(4)) == []


def test_the_bound_holds_even_where_everything_is_pinned(cache: ReaderCache, clock: Any) -> None:
    hashes = [cached(body_of(number)).sha256 for number in range(12)]
    cache.objects.pin("run-1", hashes, until=clock.now + 10_000)
    keep(cache, clock, *range(10))
    clock.advance(1)
    assert not cache.objects.put_all([cached(body_of(10))])
    assert cache.objects.usage().bytes <= 1000
    assert present(cache, range(12)) == list(range(10))
    assert not cache.objects.put_all([cached(body_of(99, size=1001))])


def test_clearing_forgets_objects_and_pins(cache: ReaderCache, clock: Any) -> None:
    keep(cache, clock, 1, 2)
    cache.objects.pin("run", [cached(body_of(1)).sha256], until=clock.now + 9999)
    cache.objects.clear()
    assert cache.objects.usage().objects == 0
    keep(cache, clock, *range(30))
    assert 1 not in present(cache, range(2))


def test_recent_use_is_known_to_the_next_process(tmp_path: Path, clock: Any) -> None:
    with ReaderCache(tmp_path, clock=clock, limit=1000) as first:
        keep(first, clock, *range(10))
        clock.advance(1)
        assert present(first, range(1)) == [0]
    with ReaderCache(tmp_path, clock=clock, limit=1000) as second:
        keep(second, clock, 10)
        assert 0 in present(second, range(11))


ADDRESS = "https://notes.example/ai/manifest.json"


def known(sequence: int, revision: str, fetched_at: int = 0) -> KnownManifest:
    return KnownManifest(ADDRESS, sequence, revision, revision.encode(), fetched_at)


def test_a_lower_sequence_leaves_what_is_known(cache: ReaderCache) -> None:
    assert cache.manifests.save(known(3, "c", 10)) == known(3, "c", 10)
    assert cache.manifests.save(known(2, "b", 20)) == known(3, "c", 10)
    assert cache.manifests.save(known(3, "x", 30)) == known(3, "c", 10)
    assert cache.manifests.save(known(0, "z", 30)) == known(3, "c", 10)
    assert cache.manifests.save(known(3, "c", 40)) == known(3, "c", 40)
    assert cache.manifests.save(known(3, "c", 30)) == known(3, "c", 40)
    assert cache.manifests.save(known(4, "d", 5)) == known(4, "d", 5)
    assert cache.manifests.get(ADDRESS) == known(4, "d", 5)
    assert cache.manifests.all() == (known(4, "d", 5),)


def test_a_site_never_released_may_change_freely(cache: ReaderCache) -> None:
    cache.manifests.save(known(0, "a"))
    assert cache.manifests.save(known(0, "b")) == known(0, "b")


def test_a_user_can_reset_an_address(cache: ReaderCache) -> None:
    cache.manifests.save(known(9, "i"))
    assert cache.manifests.reset(ADDRESS)
    assert not cache.manifests.reset(ADDRESS)
    assert cache.manifests.get(ADDRESS) is None
    assert cache.manifests.save(known(1, "a")) == known(1, "a")


SEEN = st.lists(st.tuples(st.integers(0, 4), st.sampled_from("ab"), st.integers(0, 5)), max_size=12)


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(seen=SEEN)
def test_the_known_sequence_never_falls(
    cache: ReaderCache, seen: list[tuple[int, str, int]]
) -> None:
    cache.manifests.reset(ADDRESS)
    before: KnownManifest | None = None
    for sequence, revision, fetched_at in seen:
        after = cache.manifests.save(known(sequence, revision, fetched_at))
        if before is not None:
            assert after.sequence == max(before.sequence, sequence)
            if after.sequence == before.sequence > 0:
                assert after.revision == before.revision
        before = after


def test_a_damaged_database_is_set_aside_and_begun_anew(tmp_path: Path, clock: Any) -> None:
    tmp_path.joinpath("reader.db").write_bytes(b"no database at all" * 1000)
    with ReaderCache(tmp_path, clock=clock) as cache:
        (aside,) = cache.damaged_files
        assert aside.read_bytes().startswith(b"no database")
        one = cached(b"x")
        assert cache.objects.put(one.sha256, "doc", one.body)
    with ReaderCache(tmp_path, clock=clock) as cache:
        assert cache.damaged_files == ()
        assert cache.objects.get(one.sha256) == one


DAMAGE = """
import sys
file = open(sys.argv[1], "r+b")
size = file.seek(0, 2)
file.seek(4096)
file.write(bytes([255]) * (size - 4096))
file.close()
"""


def test_damage_met_in_use_is_set_aside_once_and_all_go_on_with_the_new_file(
    tmp_path: Path, clock: Any
) -> None:
    with ReaderCache(tmp_path, clock=clock) as before:
        keep(before, clock, *range(500))
    first, second = ReaderCache(tmp_path, clock=clock), ReaderCache(tmp_path, clock=clock)
    # By another process: closing a file object here would drop SQLite's own locks.
    subprocess.run([sys.executable, "-c", DAMAGE, str(tmp_path / "reader.db")], check=True)
    one = cached(b"fresh")
    first.objects.put(one.sha256, "doc", one.body)
    assert second.objects.get(one.sha256) == one
    assert first.objects.get(one.sha256) == one
    assert len(first.damaged_files) == 1
    assert second.damaged_files == ()
    assert [*tmp_path.glob("reader.db.damaged-*Z")] == list(first.damaged_files)
    first.close()
    second.close()


def test_a_process_notices_that_another_has_begun_anew(tmp_path: Path, clock: Any) -> None:
    with ReaderCache(tmp_path, clock=clock) as staying:
        staying.manifests.save(known(1, "a"))
        set_aside(tmp_path / "reader.db", clock())
        with ReaderCache(tmp_path, clock=clock) as other:
            other.manifests.save(known(7, "g"))
            assert staying.manifests.save(known(3, "c")) == known(7, "g")
        assert staying.damaged_files == ()


def test_a_newer_cache_is_refused(tmp_path: Path, clock: Any) -> None:
    ReaderCache(tmp_path, clock=clock).close()
    connection = sqlite3.connect(tmp_path / "reader.db")
    connection.execute("INSERT INTO migrations VALUES (99, 'later', 0)")
    connection.commit()
    connection.close()
    with pytest.raises(NoteBridgeError) as caught:
        ReaderCache(tmp_path, clock=clock)
    assert caught.value.code is ErrorCode.STORAGE_TOO_NEW


def test_a_closed_cache_says_so(tmp_path: Path, clock: Any) -> None:
    cache = ReaderCache(tmp_path, clock=clock)
    cache.close()
    cache.close()
    with pytest.raises(NoteBridgeError):
        cache.objects.get("0" * 64)


@pytest.mark.skipif(os.name != "posix", reason="forks")
def test_a_forked_child_cannot_use_the_cache(cache: ReaderCache) -> None:
    child = os.fork()
    if child == 0:
        try:
            cache.objects.get("0" * 64)
        except NoteBridgeError:
            os._exit(0)
        except BaseException:  # noqa: BLE001 - a child must not run the parent's clean-up
            os._exit(2)
        os._exit(3)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0


WORK = """
import hashlib, random, sys
from pathlib import Path
from storage.known_manifests import KnownManifest
from storage.reader_cache import ReaderCache
folder, seed = Path(sys.argv[1]), int(sys.argv[2])
chance = random.Random(seed)
clock = lambda: 1000 + seed
cache = ReaderCache(folder, clock=clock, limit=20_000)
print("ready", flush=True)
sys.stdin.readline()
bodies = [number.to_bytes(8, "big") * chance.randint(1, 100) for number in range(40)]
for step in range(60):
    sequence = chance.randint(1, 1000)
    cache.manifests.save(KnownManifest("a", sequence, f"r{sequence}", b"", step))
    body = chance.choice(bodies)
    sha256 = hashlib.sha256(body).hexdigest()
    cache.objects.put(sha256, "doc", body)
    found = cache.objects.get(sha256)
    assert found is None or found.body == body
    print(sequence, flush=True)
assert cache.objects.damaged_objects == 0 and cache.damaged_files == ()
cache.close()
"""


def test_several_processes_share_it_without_going_back_or_losing_count(
    tmp_path: Path, clock: Callable[[], int]
) -> None:
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", WORK, str(tmp_path), str(seed)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for seed in range(3)
    ]
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "ready\n"
    killed = processes[0]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    told = [int(killed.stdout.readline()) for _ in range(20)]  # type: ignore[union-attr]
    killed.kill()
    for process in processes:
        output, _ = process.communicate()
        told += [int(line) for line in output.splitlines(keepends=True) if line.endswith("\n")]
    assert [process.returncode for process in processes[1:]] == [0, 0]
    with ReaderCache(tmp_path, clock=clock, limit=20_000) as cache:
        manifest = cache.manifests.get("a")
        assert manifest is not None
        assert manifest.sequence >= max(told)
        assert manifest.revision == f"r{manifest.sequence}"
        usage = cache.objects.usage()
        assert cache.damaged_files == ()
    connection = sqlite3.connect(tmp_path / "reader.db")
    counted = connection.execute("SELECT sum(length(body)), count(*) FROM objects").fetchone()
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()
    assert (usage.bytes, usage.objects) == counted
    assert usage.bytes <= 20_000


def test_random_use_never_passes_the_bound_or_miscounts(cache: ReaderCache, clock: Any) -> None:
    chance = random.Random(7)
    for _ in range(200):
        clock.advance(1)
        size = chance.randint(1, 400)
        cache.objects.put_all([cached(body_of(chance.randint(0, 30), size)) for _ in range(2)])
        assert cache.objects.usage().bytes <= 1000
