"""Which manifest is gone on with, as a table over sequences and revisions."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge_reader.trust import Accept, KeepKnown, Refuse, decide
from manifest.manifest_file import Manifest, Retention
from manifest.references import Reference
from storage.known_manifests import KnownManifest

A, B = "a" * 64, "b" * 64


def manifest(sequence: int, revision: str) -> Manifest:
    return Manifest(
        schemaVersion="1.0",
        knowledgeBaseId="kb",
        title="",
        siteUrl="",
        language="en",
        content=A,
        revision=revision,
        root=Reference(sha256=revision, size=1),
        sequence=sequence,
        retention=Retention(revisions=1, days=1),
        capabilities=[],
    )


def known(sequence: int, revision: str) -> KnownManifest:
    return KnownManifest("https://a.example/ai/manifest.json", sequence, revision, b"{}", 0)


def test_the_first_manifest_of_an_address_is_accepted() -> None:
    assert decide(manifest(7, A), None) == Accept()


@pytest.mark.parametrize(
    ("served", "seen", "outcome"),
    [
        ((8, B), (7, A), Accept),
        ((7, A), (7, A), Accept),
        ((0, B), (0, A), Accept),
        ((0, A), (0, A), Accept),
        ((1, B), (0, A), Accept),
        ((6, B), (7, A), KeepKnown),
        ((6, A), (7, A), KeepKnown),
        ((0, B), (1, A), KeepKnown),
        ((7, B), (7, A), Refuse),
    ],
)
def test_a_manifest_against_the_one_seen(
    served: tuple[int, str], seen: tuple[int, str], outcome: type
) -> None:
    assert isinstance(decide(manifest(*served), known(*seen)), outcome)


@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from([A, B])), max_size=20))
def test_what_is_gone_on_with_never_goes_back(served: list[tuple[int, str]]) -> None:
    seen: KnownManifest | None = None
    for sequence, revision in served:
        highest = seen.sequence if seen else -1
        if isinstance(decide(manifest(sequence, revision), seen), Accept):
            if seen and sequence == seen.sequence > 0:
                assert revision == seen.revision
            seen = known(sequence, revision)
        assert seen is not None
        assert seen.sequence >= highest
