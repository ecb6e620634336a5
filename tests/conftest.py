"""What tests of every room share: where test data is, and sites built once for a whole run."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from filelock import FileLock

from manifest.references import object_path
from site_builder.build import build_site
from site_builder.note import Finding
from site_builder.project import BuildRequest

TEST_DATA = "NOTE_BRIDGE_TEST_DATA"
VAULT = Path(__file__).parent / "cases" / "vault"


@pytest.fixture(scope="session")
def test_data() -> Path:
    """The folder with corpora, eval, cases and models; a test that needs it skips without."""
    folder = os.environ.get(TEST_DATA, "")
    if not folder:
        pytest.skip(f"{TEST_DATA} names no folder with corpora and evaluation sets")
    return Path(folder)


@pytest.fixture(scope="session")
def note_zh(test_data: Path) -> Path:
    """309 real Chinese notes."""
    return test_data / "corpora" / "note-zh" / "doc"


@dataclass(frozen=True)
class BuiltSite:
    """A built site as bytes on disk, read with nothing but json."""

    folder: Path
    findings: tuple[Finding, ...] = ()

    @property
    def manifest(self) -> dict[str, Any]:
        body: dict[str, Any] = json.loads((self.folder / "ai/manifest.json").read_bytes())
        return body

    def object(self, kind: str, sha256: str) -> dict[str, Any]:
        body: dict[str, Any] = json.loads((self.folder / object_path(kind, sha256)).read_bytes())
        return body

    @property
    def root(self) -> dict[str, Any]:
        return self.object("root", self.manifest["revision"])

    def rows(self) -> dict[str, dict[str, Any]]:
        """The leaf rows of all documents, by docId."""
        found: dict[str, dict[str, Any]] = {}
        pending = [self.root["tree"]["sha256"]]
        while pending:
            index = self.object("index", pending.pop())
            pending.extend(row[2] for row in index.get("children", []))
            for row in index["leaves"]:
                found |= {doc["id"]: doc for doc in self.object("leaf", row[2])["docs"]}
        return found

    def docs(self) -> dict[str, dict[str, Any]]:
        """All documents, by docId."""
        return {
            doc_id: self.object("doc", row["doc"]["sha256"]) for doc_id, row in self.rows().items()
        }

    def page(self, url: str) -> str:
        return (self.folder / url / "index.html").read_text(encoding="utf-8")

    def knowledge(self) -> dict[str, bytes]:
        """Every file below `ai/`, by path."""
        return {
            path.relative_to(self.folder).as_posix(): path.read_bytes()
            for path in sorted((self.folder / "ai").rglob("*"))
            if path.is_file()
        }


Build = Callable[..., BuiltSite]


def build(source: Path, out: Path, **options: Any) -> BuiltSite:
    report = build_site(BuildRequest(source=source, out=out, **options))
    return BuiltSite(report.site, report.findings)


@pytest.fixture(scope="session", name="build")
def build_fixture() -> Build:
    """Builds a folder of notes into a folder."""
    return build


@pytest.fixture(scope="session")
def read_site() -> Callable[[Path], BuiltSite]:
    """Reads a site that something else built."""
    return BuiltSite


def _shared(name: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that all workers of one run share."""
    base = tmp_path_factory.getbasetemp()
    return (base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) / name


def _built_once(
    folder_name: str, source: Path, tmp_path_factory: pytest.TempPathFactory, **options: Any
) -> BuiltSite:
    folder = _shared(folder_name, tmp_path_factory)
    record = folder.with_suffix(".findings.json")
    with FileLock(folder.with_suffix(".lock")):
        if not record.exists():
            site = build(source, folder, **options)
            rows = [[f.path, f.line, str(f.kind), f.message, f.hint] for f in site.findings]
            record.write_text(json.dumps(rows), encoding="utf-8")
    findings = tuple(Finding(*row) for row in json.loads(record.read_text(encoding="utf-8")))
    return BuiltSite(folder, findings)


@pytest.fixture(scope="session")
def vault_site(tmp_path_factory: pytest.TempPathFactory) -> BuiltSite:
    """The small vault of inputs that break other publishers, built once. Do not change it."""
    return _built_once("vault-site", VAULT, tmp_path_factory, name="Vault")


@pytest.fixture(scope="session")
def note_zh_site(note_zh: Path, tmp_path_factory: pytest.TempPathFactory) -> BuiltSite:
    """The real Chinese notes, built once. Do not change it."""
    return _built_once("note-zh-site", note_zh, tmp_path_factory, name="note-zh", language="zh")


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """Prints the figures that tests have recorded: `record_property("figure", "...")`."""
    figures = [
        str(value)
        for outcome in ("passed", "failed")
        for report in terminalreporter.stats.get(outcome, ())
        for name, value in getattr(report, "user_properties", ())
        if name == "figure"
    ]
    if figures:
        terminalreporter.section("figures")
        for figure in figures:
            terminalreporter.write_line(figure)
