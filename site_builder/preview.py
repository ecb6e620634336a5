"""A built site on loopback, with the headers that `_headers` asks real hosts for.

Objects never change, so browsers may keep them for a year; everything else is revalidated by ETag.
Text goes out gzipped to those who take it, as it would from a host.
"""

from __future__ import annotations

import gzip
import hashlib
import posixpath
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

from site_builder.hosting import REVALIDATED, content_type, response_headers

GZIP_FLOOR = 860
"""Bytes below which gzip gains nothing."""

_TEXT_TYPES = (
    "text/",
    "application/json",
    "application/javascript",
    "application/xml",
    "image/svg",
)


@dataclass(frozen=True, slots=True)
class Answered:
    """One request as it was answered; size counts the body's bytes as sent."""

    path: str
    status: int
    size: int


LIVE_SCRIPT_PATH = "/.note-bridge/live.js"
LIVE_EVENTS_PATH = "/.note-bridge/changes"

_LIVE_SCRIPT = b"""new EventSource("/.note-bridge/changes").onmessage = () => location.reload();
"""
_LIVE_ELEMENT = f'<script src="{LIVE_SCRIPT_PATH}"></script>'.encode()

HEARTBEAT = 15.0
"""Seconds after which a page that waits for changes is told that there are none."""


def preview_server(
    site: Path,
    *,
    port: int = 0,
    answered: Callable[[Answered], None] | None = None,
    live: bool = False,
) -> PreviewServer:
    """A server over a site's folder on 127.0.0.1, not yet serving; port 0 takes a free one.

    live: pages reload when `PreviewServer.changed` is called; the site's files know nothing of it.
    Raises OSError where the port is taken.
    """

    return PreviewServer(site.resolve(), port, answered or _unreported, live=live)


def serve_in_background(server: PreviewServer) -> str:
    """Starts serving on a thread of its own and returns the site's address."""
    threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
    ).start()
    return f"http://127.0.0.1:{server.server_port}/"


class PreviewServer(ThreadingHTTPServer):
    """Serves `root`, and tells `report` of each request."""

    daemon_threads = True

    def __init__(
        self, root: Path, port: int, report: Callable[[Answered], None], *, live: bool = False
    ) -> None:
        self.root = root
        self.report = report
        self.live = live
        self._version = 0
        self._turned = threading.Condition()
        super().__init__(("127.0.0.1", port), _SiteHandler)

    def changed(self) -> None:
        """Tells all open pages that the site is another now."""
        with self._turned:
            self._version += 1
            self._turned.notify_all()

    def wait_for_change(self) -> bool:
        """Waits for the next change; False if there is none for `HEARTBEAT` seconds."""
        with self._turned:
            before = self._version
            return self._turned.wait_for(lambda: self._version != before, HEARTBEAT)


def _unreported(_answered: Answered) -> None:
    """For callers who do not count."""


class _SiteHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server_version = "note-bridge-preview"
    server: PreviewServer

    @property
    def root(self) -> Path:
        return self.server.root

    def do_GET(self) -> None:
        self._answer(with_body=True)

    def do_HEAD(self) -> None:
        self._answer(with_body=False)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Requests are reported, not printed."""

    def _answer(self, *, with_body: bool) -> None:
        path = unquote(urlsplit(self.path).path)
        if self.server.live and path == LIVE_EVENTS_PATH:
            self._tell_changes()
            return
        if self.server.live and path == LIVE_SCRIPT_PATH:
            self._send(
                HTTPStatus.OK, _LIVE_SCRIPT, {"Content-Type": content_type("live.js")}, with_body
            )
            return
        file = self._file(path)
        if file is None and (self.root / path.strip("/")).is_dir() and not path.endswith("/"):
            self._send(HTTPStatus.MOVED_PERMANENTLY, b"", {"Location": f"{self.path}/"}, with_body)
            return
        if file is None:
            missing = self.root / "404.html"
            body = missing.read_bytes() if missing.is_file() else b"Not found\n"
            headers = {"Content-Type": content_type("404.html"), "Cache-Control": REVALIDATED}
            self._send(HTTPStatus.NOT_FOUND, body, headers, with_body)
            return
        body = file.read_bytes()
        if self.server.live and file.suffix == ".html":
            body = body.replace(b"</body>", _LIVE_ELEMENT + b"</body>")
        tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
        headers = {
            "Content-Type": content_type(file.name),
            "Cache-Control": REVALIDATED,
            "ETag": tag,
            "Vary": "Accept-Encoding",
            **response_headers(path.lstrip("/")),
        }
        if tag in (part.strip().removeprefix("W/") for part in self._asked_tags()):
            self._send(HTTPStatus.NOT_MODIFIED, b"", headers, with_body)
            return
        if self._gzips(headers["Content-Type"], body):
            body = _gzipped(body)
            headers["Content-Encoding"] = "gzip"
        self._send(HTTPStatus.OK, body, headers, with_body)

    def _tell_changes(self) -> None:
        """One message a change, for as long as the page listens."""
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.close_connection = True
        try:
            while True:
                changed = self.server.wait_for_change()
                self.wfile.write(b"data: changed\n\n" if changed else b": still here\n\n")
                self.wfile.flush()
        except OSError:
            return

    def _asked_tags(self) -> list[str]:
        return self.headers.get("If-None-Match", "").split(",")

    def _gzips(self, content_type: str, body: bytes) -> bool:
        accepted = "gzip" in self.headers.get("Accept-Encoding", "")
        return accepted and len(body) > GZIP_FLOOR and content_type.startswith(_TEXT_TYPES)

    def _file(self, path: str) -> Path | None:
        """The file a path means; never one outside the site, whatever the path or a link says."""
        clean = posixpath.normpath("/" + path).lstrip("/")
        if "\0" in clean:
            return None
        found = (self.root / clean).resolve()
        if path.endswith("/"):
            found = (found / "index.html").resolve()
        inside = found.is_relative_to(self.root)
        return found if inside and found.is_file() else None

    def _send(
        self, status: HTTPStatus, body: bytes, headers: dict[str, str], with_body: bool
    ) -> None:
        sent = body if with_body else b""
        self.server.report(Answered(self.path, int(status), len(sent)))
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if status is not HTTPStatus.NOT_MODIFIED:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        try:
            self.wfile.write(sent)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True


@lru_cache(maxsize=512)
def _gzipped(body: bytes) -> bytes:
    return gzip.compress(body, compresslevel=6, mtime=0)
