"""The graph and the clusters as objects."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from manifest.objects import Cluster, Clusters, Edges, Graph, GraphPage
from manifest.ranking import idf
from manifest.references import HashRow, Reference
from manifest.search_objects import DocRow
from site_builder.object_sink import ObjectSink, put_object
from site_builder.search.clustering import LINK_WEIGHT
from site_builder.search.shards import hash_row

GRAPH_PAGE = 512
"""Ordinals that a page of the graph speaks of."""

CLUSTER_TERMS = 8


def publish_graph(segments: Iterable[tuple[int, Sequence[DocRow]]], sink: ObjectSink) -> Reference:
    """Keeps the link graph, page by page of each segment, so that what is older stays as it is.

    segments: the ordinal of the first document of each, and its rows.
    """
    pages: list[HashRow] = []
    for first, documents in segments:
        for start in range(0, len(documents), GRAPH_PAGE):
            part = documents[start : start + GRAPH_PAGE]
            rows = [
                Edges(ordinal, list(row.links))
                for ordinal, row in enumerate(part, first + start)
                if row.links
            ]
            if rows:
                pages.append(hash_row(put_object(sink, GraphPage(rows=rows))))
    return put_object(sink, Graph(pages=pages))


@dataclass(frozen=True, slots=True)
class Group:
    """A cluster as it is remembered: its number, what it is called, and its key terms."""

    number: int
    label: str = ""
    terms: tuple[str, ...] = ()


def publish_clusters(
    known: Iterable[Group],
    group_of: Mapping[int, int],
    titles: Mapping[int, str],
    degrees: Mapping[int, int],
    sink: ObjectSink,
) -> Reference:
    """Keeps the clusters, the largest first.

    group_of: by ordinal, the number of the document's group. titles: of the same documents.
    degrees: how much each is linked and likened to. A label stays as long as it is the title of a
    member; else it is that of the member in the middle.
    """
    members: dict[int, list[int]] = {group.number: [] for group in known}
    by_number = {group.number: group for group in known}
    for ordinal, number in sorted(group_of.items()):
        members[number].append(ordinal)
    clusters = [
        Cluster(
            id=number,
            label=_label(by_number[number], ordinals, titles, degrees),
            terms=list(by_number[number].terms),
            ordinals=ordinals,
        )
        for number, ordinals in members.items()
        if ordinals
    ]
    clusters.sort(key=lambda cluster: (-len(cluster.ordinals), cluster.id))
    return put_object(sink, Clusters(clusters=clusters))


def degrees_of(rows: Iterable[DocRow]) -> Counter[int]:
    """How strongly each document is pointed at, by links and by likeness, by ordinal."""
    degrees: Counter[int] = Counter()
    for row in rows:
        for target in row.links:
            degrees[target] += LINK_WEIGHT
        for other in row.related:
            degrees[other.ordinal] += other.score
    return degrees


def key_terms(
    groups: Sequence[Sequence[int]], phrases: Sequence[Sequence[str]]
) -> list[tuple[str, ...]]:
    """For each group, phrases that several members share and the rest mostly does not.

    phrases: by ordinal, the document's own words for its subjects.
    """
    spread: Counter[str] = Counter()
    for found in phrases:
        spread.update(found)
    terms: list[tuple[str, ...]] = []
    for members in groups:
        inside: Counter[str] = Counter()
        for ordinal in members:
            inside.update(phrases[ordinal])
        weight = {
            phrase: inside[phrase] * idf(len(phrases), spread[phrase])
            for phrase in inside
            if inside[phrase] > 1 and 3 * inside[phrase] >= spread[phrase]
        }
        best = sorted(weight, key=lambda phrase: (-weight[phrase], phrase))
        terms.append(tuple(best[:CLUSTER_TERMS]))
    return terms


def _label(
    group: Group,
    ordinals: Sequence[int],
    titles: Mapping[int, str],
    degrees: Mapping[int, int],
) -> str:
    if group.label and any(titles[ordinal] == group.label for ordinal in ordinals):
        return group.label
    centre = min(ordinals, key=lambda ordinal: (-degrees.get(ordinal, 0), ordinal))
    return titles[centre]
