"""Files in the shapes that older readers ask for, as an option.

`category.json`, `knowledgeNetwork.json`, `docCluster.json` and `<path>.md.json`, at the addresses
and with the names those readers use (`chidren` is theirs). The three lists are single files over
all notes, so each new note rewrites them: a site that has no such readers leaves the option off.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import yaml

from site_builder.beside.addresses import encoded_url
from site_builder.beside.twins import has_twin
from site_builder.categories import CategoryNode
from site_builder.identity import without_suffix
from site_builder.note import Link, LinkKind, Meta
from site_builder.page_facts import PageFacts, SiteFile

CATEGORY_PATH: Final = "category.json"
NETWORK_PATH: Final = "knowledgeNetwork.json"
CLUSTER_PATH: Final = "docCluster.json"
UNLISTED: Final = frozenset({"README", "SUMMARY"})
"""Notes that say where others are; older readers do not expect them in the network."""


def legacy_id(path: str) -> str:
    """What older readers call a note: the parts of its path joined by `-`, where a `-` of the path
    itself is `@@`."""
    return without_suffix(path).replace("-", "@@").replace("/", "-")


def legacy_document(page: PageFacts, text: str, meta: Mapping[str, Meta]) -> SiteFile:
    """One note: `<path>.md.json`. There is no history of commits in what is published."""
    front = yaml.safe_dump(dict(meta), allow_unicode=True, sort_keys=False) if meta else ""
    body = {
        "name": without_suffix(page.path).rpartition("/")[2],
        "id": legacy_id(page.path),
        "content": text,
        "metadata": front.strip(),
        "commitList": [],
        "hasMoreCommit": False,
        "totalCommits": 0,
        "createTime": page.date,
    }
    return SiteFile(f"{without_suffix(page.path)}.md.json", _json(body))


def legacy_lists(
    facts: Sequence[PageFacts],
    categories: CategoryNode,
    links: Mapping[str, Sequence[Link]],
    clusters: Sequence[tuple[str, Sequence[str]]],
) -> Iterator[SiteFile]:
    """The three lists. links: of each note, by docId. clusters: label and docIds of each."""
    pages = {page.doc_id: page for page in facts if has_twin(page)}
    yield SiteFile(CATEGORY_PATH, _json(_below(categories, pages)))
    yield SiteFile(NETWORK_PATH, _json(list(_network(links, pages))))
    yield SiteFile(CLUSTER_PATH, _json([_clusters(clusters, pages)]))


def _below(node: CategoryNode, pages: Mapping[str, PageFacts]) -> list[dict[str, object]]:
    """Categories first, then notes; a note that stands for its category is not told twice."""
    rows: list[dict[str, object]] = []
    for child in node.children:
        own = pages.get(child.doc_id)
        rows.append({"name": child.title, "link": _link(own), "chidren": _below(child, pages)})
    for doc_id in node.documents:
        page = pages.get(doc_id)
        if page is not None and doc_id != node.doc_id:
            rows.append({"name": page.title, "link": _link(page), "chidren": []})
    return rows


def _link(page: PageFacts | None) -> str:
    return f"./{encoded_url(page.path)}" if page else ""


def _network(
    links: Mapping[str, Sequence[Link]], pages: Mapping[str, PageFacts]
) -> Iterator[dict[str, object]]:
    for doc_id, page in pages.items():
        if without_suffix(page.path) in UNLISTED:
            continue
        rows = [
            {"id": legacy_id(pages[link.to].path), "headingId": link.anchor, "name": link.text}
            for link in links.get(doc_id, ())
            if link.kind in (LinkKind.DOC, LinkKind.EMBED) and link.to in pages
        ]
        if rows:
            yield {"id": legacy_id(page.path), "links": rows}


def _clusters(
    clusters: Sequence[tuple[str, Sequence[str]]], pages: Mapping[str, PageFacts]
) -> dict[str, object]:
    """A tree of two levels: groups by label, then their notes by path."""
    return {
        "name": "",
        "children": [
            {
                "name": label,
                "children": [
                    {"name": pages[doc_id].path, "children": []}
                    for doc_id in members
                    if doc_id in pages
                ],
            }
            for label, members in clusters
        ],
    }


def _json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
