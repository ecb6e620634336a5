"""docIds and addresses over all notes: unique, stable, and nothing overwritten in silence."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from site_builder.identity import identify, without_suffix
from site_builder.note import FindingKind, SourceNote


def note(path: str, **meta: str) -> SourceNote:
    return SourceNote(path, dict(meta), "", 1)


def ids(*notes: SourceNote) -> list[str]:
    return [identity.doc_id for identity in identify(notes)[0]]


def urls(*paths: str, assets: tuple[str, ...] = ()) -> list[str]:
    return [identity.url for identity in identify([note(path) for path in paths], assets=assets)[0]]


def test_a_note_is_named_by_its_id_or_its_path():
    assert ids(note("a/b.c.md"), note("x.md", id=" k é ")) == ["a/b.c", "k é"]


@pytest.mark.parametrize("bad", ["x" * 201, "a\x00b", "a\nb", "a\x85b"])
def test_an_unusable_id_is_reported_and_the_path_used(bad):
    identities, findings = identify([note("a.md", id=bad)])
    assert identities[0].doc_id == "a"
    assert [finding.kind for finding in findings] == [FindingKind.FRONT_MATTER]


def test_an_id_of_200_characters_is_usable():
    assert ids(note("a.md", id="x" * 200)) == ["x" * 200]


def test_of_two_with_one_id_the_one_whose_path_it_is_keeps_it():
    notes = [note("a.md", id="z"), note("z.md"), note("b.md", id="z")]
    identities, findings = identify(notes)
    assert [identity.doc_id for identity in identities] == ["a", "z", "b"]
    assert [(f.path, f.kind) for f in findings] == [
        ("a.md", FindingKind.DUPLICATE_ID),
        ("b.md", FindingKind.DUPLICATE_ID),
    ]


def test_of_two_with_one_id_the_first_by_path_keeps_it():
    assert ids(note("b.md", id="k"), note("a.md", id="k")) == ["b", "k"]


def test_one_who_falls_back_to_a_path_takes_it_from_whoever_borrowed_it():
    assert ids(note("a.md", id="k"), note("b.md", id="k"), note("c.md", id="b")) == ["k", "b", "c"]


def test_twins_by_suffix_or_by_composition_get_names_of_their_own():
    assert ids(note("a.md"), note("a.markdown"), note("é.md"), note("é.md")) == [
        "a", "a.markdown", "é", "é-2",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("path", "url"),
    [
        ("a/b.md", "a/b/"),
        ("index.md", ""),
        ("a/index.md", "a/"),
        ("README.md", ""),
        ("a/README.md", "a/"),
        ("a/Index.md", "a/Index/"),
        ("日本語/見出し.md", "日本語/見出し/"),
        ("a b/c?#%.md", "a b/c?#%/"),
        ("v1.2.md", "v1.2/"),
        ("...md", "dots/"),
        ("..md", "dot/"),
        ("a/..md/b.md", "a/..md/b/"),
        ("a\\b.md", "a-b/"),
        ("a\x01.md", "a-/"),
    ],
)
def test_addresses_follow_paths_and_never_climb(path, url):
    assert urls(path) == [url]


def test_readme_beside_an_index_is_a_page_of_its_own():
    assert urls("a/README.md", "a/index.md") == ["a/README/", "a/"]


def test_two_sources_of_one_address_are_numbered_by_path_and_reported():
    identities, findings = identify([note("Stuff/index.md"), note("Stuff.md")])
    assert [identity.url for identity in identities] == ["Stuff-2/", "Stuff/"]
    (finding,) = findings
    assert (finding.path, finding.kind) == ("Stuff/index.md", FindingKind.SAME_ADDRESS)
    assert "two sources, one address" in finding.message


def test_case_and_composition_make_no_second_address():
    assert urls("case.md", "Case.md") == ["case-2/", "Case/"]
    assert urls("straße.md", "STRASSE.md") == ["straße-2/", "STRASSE/"]
    assert urls("é.md", "é.md") == ["é/", "é-2/"]


def test_a_note_keeps_the_address_that_a_number_would_take():
    assert urls("a.md", "a/index.md", "a-2.md") == ["a/", "a-3/", "a-2/"]


def test_what_lies_beside_the_pages_is_not_overwritten():
    assert urls("ai.md", "ai/x.md", "ai-x.md", "AI.md") == ["ai-3/", "ai-2/x/", "ai-x/", "AI-2/"]
    assert urls("pic.png.md", assets=("pic.png",)) == ["pic.png-2/"]
    assert urls("app.md", assets=("app/index.html",)) == ["app-2/"]


PATHS = st.lists(
    st.sampled_from(
        ["a", "A", "b", "ai", "index", "README", "é", "é", "..", ".", "a-2", "ß", "ss"]
    ),
    min_size=1,
    max_size=3,
).map(lambda parts: "/".join(parts) + ".md")
NOTES = st.lists(
    st.builds(
        lambda path, doc_id: SourceNote(path, {"id": doc_id} if doc_id else {}, "", 1),
        PATHS,
        st.sampled_from(["", "", "a", "b", "k", "a/b"]),
    ),
    max_size=12,
)


@given(NOTES)
def test_no_two_notes_share_an_id_or_an_address(notes):
    identities, _ = identify(notes, assets=("a/b", "b.png"))
    assert len({identity.doc_id for identity in identities}) == len(notes)
    keys = {identity.url.casefold() for identity in identities}
    assert len(keys) == len(notes)
    for identity in identities:
        parts = identity.url.split("/")[:-1]
        assert not {"", ".", ".."} & set(parts)
        assert parts[:1] != ["ai"]


@given(NOTES, st.randoms(use_true_random=False))
def test_the_order_of_notes_decides_nothing(notes, shuffle: random.Random):
    once = {given.path: given for given in notes}
    notes = list(once.values())
    shuffled = sorted(notes, key=lambda _: shuffle.random())
    before = dict(zip([n.path for n in notes], identify(notes)[0], strict=True))
    after = dict(zip([n.path for n in shuffled], identify(shuffled)[0], strict=True))
    assert before == after


def test_a_suffix_is_what_follows_the_last_point_of_a_name():
    assert without_suffix("a.b/c.d.md") == "a.b/c.d"
    assert without_suffix("a.b/c") == "a.b/c"
    assert without_suffix("a/.md") == "a/.md"
