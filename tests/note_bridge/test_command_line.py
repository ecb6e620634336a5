"""The command line: one JSON document on stdout, one line per error, exit codes that mean it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from storage.owner_lock import OwnerLock

QUESTION = "Which four conditions does a deadlock need?"


def test_build_says_what_it_made(run, notes, tmp_path):
    done = run("build", notes, "--out", tmp_path / "out", "--json")
    assert done.code == 0
    assert done.document["documents"] == 3
    assert done.document["withheld"] == 1
    assert len(done.document["revision"]) == 64
    assert done.document["findings"] == []


def test_strict_turns_warnings_into_exit_code_one(run, notes, tmp_path):
    (notes / "bad.md").write_text("# Bad\n\n[[nowhere]]\n", encoding="utf-8")
    assert run("build", notes, "--out", tmp_path / "out").code == 0
    done = run("build", notes, "--out", tmp_path / "out", "--strict", "--json")
    assert done.code == 1
    (finding,) = done.document["findings"]
    assert (finding["path"], finding["line"], finding["kind"]) == ("bad.md", 3, "missing-note")


def test_check_finds_broken_links_and_writes_nothing(run, notes, tmp_path):
    assert run("check", notes).code == 0
    (notes / "bad.md").write_text("# Bad\n\n[x](gone.md) ![y](gone.png)\n", encoding="utf-8")
    done = run("check", notes, "--json")
    assert done.code == 1
    assert done.document["broken"] == 2
    assert not (tmp_path / "build").exists()


def test_ask_prints_the_stable_document(run, served):
    address, _ = served
    done = run("ask", address, QUESTION, "--json")
    assert done.code == 0, done.err
    answer = done.document
    assert answer["status"] == "completed"
    assert len(answer["revision"]) == 64
    cited = answer["citations"][0]
    assert cited["docId"] == "Deadlock"
    assert cited["url"].startswith(address)
    assert cited["verified"] is True
    assert set(cited) >= {
        "n",
        "docId",
        "sectionId",
        "title",
        "headingPath",
        "url",
        "quote",
        "start",
        "end",
        "docSha256",
        "sectionSha256",
        "verified",
    }
    assert answer["searchLegs"][0] == {"leg": "lexical", "ran": True}


def test_offsets_are_code_points_of_the_published_document(run, served, site):
    address, _ = served
    answer = run("ask", address, "互斥锁是什么？", "--json").document
    cited = answer["citations"][0]
    body = json.loads((site / f"ai/objects/doc/{cited['docSha256']}.json").read_text("utf-8"))
    assert body["text"][cited["start"] : cited["end"]] == cited["quote"]


def test_what_the_notes_do_not_say_is_exit_code_one(run, served):
    done = run("ask", served[0], "How do I bake sourdough bread?", "--json")
    assert done.code == 1
    assert done.document["status"] == "not_found"
    assert done.document["citations"] == []


def test_search_and_read_give_passages_with_their_hashes(run, served):
    address, _ = served
    found = run("search", address, "banker algorithm", "--json")
    assert found.code == 0
    assert found.document["hits"][0]["docId"] == "Deadlock"
    assert run("search", address, "zanzibar", "--json").code == 1
    text = run("read", "doc", address, "Deadlock", "--json").document
    assert "Circular wait" in "".join(p["text"] for p in text["passages"])
    toc = run("read", "toc", address, "Deadlock")
    assert "The four conditions" in toc.out
    assert "Deadlock" in run("read", "overview", address).out
    assert run("read", "network", address, "index").code == 0
    assert run("read", "related", address, "Deadlock").code == 0


def test_a_missing_document_is_one_line_with_a_code(run, served):
    done = run("read", "doc", served[0], "Deadlok")
    assert done.code == 1
    assert done.err.startswith("DOC_NOT_FOUND: ")
    assert len(done.err.strip().splitlines()) == 1
    assert "Traceback" not in done.err


def test_evidence_outlives_the_site(run, served, site, tmp_path):
    address, server = served
    run_id = run("ask", address, QUESTION, "--json").document["runId"]
    server.shutdown()
    server.server_close()
    shutil.rmtree(site)
    listed = run("evidence", "list", "--json").document["evidence"]
    assert listed
    shown = run("evidence", "show", listed[0]["id"])
    assert shown.code == 0
    assert listed[0]["text"].strip() in shown.out
    file = tmp_path / "evidence.json"
    assert run("evidence", "export", run_id, "--out", file).code == 0
    verified = run("evidence", "verify", file, "--json")
    assert verified.code == 0
    assert verified.document["consistent"] is True
    assert verified.document["published"] is None
    revision = verified.document["revision"]
    assert run("evidence", "verify", file, "--revision", revision).code == 0
    assert run("evidence", "verify", file, "--revision", "0" * 64).code == 1
    # What is remembered of a site does not prove what it publishes.
    asked = run("evidence", "verify", file, "--site", address)
    assert (asked.code, asked.out) == (3, "")
    assert asked.err.startswith("SITE_UNREACHABLE: ")


def test_one_changed_character_in_a_bundle_is_exit_code_one(run, served, tmp_path):
    address, _ = served
    run("ask", address, QUESTION)
    file = tmp_path / "evidence.json"
    run("evidence", "export", "--out", file)
    assert run("evidence", "verify", file, "--site", address).code == 0
    bundle = file.read_text(encoding="utf-8")
    file.write_text(bundle.replace("Circular wait", "Circular want", 1), encoding="utf-8")
    done = run("evidence", "verify", file, "--json")
    assert done.code == 1
    assert done.document["consistent"] is False


def test_release_then_verify(run, site, tmp_path):
    target = tmp_path / "live"
    dry = run("release", site, "--to", target, "--dry-run", "--json").document
    assert dry["dryRun"] is True
    assert not (target / "ai/manifest.json").exists()
    done = run("release", site, "--to", target, "--json").document
    assert (done["sequence"], done["switched"]) == (1, True)
    verified = run("verify", target, "--json")
    assert verified.code == 0
    assert verified.document["sequence"] == 1
    victim = next((target / "ai/objects/doc").iterdir())
    victim.write_bytes(victim.read_bytes().replace(b"a", b"b", 1))
    broken = run("verify", target, "--json")
    assert broken.code == 1
    assert broken.document["problems"][0]["code"] == "INTEGRITY_MISMATCH"


def test_verify_of_an_unreleased_folder_says_that_there_is_no_manifest(run, tmp_path):
    (tmp_path / "empty").mkdir()
    done = run("verify", tmp_path / "empty")
    assert done.code == 3
    assert done.err.startswith("MANIFEST_MISSING: ")


def test_an_owner_elsewhere_does_not_hide_stored_evidence(run, served, home):
    run("ask", served[0], QUESTION)
    lock = OwnerLock.acquire(home)
    try:
        assert run("evidence", "list").code == 0
        busy = run("ask", served[0], QUESTION)
        assert busy.code == 3
        assert busy.err.startswith("STORAGE_LOCKED: ")
    finally:
        lock.release()


@pytest.mark.parametrize(
    ("arguments", "code", "word"),
    [
        (["nonsense"], 2, "No such command"),
        (["ask", "file:///etc", "x"], 3, "ORIGIN_REFUSED"),
        (["ask", "http://example.org/", "x"], 3, "ORIGIN_REFUSED"),
        (["ask", "http://127.0.0.1:9/", "x"], 3, "SITE_UNREACHABLE"),
        (["read", "doc", "nowhere", "x"], 3, "SITE_UNREACHABLE"),
        (["evidence", "list"], 1, "EVIDENCE_NOT_FOUND"),
        (["evidence", "verify", "missing.json"], 2, "INVALID_ARGUMENT"),
        (["build", "missing"], 2, "INVALID_ARGUMENT"),
        (["preview", "missing"], 2, "INVALID_ARGUMENT"),
    ],
)
def test_what_goes_wrong_has_its_code_and_no_traceback(run, arguments, code, word):
    done = run(*arguments)
    assert (done.code, done.out) == (code, "")
    assert word in done.err
    assert "Traceback" not in done.err


def test_errors_are_a_document_too_where_json_is_asked_for(run):
    done = run("read", "toc", "http://example.org/", "x", "--json")
    assert done.document["error"]["code"] == "ORIGIN_REFUSED"


def test_doctor_examines_a_fresh_machine_and_a_used_one(run, served, tmp_path):
    assert run("doctor").code == 0
    run("ask", served[0], QUESTION)
    report = run("doctor", "--json")
    assert report.code == 0
    assert report.document["storedBytes"] > 0


def test_every_command_explains_itself(run):
    for command in ("build", "preview", "check", "release", "verify", "ask", "search", "doctor"):
        done = run(command, "--help")
        assert done.code == 0
        assert len(done.out.splitlines()) > 4


def test_the_vault_answers_searches_as_it_should(run, tmp_path):
    cases = Path(__file__).parent.parent / "cases"
    expected = json.loads((cases / "expected.json").read_text(encoding="utf-8"))["search"]
    run("build", cases / "vault", "--out", tmp_path / "vault")
    for query, wanted in expected.items():
        found = run("search", tmp_path / "vault", query, "--json").document["hits"]
        ids = [hit["docId"] for hit in found]
        if isinstance(wanted, str):
            assert ids[0] == wanted.removeprefix("first hit: ")
        else:
            assert ids == wanted, query
