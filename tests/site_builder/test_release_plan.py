"""The plan of a release, carried out on a dictionary: nothing lost, nothing foreign touched."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from site_builder.releasing.plan import (
    REWRITE_AGE,
    FileClass,
    ReleasePlan,
    TargetState,
    is_knowledge,
    is_page,
    plan_release,
    twins,
)
from site_builder.releasing.record import path_mark
from site_builder.releasing.targets import SiteFile, StoredFile

PATHS = [
    "index.html",
    "a/index.html",
    "b",
    "b/index.html",
    "b/index.md",
    "img/x.png",
    "assets/site.css",
    "assets",
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
    site: Iterable[SiteFile] = (),
    *,
    ages: dict[str, float] | None = None,
    marked: set[str] | None = None,
    protected: set[str] | None = None,
    nested: bool = True,
) -> TargetState:
    listing = {
        path: StoredFile(path, len(body), (ages or {}).get(path, 0.0))
        for path, body in files.items()
    }
    return TargetState(
        files=listing,
        same={file.path for file in site if sha256(files.get(file.path, b"?")) == file.sha256},
        marks={path_mark(path) for path in (files if marked is None else marked)},
        protected=protected or set(),
        nested=nested,
    )


def written(plan: ReleasePlan) -> list[str]:
    return [file.path for step in plan.steps for file in step.files]


def is_tree(paths: Iterable[str]) -> bool:
    """Whether a file system could hold them: no file is another's folder."""
    there = set(paths)
    return not any(one.startswith(f"{other}/") for one in there for other in there)


some_files = st.dictionaries(st.sampled_from(PATHS), st.sampled_from(BODIES)).filter(is_tree)
some_objects = st.sets(st.sampled_from(BODIES))


def carried_out(
    plan: ReleasePlan, target: dict[str, bytes], bodies: dict[str, bytes]
) -> dict[str, bytes]:
    """What stands at the target before the manifest, a tree of files after each write."""
    now = dict(target)
    for step in plan.steps:
        for path in step.obstacles:
            del now[path]
        for file in step.files:
            now[file.path] = bodies[file.path]
            assert is_tree(now)
    return now


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
    before, ages = dict(there), dict[str, float]()
    for body, age in objects_there.items():
        path = object_file(body).path
        before[path] = body + b"damage" if body in damaged else body
        ages[path] = age
    kept_safe = {object_file(body).path for body in protected}
    bodies = {**site, **{object_file(body).path: body for body in objects}}
    wanted = [object_file(body) for body in objects]
    others = [site_file(path, body) for path, body in site.items()]
    files = [*wanted, *others]
    plan = plan_release(
        wanted, others, state(before, files, ages=ages, marked=marked, protected=kept_safe)
    )
    assert set(plan.overwritten) == {
        path for path in site.keys() & there.keys() - marked if site[path] != there[path]
    }
    if plan.blocked:
        assert set(plan.blocked) <= there.keys() - site.keys() - marked
        return

    target = carried_out(plan, before, bodies)
    obstacles = {path for step in plan.steps for path in step.obstacles}
    assert obstacles <= set(plan.stale), "nothing else goes before the manifest is switched"
    for path, body in before.items():
        assert path in obstacles or target[path] in (body, bodies.get(path))
    for path, body in bodies.items():
        assert target[path] == body

    for path in plan.stale:
        target.pop(path, None)
    gone = before.keys() - target.keys()
    assert gone == {path for path in marked & before.keys() if path not in site}
    assert plan.foreign == len(there.keys() - site.keys() - gone)
    assert plan.unchanged == len(bodies) - len(written(plan))
    assert len(written(plan)) == len(set(written(plan)))

    again = plan_release(wanted, others, state(target, files, marked=set(site)))
    assert (again.steps, again.stale) == ((), ())


@given(site=some_files, there=some_files, objects=some_objects)
def test_what_nobody_can_see_yet_comes_first_and_assets_before_the_pages_that_load_them(
    site: dict[str, bytes], there: dict[str, bytes], objects: set[bytes]
) -> None:
    others = [site_file(path, body) for path, body in site.items()]
    found = [object_file(body) for body in objects]
    plan = plan_release(found, others, state(there, others, nested=False))

    def rank(path: str) -> tuple[bool, bool, bool]:
        return (not is_knowledge(path), path in there, is_page(path))

    order = [rank(path) for path in written(plan)]
    assert order == sorted(order)


@pytest.mark.parametrize(
    ("there", "site"), [("notes", "notes/index.html"), ("notes/index.html", "notes")]
)
def test_a_file_gives_way_to_a_folder_and_a_folder_to_a_file(there: str, site: str) -> None:
    wanted = site_file(site, b"new")
    first = site_file("other.html", b"new")
    plan = plan_release([], [wanted, first], state({there: b"old"}))
    assert [(step.files, step.obstacles) for step in plan.steps] == [
        ((first,), ()),
        ((wanted,), (there,)),
    ]
    assert plan.stale == (there,)
    foreign = plan_release([], [wanted, first], state({there: b"old"}, marked=set()))
    assert foreign.blocked == (there,)


def test_where_names_are_only_names_nothing_gives_way() -> None:
    wanted = site_file("notes/index.html", b"new")
    plan = plan_release([], [wanted], state({"notes": b"old"}, nested=False))
    assert [(step.files, step.obstacles) for step in plan.steps] == [((wanted,), ())]


def test_an_object_that_is_the_same_is_not_written_again() -> None:
    found = object_file(b"body")
    plan = plan_release([found], [], state({found.path: b"body"}, [found]))
    assert (plan.steps, plan.unchanged) == ((), 1)


def test_a_damaged_object_is_written_again() -> None:
    found = object_file(b"body")
    plan = plan_release([found], [], state({found.path: b"BODY"}, [found]))
    assert written(plan) == [found.path]


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
        [found],
        ages={found.path: age},
        protected={found.path} if protected else set(),
    )
    assert written(plan_release([found], [], target)) == ([found.path] if again else [])


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
