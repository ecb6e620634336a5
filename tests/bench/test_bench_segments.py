"""The bench of small steps, on a site that is small itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bench.segments import measure_segments
from manifest.references import MANIFEST_PATH


def test_edits_and_questions_are_counted_and_the_site_is_left_alone(
    vault_site: Any, tmp_path: Path
) -> None:
    before = vault_site.knowledge()
    found: dict[str, Any] = measure_segments(vault_site.folder, tmp_path, 1000, 14, 2, seed=1)
    assert found["documents"] == len(vault_site.rows())
    assert found["written"]["folds"] + found["written"]["bases"] >= 1
    assert found["written"]["files"]["p50"] >= 5
    assert set(found["firstQuestion"]) >= {"a base alone", "after the last edit"}
    assert vault_site.knowledge() == before
    assert (vault_site.folder / MANIFEST_PATH).is_file()
