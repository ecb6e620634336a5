"""A real server on loopback, which breaks where it is told to."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Protocol

import pytest


class HasFolder(Protocol):
    """Whoever publishes into a folder."""

    folder: Path


@dataclass
class Asked:
    """A request that came in."""

    path: str
    headers: Mapping[str, str]


class SiteServer:
    """Serves a folder on loopback as a plain static host would, and breaks where it is told to.

    faults: by path below the site, what answers instead. It gets the handler and writes all of the
    answer itself.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.asked: list[Asked] = []
        self.faults: dict[str, Callable[[BaseHTTPRequestHandler], None]] = {}
        self.headers: dict[str, str] = {}
        self.released = threading.Event()
        self._arrival = threading.Condition()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    @property
    def url(self) -> str:
        """The address of the site."""
        return f"http://127.0.0.1:{self._server.server_port}/"

    def paths(self) -> list[str]:
        """What was asked for, in order, without queries."""
        return [asked.path.partition("?")[0] for asked in self.asked]

    async def until_asked(self, count: int) -> None:
        """Waits until so many requests have come in."""

        def wait() -> bool:
            with self._arrival:
                return self._arrival.wait_for(lambda: len(self.asked) >= count, timeout=10)

        assert await asyncio.to_thread(wait)

    def stop(self) -> None:
        """Nobody answers any more."""
        self.released.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, path: str, body: bytes, *, status: int = 200, **headers: str) -> None:
        """From now on, this is answered at a path."""

        def fault(handler: BaseHTTPRequestHandler) -> None:
            handler.send_response(status)
            for name, value in headers.items():
                handler.send_header(name.replace("_", "-"), value)
            handler.send_header("content-length", str(len(body)))
            handler.end_headers()
            handler.wfile.write(body)

        self.faults[path] = fault

    def begin(self, path: str, chunk: bytes, *, times: int = 1, **headers: str) -> None:
        """From now on, a body without an announced length begins at a path; when the chunk was
        written so many times, nothing follows until `released` is set."""

        def fault(handler: BaseHTTPRequestHandler) -> None:
            handler.send_response(200)
            for name, value in headers.items():
                handler.send_header(name.replace("_", "-"), value)
            handler.send_header("connection", "close")
            handler.end_headers()
            handler.close_connection = True
            try:
                for _ in range(times):
                    handler.wfile.write(chunk)
                handler.wfile.flush()
                self.released.wait(20)
            except OSError:
                return

        self.faults[path] = fault

    def hold(self, path: str) -> None:
        """From now on, nothing is answered at a path until `released` is set; then the file."""

        def fault(handler: BaseHTTPRequestHandler) -> None:
            self.released.wait(20)
            self._file(handler, path)

        self.faults[path] = fault

    def truncate(self, path: str, kept: int) -> None:
        """From now on, the connection breaks after so many bytes of a file."""

        def fault(handler: BaseHTTPRequestHandler) -> None:
            body = (self.folder / path).read_bytes()
            handler.send_response(200)
            handler.send_header("content-length", str(len(body)))
            handler.end_headers()
            handler.wfile.write(body[:kept])
            handler.close_connection = True

        self.faults[path] = fault

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        server = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                with server._arrival:
                    server.asked.append(Asked(self.path[1:], dict(self.headers)))
                    server._arrival.notify_all()
                path = self.path[1:].partition("?")[0]
                fault = server.faults.get(path)
                if fault is not None:
                    fault(self)
                else:
                    server._file(self, path)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002
                """Nothing to the screen."""

        return Handler

    def _file(self, handler: BaseHTTPRequestHandler, path: str) -> None:
        file = self.folder / path
        if not file.is_file():
            handler.send_response(404)
            handler.send_header("content-length", "0")
            handler.end_headers()
            return
        body = file.read_bytes()
        tag = f'"{hashlib.sha256(body).hexdigest()[:16]}"'
        if handler.headers.get("if-none-match") == tag:
            handler.send_response(304)
            handler.send_header("etag", tag)
            handler.end_headers()
            return
        handler.send_response(200)
        handler.send_header("etag", tag)
        for name, value in self.headers.items():
            handler.send_header(name, value)
        if "gzip" in handler.headers.get("accept-encoding", ""):
            body = gzip.compress(body)
            handler.send_header("content-encoding", "gzip")
        handler.send_header("content-length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)


@pytest.fixture
def server(publisher: HasFolder) -> Iterator[SiteServer]:
    """Serves the published folder."""
    publisher.folder.mkdir(parents=True, exist_ok=True)
    running = SiteServer(publisher.folder)
    yield running
    running.stop()
