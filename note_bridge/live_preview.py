"""A site on this machine while its author writes: built again at every change, pages reload."""

from __future__ import annotations

import time
from pathlib import Path

from manifest.errors import ErrorCode, NoteBridgeError
from note_bridge.console import Exit, Output
from site_builder.build_report import BuildReport
from site_builder.live_build import live_build
from site_builder.note import Finding
from site_builder.preview import PreviewServer, preview_server, serve_in_background
from site_builder.project import BuildRequest
from site_builder.watching import watched


def opened_preview(site: Path, port: int, *, live: bool = False) -> PreviewServer:
    """A server over a site's folder. Raises `NoteBridgeError`: INVALID_ARGUMENT for a port that
    cannot be used."""
    try:
        return preview_server(site, port=port, live=live)
    except OSError as error:
        raise NoteBridgeError(
            ErrorCode.INVALID_ARGUMENT,
            f"Port {port} cannot be used: {error.strerror}.",
            hint="Choose another with --port, or 0 for any free one.",
        ) from error


def watch_site(said: Output, request: BuildRequest, port: int) -> Exit:
    """Builds, serves, and builds again until Ctrl+C."""
    with live_build(request) as build, watched(build.folders) as changes:
        with said.progress("Building") as progress:
            started = time.monotonic()
            report = build.run(progress)
        _tell(said, report, time.monotonic() - started)
        server = opened_preview(report.site, port, live=True)
        said.out.print(serve_in_background(server), markup=False, highlight=False)
        said.remark("Ctrl+C stops.")
        known = set(report.findings)
        try:
            while changes.wait():
                try:
                    started = time.monotonic()
                    report = build.run()
                except NoteBridgeError as error:
                    said.warning(f"{error.code}: {error.message} {error.hint}".rstrip())
                    continue
                if report.changed.files or report.removed.files:
                    server.changed()
                    _tell(said, report, time.monotonic() - started, known)
                known = set(report.findings)
        except KeyboardInterrupt:
            said.remark("Stopped.")
        finally:
            server.shutdown()
            server.server_close()
    return Exit.DONE


def _tell(
    said: Output, report: BuildReport, seconds: float, known: set[Finding] | None = None
) -> None:
    for finding in report.findings:
        if known is None or finding not in known:
            said.warning(str(finding))
    said.out.print(
        f"Built {report.documents} documents in {seconds:.2f} s: {report.changed.files} files "
        f"({report.changed.size} bytes) written, {report.removed.files} removed",
        markup=False,
        highlight=False,
    )
