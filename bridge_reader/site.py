"""A published site: its newest manifest, and revisions bound from it.

site = Site.open("https://notes.example.org/", cache, known_manifests, clock)
state = await site.refresh()
revision = await site.bind()
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from bridge_reader.clock import Clock
from bridge_reader.folder_transport import FolderTransport
from bridge_reader.http_transport import HttpLimits, HttpTransport
from bridge_reader.manifest_fetch import FetchedManifest, fetch_manifest
from bridge_reader.objects import ObjectReader
from bridge_reader.ports import KnownManifests, ObjectCache
from bridge_reader.revision import BoundRevision
from bridge_reader.site_address import SiteAddress, SiteUrl, claimed_site_url, parse_site_address
from bridge_reader.transport import TransferCount, Transport
from bridge_reader.trust import Accept, KeepKnown, Refuse, decide
from manifest.errors import ErrorCode, NoteBridgeError
from manifest.manifest_file import Manifest, read_manifest
from manifest.references import SHA256, Kind, Reference
from storage.known_manifests import KnownManifest


@dataclass(frozen=True, slots=True)
class SiteWarning:
    """What the reader of an answer should be told; code says what kind of trouble it is."""

    code: ErrorCode
    message: str


@dataclass(frozen=True, slots=True)
class SiteState:
    """What is known of a site now.

    confirmed_at: when the host last answered with this manifest, milliseconds since 1970 UTC;
    age: milliseconds since then. offline: the host could not be asked just now.
    """

    manifest: Manifest
    confirmed_at: int
    age: int
    offline: bool = False
    warnings: tuple[SiteWarning, ...] = ()

    @property
    def revision(self) -> str:
        """The newest accepted revision."""
        return self.manifest.revision

    @property
    def sequence(self) -> int:
        """The number of that release; 0 for a plain build."""
        return self.manifest.sequence


class Site:
    """One site by its address."""

    def __init__(
        self,
        address: SiteAddress,
        transport: Transport,
        cache: ObjectCache,
        known_manifests: KnownManifests,
        clock: Clock,
    ) -> None:
        self.address = address
        self._transport = transport
        self._objects = ObjectReader(transport, cache)
        self._known_manifests = known_manifests
        self._clock = clock
        self._state: SiteState | None = None

    @classmethod
    def open(
        cls,
        address: str | SiteAddress,
        cache: ObjectCache,
        known_manifests: KnownManifests,
        clock: Clock,
        limits: HttpLimits | None = None,
    ) -> Site:
        """A site by a user's address; nothing is read yet.

        Raises `NoteBridgeError` (ORIGIN_REFUSED, INVALID_ARGUMENT), as `parse_site_address` does.
        """
        parsed = parse_site_address(address) if isinstance(address, str) else address
        transport = open_transport(parsed, limits)
        return cls(parsed, transport, cache, known_manifests, clock)

    def public_url(self, manifest: Manifest) -> str:
        """What addresses of pages begin with: where the site was opened, and for a folder where its
        manifest says it stands. Shown to people, never fetched; empty if there is none."""
        if isinstance(self.address, SiteUrl):
            return self.address.url
        return claimed_site_url(manifest.siteUrl)

    @property
    def transfers(self) -> TransferCount:
        """Requests and bytes so far."""
        return self._transport.count

    async def refresh(self, *, fresh: bool = False) -> SiteState:
        """Asks the host for its manifest and decides what to go on with.

        fresh: ask past every cache. A host that cannot be reached, or serves an earlier release
        than one seen before, leaves what is known in place, with a warning. Nothing known is ever
        lost by an error.
        Raises `NoteBridgeError`: SITE_UNREACHABLE if nothing is known, MANIFEST_MISSING,
        MANIFEST_INVALID, OBJECT_TOO_LARGE, SCHEMA_UNSUPPORTED, ORIGIN_REFUSED, and
        ROLLBACK_REFUSED if the release is known with other content.
        """
        known = await self._known()
        try:
            fetched = await fetch_manifest(self._transport, fresh=fresh)
        except NoteBridgeError as error:
            if known is None or error.code is not ErrorCode.SITE_UNREACHABLE:
                raise
            return self._go_on_with(known, SiteWarning(error.code, error.message), offline=True)
        match decide(fetched.manifest, known):
            case Accept():
                return await self._accept(fetched)
            case KeepKnown(newer, reason):
                return self._go_on_with(newer, SiteWarning(ErrorCode.ROLLBACK_REFUSED, reason))
            case Refuse(reason):
                raise self._refused(reason)

    async def bind(self, revision: str | None = None) -> BoundRevision:
        """A revision to read: the newest accepted one, or the one named.

        A site not yet asked is refreshed first, unless a named revision and the site are known; an
        earlier revision is found through the manifest, the cache or the host.
        Raises `NoteBridgeError`: INVALID_ARGUMENT for what is no revision, REVISION_EXPIRED if its
        root is gone, and what `refresh` raises.
        """
        manifest = await self._manifest_to_bind(revision)
        root = await self._root_of(manifest, revision or manifest.revision)
        bound = BoundRevision(manifest, root, self._objects)
        await bound.root()
        return bound

    async def forget(self) -> None:
        """A user's reset of what was seen at this address: any release is accepted again."""
        self._state = None
        await asyncio.to_thread(self._known_manifests.reset, self.address.manifest_address)

    async def close(self) -> None:
        """Lets go of connections."""
        await self._transport.close()

    async def _known(self) -> KnownManifest | None:
        return await asyncio.to_thread(self._known_manifests.get, self.address.manifest_address)

    async def _accept(self, fetched: FetchedManifest) -> SiteState:
        manifest = fetched.manifest
        seen = KnownManifest(
            self.address.manifest_address,
            manifest.sequence,
            manifest.revision,
            fetched.body,
            self._clock(),
        )
        kept = await asyncio.to_thread(self._known_manifests.save, seen)
        if kept.revision != manifest.revision:
            later = f"Another process has meanwhile seen release {kept.sequence} of the site."
            return self._go_on_with(kept, SiteWarning(ErrorCode.ROLLBACK_REFUSED, later))
        self._state = SiteState(manifest, seen.fetched_at, age=0)
        return self._state

    def _go_on_with(
        self, known: KnownManifest, warning: SiteWarning, *, offline: bool = False
    ) -> SiteState:
        self._state = SiteState(
            self._manifest_of(known),
            known.fetched_at,
            age=max(0, self._clock() - known.fetched_at),
            offline=offline,
            warnings=(warning,),
        )
        return self._state

    @staticmethod
    def _manifest_of(known: KnownManifest) -> Manifest:
        return read_manifest(known.body, name=f"the known manifest of {known.address}")

    def _refused(self, reason: str) -> NoteBridgeError:
        return NoteBridgeError(
            ErrorCode.ROLLBACK_REFUSED,
            reason,
            hint="Ask the site's author. If it is meant: note-bridge forget SITE.",
            details={"address": self.address.manifest_address},
        )

    async def _manifest_to_bind(self, revision: str | None) -> Manifest:
        if self._state is not None:
            return self._state.manifest
        known = await self._known() if revision is not None else None
        return self._manifest_of(known) if known else (await self.refresh()).manifest

    async def _root_of(self, manifest: Manifest, revision: str) -> Reference:
        if SHA256.fullmatch(revision) is None:
            raise NoteBridgeError(
                ErrorCode.INVALID_ARGUMENT,
                f"{revision[:100]!r} is no revision: 64 hexadecimal digits in lower case.",
            )
        if revision == manifest.revision:
            return manifest.root
        for earlier in manifest.previous:
            if earlier.revision == revision:
                return Reference(sha256=revision, size=earlier.size)
        return await self._objects.reference_to(Kind.ROOT, revision)


def open_transport(address: SiteAddress, limits: HttpLimits | None = None) -> Transport:
    """The transport that an address needs."""
    if isinstance(address, SiteUrl):
        return HttpTransport(address, limits)
    return FolderTransport(address)
