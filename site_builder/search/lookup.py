"""Words looked up in segments that are published already, to liken newer documents to theirs."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Protocol

import orjson

from manifest.references import HashRow, Kind, Reference
from manifest.search_objects import DirectoryRow, Terms
from site_builder.previous_source import ObjectName
from site_builder.search.published import PublishedSegment


class PublishedBodies(Protocol):
    """What is published already, by name; verified."""

    def body(self, kind: Kind, reference: Reference | HashRow) -> bytes: ...

    def bodies(self, names: list[ObjectName]) -> Iterator[tuple[ObjectName, bytes]]: ...


Strengths = dict[int, int]
"""Impacts of a word summed over a document's units, by the document's ordinal."""


def directory(segment: PublishedSegment, bodies: PublishedBodies) -> list[DirectoryRow]:
    """All shards of a segment. Raises as reading does."""
    if segment.segment.shards is not None:
        return segment.segment.shards
    rows: list[DirectoryRow] = []
    for page in segment.segment.pages:
        body = bodies.body(Kind.TERMS, HashRow(page.sha256, page.size))
        rows += Terms.model_validate(orjson.loads(body)).shards
    return rows


def look_up(
    words: Sequence[str],
    segment: PublishedSegment,
    dropped: Sequence[int],
    most: int,
    bodies: PublishedBodies,
) -> dict[str, Strengths]:
    """Who has which words; ordinals count through all segments, dropped rows are left out.

    words: in code-point order. Of a word that more than `most` documents have, nobody is named: it
    tells none from another.
    """
    shards = directory(segment, bodies)
    firsts = [row.first for row in shards]
    wanted: defaultdict[int, set[str]] = defaultdict(set)
    for word in words:
        place = bisect_right(firsts, word) - 1
        if place >= 0:
            wanted[place].add(word)
    by_name = {
        ObjectName(Kind.SHARD, shards[place].sha256, shards[place].size): found
        for place, found in wanted.items()
    }
    absent = set(dropped)
    strengths: dict[str, Strengths] = {}
    for name, body in bodies.bodies(list(by_name)):
        for row in orjson.loads(body)["terms"]:
            if row[0] in by_name[name]:
                strengths[row[0]] = _strengths(row, segment.first, absent, most)
    return strengths


def _strengths(row: list[object], first: int, absent: set[int], most: int) -> Strengths:
    found: Strengths = {}
    ordinal = -1
    live = False
    for number in row[1:]:
        if not isinstance(number, int):
            # A continuation: so many units have the word that it tells nothing.
            return {}
        if number < 0:
            ordinal -= number
            live = ordinal not in absent
        elif live:
            found[first + ordinal] = found.get(first + ordinal, 0) + (number & 15)
    return found if len(found) <= most else {}
