"""Objects by reference: from memory, from the cache, from the host, and always verified."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Generic, TypeVar

from bridge_reader.ports import ObjectCache
from bridge_reader.recent import Recent
from bridge_reader.single_flight import SingleFlight
from bridge_reader.transport import Answer, Fetched, Missing, Transport
from manifest.canonical import sha256_hex
from manifest.errors import ErrorCode, NoteBridgeError
from manifest.objects import PublishedObject, read_object
from manifest.references import SIZE_LIMITS, Kind, Reference, object_path

AnyObject = TypeVar("AnyObject", bound=PublishedObject)

PARALLEL = 8
"""Objects asked for at one time."""

RECENT_BYTES = 16 * 1024 * 1024
"""Bodies whose parsed objects stay in memory; parsed they take several times as much."""

_NOT_KEPT = frozenset({Kind.SHARD, Kind.POSTINGS})
"""Long lists of numbers, for which search has a better form."""

_CACHE_TROUBLE = frozenset(
    {ErrorCode.STORAGE_FULL, ErrorCode.STORAGE_LOCKED, ErrorCode.STORAGE_DAMAGED}
)


@dataclass(frozen=True, slots=True)
class LoadedObject(Generic[AnyObject]):
    """A verified body and the object it holds."""

    body: bytes
    value: AnyObject


class ObjectReader:
    """Reads the objects of one site."""

    def __init__(
        self, transport: Transport, cache: ObjectCache, *, recent: int = RECENT_BYTES
    ) -> None:
        """recent: bytes of bodies whose objects stay in memory."""
        self._transport = transport
        self._cache = cache
        self._flights: SingleFlight[LoadedObject[PublishedObject]] = SingleFlight()
        self._recent: Recent[LoadedObject[PublishedObject]] = Recent(recent)
        self._slots = asyncio.Semaphore(PARALLEL)

    async def read(self, model: type[AnyObject], reference: Reference) -> AnyObject:
        """The object that a reference of this model's kind leads to.

        Raises `NoteBridgeError`: OBJECT_TOO_LARGE before anything is fetched, REVISION_EXPIRED if
        the host has it no longer, INTEGRITY_MISMATCH if its bytes have another size or hash,
        OBJECT_INVALID (or SCHEMA_UNSUPPORTED) if they hold something else, and what the transport
        raises.
        """
        return (await self.load(model, reference)).value

    async def load(self, model: type[AnyObject], reference: Reference) -> LoadedObject[AnyObject]:
        """As `read`, with the body."""
        recent = self._recent.get(reference.sha256)
        loaded = recent or await self._flights.run(
            (model.KIND, reference), lambda: self._load(model, reference)
        )
        if len(loaded.body) != reference.size:
            raise mismatch(model.KIND, reference, f"it has {len(loaded.body)} bytes")
        if not isinstance(loaded.value, model):
            raise _wrong_kind(model.KIND, loaded.value.KIND, reference)
        return LoadedObject(loaded.body, loaded.value)

    async def reference_to(self, kind: Kind, sha256: str) -> Reference:
        """The reference to an object of which only the hash is known; raises as `read`."""
        cached = await self._cached(sha256)
        if cached is not None and sha256_hex(cached) == sha256:
            return Reference(sha256=sha256, size=len(cached))
        body = await self._fetch(kind, sha256, SIZE_LIMITS[kind])
        if body is None:
            raise _too_large(kind, sha256, "more")
        if sha256_hex(body) != sha256:
            raise mismatch(kind, Reference(sha256=sha256, size=len(body)), "its hash differs")
        return Reference(sha256=sha256, size=len(body))

    async def _load(
        self, model: type[AnyObject], reference: Reference
    ) -> LoadedObject[PublishedObject]:
        kind = model.KIND
        if reference.size > SIZE_LIMITS[kind]:
            raise _too_large(kind, reference.sha256, str(reference.size))
        body = await self._cached(reference.sha256)
        from_cache = body is not None and _problem(body, reference) is None
        if body is None or not from_cache:
            body = await self._fetch(kind, reference.sha256, reference.size)
            if body is None:
                raise mismatch(kind, reference, "it is longer")
            if why := _problem(body, reference):
                raise mismatch(kind, reference, why)
        value = read_object(model, body, name=object_path(kind, reference.sha256))
        if not from_cache:
            await self._keep(kind, reference.sha256, body)
        loaded: LoadedObject[PublishedObject] = LoadedObject(body, value)
        if kind not in _NOT_KEPT:
            self._recent.put(reference.sha256, loaded, len(body))
        return loaded

    async def _fetch(self, kind: Kind, sha256: str, limit: int) -> bytes | None:
        """The body, not yet verified; None if it is longer than `limit`."""
        path = object_path(kind, sha256)
        async with self._slots:
            answer: Answer = await self._transport.fetch(path, limit=limit)
            if isinstance(answer, Missing) and answer.page:
                # Some hosts answer a file they do not have yet with their home page, and the
                # caches before them keep that. Once past them, and then it counts as missing.
                answer = await self._transport.fetch(path, limit=limit, fresh=True)
        if isinstance(answer, Missing):
            raise _expired(kind, sha256, answer)
        return answer.body if isinstance(answer, Fetched) else None

    async def _cached(self, sha256: str) -> bytes | None:
        try:
            cached = await asyncio.to_thread(self._cache.get, sha256)
        except NoteBridgeError as error:
            if error.code in _CACHE_TROUBLE:
                return None
            raise
        return cached.body if cached is not None else None

    async def _keep(self, kind: Kind, sha256: str, body: bytes) -> None:
        try:
            await asyncio.to_thread(self._cache.put, sha256, str(kind), body)
        except NoteBridgeError as error:
            # What was read is read: a cache that cannot take it costs another request, no answer.
            if error.code not in _CACHE_TROUBLE:
                raise


def _problem(body: bytes, reference: Reference) -> str | None:
    if len(body) != reference.size:
        return f"it has {len(body)} bytes"
    return None if sha256_hex(body) == reference.sha256 else "its hash differs"


def mismatch(kind: Kind, reference: Reference, why: str) -> NoteBridgeError:
    """The error for bytes that are not those of a reference."""
    path = object_path(kind, reference.sha256)
    return NoteBridgeError(
        ErrorCode.INTEGRITY_MISMATCH,
        f"{path} is not what was published (size {reference.size}): {why}.",
        hint="The file was changed on its way or on the host; publish the site again.",
        details={"object": path, "size": reference.size},
    )


def _too_large(kind: Kind, sha256: str, size: str) -> NoteBridgeError:
    path = object_path(kind, sha256)
    return NoteBridgeError(
        ErrorCode.OBJECT_TOO_LARGE,
        f"{path} has {size} bytes; of this kind {SIZE_LIMITS[kind]} are read at most.",
        hint="Split the note, or publish with an unmodified note-bridge.",
        details={"object": path, "limit": SIZE_LIMITS[kind]},
    )


def _expired(kind: Kind, sha256: str, missing: Missing) -> NoteBridgeError:
    path = object_path(kind, sha256)
    came = "an HTML page came in its place" if missing.page else f"status {missing.status}"
    return NoteBridgeError(
        ErrorCode.REVISION_EXPIRED,
        f"The site no longer has {path} ({came}).",
        hint="The revision is past its retention; read the newest one.",
        details={"object": path},
    )


def _wrong_kind(wanted: Kind, found: Kind, reference: Reference) -> NoteBridgeError:
    path = object_path(wanted, reference.sha256)
    return NoteBridgeError(
        ErrorCode.OBJECT_INVALID,
        f"{path} is no valid object: it is of kind '{found}' where '{wanted}' belongs.",
        details={"object": path},
    )
