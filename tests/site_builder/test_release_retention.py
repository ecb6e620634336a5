"""The manifest of a release: it counts on, remembers what it can, and refuses what it must."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from manifest.errors import ErrorCode, NoteBridgeError
from manifest.manifest_file import (
    PREVIOUS_LIMIT,
    Manifest,
    Retention,
    new_manifest,
    read_manifest,
)
from manifest.references import MANIFEST_LIMIT, Reference
from site_builder.releasing.retention import next_manifest

NOW = 1_800_000_000.0


def built(revision: object, *, knowledge_base_id: str = "kb", license_text: str = "") -> Manifest:
    digest = hashlib.sha256(str(revision).encode()).hexdigest()
    return new_manifest(
        knowledge_base_id=knowledge_base_id,
        title="Notes",
        site_url="https://notes.example/",
        language="en",
        content=digest,
        root=Reference(sha256=digest, size=700),
        retention=Retention(revisions=3, days=30),
        capabilities=["docs"],
        license_text=license_text,
    )


def released(*revisions: object) -> Manifest:
    live: Manifest | None = None
    for step, revision in enumerate(revisions):
        live = next_manifest(built(revision), live, now=NOW + step).manifest
    assert live is not None
    return live


def test_a_first_release_has_sequence_one_and_the_time_of_the_clock() -> None:
    first = next_manifest(built("a"), None, now=NOW)
    assert first.manifest.sequence == 1
    assert first.manifest.publishedAt == "2027-01-15T08:00:00Z"
    assert first.manifest.previous == []
    assert read_manifest(first.body) == first.manifest


def test_the_next_release_counts_on_and_names_what_it_replaces() -> None:
    live = released("a", "b")
    assert (live.sequence, live.revision) == (2, built("b").revision)
    assert [(entry.revision, entry.sequence, entry.size) for entry in live.previous] == [
        (built("a").revision, 1, 700)
    ]
    assert live.previous[0].publishedAt == "2027-01-15T08:00:00Z"


@given(st.lists(st.integers(0, 5), min_size=1, max_size=30))
def test_any_history_counts_up_names_each_revision_once_and_fits(history: list[int]) -> None:
    live: Manifest | None = None
    for step, revision in enumerate(history):
        upcoming = next_manifest(built(revision), live, now=NOW + step)
        same = live is not None and live.revision == upcoming.manifest.revision
        expected = (live.sequence if live else 0) + (0 if same else 1)
        live = read_manifest(upcoming.body)
        assert live.sequence == expected
        earlier = [entry.sequence for entry in live.previous]
        assert earlier == sorted(earlier, reverse=True)
        assert all(sequence < live.sequence for sequence in earlier)
        names = [live.revision, *(entry.revision for entry in live.previous)]
        assert len(names) == len(set(names)) == len(set(history[: step + 1]))


def test_no_more_than_ten_earlier_revisions_are_named() -> None:
    live = released(*range(15))
    assert live.sequence == 15
    assert len(live.previous) == PREVIOUS_LIMIT
    assert [entry.sequence for entry in live.previous] == list(range(14, 4, -1))


def test_releasing_the_live_revision_again_changes_no_byte() -> None:
    live = released("a", "b")
    again = next_manifest(built("b"), live, now=NOW + 9999)
    assert again.manifest == live


def test_a_new_license_of_the_live_revision_keeps_sequence_and_time() -> None:
    live = released("a", "b")
    again = next_manifest(built("b", license_text="CC0-1.0"), live, now=NOW + 9999).manifest
    assert (again.sequence, again.publishedAt) == (live.sequence, live.publishedAt)
    assert again.license == "CC0-1.0"


def test_a_plain_build_at_the_target_counts_as_never_released() -> None:
    first = next_manifest(built("a"), built("a"), now=NOW).manifest
    assert (first.sequence, first.previous) == (1, [])
    other = next_manifest(built("b"), built("a"), now=NOW).manifest
    assert other.sequence == 1
    assert [(entry.sequence, entry.publishedAt) for entry in other.previous] == [(0, None)]


def test_an_earlier_revision_released_again_says_under_which_sequence_it_was() -> None:
    back = next_manifest(built("a"), released("a", "b", "c"), now=NOW)
    assert back.returns_to == 1
    assert back.manifest.sequence == 4
    assert [entry.sequence for entry in back.manifest.previous] == [3, 2]
    assert next_manifest(built("d"), released("a"), now=NOW).returns_to == 0


def test_what_the_built_manifest_says_of_releases_is_not_looked_at() -> None:
    elsewhere = released("x", "y", "z")
    upcoming = next_manifest(elsewhere, released("a"), now=NOW).manifest
    assert upcoming.sequence == 2
    assert [entry.revision for entry in upcoming.previous] == [built("a").revision]


def test_another_knowledge_base_is_refused_unless_forced() -> None:
    live = released("a", "b")
    other = built("c", knowledge_base_id="other")
    with pytest.raises(NoteBridgeError) as refused:
        next_manifest(other, live, now=NOW)
    assert refused.value.code is ErrorCode.INVALID_ARGUMENT
    assert "--force" in refused.value.hint
    assert next_manifest(other, live, now=NOW, force=True).manifest.sequence == 3


def test_the_oldest_history_gives_way_to_the_size_limit() -> None:
    long = built("z", license_text="L" * 2600)
    upcoming = next_manifest(long, released(*range(12)), now=NOW)
    assert len(upcoming.body) <= MANIFEST_LIMIT
    kept = [entry.sequence for entry in upcoming.manifest.previous]
    assert 0 < len(kept) < PREVIOUS_LIMIT
    assert kept == list(range(12, 12 - len(kept), -1))


def test_facts_that_leave_no_room_at_all_are_an_error() -> None:
    with pytest.raises(NoteBridgeError) as refused:
        next_manifest(built("z", license_text="L" * 4000), released("a"), now=NOW)
    assert refused.value.code is ErrorCode.MANIFEST_INVALID
