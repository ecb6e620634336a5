"""A project built again whenever its notes change, in one process that remembers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from site_builder.build import build_site, heard_warnings, needs_mkdocs, plugin_of
from site_builder.build_cache import open_store
from site_builder.build_report import BuildReport
from site_builder.folder_lock import folder_lock
from site_builder.previous import DocPages
from site_builder.previous_state import previous_site
from site_builder.progress import Progress, no_progress
from site_builder.project import BuildRequest, config_file, load_project
from site_builder.site_build import SiteBuild
from site_builder.site_project import site_project


@dataclass(slots=True)
class LiveBuild:
    """Builds one project again and again. folders: where a change asks for another build.

    The first build goes on from what the request names; each further one from the site that the
    last one left, so that it takes small steps as well.
    """

    request: BuildRequest
    folders: tuple[Path, ...]
    _settings: tuple[int, int]
    _build: SiteBuild | None
    _built: bool = False
    _pages: DocPages = field(default_factory=dict)

    def run(self, progress: Progress = no_progress) -> BuildReport:
        """Builds once more. Raises as `build_site`."""
        settings = _stamp(self.request.source)
        if self._build is None or settings != self._settings:
            # A project with plugins, or one whose settings changed, is read anew.
            return build_site(self.request, progress)
        site = self._build.folder
        where = str(site) if self._built else self.request.previous
        with (
            folder_lock(site),
            heard_warnings() as remarks,
            previous_site(where, self._pages) as previous,
        ):
            report = self._build.run(previous, progress)
        self._built = True
        return replace(report, remarks=tuple(remarks))


@contextmanager
def live_build(request: BuildRequest) -> Iterator[LiveBuild]:
    """A project to build again and again, while this lasts. Raises as `build_site`."""
    config = load_project(request)
    site = Path(config.site_dir)
    site.mkdir(parents=True, exist_ok=True)
    found = config_file(request.source)
    folders = dict.fromkeys([Path(config.docs_dir), *([found.parent] if found else [])])
    outside = tuple(folder for folder in folders if not site.is_relative_to(folder))
    with ExitStack() as stack:
        build: SiteBuild | None = None
        if not needs_mkdocs(config):
            store = stack.enter_context(open_store(request.cache, Path(config.docs_dir)))
            project = site_project(config, plugin_of(config).config)
            build = SiteBuild(project, store, request.executor)
        yield LiveBuild(
            request,
            outside or (Path(config.docs_dir),),
            _stamp(request.source),
            build,
        )


def _stamp(source: Path) -> tuple[int, int]:
    """Changes with the project's settings."""
    found = config_file(source)
    if found is None:
        return 0, 0
    status = found.stat()
    return status.st_mtime_ns, status.st_size
