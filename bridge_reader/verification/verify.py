"""Verifying a site: the newest revision whole, and what retention promises of earlier ones."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import PurePosixPath

from bridge_reader.clock import Clock
from bridge_reader.folder_transport import FolderTransport
from bridge_reader.manifest_fetch import fetch_manifest
from bridge_reader.transport import Transport
from bridge_reader.verification.groups_check import check_groups, check_overview
from bridge_reader.verification.inspection import Inspection
from bridge_reader.verification.report import Progress, RetainedRevision, VerifyReport, no_progress
from bridge_reader.verification.retained import follow
from bridge_reader.verification.search_check import check_search
from bridge_reader.verification.tree_check import check_tree
from manifest.manifest_file import Manifest, PreviousRevision
from manifest.objects import Root
from manifest.references import MANIFEST_PATH, SHA256

UNREFERENCED = 1000
"""Files named at most that nothing refers to."""

_DAY = 24 * 60 * 60 * 1000


async def verify_site(
    transport: Transport, progress: Progress = no_progress, *, clock: Clock
) -> VerifyReport:
    """Reads every object of the newest revision again from the host, hashes it, checks what it
    says, and follows the earlier revisions that the manifest names.

    What is wrong is in the report. Objects of earlier revisions may be gone, unless retention
    promises them still. Memory does not grow with the size of texts.
    Raises `NoteBridgeError`: what `fetch_manifest` raises (MANIFEST_MISSING ...), and
    SITE_UNREACHABLE or ORIGIN_REFUSED if it cannot be gone on with.
    """
    manifest = (await fetch_manifest(transport, fresh=True)).manifest
    inspection = Inspection(transport, progress)
    await _check_newest(inspection, manifest)
    retained = [
        await follow(inspection, previous, kept=_is_kept(manifest, number, previous, clock()))
        for number, previous in enumerate(manifest.previous)
    ]
    return _report(transport, inspection, manifest, tuple(retained))


async def _check_newest(inspection: Inspection, manifest: Manifest) -> None:
    root = await inspection.read(Root, manifest.root)
    if root is None:
        return
    same = root.tree.sha256 == manifest.content
    inspection.expect(same, MANIFEST_PATH, "content is not the hash of the document tree")
    documents = await check_tree(inspection, root, manifest.root)
    await check_overview(inspection, root, documents.keys())
    search = await check_search(inspection, root, documents)
    await check_groups(inspection, root, search.capacity, search.named)


def _is_kept(manifest: Manifest, number: int, previous: PreviousRevision, now: int) -> bool:
    """Whether retention promises an earlier revision: it is one of the newest so many, or no older
    than so many days. The newest release itself counts as the first."""
    if number + 1 < manifest.retention.revisions:
        return True
    if previous.publishedAt is None:
        return False
    published = datetime.strptime(previous.publishedAt, "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    return now - published.timestamp() * 1000 <= manifest.retention.days * _DAY


def _report(
    transport: Transport,
    inspection: Inspection,
    manifest: Manifest,
    retained: tuple[RetainedRevision, ...],
) -> VerifyReport:
    unreferenced: tuple[str, ...] | None = None
    if isinstance(transport, FolderTransport):
        unreferenced = tuple(_unreferenced(transport, inspection))[:UNREFERENCED]
    return VerifyReport(
        address=transport.address,
        revision=manifest.revision,
        sequence=manifest.sequence,
        objects=len(inspection.verified),
        bytes=sum(inspection.verified.values()),
        problems=tuple(inspection.problems),
        problem_count=inspection.problem_count,
        retained=retained,
        unreferenced=unreferenced,
    )


def _unreferenced(transport: FolderTransport, inspection: Inspection) -> Iterator[str]:
    for path in transport.object_paths():
        name = PurePosixPath(path)
        is_object = name.suffix == ".json" and SHA256.fullmatch(name.stem) is not None
        if not (is_object and inspection.has(name.stem)):
            yield path
