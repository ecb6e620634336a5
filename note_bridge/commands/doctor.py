"""`doctor`: what this machine offers the bridge, and what is wrong with what is stored."""

from __future__ import annotations

import asyncio
import platform
import shutil
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from rich.console import Console

from manifest.errors import ErrorCode, NoteBridgeError
from note_bridge.commands.reading import JSON
from note_bridge.console import Exit, output
from note_bridge.group import cli
from note_bridge.places import home
from note_bridge.reading_room import now_ms
from storage.app_storage import AppStorage
from storage.driver import driver_report
from storage.owner_lock import read_owner
from storage.reader_cache import ReaderCache

PACKAGES = ("note-bridge", "mkdocs", "markdown-it-py", "pydantic", "httpx2", "hishel", "nh3")


@cli.command()
@JSON
def doctor(as_json: bool) -> int:
    """Check this machine and what is stored on it."""
    report, problems = _examine()
    report["problems"] = problems

    def show(console: Console) -> None:
        for name, value in report.items():
            if name != "problems":
                console.print(f"{name}: {value}", markup=False, highlight=False)
        for problem in problems:
            console.print(problem, style="red", markup=False, highlight=False)
        if not problems:
            console.print("Nothing is wrong.", markup=False, highlight=False)

    output(as_json=as_json).result(report, show)
    return Exit.NO if problems else Exit.DONE


def _examine() -> tuple[dict[str, Any], list[str]]:
    driver = driver_report()
    folder = home()
    report: dict[str, Any] = {
        "python": platform.python_version(),
        "packages": {name: _version(name) for name in PACKAGES},
        "sqlite": f"{driver.sqlite_version} ({driver.module})",
        "folder": str(folder),
        "owner": "",
        "storedBytes": 0,
        "cachedBytes": 0,
        "freeBytes": shutil.disk_usage(_existing(folder)).free,
    }
    problems: list[str] = []
    if folder.exists():
        owner = read_owner(folder)
        report["owner"] = "" if owner is None else f"process {owner.pid}"
        problems.extend(asyncio.run(_stored(report)))
        try:
            with ReaderCache(folder, clock=now_ms) as cache:
                report["cachedBytes"] = cache.objects.usage().bytes
                problems.extend(f"set aside as damaged: {path}" for path in cache.damaged_files)
        except NoteBridgeError as error:
            problems.append(str(error))
    return report, problems


async def _stored(report: dict[str, Any]) -> list[str]:
    try:
        async with await AppStorage.read_only(home()) as storage:
            report["storedBytes"] = (await storage.usage()).used
            return await storage.check()
    except NoteBridgeError as error:
        # Nothing stored yet is no fault.
        return [] if error.code is ErrorCode.INVALID_ARGUMENT else [str(error)]


def _existing(folder: Any) -> Any:
    while not folder.exists():
        folder = folder.parent
    return folder


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "missing"
