"""The project's own notes: they build without a finding, and what they say of the code holds."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import pytest

from manifest.errors import ErrorCode
from manifest.references import SIZE_LIMITS, Kind, object_path
from note_bridge.cli import cli, run
from note_bridge.console import Exit
from note_bridge.places import HOME_VARIABLE
from site_builder.build import build_site
from site_builder.build_report import BuildReport
from site_builder.hosting import caddy_snippet, headers_file, nginx_snippet
from site_builder.note import FindingKind
from site_builder.plugin_options import NoteBridgeOptions
from site_builder.preview import preview_server, serve_in_background
from site_builder.project import BuildRequest

PROJECT = Path(__file__).parent.parent

FENCE = re.compile(r"^```\w+ title=\"(?P<name>[^\"]+)\"\n(?P<code>.*?)^```$", re.M | re.S)
CHINESE = re.compile("[\u4e00-\u9fff]")


@dataclass(frozen=True)
class Documentation:
    """The built notes, read with nothing but json."""

    report: BuildReport
    docs: dict[str, dict[str, Any]]

    @property
    def folder(self) -> Path:
        return self.report.site

    def sections(self, doc_id: str) -> dict[str, str]:
        """The text of a page's sections, by title; a section ends at any next heading."""
        doc = self.docs[doc_id]
        return {
            section["title"]: doc["text"][section["start"] : section["end"]]
            for section in doc["sections"]
        }

    def below(self, doc_id: str, title: str) -> str:
        """The text under a heading, with what stands under deeper headings."""
        doc = self.docs[doc_id]
        at = next(i for i, found in enumerate(doc["sections"]) if found["title"] == title)
        level = doc["sections"][at]["level"]
        ends = [found["start"] for found in doc["sections"][at + 1 :] if found["level"] <= level]
        text: str = doc["text"][doc["sections"][at]["start"] : (ends or [None])[0]]
        return text

    def fence(self, doc_id: str, name: str) -> str:
        """The code of a fence that names its file."""
        found = {
            match["name"]: match["code"] for match in FENCE.finditer(self.docs[doc_id]["text"])
        }
        return found[name]


@pytest.fixture(scope="module")
def documentation(tmp_path_factory: pytest.TempPathFactory) -> Documentation:
    out = tmp_path_factory.mktemp("documentation") / "site"
    report = build_site(BuildRequest(source=PROJECT / "mkdocs.yml", out=out))
    bodies = (path.read_bytes() for path in sorted((out / "ai/objects/doc").iterdir()))
    docs = {doc["id"]: doc for doc in map(json.loads, bodies)}
    return Documentation(report, docs)


def test_the_notes_build_without_a_finding(documentation):
    assert [str(finding) for finding in documentation.report.findings] == []
    assert list(documentation.report.remarks) == []
    assert documentation.report.withheld == 0


def test_there_are_enough_pages_in_both_languages(documentation):
    languages = [doc["language"] for doc in documentation.docs.values()]
    assert languages.count("en") >= 14
    assert languages.count("zh") >= 5


def test_chinese_pages_are_texts_and_no_stubs(documentation):
    for doc in documentation.docs.values():
        if doc["language"] == "zh":
            assert len(CHINESE.findall(doc["text"])) > 600, doc["id"]


def test_every_page_says_in_a_sentence_what_it_is_about(documentation):
    missing = [key for key, doc in documentation.docs.items() if not doc["meta"].get("description")]
    assert missing == []


def test_every_page_can_be_reached_by_links_from_the_home_page(documentation):
    reached: set[str] = set()
    pending = ["index"]
    while pending:
        doc_id = pending.pop()
        if doc_id not in reached:
            reached.add(doc_id)
            links = documentation.docs[doc_id]["links"]
            pending.extend(link["to"] for link in links if link["kind"] == "doc")
    assert reached == set(documentation.docs)


@pytest.mark.parametrize("code", list(ErrorCode))
def test_every_error_code_has_an_entry_that_says_what_it_means(documentation, code):
    entry = documentation.sections("errors").get(str(code), "")
    assert f"`{code}` means" in entry


def test_the_list_of_errors_names_no_code_that_does_not_exist(documentation):
    titles = [t for t in documentation.sections("errors") if re.fullmatch(r"[A-Z]+(_[A-Z]+)*", t)]
    assert set(titles) == {str(code) for code in ErrorCode}


