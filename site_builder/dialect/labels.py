"""The words on a page that no author wrote: names of callouts and of the contents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

CONTENTS: Final = "contents"

_CHINESE: Final[Mapping[str, str]] = {
    "abstract": "摘要", "attention": "注意", "bug": "缺陷", "caution": "小心", "check": "完成",
    "cite": "引用", CONTENTS: "本文目录", "danger": "危险", "done": "完成", "error": "错误",
    "example": "示例", "fail": "失败", "failure": "失败", "faq": "常见问题", "help": "帮助",
    "hint": "提示", "important": "重要", "info": "信息", "missing": "缺失", "note": "注",
    "question": "问题", "quote": "引用", "success": "成功", "summary": "摘要", "tip": "提示",
    "tldr": "摘要", "todo": "待办", "warning": "警告",
}  # fmt: skip

_ENGLISH: Final[Mapping[str, str]] = {
    CONTENTS: "Contents of this note",
    "faq": "FAQ",
    "tldr": "TL;DR",
    "todo": "To do",
}


def label(kind: str, language: str) -> str:
    """What a reader of this language (BCP 47) sees over a callout of this kind that has no title;
    a kind nobody knows is its own name."""
    words = _CHINESE if language.partition("-")[0].lower() == "zh" else _ENGLISH
    return words.get(kind) or kind.replace("-", " ").replace("_", " ").capitalize()
