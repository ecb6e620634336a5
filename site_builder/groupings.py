"""The graph and the clusters as objects."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from manifest.objects import Cluster, Clusters, Doc, Edges, Graph, GraphPage
from manifest.ranking import idf
from manifest.references import HashRow, Reference
from site_builder.object_sink import ObjectSink, put_object

GRAPH_PAGE = 512
"""Documents per page of the graph."""

CLUSTER_TERMS = 8
LONGEST_TERM = 24
"""Code points of a heading that still reads as a key term."""


def publish_graph(links: Sequence[Sequence[int]], sink: ObjectSink) -> Reference:
    """Keeps the link graph; links: by ordinal the ordinals linked to, ascending."""
    pages: list[HashRow] = []
    for first in range(0, len(links), GRAPH_PAGE):
        rows = [
            Edges(ordinal, list(targets))
            for ordinal, targets in enumerate(links[first : first + GRAPH_PAGE], first)
            if targets
        ]
        reference = put_object(sink, GraphPage(rows=rows))
        pages.append(HashRow(reference.sha256, reference.size))
    return put_object(sink, Graph(pages=pages))


def publish_clusters(
    groups: Sequence[Sequence[int]],
    docs: Sequence[Doc],
    degrees: Sequence[int],
    sink: ObjectSink,
) -> Reference:
    """Keeps the clusters; degrees: by ordinal how much a document is linked and likened to."""
    phrases = [_phrases(doc) for doc in docs]
    spread: Counter[str] = Counter()
    for found in phrases:
        spread.update(found)
    clusters = [
        Cluster(
            id=number,
            label=docs[_centre(members, degrees)].title,
            terms=_key_terms(members, phrases, spread, len(docs)),
            ordinals=list(members),
        )
        for number, members in enumerate(groups)
    ]
    return put_object(sink, Clusters(clusters=clusters))


def _centre(members: Sequence[int], degrees: Sequence[int]) -> int:
    return min(members, key=lambda ordinal: (-degrees[ordinal], ordinal))


def _phrases(doc: Doc) -> set[str]:
    """A document's own words for its subjects: its title, tags and short headings, bare."""
    titles = [doc.title, *(section.title for section in doc.sections)]
    bare = (_bare(title) for title in titles)
    return {phrase for phrase in bare if 1 < len(phrase) <= LONGEST_TERM}


_NUMBERING = re.compile(r"^[\W_]*(?:(?:[0-9]+[.)、．]?)+|[一二三四五六七八九十]+[、.．])?[\W_]*")
_ASIDE = re.compile(r"\s*[(（].*$|[\s:：*_`]+$")


def _bare(title: str) -> str:
    return _ASIDE.sub("", _NUMBERING.sub("", title))


def _key_terms(
    members: Sequence[int],
    phrases: Sequence[set[str]],
    spread: Counter[str],
    documents: int,
) -> list[str]:
    """Phrases that several members share and the rest mostly does not."""
    inside: Counter[str] = Counter()
    for ordinal in members:
        inside.update(phrases[ordinal])
    shared = [phrase for phrase in inside if inside[phrase] > 1]
    shared.sort(key=lambda phrase: (-inside[phrase] * idf(documents, spread[phrase]), phrase))
    telling = [phrase for phrase in shared if 3 * inside[phrase] >= spread[phrase]]
    return telling[:CLUSTER_TERMS]
