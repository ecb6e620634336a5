"""The rooms and who may import whom; and nothing of the machine that a file was written on."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from urllib.parse import urlsplit

import pytest

ROOT = Path(__file__).resolve().parents[1]
ROOMS = ("manifest", "storage", "agent", "bridge_reader", "site_builder", "note_bridge")
MAY_IMPORT = {
    "manifest": set(),
    "storage": {"manifest"},
    "bridge_reader": {"storage", "manifest"},
    "agent": {"bridge_reader", "storage", "manifest"},
    "site_builder": {"manifest"},
    "note_bridge": {"agent", "bridge_reader", "storage", "site_builder", "manifest"},
}
FORBIDDEN = sorted(
    (importer, imported)
    for importer, imported in product(ROOMS, ROOMS)
    if importer != imported and imported not in MAY_IMPORT[importer]
)


def lint_imports(folder: Path) -> subprocess.CompletedProcess[str]:
    """What import-linter says of the rooms in a folder, by the folder's own pyproject.toml."""
    command = Path(sysconfig.get_path("scripts"), "lint-imports")
    return subprocess.run(
        [sys.executable, str(command), "--no-cache"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder), "NO_COLOR": "1", "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture
def bare_rooms(tmp_path: Path) -> Path:
    """Rooms of the same names with nothing in them, under the project's own contracts."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for room in ROOMS:
        (tmp_path / room).mkdir()
        (tmp_path / room / "__init__.py").touch()
    return tmp_path


def test_every_import_keeps_its_direction() -> None:
    report = lint_imports(ROOT)
    assert report.returncode == 0, report.stdout + report.stderr
    assert " 0 broken" in report.stdout


def test_the_contracts_speak_of_every_room() -> None:
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]
    assert set(tools["importlinter"]["root_packages"]) == set(ROOMS)
    assert set(tools["hatch"]["build"]["targets"]["wheel"]["only-include"]) == {*ROOMS, "site"}


def test_no_room_leans_on_tests_or_benchmarks() -> None:
    leaning = re.compile(rb"^\s*(?:from|import)\s+(?:tests|bench)\b", re.MULTILINE)
    rooms = [(path, body) for path, body in files() if path.split("/")[0] in ROOMS]
    assert rooms
    assert [path for path, body in rooms if path.endswith(".py") and leaning.search(body)] == []


def test_imports_that_are_allowed_break_no_contract(bare_rooms: Path) -> None:
    for room, imported in MAY_IMPORT.items():
        body = "".join(f"import {name}\n" for name in sorted(imported))
        (bare_rooms / room / "allowed.py").write_text(body)
    report = lint_imports(bare_rooms)
    assert report.returncode == 0, report.stdout + report.stderr


def test_every_import_against_the_direction_is_reported(bare_rooms: Path) -> None:
    for importer, imported in FORBIDDEN:
        (bare_rooms / importer / f"to_{imported}.py").write_text(f"import {imported}\n")
    report = lint_imports(bare_rooms)
    assert report.returncode == 1, report.stdout + report.stderr
    words = " ".join(report.stdout.split())
    unnoticed = [pair for pair in FORBIDDEN if f"{pair[0]}.to_{pair[1]} -> {pair[1]}" not in words]
    assert not unnoticed


GENERATED = re.compile(
    r"(?:^|/)(?:\.git|\.venv|\.hypothesis|\.\w+_cache|__pycache__|build|dist|[^/]+\.egg-info)(?:/|$)"
)
MACHINE_PATHS = ("/" + "work" + "/", "/" + "root" + "/")
REGISTRIES = tuple(
    ".".join(labels)
    for labels in (
        ("pypi", "org"),
        ("pythonhosted", "org"),
        ("npmjs", "org"),
        ("npmjs", "com"),
        ("yarnpkg", "com"),
        ("proxy", "golang", "org"),
        ("ghcr", "io"),
        ("docker", "io"),
    )
)


def files() -> Iterator[tuple[str, bytes]]:
    """Every file that belongs to the project, by its path."""
    for folder, names, found in os.walk(ROOT):
        inside = Path(folder).relative_to(ROOT)
        names[:] = [name for name in names if not GENERATED.search((inside / name).as_posix())]
        for name in found:
            path = Path(folder, name)
            if path.is_file() and not GENERATED.search((inside / name).as_posix()):
                yield (inside / name).as_posix(), path.read_bytes()


def machine_words() -> list[re.Pattern[bytes]]:
    """What names a machine: the paths that stand for one, and those of this one."""
    own = {str(ROOT), str(Path.home())}
    paths = [*MACHINE_PATHS, *(path for path in own if len(Path(path).parts) > 2)]
    # A path begins where it stands or after `file://`: `objects/root/` names no machine.
    begins = rb"(?:(?<![\w.}/-])|(?<=//))"
    return [re.compile(begins + re.escape(path).encode()) for path in paths]


def index_hosts() -> set[str]:
    """Hosts from which this machine installs packages, wherever it was told so."""
    addresses = [
        word
        for name, value in os.environ.items()
        if name.startswith(("PIP_", "UV_", "NPM_CONFIG_", "npm_config_"))
        for word in value.split()
    ]
    hosts = {urlsplit(address).hostname or "" for address in addresses if "://" in address}
    return {host for host in hosts if "." in host and not host.startswith("127.")}


def test_no_file_names_the_machine_it_was_written_on() -> None:
    words = machine_words()
    assert [
        (path, word.pattern) for path, body in files() for word in words if word.search(body)
    ] == []


def test_no_file_names_a_package_registry() -> None:
    hosts = [host.encode() for host in sorted({*REGISTRIES, *index_hosts()})]
    assert [(path, host) for path, body in files() for host in hosts if host in body] == []


def test_files_are_found_and_told_from_generated_ones() -> None:
    found = {path for path, _ in files()}
    assert {"pyproject.toml", "tests/test_architecture.py", "manifest/objects.py"} <= found
    assert not any(GENERATED.search(path) for path in found)


@pytest.mark.parametrize(
    ("line", "named"),
    [
        (f'path = "{MACHINE_PATHS[0]}notes"', True),
        (f"cd {MACHINE_PATHS[1]}notes", True),
        (f"file://{MACHINE_PATHS[1]}notes", True),
        (f'address = "ai/objects{MACHINE_PATHS[1]}0000.json"', False),
        ("the work of many", False),
    ],
)
def test_a_path_of_a_machine_is_told_from_an_address(line: str, named: bool) -> None:
    assert any(word.search(line.encode()) for word in machine_words()) == named
