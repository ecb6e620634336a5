"""The manifest of a site, as its host serves it now."""

from __future__ import annotations

from dataclasses import dataclass

from bridge_reader.transport import Fetched, Missing, Oversize, Transport
from manifest.errors import ErrorCode, NoteBridgeError
from manifest.manifest_file import Manifest, read_manifest
from manifest.references import MANIFEST_LIMIT, MANIFEST_PATH


@dataclass(frozen=True, slots=True)
class FetchedManifest:
    """A manifest with its exact bytes."""

    manifest: Manifest
    body: bytes


async def fetch_manifest(transport: Transport, *, fresh: bool = False) -> FetchedManifest:
    """Asks for the manifest and validates it; fresh: past every cache.

    Raises `NoteBridgeError`: MANIFEST_MISSING if there is none (or an HTML page in its place),
    OBJECT_TOO_LARGE, SCHEMA_UNSUPPORTED, MANIFEST_INVALID, and what the transport raises.
    """
    answer = await transport.fetch(MANIFEST_PATH, limit=MANIFEST_LIMIT, fresh=fresh)
    name = f"{MANIFEST_PATH} of {transport.address}"
    match answer:
        case Fetched(body):
            return FetchedManifest(read_manifest(body, name=name), body)
        case Oversize():
            raise NoteBridgeError(
                ErrorCode.OBJECT_TOO_LARGE,
                f"{name} has more than {MANIFEST_LIMIT} bytes, the most a manifest can have.",
                hint="This is no manifest of Note Bridge.",
                details={"address": transport.address, "limit": MANIFEST_LIMIT},
            )
        case Missing(status, page):
            came = "an HTML page came in its place" if page else f"status {status}"
            raise NoteBridgeError(
                ErrorCode.MANIFEST_MISSING,
                f"{transport.address} publishes no knowledge: it has no {MANIFEST_PATH} ({came}).",
                hint="Check the address; the site must be published with Note Bridge.",
                details={"address": transport.address},
            )