def commands(
    group: click.Group = cli, path: tuple[str, ...] = ()
) -> Iterator[tuple[str, click.Command]]:
    """Every command that can be run, by its words after `note-bridge`."""
    for name, command in group.commands.items():
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield " ".join((*path, name)), command


@pytest.mark.parametrize(("name", "command"), list(commands()), ids=[n for n, _ in commands()])
def test_every_command_is_described_with_all_its_options(documentation, name, command):
    text = documentation.below("command-line", name)
    for parameter in command.params:
        if isinstance(parameter, click.Argument):
            assert f"`{parameter.make_metavar(click.Context(command)).strip('[].')}`" in text
        else:
            longest = max(parameter.opts, key=len)
            assert f"`{longest}" in text, longest


def test_the_command_line_page_describes_no_command_that_does_not_exist(documentation):
    titles = documentation.sections("command-line")
    described = {title for title in titles if re.fullmatch(r"[a-z]+( [a-z]+)?", title)}
    assert described == {name for name, _ in commands()}


def test_every_exit_code_is_described(documentation):
    text = documentation.below("command-line", "Exit codes")
    for code in Exit:
        assert f"| {int(code)} |" in text


@dataclass(frozen=True)
class Printed:
    """What a command printed with `--json`, and its exit code."""

    code: int
    document: dict[str, Any]


Command = Callable[..., Printed]


@pytest.fixture
def command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Command:
    """Runs a command with `--json`, over a home of its own."""
    monkeypatch.setenv(HOME_VARIABLE, str(tmp_path / "home"))

    def run_command(*arguments: str) -> Printed:
        code = run([*arguments, "--json"])
        return Printed(code, json.loads(capsys.readouterr().out))

    return run_command


NESTED = {"build": "findings", "search": "hits", "ask": "citations", "evidence list": "evidence"}
"""Lists whose members a command's description names as well."""


def undescribed(documentation: Documentation, name: str, printed: Printed) -> list[str]:
    """Keys of a command's document that the page leaves out."""
    text = documentation.below("command-line", "Output") + documentation.below("command-line", name)
    keys = list(printed.document)
    keys.extend(printed.document[NESTED[name]][0] if name in NESTED else ())
    return [key for key in keys if f'"{key}"' not in text and f"`{key}`" not in text]


def test_the_json_of_publishing_is_described(documentation, command, tmp_path):
    notes, site, live = tmp_path / "notes", str(tmp_path / "site"), str(tmp_path / "live")
    notes.mkdir()
    (notes / "index.md").write_text("# Home\n\n[[nowhere]]\n", encoding="utf-8")
    for name, arguments in {
        "build": ["build", str(notes), "--out", site],
        "check": ["check", str(notes)],
        "release": ["release", site, "--to", live],
        "gc": ["gc", live],
        "verify": ["verify", live],
    }.items():
        printed = command(*arguments)
        assert printed.code == (Exit.NO if name == "check" else Exit.DONE), printed.document
        assert undescribed(documentation, name, printed) == [], name


def test_the_json_of_a_folder_that_is_deployed_whole_is_described(documentation, command, tmp_path):
    site, out = str(documentation.folder), str(tmp_path / "deploy")
    printed = command("release", site, "--whole-folder", out, "--first")
    assert printed.code == Exit.DONE, printed.document
    assert undescribed(documentation, "release", printed) == []


def test_the_json_of_reading_and_asking_is_described(documentation, command, tmp_path):
    site, bundle = str(documentation.folder), str(tmp_path / "bundle.json")
    for name, arguments in {
        "search": ["search", site, "revision"],
        "read overview": ["read", "overview", site],
        "read toc": ["read", "toc", site, "concepts"],
        "read doc": ["read", "doc", site, "concepts"],
        "read network": ["read", "network", site, "concepts"],
        "read related": ["read", "related", site, "concepts"],
        "ask": ["ask", site, "What is an anchor?"],
        "evidence list": ["evidence", "list", "--limit", "2"],
        "evidence export": ["evidence", "export", "--out", bundle],
        "evidence verify": ["evidence", "verify", bundle, "--site", site],
        "doctor": ["doctor"],
    }.items():
        printed = command(*arguments)
        assert printed.code == Exit.DONE, printed.document
        assert undescribed(documentation, name, printed) == [], name


