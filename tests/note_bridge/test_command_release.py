"""`release` and `gc` as processes: folders, buckets, folders deployed whole, and the workflow."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from site_builder.preview import preview_server, serve_in_background

PROJECT = Path(__file__).parents[2]


def load(name: str) -> ModuleType:
    path = PROJECT / "tests" / "faults" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


s3 = load("s3_server")


@pytest.fixture(scope="module")
def server() -> Iterator[Any]:
    with s3.serving() as running:
        yield running


@pytest.fixture
def bucket(server: Any) -> str:
    name: str = server.bucket()
    return name


@pytest.fixture
def credentials(server: Any) -> dict[str, str]:
    return {
        "AWS_ACCESS_KEY_ID": s3.KEY,
        "AWS_SECRET_ACCESS_KEY": s3.SECRET,
        "AWS_ENDPOINT_URL_S3": server.url,
    }


def test_a_site_goes_to_a_bucket_and_is_verified_from_there(
    run, site, bucket, server, credentials, tmp_path
):
    place = f"s3://{bucket}/notes"
    foretold = run("release", site, "--to", place, "--dry-run", "--json", **credentials)
    assert foretold.code == 0, foretold.err
    assert server.keys(bucket) == []
    done = run("release", site, "--to", place, "--json", **credentials)
    assert done.code == 0, done.err
    assert done.document["written"] == foretold.document["written"]
    assert (done.document["sequence"], done.document["switched"]) == (1, True)
    server.export(bucket, tmp_path / "exported")
    assert run("verify", tmp_path / "exported").code == 0
    again = run("release", site, "--to", place, "--json", **credentials).document
    assert (again["written"], again["switched"]) == ({}, False)
    collected = run("gc", place, "--json", **credentials)
    assert (collected.code, collected.document["removed"]["files"]) == (0, 0)


def test_options_win_over_the_environment(run, site, bucket, server, home):
    (home / ".aws").mkdir(parents=True)
    (home / ".aws/credentials").write_text(
        f"[work]\naws_access_key_id = {s3.KEY}\naws_secret_access_key = {s3.SECRET}\n"
    )
    options = ("--profile", "work", "--endpoint", server.url, "--region", "us-east-1")
    environment = {
        "HOME": str(home),
        "AWS_ENDPOINT_URL_S3": "http://127.0.0.1:9",
        "AWS_ACCESS_KEY_ID": "other",
        "AWS_SECRET_ACCESS_KEY": "other",
        "AWS_SESSION_TOKEN": "of the other",
    }
    done = run("release", site, "--to", f"s3://{bucket}", *options, "--json", **environment)
    assert done.code == 0, done.err
    assert "ai/manifest.json" in server.keys(bucket)


@pytest.mark.parametrize("options", [("--json",), ("--debug",)])
def test_no_key_is_printed_when_a_bucket_cannot_be_reached(run, site, credentials, options):
    done = run("release", site, "--to", "s3://no-such-bucket", *options, **credentials)
    assert done.code != 0
    assert "SITE_UNREACHABLE" in done.err
    assert s3.KEY not in done.out + done.err
    assert s3.SECRET not in done.out + done.err


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--to", "out", "--whole-folder", "out"],
        ["--to", "out", "--previous", "https://notes.example/"],
        ["--to", "out", "--first"],
        ["--whole-folder", "out"],
        ["--whole-folder", "out", "--previous", "https://notes.example/", "--first"],
        ["--whole-folder", "out", "--previous", "http://notes.example/"],
        ["--to", "s3://"],
    ],
)
def test_a_release_that_makes_no_sense_is_wrong_use_and_writes_nothing(
    run, site, tmp_path, arguments
):
    done = run("release", site, *arguments, "--json")
    assert done.code in (2, 3)
    assert done.document["error"]["code"] in ("INVALID_ARGUMENT", "ORIGIN_REFUSED")
    assert done.document["error"]["hint"]
    assert not (tmp_path / "out").exists()


def test_files_of_others_are_taken_over_only_when_asked(run, site, tmp_path):
    target = tmp_path / "live"
    target.mkdir()
    (target / "index.html").write_text("theirs")
    refused = run("release", site, "--to", target, "--json")
    assert (refused.code, refused.document["error"]["code"]) == (2, "INVALID_ARGUMENT")
    assert "--adopt" in refused.document["error"]["hint"]
    assert run("release", site, "--to", target, "--adopt").code == 0


def test_a_full_host_is_told_by_its_exit_code(run, site, tmp_path):
    done = run("release", site, "--to", tmp_path / "live", "--file-limit", "3", "--json")
    assert (done.code, done.document["error"]["code"]) == (3, "STORAGE_FULL")
    assert done.document["error"]["details"]["limit"] == 3


def test_a_folder_is_made_from_what_is_live(run, notes, tmp_path):
    site, live, out = tmp_path / "site", tmp_path / "live", tmp_path / "out"
    assert run("build", notes, "--out", site).code == 0
    assert run("release", site, "--whole-folder", live, "--first").code == 0
    (notes / "new.md").write_text("# New\n\nA new note about whales.\n", encoding="utf-8")
    assert run("build", notes, "--out", site).code == 0
    server = preview_server(live)
    try:
        address = serve_in_background(server)
        done = run("release", site, "--whole-folder", out, "--previous", address, "--json")
    finally:
        server.shutdown()
        server.server_close()
    assert done.code == 0, done.err
    assert (done.document["sequence"], done.document["revisions"]) == (2, 1)
    assert run("verify", out).code == 0
    assert run("search", out, "whales").code == 0


def test_a_purge_leaves_nothing_of_a_deleted_note(run, notes, tmp_path):
    site, live = tmp_path / "site", tmp_path / "live"
    (notes / "told.md").write_text("# Told\n\nThe word is xyzzyplugh.\n", encoding="utf-8")
    for purge in ((), ("--purge",)):
        assert run("build", notes, "--out", site).code == 0
        assert run("release", site, "--to", live, *purge).code == 0
        (notes / "told.md").unlink(missing_ok=True)
    assert run("verify", live).code == 0
    bodies = [path.read_bytes() for path in live.rglob("*") if path.is_file()]
    assert not [body for body in bodies if b"xyzzyplugh" in body]


def workflow() -> dict[Any, Any]:
    text = (PROJECT / "site/notes/releasing.md").read_text("utf-8")
    found = re.search(r'```yaml title="\.github/workflows/publish\.yml"\n(.*?)```', text, re.S)
    assert found is not None
    parsed: dict[Any, Any] = yaml.safe_load(found[1])
    return parsed


def test_the_workflow_in_the_notes_lets_one_run_at_a_time_and_may_deploy_only():
    found = workflow()
    assert found["concurrency"]["cancel-in-progress"] is False
    assert found["permissions"] == {"contents": "read", "pages": "write", "id-token": "write"}
    uses = [step["uses"] for step in found["jobs"]["publish"]["steps"] if "uses" in step]
    assert all(re.fullmatch(r"actions/[a-z-]+@v\d+", name) for name in uses)


@pytest.mark.skipif(os.name == "nt", reason="the steps are for a POSIX shell")
def test_the_steps_of_the_workflow_publish_twice_on_a_host_that_forgets(notes, tmp_path):
    """Each run begins in a fresh checkout; what it deploys is all that the host keeps."""
    steps = [step["run"] for step in workflow()["jobs"]["publish"]["steps"] if "run" in step]
    steps = [step for step in steps if step.startswith("note-bridge")]
    assert [step.split()[1] for step in steps] == ["check", "build", "release", "verify"]
    tools = tmp_path / "bin"
    tools.mkdir()
    command = tools / "note-bridge"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m note_bridge "$@"\n')
    command.chmod(command.stat().st_mode | stat.S_IXUSR)
    host = tmp_path / "host"
    host.mkdir()
    server = preview_server(host)
    try:
        address = serve_in_background(server)
        for number, live in enumerate(
            ("--first", f"--previous {address}", f"--previous {address}")
        ):
            checkout = tmp_path / f"checkout-{number}"
            shutil.copytree(notes, checkout / "notes")
            (checkout / "notes/news.md").write_text(f"# News\n\nEdition {number} of the news.\n")
            environment = {
                **os.environ,
                "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}",
                "PYTHONPATH": str(PROJECT),
                "NOTE_BRIDGE_HOME": str(tmp_path / f"home-{number}"),
                "SITE_URL": address,
                "LIVE": live,
            }
            for step in steps:
                if step.startswith("note-bridge verify"):
                    server.root = (checkout / "build/deploy").resolve()
                done = subprocess.run(
                    ["sh", "-ec", step],
                    cwd=checkout,
                    env=environment,
                    capture_output=True,
                    text=True,
                    check=False,
                )
                assert done.returncode == 0, (number, step, done.stdout, done.stderr)
    finally:
        server.shutdown()
        server.server_close()
    last = (tmp_path / "checkout-2/build/deploy/ai/manifest.json").read_text()
    assert '"sequence":3' in last
