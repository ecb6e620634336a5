"""The plan of a release, carried out on a dictionary: nothing lost, nothing foreign touched."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from site_builder.releasing.plan import (
    REWRITE_AGE,
    FileClass,
    ReleasePlan,
    SiteFile,
    TargetState,
    is_knowledge,
    is_page,
    plan_release,
    twins,
    undecided,
)
from site_builder.releasing.record import path_mark
from site_builder.releasing.targets import StoredFile

PATHS = [
    "index.html",
    "a/index.html",
    "b/index.html",
    "b/index.md",
    "img/x.png",
    "assets/site.css",
    "CNAME",
    ".well-known/token",
]
BODIES = [b"", b"one", b"two", b"three"]
AGES = [0.0, REWRITE_AGE - 1, float(REWRITE_AGE), 1e9]


def sha256(body: bytes) -> str:
    return hashlib.sha256(body).hexdigest()


def site_file(path: str, body: bytes) -> SiteFile:
    return SiteFile(path, len(body), sha256(body))


def object_file(body: bytes, kind: str = "doc") -> SiteFile:
    return site_file(f"ai/objects/{kind}/{sha256(body)}.json", body)


def state(
    files: dict[str, bytes],
    *,
    ages: dict[str, float] | None = None,
    marked: set[str] | None = None,
    protected: set[str] | None = None,
) -> TargetState:
    listing = {
        path: StoredFile(path, len(body), (ages or {}).get(path, 0.0))
        for path, body in files.items()
    }
    return TargetState(
        files=listing,
        hashes={path: sha256(body) for path, body in files.items()},
        marks={path_mark(path) for path in (files if marked is None else marked)},
        protected=protected or set(),
    )


def written(plan: ReleasePlan) -> list[str]:
    return [file.path for step in plan.steps for file in step.files]


some_files = st.dictionaries(st.sampled_from(PATHS), st.sampled_from(BODIES))
some_objects = st.sets(st.sampled_from(BODIES))


@given(
    site=some_files,
    there=some_files,
    objects=some_objects,
    objects_there=st.dictionaries(st.sampled_from(BODIES), st.sampled_from(AGES)),
    damaged=st.sets(st.sampled_from(BODIES)),
    protected=some_objects,
    marked=st.sets(st.sampled_from(PATHS)),
)
def test_a_plan_brings_any_target_to_the_site_and_touches_nothing_else(
    site: dict[str, bytes],
    there: dict[str, bytes],
    objects: set[bytes],
    objects_there: dict[bytes, float],
    damaged: set[bytes],
    protected: set[bytes],
    marked: set[str],
) -> None:
    target, ages = dict(there), dict[str, float]()
    for body, age in objects_there.items():
        path = object_file(body).path
        target[path] = body + b"damage" if body in damaged else body
        ages[path] = age
    kept_safe = {object_file(body).path for body in protected}
    before = dict(target)
    bodies = {**site, **{object_file(body).path: body for body in objects}}
    wanted = [object_file(body) for body in objects]
    others = [site_file(path, body) for path, body in site.items()]
    plan = plan_release(
        wanted, others, state(target, ages=ages, marked=marked, protected=kept_safe)
    )

    for path in written(plan):
        target[path] = bodies[path]
    for path, body in before.items():
        assert path in target, "nothing goes before the manifest is switched"
        assert target[path] in (body, bodies.get(path))
    for path, body in bodies.items():
        assert target[path] == body

    for path in plan.stale:
        del target[path]
    gone = before.keys() - target.keys()
    assert gone == {path for path in marked & before.keys() if path not in site}
    assert plan.foreign == len(there.keys() - site.keys() - gone)
    assert plan.unchanged == len(bodies) - len(written(plan))
    assert len(written(plan)) == len(set(written(plan)))

    again = plan_release(wanted, others, state(target, marked=set(site)))
    assert (again.steps, again.stale) == ((), ())


@given(site=some_files, there=some_files, objects=some_objects)
def test_objects_come_before_assets_before_pages_and_new_files_before_changed_ones(
    site: dict[str, bytes], there: dict[str, bytes], objects: set[bytes]
) -> None:
    others = [site_file(path, body) for path, body in site.items()]
    plan = plan_release([object_file(body) for body in objects], others, state(there))

    def rank(path: str) -> tuple[int, bool]:
        return (0 if is_knowledge(path) else 2 if is_page(path) else 1, path in there)

    order = [rank(path) for path in written(plan)]
    assert order == sorted(order)


def test_an_object_of_the_right_size_is_not_written_again() -> None:
    found = object_file(b"body")
    plan = plan_release([found], [], replace(state({found.path: b"BODY"}), hashes={}))
    assert (plan.steps, plan.unchanged) == ((), 1)


def test_an_object_whose_hash_was_looked_at_and_is_wrong_is_written_again() -> None:
    found = object_file(b"body")
    assert written(plan_release([found], [], state({found.path: b"BODY"}))) == [found.path]


@pytest.mark.parametrize(
    ("age", "protected", "again"),
    [
        (REWRITE_AGE - 1, False, False),
        (REWRITE_AGE, False, True),
        (REWRITE_AGE * 1000, True, False),
    ],
)
def test_an_old_object_that_the_live_revision_does_not_protect_is_written_again(
    age: float, protected: bool, again: bool
) -> None:
    found = object_file(b"body")
    target = state(
        {found.path: b"body"},
        ages={found.path: age},
        protected={found.path} if protected else set(),
    )
    assert written(plan_release([found], [], target)) == ([found.path] if again else [])


def test_a_page_whose_hash_the_target_cannot_tell_is_written_again() -> None:
    page = site_file("index.html", b"home")
    blind = replace(state({page.path: b"home"}), hashes={})
    assert written(plan_release([], [page], blind)) == [page.path]


def test_objects_the_manifest_and_the_record_never_become_stale() -> None:
    there = {
        object_file(b"old").path: b"old",
        "ai/manifest.json": b"{}",
        "ai/released/all.txt": b"",
        "gone/index.html": b"",
    }
    plan = plan_release([], [], state(there))
    assert plan.stale == ("gone/index.html",)
    assert plan.foreign == 0


def test_only_equal_sizes_need_a_hash_to_tell() -> None:
    site = [site_file("a.css", b"one"), site_file("b.css", b"three"), site_file("c.css", b"x")]
    assert undecided(site, state({"a.css": b"two", "b.css": b"two"}).files) == ["a.css"]


def test_spellings_that_one_file_system_may_take_for_another_are_twins() -> None:
    kept = ["Notes/index.html", "caf\u00e9/index.html", "other.html"]
    stale = ["notes/index.html", "cafe\u0301/index.html", "gone.html"]
    assert twins(stale, kept) == {stale[0]: kept[0], stale[1]: kept[1]}


def test_steps_carry_the_class_of_their_files() -> None:
    objects = [object_file(b"body")]
    others = [site_file("site.css", b"css"), site_file("index.html", b"home")]
    steps = plan_release(objects, others, state({})).steps
    assert [step.file_class for step in steps] == [
        FileClass.OBJECT,
        FileClass.ASSET,
        FileClass.PAGE,
    ]