QUESTIONS = [
    ("What is a revision?", "concepts"),
    ("What is an anchor?", "concepts"),
    ("In which order does a release write files?", "releasing"),
    ("What does ROLLBACK_REFUSED mean?", "errors"),
    ("What does exit code 1 mean?", "command-line"),
    ("How do I verify a bundle offline?", "evidence"),
    ("How do I back up the database?", "operations"),
    ("修订是什么？", "zh/concepts"),
    ("怎样离线核对证据包？", "zh/evidence"),
]


@pytest.mark.parametrize(("question", "doc_id"), QUESTIONS)
def test_the_notes_answer_what_a_visitor_asks(documentation, command, question, doc_id):
    printed = command("ask", str(documentation.folder), question)
    assert printed.code == Exit.DONE
    assert {citation["docId"] for citation in printed.document["citations"]} == {doc_id}
    assert all(citation["verified"] for citation in printed.document["citations"])


@pytest.mark.parametrize("question", ["Who founded the project in 1998?", "公司的创始人是谁？"])
def test_the_notes_do_not_answer_what_they_do_not_say(documentation, command, question):
    printed = command("ask", str(documentation.folder), question)
    assert (printed.code, printed.document["status"]) == (Exit.NO, "not_found")


def test_every_kind_of_finding_is_described(documentation):
    text = documentation.below("authoring", "What a build reports")
    assert [str(kind) for kind in FindingKind if f"`{kind}`" not in text] == []


def test_every_option_of_the_plugin_is_described(documentation):
    text = documentation.below("mkdocs", "Options")
    options = NoteBridgeOptions()  # type: ignore[no-untyped-call]
    names = [name for name in options if name != "retention"]
    names += [f"retention.{name}" for name in options["retention"]]
    assert len(names) > 5
    assert [name for name in names if f"| `{name}` |" not in text] == []


@pytest.mark.parametrize("kind", list(Kind))
def test_every_kind_of_object_is_described_with_its_limit(documentation, kind):
    lines = documentation.below("contract", "Kinds").splitlines()
    rows = [line.split("|") for line in lines if line.startswith("|")]
    cells = next(cells for cells in rows if f"`{kind}`" in cells[1])
    kib = SIZE_LIMITS[kind] // 1024
    assert re.search(rf"\b{kib if kib < 1024 else kib // 1024}\b", cells[3])


@pytest.mark.parametrize(
    ("name", "snippet"),
    [("_headers", headers_file()), ("nginx.conf", nginx_snippet()), ("Caddyfile", caddy_snippet())],
)
def test_settings_for_hosts_are_those_of_the_code(documentation, name, snippet):
    assert documentation.fence("releasing", name) == snippet


def read_note(
    documentation: Documentation, folder: Path, site: str, doc_id: str
) -> subprocess.CompletedProcess[str]:
    """Runs the program of the contract page, in a Python without our packages."""
    program = folder / "read_note.py"
    program.write_text(documentation.fence("contract", "read_note.py"), encoding="utf-8")
    command = [sys.executable, "-I", "-X", "utf8", str(program), site, doc_id]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=False, timeout=60)


@pytest.mark.parametrize("doc_id", ["contract", "zh/concepts"])
def test_the_program_on_the_contract_page_reads_a_document(documentation, tmp_path, doc_id):
    done = read_note(documentation, tmp_path, str(documentation.folder), doc_id)
    doc = documentation.docs[doc_id]
    assert done.returncode == 0, done.stderr
    title, *sections = done.stdout.splitlines()
    assert title == f"{doc['title']} in revision {documentation.report.manifest.revision}"
    assert [line.rpartition("#")[2] for line in sections] == [s["anchor"] for s in doc["sections"]]


def test_the_program_on_the_contract_page_reads_over_http(documentation, tmp_path):
    server = preview_server(documentation.folder)
    try:
        address = serve_in_background(server)
        done = read_note(documentation, tmp_path, address, "concepts")
    finally:
        server.shutdown()
        server.server_close()
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Concepts in revision ")


def test_the_program_on_the_contract_page_refuses_changed_bytes(documentation, tmp_path):
    site = tmp_path / "site"
    shutil.copytree(documentation.folder / "ai", site / "ai")
    path = next(
        file
        for file in (site / "ai/objects/doc").iterdir()
        if json.loads(file.read_bytes())["id"] == "concepts"
    )
    path.write_bytes(path.read_bytes().replace(b"revision", b"revisiom", 1))
    assert path == site / object_path(Kind.DOC, path.stem)
    done = read_note(documentation, tmp_path, str(site), "concepts")
    assert done.returncode != 0
    assert "is not what was published" in done.stderr
