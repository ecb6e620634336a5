"""Groups of documents that belong together: Louvain's method over links and likeness.

Source: Blondel et al., "Fast unfolding of communities in large networks" (2008). Gains are
compared in integers and nodes are visited in order, so every machine finds the same groups. What
was a group before is where the search begins, so that groups stay as long as they are good.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

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
    links: Sequence[Sequence[int]],
    likeness: Sequence[Sequence[Related]],
    before: Mapping[int, int] | None = None,
) -> list[list[int]]:
    """Groups of ordinals, each ascending, the largest first; small ones are left out.

    before: by ordinal, the number of the group that a document was in.
    """
    graph = _weighted_graph(links, likeness)
    membership = list(range(len(graph)))
    start = _first_labels(len(graph), before or {})
    while True:
        moved = _local_moves(graph, start)
        labels = {label: index for index, label in enumerate(sorted(set(moved)))}
        if len(labels) == len(graph):
            break
        membership = [labels[moved[node]] for node in membership]
        graph = _merged(graph, [labels[label] for label in moved], len(labels))
        start = list(range(len(graph)))
    found: defaultdict[int, list[int]] = defaultdict(list)
    for ordinal, label in enumerate(membership):
        found[label].append(ordinal)
    kept = [members for members in found.values() if len(members) >= SMALLEST]
    return sorted(kept, key=lambda members: (-len(members), members))


def numbered(found: Sequence[Sequence[int]], before: Mapping[int, int]) -> list[int]:
    """The numbers of groups: that of the earlier group which most members come from, each given
    once, the largest share first; the rest take the lowest that are free."""
    shares = [
        (-count, position, number)
        for position, members in enumerate(found)
        for number, count in Counter(before[m] for m in members if m in before).items()
    ]
    numbers: dict[int, int] = {}
    for _, position, number in sorted(shares):
        if position not in numbers and number not in numbers.values():
            numbers[position] = number
    taken = set(numbers.values())
    free = iter(sorted(set(range(len(found) + len(taken))) - taken))
    return [numbers[n] if n in numbers else next(free) for n in range(len(found))]


def pull(
    links: Sequence[int], related: Sequence[Related], group_of: Mapping[int, int]
) -> int | None:
    """The group that pulls a newer document most, by its links and what it is like."""
    weight = LINK_WEIGHT * MANY_LINKS // max(MANY_LINKS, len(links))
    pulls: Counter[int] = Counter()
    for target in links:
        if target in group_of:
            pulls[group_of[target]] += weight
    for other in related:
        if other.ordinal in group_of:
            pulls[group_of[other.ordinal]] += other.score
    return min(pulls, key=lambda group: (-pulls[group], group)) if pulls else None


def _first_labels(size: int, before: Mapping[int, int]) -> list[int]:
    """Everyone alone, but for those that were together."""
    first: dict[int, int] = {}
    return [
        first.setdefault(before[node], node) if node in before else node for node in range(size)
    ]


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


def _local_moves(graph: Graph, start: Sequence[int]) -> list[int]:
    """Moves each node to the neighbouring group of greatest gain until none moves."""
    degree = [sum(edges.values()) + edges.get(node, 0) for node, edges in enumerate(graph)]
    total = sum(degree)
    label = list(start)
    weight_of = [0] * len(graph)
    for node, home in enumerate(label):
        weight_of[home] += degree[node]
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
