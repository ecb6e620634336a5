"""The manifest of a release, which the target's history adds to, and what retention keeps of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from manifest.errors import ErrorCode, NoteBridgeError
from manifest.manifest_file import (
    PREVIOUS_LIMIT,
    Manifest,
    PreviousRevision,
    Retention,
    write_manifest,
)
from manifest.references import Reference
from site_builder.releasing.record import ReplacedRevision

_DAY = 24 * 3600
_TIME = "%Y-%m-%dT%H:%M:%SZ"


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
    built: Manifest, live: Manifest | None, *, now: float, force: bool = False, purge: bool = False
) -> NextManifest:
    """What a release of `built` makes of a target whose manifest is `live` (None: it has none).

    now: seconds since the epoch. A revision that is live and released already keeps its sequence
    and its time. Whatever sequence, time and history the built manifest states itself are not
    looked at: only the target's count. purge: name no earlier revision.

    Raises `NoteBridgeError`: INVALID_ARGUMENT if the target holds another knowledge base and
    `force` is not set; MANIFEST_INVALID if no history at all would fit beside the site's facts.
    """
    if live is None:
        return _sized(built, sequence=1, published=_timestamp(now), previous=())
    if live.knowledgeBaseId != built.knowledgeBaseId and not force:
        raise _other_knowledge_base(built, live)
    if live.sequence > 0 and live.revision == built.revision:
        return _sized(
            built,
            sequence=live.sequence,
            published=live.publishedAt,
            previous=() if purge else live.previous,
        )
    return _sized(
        built,
        sequence=live.sequence + 1,
        published=_timestamp(now),
        previous=() if purge else _history(live, built.revision),
        returns_to=next(
            (entry.sequence for entry in live.previous if entry.revision == built.revision), 0
        ),
    )


def replaced_revisions(live: Manifest, now: float) -> list[ReplacedRevision]:
    """The earlier revisions that a manifest knows of, itself counted as replaced now, and when
    each was replaced; one of unknown time is left to the count of revisions."""
    times = [live.publishedAt, *(entry.publishedAt for entry in live.previous)]
    found = [ReplacedRevision(live.root, int(now))]
    for entry, replaced in zip(live.previous, times, strict=False):
        if replaced is not None:
            root = Reference(sha256=entry.revision, size=entry.size)
            found.append(ReplacedRevision(root, _seconds(replaced)))
    return found


def remembered(
    live: Manifest, history: Iterable[ReplacedRevision], upcoming: Manifest
) -> list[ReplacedRevision]:
    """The revisions to write down when `upcoming` takes the place of `live`."""
    now = _seconds(upcoming.publishedAt or _timestamp(0))
    oldest = now - upcoming.retention.days * _DAY
    found = [*replaced_revisions(live, now), *history]
    return [each for each in found if each.replaced_at > oldest]


@dataclass(frozen=True, slots=True)
class Retained:
    """What retention keeps. previous: the entries that the manifest goes on naming. roots: of all
    earlier revisions whose objects stay, named or not."""

    previous: tuple[PreviousRevision, ...]
    roots: tuple[Reference, ...]


def retained(live: Manifest, history: Iterable[ReplacedRevision], now: float) -> Retained:
    """Which earlier revisions a site keeps: the newest so many, the live one counted as the first,
    and those that were live within so many days, whichever is more.

    now: seconds since the epoch. A revision stays by the day it was replaced, not by the day it
    was published: a reader may have begun with it until then.
    """
    kept = _recent([*replaced_revisions(live, now)[1:], *history], live.retention, now)
    previous = tuple(
        entry
        for number, entry in enumerate(live.previous)
        if number + 1 < live.retention.revisions or entry.revision in kept
    )
    roots = kept | {
        entry.revision: Reference(sha256=entry.revision, size=entry.size) for entry in previous
    }
    roots.pop(live.revision, None)
    return Retained(previous, tuple(roots.values()))


def with_previous(live: Manifest, previous: Sequence[PreviousRevision]) -> Manifest:
    """The manifest with other earlier revisions."""
    return live.model_copy(update={"previous": list(previous)})


def _recent(
    history: Iterable[ReplacedRevision], retention: Retention, now: float
) -> dict[str, Reference]:
    oldest = now - retention.days * _DAY
    return {each.root.sha256: each.root for each in history if each.replaced_at > oldest}


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
    return datetime.fromtimestamp(now, UTC).strftime(_TIME)


def _seconds(timestamp: str) -> int:
    try:
        return int(datetime.strptime(timestamp, _TIME).replace(tzinfo=UTC).timestamp())
    except ValueError:
        return 0  # the pattern of manifests allows a 31st of February


def _other_knowledge_base(built: Manifest, live: Manifest) -> NoteBridgeError:
    return NoteBridgeError(
        ErrorCode.INVALID_ARGUMENT,
        f"The target holds the knowledge base {live.knowledgeBaseId!r}, "
        f"the built site is {built.knowledgeBaseId!r}.",
        hint="Check the target. If the site has really changed its identity, release with --force.",
        details={"target": live.knowledgeBaseId, "built": built.knowledgeBaseId},
    )
