"""A bucket as the target of a release: S3, and stores that speak as it does.

A bucket has no lock and no rename; it has whole writes, and writes that hold only if the file is
still the one expected. The manifest is switched by such a write, so of two releases one wins.
What a bucket says of a file's bytes is a tag: their MD5, mostly; where it is not, the SHA-256 that
was written beside them is asked for.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
import secrets
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from datetime import timedelta
from posixpath import commonprefix
from typing import TYPE_CHECKING, cast

import obstore
from obstore.exceptions import (
    AlreadyExistsError,
    BaseError,
    PermissionDeniedError,
    PreconditionError,
    UnauthenticatedError,
)
from obstore.store import S3Store

from manifest.canonical import sha256_hex
from manifest.errors import ErrorCode, NoteBridgeError
from site_builder.hosting import cache_control, content_type
from site_builder.releasing.bucket_access import BucketAccess, BucketAddress
from site_builder.releasing.lease import lease, refuse_held
from site_builder.releasing.record import PROBE_PATH
from site_builder.releasing.targets import (
    ReadFile,
    SiteFile,
    StillAlone,
    StoredBody,
    StoredFile,
    is_path,
)

if TYPE_CHECKING:
    from obstore import ObjectMeta, PutMode
    from obstore.store import S3Config, S3Credential

_PARALLEL = 24
_ASKED_ALONE = 48
"""Files up to which each is asked for alone; for more, a small bucket is listed."""
_HASH = "sha256"
"""The name of the SHA-256 that is written beside each file."""
_FAILED = (BaseError, OSError, ValueError)
_CODE = re.compile(r"<Code>([A-Za-z0-9]{1,64})</Code>")
_STATUS = re.compile(r"status code: (\d{3})")


class BucketTarget:
    """A site below a path of a bucket.

    clock: seconds since the epoch, the one that is set right by the bucket's. patience: seconds
    for which a request that failed is sent again.
    """

    parallel = _PARALLEL
    nested = False
    exclusive = False
    folder = None

    def __init__(
        self,
        address: BucketAddress,
        access: BucketAccess,
        *,
        clock: Callable[[], float] = time.time,
        patience: float = 60,
        token: Callable[[], str] = lambda: secrets.token_hex(8),
    ) -> None:
        self._address = address
        self._clock = clock
        self._skew = 0.0
        self._listed = 0
        self._token = token
        self._store = _store(address, access, timeout=300, patience=patience, retries=8)
        # A batch that is taken away must be over before the lease is.
        self._brief = _store(address, access, timeout=30, patience=min(patience, 45), retries=3)

    @property
    def name(self) -> str:
        return str(self._address)

    @contextlib.contextmanager
    def hold(self) -> Iterator[None]:
        """A bucket keeps nobody out: the manifest's conditional write decides."""
        self._probe()
        yield

    @contextlib.contextmanager
    def sweep(self) -> Iterator[StillAlone]:
        self._probe()
        with lease(self, self._token()) as still_alone:
            yield still_alone

    def refuse_while_swept(self) -> None:
        refuse_held(self)

    def files(self, prefix: str = "") -> Iterator[StoredFile]:
        folder = prefix.rpartition("/")[0]
        listed = 0
        with self._translated(prefix or "the bucket"):
            for batch in obstore.list(self._store, prefix=folder or None):
                listed += len(batch)
                for found in batch:
                    if found["path"].startswith(prefix):
                        yield self._stored(found)
        self._listed = max(self._listed, listed)

    def stored(self, paths: Iterable[str]) -> Iterator[StoredFile]:
        wanted = set(paths)
        # A list takes a request for each thousand files, one after the other.
        if len(wanted) > max(_ASKED_ALONE, self._listed * self.parallel // 1000):
            common = commonprefix(list(wanted))
            yield from (file for file in self.files(common) if file.path in wanted)
            return
        with ThreadPoolExecutor(self.parallel) as pool:
            yield from (file for file in pool.map(self._head, sorted(wanted)) if file)

    def same(self, pairs: Iterable[tuple[SiteFile, StoredFile]], read: ReadFile) -> set[str]:
        likely = [(file, there) for file, there in pairs if file.size == there.size]
        with ThreadPoolExecutor(self.parallel) as pool:
            verdicts = pool.map(lambda pair: self._is_same(pair[0], pair[1], read), likely)
            found = zip(likely, verdicts, strict=True)
            return {file.path for (file, _), verdict in found if verdict}

    def read(self, path: str) -> StoredBody | None:
        with self._translated(path):
            try:
                found = obstore.get(self._store, _checked(path))
                return StoredBody(bytes(found.bytes()), found.meta["e_tag"] or "")
            except FileNotFoundError:
                return None

    def write(self, path: str, body: bytes) -> None:
        with self._translated(path):
            self._put(path, body, "overwrite")

    def replace_if(self, path: str, body: bytes, expected: str | None) -> bool:
        try:
            self._put(path, body, "create" if expected is None else {"e_tag": expected})
        except _FAILED as error:
            # A write that was sent again after its answer was lost finds itself there.
            found = self.read(path)
            if found is not None and found.body == body:
                return True
            refused = isinstance(error, (AlreadyExistsError, PreconditionError, FileNotFoundError))
            if refused or (found.version if found else None) != expected:
                return False
            raise self._failed(path, error) from error
        return True

    def delete(self, paths: Iterable[str]) -> None:
        wanted = [_checked(path) for path in paths]
        with self._translated("Files"):
            for start in range(0, len(wanted), 1000):
                with contextlib.suppress(FileNotFoundError):
                    obstore.delete(self._brief, wanted[start : start + 1000])

    def _probe(self) -> None:
        """Learns the bucket's time, and that it heeds conditions: one that passes over them would
        let two releases win.

        Raises `NoteBridgeError` (INVALID_ARGUMENT) if it does not.
        """
        self.write(PROBE_PATH, b"")
        for there in self.stored([PROBE_PATH]):
            self._skew -= there.age
        refused: list[PutMode] = ["create", {"e_tag": f'"{"0" * 32}"'}]
        for mode in refused:
            try:
                self._put(PROBE_PATH, b"", mode)
            except (AlreadyExistsError, PreconditionError):
                continue
            except _FAILED as error:
                raise self._failed(PROBE_PATH, error) from error
            raise NoteBridgeError(
                ErrorCode.INVALID_ARGUMENT,
                f"{self.name} passes over the conditions of a write, so two releases at once could "
                "both win.",
                hint="Use a store with conditional writes (If-Match, If-None-Match).",
            )

    def _put(self, path: str, body: bytes, mode: PutMode) -> None:
        attributes = {
            "Content-Type": content_type(path),
            "Cache-Control": cache_control(path),
            _HASH: sha256_hex(body),
        }
        obstore.put(
            self._store,
            _checked(path),
            body,
            attributes=attributes,
            mode=mode,
            use_multipart=False,
        )

    def _head(self, path: str) -> StoredFile | None:
        with self._translated(path):
            try:
                return self._stored(obstore.head(self._store, _checked(path)))
            except FileNotFoundError:
                return None

    def _is_same(self, file: SiteFile, there: StoredFile, read: ReadFile) -> bool:
        md5 = hashlib.md5(read(file.path), usedforsecurity=False).hexdigest()
        if md5 == there.tag:
            return True
        with self._translated(file.path):
            try:
                found = obstore.get(self._store, _checked(file.path), options={"head": True})
            except FileNotFoundError:
                return False
        tag = (found.meta["e_tag"] or "").strip('"')
        return tag == there.tag and found.attributes.get(_HASH) == file.sha256

    def _stored(self, found: ObjectMeta) -> StoredFile:
        now = self._clock() + self._skew
        age = now - found["last_modified"].timestamp()
        return StoredFile(found["path"], found["size"], age, (found["e_tag"] or "").strip('"'))

    def _translated(self, path: str) -> AbstractContextManager[None]:
        return _translation(self, path)

    def _failed(self, path: str, error: Exception) -> NoteBridgeError:
        denied = isinstance(error, (PermissionDeniedError, UnauthenticatedError))
        hint = "Check the credentials and what they allow." if denied else "Check the network, the "
        return NoteBridgeError(
            ErrorCode.SITE_UNREACHABLE,
            f"{path} at {self.name}: {_reason(error)}.",
            hint=hint if denied else f"{hint}bucket's name and its endpoint. Nothing is lost.",
            details={"path": path},
        )


@contextlib.contextmanager
def _translation(target: BucketTarget, path: str) -> Iterator[None]:
    try:
        yield
    except _FAILED as error:
        raise target._failed(path, error) from error


def _store(
    address: BucketAddress, access: BucketAccess, *, timeout: float, patience: float, retries: int
) -> S3Store:
    # Said outright, because the client would otherwise ask the environment on its own: for an
    # endpoint of higher rank, or for a session that belongs to other keys.
    config = {"region": access.region, "skip_signature": False}
    if access.endpoint:
        config["aws_endpoint_url_s3"] = access.endpoint
    return S3Store(
        address.bucket,
        prefix=address.prefix or None,
        config=cast("S3Config", config),
        credential_provider=_given(access) if access.access_key_id else None,
        client_options={
            "allow_http": access.allow_http,
            "connect_timeout": timedelta(seconds=10),
            "timeout": timedelta(seconds=timeout),
        },
        retry_config={"max_retries": retries, "retry_timeout": timedelta(seconds=patience)},
    )


def _given(access: BucketAccess) -> Callable[[], S3Credential]:
    return lambda: {
        "access_key_id": access.access_key_id,
        "secret_access_key": access.secret_access_key,
        "token": access.session_token or None,
        "expires_at": None,
    }


def _checked(path: str) -> str:
    if not is_path(path):
        raise NoteBridgeError(
            ErrorCode.INVALID_ARGUMENT,
            f"{path!r} is no path below the site.",
            details={"path": path},
        )
    return path


def _reason(error: Exception) -> str:
    """What went wrong, in the store's own code. Not its whole answer: that may name keys."""
    text = str(error)
    code, status = _CODE.search(text), _STATUS.search(text)
    if code:
        return code[1]
    return f"status {status[1]}" if status else "no answer, or none that can be understood"
