"""A project to build: an `mkdocs.yml`, or a bare folder of notes."""

from __future__ import annotations

import io
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from mkdocs.config.base import load_config
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import Abort, ConfigurationError

from manifest.errors import ErrorCode, NoteBridgeError
from site_builder.folder_lock import LOCK_NAME

CONFIG_NAMES = ("mkdocs.yml", "mkdocs.yaml")
PLUGIN = "note-bridge"


@dataclass(frozen=True, slots=True)
class BuildRequest:
    """What the caller wants built. source: a folder of notes, a folder with an `mkdocs.yml`, or
    that file. Empty strings leave the project's own settings.

    previous: address or folder of the site as published, to go on from. executor: where notes are
    compiled (see `compiling.workers`). cache: the folder in which builds keep what the next need
    not make again; None keeps nothing.
    """

    source: Path
    out: Path | None = None
    site_url: str = ""
    name: str = ""
    language: str = ""
    strict: bool = False
    previous: str = ""
    executor: str = ""
    cache: Path | None = None


def load_project(request: BuildRequest) -> MkDocsConfig:
    """The MkDocs configuration of a build.

    Raises `NoteBridgeError` (INVALID_ARGUMENT) for a source that is none, or settings that MkDocs
    refuses.
    """
    found = config_file(request.source)
    config = _project_config(found, request) if found else _folder_config(request)
    if request.previous:
        config.plugins[PLUGIN].config["previous"] = request.previous
    _require_safe_output(Path(config.site_dir), Path(config.docs_dir))
    return config


def config_file(source: Path) -> Path | None:
    """The `mkdocs.yml` of a source; None for a bare folder of notes."""
    if source.is_file() and source.suffix in (".yml", ".yaml"):
        return source
    if not source.is_dir():
        raise NoteBridgeError(
            ErrorCode.INVALID_ARGUMENT,
            f"{source} is neither a folder of notes nor an mkdocs.yml.",
            hint="Name the folder that holds your Markdown files.",
        )
    return next((source / name for name in CONFIG_NAMES if (source / name).is_file()), None)


def _project_config(file: Path, request: BuildRequest) -> MkDocsConfig:
    options: dict[str, Any] = {
        "site_url": request.site_url or None,
        "site_name": request.name or None,
        "site_dir": str(request.out.resolve()) if request.out else None,
        "strict": request.strict or None,
    }
    config = _load(str(file), options)
    if PLUGIN not in config.plugins:
        raise NoteBridgeError(
            ErrorCode.INVALID_ARGUMENT,
            f"{file} does not name the plugin {PLUGIN}.",
            hint=f"Add `- {PLUGIN}` under `plugins:` in that file.",
        )
    return config


def _folder_config(request: BuildRequest) -> MkDocsConfig:
    notes = request.source.resolve()
    site = (request.out or Path("build") / "site").resolve()
    # Before MkDocs looks: its own refusal speaks of settings that a folder of notes has not.
    _require_safe_output(site, notes)
    plugin: dict[str, Any] = {"theme": "note-bridge"}
    if request.language:
        plugin["language"] = request.language
    settings: dict[str, Any] = {
        "site_name": request.name or notes.name,
        "docs_dir": str(notes),
        "site_dir": str(site),
        "plugins": [{PLUGIN: plugin}],
    }
    if request.site_url:
        settings["site_url"] = request.site_url
    body = yaml.safe_dump(settings, allow_unicode=True).encode("utf-8")
    return _load(io.BytesIO(body), {"strict": request.strict or None})


def _load(config_file: Any, options: dict[str, Any]) -> MkDocsConfig:
    complaints = _Complaints()
    logger = logging.getLogger("mkdocs.config")
    logger.addHandler(complaints)
    try:
        return load_config(config_file, **options)
    except (Abort, ConfigurationError) as error:
        raise NoteBridgeError(
            ErrorCode.INVALID_ARGUMENT,
            f"MkDocs refuses the configuration: {complaints.text or error}",
            hint="Mend mkdocs.yml.",
        ) from error
    finally:
        logger.removeHandler(complaints)


class _Complaints(logging.Handler):
    """MkDocs logs what is wrong and raises only that something is."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.text = ""

    def emit(self, record: logging.LogRecord) -> None:
        self.text = " ".join(filter(None, (self.text, record.getMessage())))


def _require_safe_output(site: Path, notes: Path) -> None:
    """MkDocs empties the output folder first; it must not hold anything but an earlier site."""
    if site == notes or site in notes.parents:
        raise NoteBridgeError(
            ErrorCode.INVALID_ARGUMENT,
            f"The site cannot be built into {site}: the notes are there.",
            hint="Choose another folder with --out.",
        )
    names = {path.name for path in site.iterdir()} if site.is_dir() else set()
    foreign = bool(names - {LOCK_NAME}) and not _is_site(site)
    if foreign or site.is_file():
        raise NoteBridgeError(
            ErrorCode.INVALID_ARGUMENT,
            f"{site} holds something that is no site; a build would delete it.",
            hint="Choose an empty folder with --out, or empty it yourself.",
        )


def _is_site(folder: Path) -> bool:
    return any((folder / name).exists() for name in ("ai", "index.html", "404.html", "sitemap.xml"))
