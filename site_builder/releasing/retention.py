"""The manifest of a release: what the build says, and what the target's history adds to it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from manifest.errors import ErrorCode, NoteBridgeError
from manifest.manifest_file import PREVIOUS_LIMIT, Manifest, PreviousRevision, write_manifest


@dataclass(frozen=True, slots=True)
class NextManifest:
    """The manifest to switch to, with its bytes.

    returns_to: the sequence under which this revision was released before, 0 if it is new. It is
    no error (notes can be put back), but an old build released late looks the same.
    """

    manifest: Manifest
    body: bytes
    returns_to: int = 0


def next_manifest(
    built: Manifest, live: Manifest | None, *, now: float, force: bool = False
) -> NextManifest:
    """What a release of `built` makes of a target whose manifest is `live` (None: it has none).

    now: seconds since the epoch. A revision that is live and released already keeps its sequence
    and its time. Whatever sequence, time and history the built manifest states itself are not
    looked at: only the target's count.

    Raises `NoteBridgeError`: INVALID_ARGUMENT if the target holds another knowledge base and
    `force` is not set; MANIFEST_INVALID if no history at all would fit beside the site's facts.
    """
    if live is None:
        return _sized(built, sequence=1, published=_timestamp(now), previous=())
    if live.knowledgeBaseId != built.knowledgeBaseId and not force:
        raise _other_knowledge_base(built, live)
    if live.sequence > 0 and live.revision == built.revision:
        return _sized(
            built, sequence=live.sequence, published=live.publishedAt, previous=live.previous
        )
    history = _history(live, built.revision)
    return _sized(
        built,
        sequence=live.sequence + 1,
        published=_timestamp(now),
        previous=history,
        returns_to=next(
            (entry.sequence for entry in live.previous if entry.revision == built.revision), 0
        ),
    )


def _history(live: Manifest, revision: str) -> list[PreviousRevision]:
    """Earlier revisions, newest first, each once and without the one that is now the newest."""
    replaced = PreviousRevision(
        revision=live.revision,
        size=live.root.size,
        sequence=live.sequence,
        publishedAt=live.publishedAt,
    )
    entries: dict[str, PreviousRevision] = {}
    for entry in (replaced, *live.previous):
        if entry.revision != revision:
            entries.setdefault(entry.revision, entry)
    return list(entries.values())[:PREVIOUS_LIMIT]


def _sized(
    built: Manifest,
    *,
    sequence: int,
    published: str | None,
    previous: Sequence[PreviousRevision],
    returns_to: int = 0,
) -> NextManifest:
    """The manifest with as much history as fits into its limit, the oldest left out first."""
    entries = list(previous)
    while True:
        manifest = built.model_copy(
            update={"sequence": sequence, "publishedAt": published, "previous": entries}
        )
        try:
            return NextManifest(manifest, write_manifest(manifest), returns_to)
        except NoteBridgeError:
            if not entries:
                raise
            entries = entries[:-1]


def _timestamp(now: float) -> str:
    return datetime.fromtimestamp(now, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _other_knowledge_base(built: Manifest, live: Manifest) -> NoteBridgeError:
    return NoteBridgeError(
        ErrorCode.INVALID_ARGUMENT,
        f"The target holds the knowledge base {live.knowledgeBaseId!r}, "
        f"the built site is {built.knowledgeBaseId!r}.",
        hint="Check the target. If the site has really changed its identity, release with --force.",
        details={"target": live.knowledgeBaseId, "built": built.knowledgeBaseId},
    )
