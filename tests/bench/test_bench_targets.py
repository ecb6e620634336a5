"""Targets: complete, and compared honestly."""

from __future__ import annotations

from bench.targets import TARGETS, compared


def row(document: dict[str, object], name: str) -> dict[str, object]:
    (found,) = [row for row in compared(document) if row["name"] == name]
    return found


def test_every_target_has_a_name_of_its_own_and_a_place_or_a_reason() -> None:
    assert len({target.name for target in TARGETS}) == len(TARGETS)
    assert all(bool(target.place) != bool(target.elsewhere) for target in TARGETS)
    assert all(target.size_place for target in TARGETS if target.size)


def test_the_promised_figures_are_all_there() -> None:
    promised = {(target.limit, target.unit) for target in TARGETS}

    assert promised >= {
        (20, "s"), (13.7, "s"), (500_000_000, "bytes"), (3, "s"), (1, "s"),
        (25, "files"), (150_000, "bytes"), (40, "files"), (200_000, "bytes"),
        (500_000, "bytes"), (40, "requests"), (10, "ms"), (0.962, "share"),
        (0.997, "share"), (0.93, "share"), (1.5, "ratio"), (500, "of 500"),
    }  # fmt: skip


def test_what_was_not_measured_is_neither_met_nor_missed() -> None:
    assert all(row["met"] is None for row in compared({}))
    assert all(row["met"] is None for row in compared({"reading": {"skipped": "no data"}}))


def test_a_figure_is_met_up_to_its_limit() -> None:
    name = "CMRC2018 dev, recall at 1"

    assert row({"retrieval": {"cmrc2018": {"recallAt1": 0.962}}}, name)["met"] is True
    assert row({"retrieval": {"cmrc2018": {"recallAt1": 0.9619}}}, name)["met"] is False


def test_fewer_notes_than_promised_have_a_smaller_limit_where_work_grows_with_them() -> None:
    grown = {"notes": 3000, "cold": {"wallSeconds": 11.0, "peakBytes": 499_000_000}}

    wall = row({"building": {"grown": grown}}, "cold build, wall")
    memory = row({"building": {"grown": grown}}, "cold build, peak memory")

    assert wall["limitHere"] == 10.0
    assert wall["met"] is False
    assert memory["met"] is True
    assert (memory["promisedAt"], memory["measuredAt"]) == (6000, 3000)
