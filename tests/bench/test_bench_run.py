"""A whole run, tiny."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bench.__main__ import PARTS, failed, main, measure
from bench.data import VARIABLE, Datasets
from bench.workshop import Settings

TINY = Settings(notes=30, edits=1, questions=4, queries=10, steps=20)
UNMEASURED = {"one edit, running build --watch", "runs recovered after kills at random points"}


def test_a_tiny_run_measures_everything_that_is_promised(small_data: Path, tmp_path: Path) -> None:
    (tmp_path / "work").mkdir()

    document = json.loads(
        json.dumps(measure(tuple(PARTS), TINY, Datasets(small_data), tmp_path / "work"))
    )

    assert not failed(document), document
    assert {row["name"] for row in document["targets"] if row["met"] is None} == UNMEASURED
    grown = document["building"]["grown"]
    assert grown["notes"] == 30
    assert grown["warm"]["changed"]["files"] == 0
    assert grown["edit"]["first"]["byKind"]["ai/doc"]["files"] == 1
    assert grown["newNote"]["first"]["byKind"]["ai/doc"]["files"] == 1
    first = document["reading"]["firstQuestion"]
    assert first["questions"] == 4
    assert first["search"]["meanByKind"]["manifest"]["requests"] == 1
    assert first["searchWithProofs"]["bytes"]["max"] > first["search"]["bytes"]["max"] > 0
    assert document["retrieval"]["cmrc2018"]["recallAt1"] == 1
    assert document["retrieval"]["chunkingEvaluation"]["recall"] == 1
    assert document["retrieval"]["chunkingEvaluation"]["goldMisplaced"] == 0


def test_without_data_parts_say_so_and_the_rest_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)

    code = main(["--only", "building,reading,retrieval"])

    document = json.loads(capsys.readouterr().out)
    assert code == 0
    assert VARIABLE in document["building"]["skipped"]
    assert VARIABLE in document["reading"]["skipped"]
    assert VARIABLE in document["retrieval"]["cmrc2018"]["skipped"]
    assert document["steps"] == {"skipped": "not asked for"}


def test_an_unknown_part_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--only", "cooking"])

    assert stopped.value.code == 2
    assert "no such part: cooking" in capsys.readouterr().err
