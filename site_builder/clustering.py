"""Groups of documents that belong together: Louvain's method over links and likeness.

Source: Blondel et al., "Fast unfolding of communities in large networks" (2008). Gains are
compared in integers and nodes are visited in order, so every machine finds the same groups.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from manifest.search_objects import Related

LINK_WEIGHT = 250
"""What a link adds to a pair's weight; likeness adds up to 1000."""

MANY_LINKS = 12
"""A note with more links than this is a list; its links share the weight of so many."""

SMALLEST = 3
"""Documents below which a group is not worth a label."""

MAX_SWEEPS = 20

Graph = list[dict[int, int]]


def groups(
    links: Sequence[Sequence[int]], likeness: Sequence[Sequence[Related]]
) -> list[list[int]]:
    """Groups of ordinals, each ascending, the largest first; small ones are left out."""
    graph = _weighted_graph(links, likeness)
    membership = list(range(len(graph)))
    while True:
        moved = _local_moves(graph)
        labels = {label: index for index, label in enumerate(sorted(set(moved)))}
        if len(labels) == len(graph):
            break
        membership = [labels[moved[node]] for node in membership]
        graph = _merged(graph, [labels[label] for label in moved], len(labels))
    found: defaultdict[int, list[int]] = defaultdict(list)
    for ordinal, label in enumerate(membership):
        found[label].append(ordinal)
    kept = [members for members in found.values() if len(members) >= SMALLEST]
    return sorted(kept, key=lambda members: (-len(members), members))


def _weighted_graph(links: Sequence[Sequence[int]], likeness: Sequence[Sequence[Related]]) -> Graph:
    graph: Graph = [{} for _ in links]

    def add(left: int, right: int, weight: int) -> None:
        if left != right:
            graph[left][right] = graph[left].get(right, 0) + weight
            graph[right][left] = graph[right].get(left, 0) + weight

    for ordinal, targets in enumerate(links):
        weight = LINK_WEIGHT * MANY_LINKS // max(MANY_LINKS, len(targets))
        for target in targets:
            add(ordinal, target, weight)
        for other in likeness[ordinal]:
            add(ordinal, other.ordinal, other.score)
    return graph


def _local_moves(graph: Graph) -> list[int]:
    """Moves each node to the neighbouring group of greatest gain until none moves."""
    degree = [sum(edges.values()) + edges.get(node, 0) for node, edges in enumerate(graph)]
    total = sum(degree)
    label = list(range(len(graph)))
    weight_of = list(degree)
    for _ in range(MAX_SWEEPS):
        moves = 0
        for node, edges in enumerate(graph):
            home = label[node]
            weight_of[home] -= degree[node]
            toward: defaultdict[int, int] = defaultdict(int)
            toward[home] = 0
            for other, weight in edges.items():
                if other != node:
                    toward[label[other]] += weight
            # The gain of joining a group, times 2m: k_in * 2m - k * sum_tot.
            best = min(
                toward,
                key=lambda group: (
                    degree[node] * weight_of[group] - toward[group] * total,
                    group != home,
                    group,
                ),
            )
            label[node] = best
            weight_of[best] += degree[node]
            moves += best != home
        if not moves:
            break
    return label


def _merged(graph: Graph, label: list[int], size: int) -> Graph:
    merged: Graph = [{} for _ in range(size)]
    for node, edges in enumerate(graph):
        own = merged[label[node]]
        for other, weight in edges.items():
            # Inner edges are met from both ends; a self-loop counts once in each visit.
            if label[other] != label[node] or other == node:
                own[label[other]] = own.get(label[other], 0) + weight
            elif other > node:
                own[label[node]] = own.get(label[node], 0) + weight
    return merged
