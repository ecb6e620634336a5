"""What measures must measure right: processes, site changes, bytes on the wire."""

from __future__ import annotations

import gzip
import sys
import urllib.request
from pathlib import Path

import pytest

from bench.counted_server import counted_server, kind_of, mean_by_kind, size_of
from bench.processes import CommandFailed, private_environment, run_measured
from bench.site_change import change, kind_of_file, snapshot

MEGABYTE = 1_000_000


def test_memory_and_time_are_those_of_the_child_alone(tmp_path: Path) -> None:
    mine = bytearray(200 * MEGABYTE)
    code = "import time; held = b'x' * 60_000_000; time.sleep(0.2); print(len(held))"

    took = run_measured([sys.executable, "-c", code], tmp_path)

    assert len(mine) > took.memory > 60 * MEGABYTE
    assert took.out == "60000000\n"
    assert took.wall >= 0.2 > took.cpu - 1


def test_a_command_that_fails_says_why(tmp_path: Path) -> None:
    code = "import sys; sys.exit('the reason')"

    with pytest.raises(CommandFailed, match="the reason"):
        run_measured([sys.executable, "-c", code], tmp_path)


def test_programs_keep_what_they_keep_below_the_folder_of_work(tmp_path: Path) -> None:
    environment = private_environment(tmp_path)

    for name in ("HOME", "XDG_CACHE_HOME", "XDG_DATA_HOME", "NOTE_BRIDGE_HOME"):
        assert Path(environment[name]).is_relative_to(tmp_path)


def test_a_change_counts_new_and_other_files_and_those_gone(tmp_path: Path) -> None:
    site = tmp_path / "site"
    (site / "ai/objects/shard").mkdir(parents=True)
    (site / "ai/manifest.json").write_bytes(b"1")
    (site / "ai/objects/shard/a.json").write_bytes(b"12")
    (site / "index.html").write_bytes(b"same")
    before = snapshot(site)
    (site / "ai/manifest.json").write_bytes(b"2")
    (site / "ai/objects/shard/a.json").unlink()
    (site / "ai/objects/shard/b.json").write_bytes(b"123")
    (site / "page.html").write_bytes(b"12345")

    found = change(before, snapshot(site)).facts()

    assert (found["files"], found["bytes"], found["removed"]) == (3, 9, 1)
    assert found["knowledge"] == {"files": 2, "bytes": 4}
    assert found["byKind"] == {
        "*.html": {"files": 1, "bytes": 5},
        "ai/shard": {"files": 1, "bytes": 3},
        "ai/manifest.json": {"files": 1, "bytes": 1},
    }
    assert kind_of_file("_headers") == "_headers"


def test_bytes_are_those_that_were_sent(tmp_path: Path) -> None:
    body = b'{"kind":"doc","text":"' + b"again " * 1000 + b'"}'
    file = tmp_path / "ai/objects/doc/0.json"
    file.parent.mkdir(parents=True)
    file.write_bytes(body)
    with counted_server(tmp_path) as server:
        request = urllib.request.Request(
            f"{server.url}ai/objects/doc/0.json", headers={"Accept-Encoding": "gzip"}
        )
        with urllib.request.urlopen(request) as response:
            sent = response.read()
        transfer = server.take()
        again = server.take()

    assert gzip.decompress(sent) == body
    assert size_of(transfer) == len(sent) < len(body)
    assert mean_by_kind([transfer]) == {"doc": {"requests": 1, "bytes": len(sent)}}
    assert again == []


def test_kinds_are_read_from_addresses() -> None:
    assert kind_of("/ai/manifest.json") == "manifest"
    assert kind_of("/ai/objects/shard/abc.json") == "shard"
    assert kind_of("/notes/") == "other"
