"""A real S3 server on loopback, the ways in which a line to it can break, and its buckets on disk.

Loaded by path. Writes are taken one at a time, so that a conditional write is one step, as it is
at a real store.
"""

from __future__ import annotations

import contextlib
import importlib.util
import logging
import random
import secrets
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from pathlib import Path
from types import ModuleType
from typing import Any

import boto3
from botocore.config import Config
from moto.core import DEFAULT_ACCOUNT_ID
from moto.s3.models import s3_backends
from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server

from manifest.errors import NoteBridgeError
from site_builder.releasing.bucket_access import BucketAccess, BucketAddress
from site_builder.releasing.bucket_target import BucketTarget
from site_builder.releasing.release import ReleaseReport, release


def _load(name: str) -> ModuleType:
    path = Path(__file__).with_name(f"{name}.py")
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


sites = _load("release_sites")

KEY, SECRET = "test-key", "test-secret"


class S3Server:
    """The server, with a client of its own beside the one that is tested."""

    def __init__(self) -> None:
        logging.getLogger("werkzeug").setLevel(logging.ERROR)
        application = DomainDispatcherApplication(create_backend_app)
        one_at_a_time = threading.Lock()
        self.requests: list[tuple[str, str]] = []

        def serve(environment: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
            with one_at_a_time:
                self.requests.append((environment["REQUEST_METHOD"], environment["PATH_INFO"]))
                return list(application(environment, start))

        self._server = make_server("127.0.0.1", 0, serve, threaded=True)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self.client = boto3.client(
            "s3",
            endpoint_url=self.url,
            aws_access_key_id=KEY,
            aws_secret_access_key=SECRET,
            region_name="us-east-1",
            config=Config(retries={"max_attempts": 1}),
        )

    def bucket(self) -> str:
        """The name of a new bucket."""
        # All servers of a process share one state.
        name = f"bucket-{secrets.token_hex(6)}"
        self.client.create_bucket(Bucket=name)
        return name

    def target(self, bucket: str, prefix: str = "notes", **options: Any) -> BucketTarget:
        endpoint = options.pop("endpoint", self.url)
        kind = options.pop("kind", BucketTarget)
        target: BucketTarget = kind(
            BucketAddress(bucket, prefix), access(endpoint), **{"patience": 2, **options}
        )
        return target

    def keys(self, bucket: str) -> list[str]:
        pages = self.client.get_paginator("list_objects_v2").paginate(Bucket=bucket)
        return [found["Key"] for page in pages for found in page.get("Contents", ())]

    def body(self, bucket: str, key: str) -> bytes:
        body: bytes = self.client.get_object(Bucket=bucket, Key=key)["Body"].read()
        return body

    def export(self, bucket: str, folder: Path, prefix: str = "notes/") -> Path:
        """The site of a bucket as a folder, so that it can be judged as one."""
        folder.mkdir(parents=True)
        kept = _kept(bucket)
        for key in list(kept.keys()):
            if key.startswith(prefix):
                place = folder / key.removeprefix(prefix)
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(kept[key].value)
        return folder

    def age(self, bucket: str, seconds: float) -> None:
        """Makes everything in a bucket older, by the server's own clock."""
        kept = _kept(bucket)
        for key in list(kept.keys()):
            kept[key].last_modified -= timedelta(seconds=seconds)

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(timeout=10)


def _kept(bucket: str) -> Any:
    return s3_backends[DEFAULT_ACCOUNT_ID]["aws"].buckets[bucket].keys


def access(endpoint: str) -> BucketAccess:
    return BucketAccess(
        endpoint=endpoint, access_key_id=KEY, secret_access_key=SECRET, allow_http=True
    )


class Bucket:
    """A bucket, and what stands in it as a folder."""

    def __init__(self, server: Any, folder: Path) -> None:
        self.server = server
        self.name: str = server.bucket()
        self._folder = folder
        self._exports = 0

    def target(self, **options: Any) -> BucketTarget:
        found: BucketTarget = self.server.target(self.name, **options)
        return found

    def release(self, site: Path, **options: Any) -> ReleaseReport:
        return release(site, self.target(**options), clock=time.time)

    def problems(self, old: Path | None, new: Path) -> list[str]:
        """What is not whole after a release of `new` over `old` stopped somewhere."""
        found: list[str] = sites.interrupted_problems(self.export(), old, new)
        return found

    def export(self) -> Path:
        self._exports += 1
        folder: Path = self.server.export(self.name, self._folder / f"{self.name}-{self._exports}")
        return folder

    def another(self) -> Bucket:
        return Bucket(self.server, self._folder)

    def assert_finished(self, site: Path, at: object) -> None:
        there = self.export()
        assert sites.problems(there) == [], at
        assert sites.site_files(there) == sites.site_files(site), at


class Race:
    """Two that do something to a bucket at once, each telling how it ended."""

    def __init__(self) -> None:
        self.ended: dict[str, str] = {}
        self._threads: list[threading.Thread] = []

    def run(self, name: str, delay: float, act: Callable[[], object]) -> None:
        def body() -> None:
            time.sleep(delay)
            try:
                act()
                self.ended[name] = "done"
            except NoteBridgeError as error:
                self.ended[name] = str(error.code)

        self._threads.append(threading.Thread(target=body))
        self._threads[-1].start()

    def join(self) -> None:
        for thread in self._threads:
            thread.join()


class BreakingLine:
    """Relays to a server, and cuts some connections: before, within or after a request."""

    def __init__(self, url: str, seed: int, share: float) -> None:
        """share: of connections that are cut."""
        host, port = url.removeprefix("http://").split(":")
        self._upstream = (host, int(port))
        self._random = random.Random(seed)
        self._guard = threading.Lock()
        self._share = share
        self.cuts = 0
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._relay, args=(client,), daemon=True).start()

    def _relay(self, client: socket.socket) -> None:
        with self._guard:
            cut = self._random.random() < self._share
            upwards = self._random.random() < 0.5
            after = self._random.choice([0, 1, 300, 1500, 6000])
            self.cuts += cut
        with client, contextlib.suppress(OSError), socket.create_connection(self._upstream) as up:
            other = threading.Thread(
                target=_pump, args=(up, client, after if cut and not upwards else None), daemon=True
            )
            other.start()
            _pump(client, up, after if cut and upwards else None)
            other.join(timeout=30)


def _pump(source: socket.socket, sink: socket.socket, cut_after: int | None) -> None:
    passed = 0
    with contextlib.suppress(OSError):
        while data := source.recv(1 << 16):
            if cut_after is not None and passed + len(data) > cut_after:
                sink.sendall(data[: cut_after - passed])
                break
            sink.sendall(data)
            passed += len(data)
        else:
            cut_after = None
    for end in (source, sink):
        with contextlib.suppress(OSError):
            end.shutdown(socket.SHUT_WR if cut_after is None and end is sink else socket.SHUT_RDWR)


@contextlib.contextmanager
def serving() -> Iterator[S3Server]:
    server = S3Server()
    try:
        yield server
    finally:
        server.close()
