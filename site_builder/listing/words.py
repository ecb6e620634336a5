"""Titles of the pages that list notes, in the languages of the interface."""

from __future__ import annotations

from typing import Final, Literal

ListName = Literal["index", "tags", "recent", "graph", "clusters"]

_ENGLISH: Final[dict[ListName, str]] = {
    "index": "Index",
    "tags": "Tags",
    "recent": "Recently changed",
    "graph": "Graph",
    "clusters": "Notes that belong together",
}
_CHINESE: Final[dict[ListName, str]] = {
    "index": "总览",
    "tags": "标签",
    "recent": "最近更新",
    "graph": "关系图",
    "clusters": "相关的笔记",
}


def list_title(name: ListName, language: str) -> str:
    """What a list is called; language: BCP 47."""
    chinese = language.lower().split("-")[0] == "zh"
    return (_CHINESE if chinese else _ENGLISH)[name]
